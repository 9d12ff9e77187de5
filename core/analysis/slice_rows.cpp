#include "analysis/slice_rows.h"

#include <algorithm>

namespace torchline {

SliceRows::SliceRows(const TraceSnapshot& trace)
    : m_lanes(trace.lanes().size())
{
}

SliceRows::SliceRows(const SliceRows& before, const TraceSnapshot& trace)
    : m_lanes(before.m_lanes)
{
    m_lanes.resize(trace.lanes().size());
}

void SliceRows::set(const TraceSnapshot& trace, SliceRef slice, uint32_t row)
{
    LaneRows& rows = m_lanes[slice.lane.value()];
    if (slice.index >= rows.size()) {
        for (size_t more = trace.lane(slice.lane).size() - rows.size(); more > 0; --more)
            rows.push_back(kNoRow);
    }
    rows.writable(slice.index) = row;
}

uint32_t SliceRows::rowOf(SliceRef slice) const
{
    if (!slice.isValid() || slice.lane.value() >= m_lanes.size())
        return kNoRow;
    const LaneRows& rows = m_lanes[slice.lane.value()];
    return slice.index < rows.size() ? shown(rows[slice.index]) : kNoRow;
}

void SliceRows::renumber(std::span<const uint32_t> newNumber)
{
    m_newNumber.assign(newNumber.begin(), newNumber.end());
}

SliceMask SliceRows::slicesOf(const TraceSnapshot& trace, uint32_t row, const SliceMask* within) const
{
    SliceMask slices(trace);
    if (m_lanes.size() != trace.lanes().size())
        return slices;
    for (uint32_t lane = 0; lane < m_lanes.size(); ++lane) {
        const auto size = std::min<size_t>(m_lanes[lane].size(), trace.lanes()[lane].size());
        for (uint32_t i = 0; i < size; ++i) {
            const SliceRef slice{LaneId(lane), i};
            if (shown(m_lanes[lane][i]) == row && (within == nullptr || within->contains(slice)))
                slices.insert(slice);
        }
    }
    return slices;
}

size_t SliceRows::memoryUsage() const
{
    size_t bytes = sizeof(*this) + m_lanes.capacity() * sizeof(m_lanes[0]);
    for (const LaneRows& rows : m_lanes)
        bytes += rows.memoryUsage();
    bytes += m_newNumber.capacity() * sizeof(uint32_t);
    return bytes;
}

} // namespace torchline
