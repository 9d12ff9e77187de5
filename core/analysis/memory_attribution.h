#pragma once
// MemoryAttribution: bytes that [memory] records of one file allocate and free while a slice runs, whatever the thread:
// start <= t <= end. Device types: CPU (with MKLDNN and IDEEP) counts as CPU memory, all others as device memory.
// Private to core/analysis. Thread: one owner. Cost: O(log records) a slice at worst, less in lane order.

#include "model/trace_snapshot.h"

#include <cstdint>
#include <vector>

namespace torchline {

struct MemoryBytes {
    int64_t cpu = 0;
    int64_t cuda = 0;
};

class MemoryAttribution {
public:
    MemoryAttribution(const TraceSnapshot& trace, uint32_t fileIndex);

    [[nodiscard]] bool hasRecords() const { return !m_timesNs.empty(); }
    /// Common-axis times. The records are no longer outside() afterwards.
    [[nodiscard]] MemoryBytes during(int64_t startNs, int64_t endNs);

    struct Outside {
        int64_t records = 0;
        MemoryBytes bytes;
    };
    /// Records that no slice asked about so far held.
    [[nodiscard]] Outside outside() const;

private:
    std::vector<int64_t> m_timesNs;
    std::vector<MemoryBytes> m_before; ///< sums of all records before the i-th; one more at the end
    size_t m_hint = 0; ///< first record that the last slice could hold
    std::vector<int32_t> m_coverChange; ///< running sum at i: slices that hold record i
};

} // namespace torchline
