#pragma once
// Device work by name: sums, extremes, bytes, bandwidth, time-weighted occupancy.
// Thread: any but the GUI thread. Cost: O(device work log device work); the key shape reads the args of the owners
// once.

#include "analysis/operators.h"

namespace torchline {

struct KernelRow {
    std::string name;
    std::vector<std::string> keys; ///< one for each group key; empty where the file does not say
    SliceKind kind = SliceKind::Kernel; ///< of the first; Kernel, Memcpy, Memset
    SliceRef first;
    int64_t calls = 0;
    int64_t totalNs = 0;
    int64_t minNs = 0;
    int64_t maxNs = 0;
    std::optional<int64_t> bytes;
    int64_t bytesNs = 0; ///< time of the work that states bytes: gbps = bytes / bytesNs
    int64_t occupancyWeight = 0; ///< sum of occupancy % x duration
    int64_t occupancyNs = 0; ///< duration of the work that states an occupancy
};

struct KernelTable {
    std::vector<GroupKey> groupBy; ///< Device, Stream, Op, Shape, File, Rank
    std::vector<KernelRow> rows; ///< in the order met, by time
    int64_t totalNs = 0; ///< sum over all rows
    uint64_t generation = 0;
    std::shared_ptr<const SliceRows> sliceRows; ///< what slicesOfKernelRow() and kernelRowOfSlice() look up
};

/// deviceScope: device work that is in (ResolvedScope::deviceWork), null: all.
[[nodiscard]] Result<KernelTable> kernelTable(const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy = {},
    const SliceMask* deviceScope = nullptr, std::stop_token stop = {});
/// deviceScope: only of these (null: of all that the table was made from).
[[nodiscard]] Result<SliceMask> slicesOfKernelRow(const TraceSnapshot& trace, const KernelTable& table, size_t row,
    const SliceMask* deviceScope = nullptr, std::stop_token stop = {});
[[nodiscard]] std::optional<size_t> kernelRowOfSlice(
    const TraceSnapshot& trace, const KernelTable& table, SliceRef slice);

/// Union of the device work of each device, and sums over all of it. Thread: any but the GUI thread.
struct DeviceTotals {
    struct Busy {
        uint32_t fileIndex = 0;
        std::string device; ///< text of the device number
        int64_t busyNs = 0;
    };
    std::vector<Busy> busy; ///< by file, then device (numbers by value)
    int64_t workSumNs = 0;
    int64_t unattributedNs = 0; ///< device work without an owning operator
};
/// deviceScope: device work that is in, null: all.
[[nodiscard]] DeviceTotals deviceTotals(const TraceSnapshot& trace, const SliceMask* deviceScope = nullptr);

} // namespace torchline
