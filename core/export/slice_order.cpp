#include "export/slice_order.h"

#include <algorithm>
#include <tuple>

namespace torchline {

SliceOrder::SliceOrder(const TraceSnapshot& trace)
    : m_trace(trace)
{
    for (uint32_t lane = 0; lane < trace.lanes().size(); ++lane) {
        if (trace.lanes()[lane].size() > 0)
            m_heads.push_back(headOf({LaneId(lane), 0}));
    }
    std::ranges::make_heap(m_heads, isLater);
}

std::optional<SliceRef> SliceOrder::next()
{
    if (m_heads.empty())
        return std::nullopt;
    std::ranges::pop_heap(m_heads, isLater);
    const SliceRef slice = m_heads.back().slice;
    if (slice.index + 1 < m_trace.lane(slice.lane).size()) {
        m_heads.back() = headOf({slice.lane, slice.index + 1});
        std::ranges::push_heap(m_heads, isLater);
    } else {
        m_heads.pop_back();
    }
    return slice;
}

bool SliceOrder::isLater(const Head& a, const Head& b)
{
    return std::tie(a.startNs, b.durationNs, a.fileIndex, a.eventOffset)
        > std::tie(b.startNs, a.durationNs, b.fileIndex, b.eventOffset);
}

SliceOrder::Head SliceOrder::headOf(SliceRef slice) const
{
    const Lane& lane = m_trace.lane(slice.lane);
    return {lane.startNs(slice.index), lane.durationNs(slice.index), lane.eventOffset(slice.index), lane.fileIndex(),
        slice};
}

SliceIds::SliceIds(const TraceSnapshot& trace)
{
    size_t slices = 0;
    for (const Lane& lane : trace.lanes()) {
        m_laneBegin.push_back(slices);
        slices += lane.size();
    }
    m_ids.resize(slices);
    SliceOrder order(trace);
    uint32_t id = 0;
    while (const auto slice = order.next())
        m_ids[m_laneBegin[slice->lane.value()] + slice->index] = id++;
}

} // namespace torchline
