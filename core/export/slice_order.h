#pragma once
// SliceOrder: all slices of a trace by start, then longer first, then place in the file; the order of `dump` ids.
// Thread: one at a time. Cost: O(log lanes) a slice; nothing is kept but one place a lane.

#include "model/trace_snapshot.h"

#include <optional>
#include <vector>

namespace torchline {

class SliceOrder {
public:
    explicit SliceOrder(const TraceSnapshot& trace);
    /// The next slice, none after the last.
    [[nodiscard]] std::optional<SliceRef> next();

private:
    struct Head {
        int64_t startNs;
        int64_t durationNs;
        uint64_t eventOffset;
        uint32_t fileIndex;
        SliceRef slice;
    };
    static bool isLater(const Head& a, const Head& b);
    [[nodiscard]] Head headOf(SliceRef slice) const;

    const TraceSnapshot& m_trace;
    std::vector<Head> m_heads; ///< a heap: first of what is left of each lane
};

/// Ids of slices in SliceOrder, counted from 0. 4 bytes a slice.
class SliceIds {
public:
    explicit SliceIds(const TraceSnapshot& trace);
    [[nodiscard]] uint32_t of(SliceRef slice) const { return m_ids[m_laneBegin[slice.lane.value()] + slice.index]; }

private:
    std::vector<size_t> m_laneBegin;
    std::vector<uint32_t> m_ids;
};

} // namespace torchline
