#include "lod/mark_index.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

namespace torchline::lod {

std::shared_ptr<const MarkIndex> MarkIndex::build(
    std::shared_ptr<const TimelineIndex> index, const SliceMask& mask, std::stop_token stop)
{
    const auto marks = std::make_shared<MarkIndex>();
    const TraceSnapshot& trace = index->trace();
    marks->m_timeline = std::move(index);
    marks->m_lanes.resize(trace.lanes().size());
    for (uint32_t l = 0; l < marks->m_lanes.size(); ++l) {
        const LaneId id(l);
        std::vector<uint32_t>& marked = marks->m_lanes[l].marked;
        const auto words = mask.words(id);
        for (size_t w = 0; w < words.size(); ++w) {
            for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
                marked.push_back(static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(bits))));
        }
        if (stop.stop_requested())
            return nullptr;
        marks->m_count += marked.size();
        if (marked.empty())
            continue;
        marks->fill(marks->m_lanes[l].shown, id, Frames::Shown, marked);
        if (marks->m_timeline->hasFrames(id))
            marks->fill(marks->m_lanes[l].folded, id, Frames::Folded, marked);
    }
    marks->mergeStarts(stop);
    return stop.stop_requested() ? nullptr : marks;
}

/// Starts of a lane rise already: lanes are merged two by two.
void MarkIndex::mergeStarts(const std::stop_token& stop)
{
    std::vector<int64_t> starts;
    starts.reserve(m_count);
    std::vector<size_t> ends{0};
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const Lane& lane = m_timeline->trace().lane(LaneId(l));
        for (const uint32_t i : m_lanes[l].marked)
            starts.push_back(lane.startNs(i));
        if (starts.size() > ends.back())
            ends.push_back(starts.size());
    }
    std::vector<int64_t> merged(starts.size());
    while (ends.size() > 2 && !stop.stop_requested()) {
        std::vector<size_t> left{0};
        for (size_t run = 0; run + 1 < ends.size(); run += 2) {
            const size_t end = ends[std::min(run + 2, ends.size() - 1)];
            const auto at = [&](size_t i) { return starts.begin() + static_cast<ptrdiff_t>(i); };
            std::merge(at(ends[run]), at(ends[run + 1]), at(ends[run + 1]), at(end),
                merged.begin() + static_cast<ptrdiff_t>(ends[run]));
            left.push_back(end);
        }
        starts.swap(merged);
        ends = std::move(left);
    }
    for (const int64_t start : starts)
        m_starts.append(start, start, WorkClass::Op);
    m_starts.finish();
}

// Order

bool MarkIndex::isBefore(const Place& a, const Place& b)
{
    return std::tuple(a.startNs, a.slice.lane.value(), a.slice.index)
        < std::tuple(b.startNs, b.slice.lane.value(), b.slice.index);
}

MarkIndex::Place MarkIndex::placeOf(SliceRef slice) const
{
    return {m_timeline->trace().startNs(slice), slice};
}

size_t MarkIndex::countBefore(uint32_t lane, const Place& place) const
{
    const std::vector<uint32_t>& marked = m_lanes[lane].marked;
    const auto at = std::ranges::partition_point(marked, [&](uint32_t i) {
        return isBefore(placeOf({LaneId(lane), i}), place);
    });
    return static_cast<size_t>(at - marked.begin());
}

bool MarkIndex::contains(SliceRef slice) const
{
    return slice.isValid() && slice.lane.value() < m_lanes.size()
        && std::ranges::binary_search(m_lanes[slice.lane.value()].marked, slice.index);
}

SliceRef MarkIndex::next(SliceRef from, bool forward) const
{
    const Place place = placeOf(from);
    std::optional<Place> best;
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const std::vector<uint32_t>& marked = m_lanes[l].marked;
        size_t at = countBefore(l, place);
        if (forward && at < marked.size() && SliceRef{LaneId(l), marked[at]} == from)
            ++at;
        if (forward ? at >= marked.size() : at == 0)
            continue;
        const Place found = placeOf({LaneId(l), marked[forward ? at : at - 1]});
        if (!best || (forward ? isBefore(found, *best) : isBefore(*best, found)))
            best = found;
    }
    return best ? best->slice : SliceRef{};
}

