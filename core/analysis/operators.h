#pragma once
// Operator totals: torch.profiler's key_averages() figures, or each instant counted once. Definitions: the README of
// this folder. Pure functions of a snapshot. Thread: any but the GUI thread.
// Cost: O(slices). FLOPs read the args of the few operators that have a formula; the keys shape and stack read those of
// all operators, in one pass over each file.

#include "analysis/slice_rows.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace torchline {

enum class OperatorTotals : uint8_t { Torch, Once };
enum class GroupKey : uint8_t { Shape, Stack, Thread, Process, File, Rank, Overload, Node, Device, Stream, Op };
enum class RowKind : uint8_t { Op, Annotation, Runtime, Device, DeviceAnnotation };

[[nodiscard]] std::string_view rowKindText(RowKind kind); ///< op, annotation, runtime, device, device_annotation
[[nodiscard]] std::string_view groupKeyText(GroupKey key); ///< shape, stack, ...

struct OperatorOptions {
    OperatorTotals totals = OperatorTotals::Torch;
    /// Besides the name, in the order of the columns. Device, Stream and Op belong to kernels: one empty text here.
    std::vector<GroupKey> groupBy;
    uint32_t stackDepth = 5; ///< frames that count in GroupKey::Stack
    bool withFlops = true; ///< false: no args are read for them and none are known
};

struct OperatorRow {
    std::string name;
    std::vector<std::string> keys; ///< one for each OperatorOptions::groupBy; empty where the file does not say
    RowKind kind = RowKind::Op;
    SliceRef first; ///< the first slice met, for swatch and jump; invalid in the row of [memory] records
    int64_t calls = 0;
    int64_t selfCpuNs = 0;
    int64_t cpuTotalNs = 0;
    int64_t selfCudaNs = 0;
    int64_t cudaTotalNs = 0;
    std::optional<int64_t> cpuMemBytes; ///< none: no file of these slices has memory records
    std::optional<int64_t> selfCpuMemBytes;
    std::optional<int64_t> cudaMemBytes;
    std::optional<int64_t> selfCudaMemBytes;
    std::optional<int64_t> flops; ///< none: shapes were not recorded
};

struct OperatorTable {
    OperatorOptions options;
    std::vector<OperatorRow> rows; ///< in the order met, by time
    int64_t selfCpuTotalNs = 0; ///< denominator of the CPU percentages
    /// Denominator of the CUDA percentages. Torch: device rows that are no annotations; once: sum of selfCudaNs.
    int64_t selfCudaTotalNs = 0;
    uint64_t generation = 0;
    std::shared_ptr<const SliceRows> sliceRows; ///< what slicesOfOperatorRow() and operatorRowOfSlice() look up
};

/// scope: the slices that are in (null: all). What is in counts whole, with its children and the device work it owns.
/// Fails when cancelled, or when a group key needs args that cannot be read.
[[nodiscard]] Result<OperatorTable> operatorTable(const TraceSnapshot& trace, const OperatorOptions& options,
    const SliceMask* scope = nullptr, std::stop_token stop = {});

/// The slices that were summed into a row, those folded into an outer one of the same name included.
/// scope: only of these (null: of all that the table was made from).
[[nodiscard]] Result<SliceMask> slicesOfOperatorRow(const TraceSnapshot& trace, const OperatorTable& table, size_t row,
    const SliceMask* scope = nullptr, std::stop_token stop = {});
/// The row that a slice was summed into; none for slices outside the table. O(1).
[[nodiscard]] std::optional<size_t> operatorRowOfSlice(
    const TraceSnapshot& trace, const OperatorTable& table, SliceRef slice);

} // namespace torchline
