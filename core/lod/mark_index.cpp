#include "lod/mark_index.h"

#include <algorithm>
#include <bit>

namespace torchline::lod {

std::shared_ptr<const MarkIndex> MarkIndex::build(
    std::shared_ptr<const TimelineIndex> index, const SliceMask& mask, std::stop_token stop)
{
    const auto marks = std::make_shared<MarkIndex>();
    const TraceSnapshot& trace = index->trace();
    marks->m_timeline = std::move(index);
    marks->m_lanes.resize(trace.lanes().size());
    std::vector<int64_t> starts;
    for (uint32_t l = 0; l < marks->m_lanes.size(); ++l) {
        const LaneId id(l);
        std::vector<uint32_t> marked;
        const auto words = mask.words(id);
        for (size_t w = 0; w < words.size(); ++w) {
            for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
                marked.push_back(static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(bits))));
        }
        if (stop.stop_requested())
            return nullptr;
        LaneMarks& lane = marks->m_lanes[l];
        lane.count = marked.size();
        marks->m_count += marked.size();
        if (marked.empty())
            continue;
        for (const uint32_t i : marked)
            starts.push_back(trace.lane(id).startNs(i));
        marks->fill(lane.shown, id, Frames::Shown, marked);
        if (marks->m_timeline->hasFrames(id))
            marks->fill(lane.folded, id, Frames::Folded, marked);
    }
    std::ranges::sort(starts);
    for (const int64_t start : starts)
        marks->m_starts.append(start, start, WorkClass::Op);
    marks->m_starts.finish();
    return stop.stop_requested() ? nullptr : marks;
}

void MarkIndex::fill(Rows& rows, LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const
{
    const uint16_t count = m_timeline->rowCount(lane, frames);
    rows.begin.assign(size_t{count} + 1, 0);
    for (const uint32_t i : marked) {
        if (const auto row = m_timeline->rowOf({lane, i}, frames))
            ++rows.begin[*row + size_t{1}];
    }
    for (size_t r = 0; r < count; ++r)
        rows.begin[r + 1] += rows.begin[r];
    rows.slices.resize(rows.begin.back());
    std::vector<uint32_t> next(rows.begin.begin(), rows.begin.end() - 1);
    for (const uint32_t i : marked) {
        if (const auto row = m_timeline->rowOf({lane, i}, frames))
            rows.slices[next[*row]++] = i;
    }
    rows.index.resize(count);
    for (uint16_t r = 0; r < count; ++r) {
        SliceRow slices = m_timeline->row(lane, frames, r).slices;
        slices.order = rows.slices.data() + rows.begin[r];
        slices.count = rows.begin[r + size_t{1}] - rows.begin[r];
        rows.index[r] = RowIndex(slices);
    }
}

RowView MarkIndex::row(LaneId lane, Frames frames, uint16_t row) const
{
    const LaneMarks& marks = m_lanes[lane.value()];
    if (marks.count == 0)
        return {};
    const Rows& rows = frames == Frames::Folded && m_timeline->hasFrames(lane) ? marks.folded : marks.shown;
    RowView view = m_timeline->row(lane, frames, row);
    view.slices.order = rows.slices.data() + rows.begin[row];
    view.slices.count = rows.begin[row + size_t{1}] - rows.begin[row];
    view.index = &rows.index[row];
    return view;
}

} // namespace torchline::lod
