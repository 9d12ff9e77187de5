#pragma once
// MemoryAttribution: bytes that [memory] records of one file allocate and free while a slice runs, whatever the thread:
// start <= t <= end. Device types: CPU (with MKLDNN and IDEEP) counts as CPU memory, all others as device memory.
// Copies share what they have read. Private to core/analysis. Thread: one owner. Cost: O(log records) a slice at worst,
// less in lane order.

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
    /// Takes the records up to this time (common axis), those that it has already left out.
    void read(const TraceSnapshot& trace, uint32_t fileIndex, int64_t untilNs);
    /// Samples of the file, of whatever name, that were read so far.
    [[nodiscard]] size_t samplesRead() const { return m_samplesRead; }

    [[nodiscard]] bool hasRecords() const { return !m_timesNs.empty(); }
    /// Common-axis times. The records are no longer outside() afterwards.
    [[nodiscard]] MemoryBytes during(int64_t startNs, int64_t endNs);

    struct Outside {
        int64_t records = 0;
        MemoryBytes bytes;
    };
    /// Records that no slice asked about so far held.
    [[nodiscard]] Outside outside() const;
    /// No slice that is asked about from now on begins before this: which records are outside is clear until then.
    void settle(int64_t beforeNs);

private:
    int32_t addOutside(Outside& outside, size_t end) const;

    SharedBlocks<int64_t, 1u << 12> m_timesNs;
    SharedBlocks<MemoryBytes, 1u << 12> m_sums; ///< of all records up to the i-th
    size_t m_samplesRead = 0;
    size_t m_hint = 0; ///< first record that the last slice could hold
    size_t m_settled = 0; ///< records before this one are in m_settledOutside where they are outside
    Outside m_settledOutside;
    std::vector<int32_t> m_coverChange{0}; ///< running sum up to i: slices that hold record m_settled + i
};

} // namespace torchline