SliceRef MarkIndex::firstFrom(int64_t timeNs) const
{
    std::optional<Place> best;
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const std::vector<uint32_t>& marked = m_lanes[l].marked;
        const size_t at = countBefore(l, {timeNs, {LaneId(0), 0}});
        if (at >= marked.size())
            continue;
        const Place found = placeOf({LaneId(l), marked[at]});
        if (!best || isBefore(found, *best))
            best = found;
    }
    return best ? best->slice : SliceRef{};
}

SliceRef MarkIndex::last() const
{
    std::optional<Place> best;
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        if (m_lanes[l].marked.empty())
            continue;
        const Place found = placeOf({LaneId(l), m_lanes[l].marked.back()});
        if (!best || isBefore(*best, found))
            best = found;
    }
    return best ? best->slice : SliceRef{};
}

uint64_t MarkIndex::rank(SliceRef slice) const
{
    const Place place = placeOf(slice);
    uint64_t before = 0;
    for (uint32_t l = 0; l < m_lanes.size(); ++l)
        before += countBefore(l, place);
    return before;
}

std::vector<std::optional<uint16_t>> MarkIndex::rowsOf(
    LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const
{
    std::vector<std::optional<uint16_t>> rowOf(marked.size());
    // A folded row is looked up by searching in all of them; for many slices a pass over the rows is cheaper.
    constexpr size_t kFew = 32;
    const uint32_t laneSize = m_timeline->trace().lane(lane).size();
    if (frames == Frames::Shown || marked.size() < laneSize / kFew) {
        for (size_t k = 0; k < marked.size(); ++k)
            rowOf[k] = m_timeline->rowOf({lane, marked[k]}, frames);
        return rowOf;
    }
    constexpr uint16_t kNoRow = 0xFFFF;
    std::vector<uint16_t> rowOfSlice(laneSize, kNoRow);
    for (uint16_t r = 0; r < m_timeline->rowCount(lane, frames); ++r) {
        const SliceRow slices = m_timeline->row(lane, frames, r).slices;
        for (uint32_t k = 0; k < slices.count; ++k)
            rowOfSlice[slices.laneIndex(k)] = r;
    }
    for (size_t k = 0; k < marked.size(); ++k) {
        if (rowOfSlice[marked[k]] != kNoRow)
            rowOf[k] = rowOfSlice[marked[k]];
    }
    return rowOf;
}

void MarkIndex::fill(Rows& rows, LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const
{
    const uint16_t count = m_timeline->rowCount(lane, frames);
    const std::vector<std::optional<uint16_t>> rowOf = rowsOf(lane, frames, marked);
    rows.slices.resize(count);
    for (size_t k = 0; k < marked.size(); ++k) {
        if (rowOf[k])
            rows.slices[*rowOf[k]].push_back(marked[k]);
    }
    rows.index.resize(count);
    for (uint16_t r = 0; r < count; ++r) {
        rows.slices[r].shrinkToFit();
        SliceRow slices = m_timeline->row(lane, frames, r).slices;
        slices.order = &rows.slices[r];
        slices.count = static_cast<uint32_t>(rows.slices[r].size());
        rows.index[r] = RowIndex(slices);
    }
}

RowView MarkIndex::row(LaneId lane, Frames frames, uint16_t row) const
{
    const LaneMarks& marks = m_lanes[lane.value()];
    if (marks.marked.empty())
        return {};
    const Rows& rows = frames == Frames::Folded && m_timeline->hasFrames(lane) ? marks.folded : marks.shown;
    if (row >= rows.slices.size())
        return {};
    RowView view = m_timeline->row(lane, frames, row);
    view.slices.order = &rows.slices[row];
    view.slices.count = static_cast<uint32_t>(rows.slices[row].size());
    view.index = &rows.index[row];
    return view;
}

} // namespace torchline::lod
