#include "lod/hit_test.h"

#include <algorithm>

namespace torchline::lod {

namespace {

struct Found {
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// The times of the pixels [x, x + count). Where pixels are narrower than a nanosecond, most have none of their own:
/// theirs is the one they lie in.
TimeRange timesOf(const PixelScale& scale, int x, int count)
{
    const int64_t endNs = scale.firstNsOf(x + count);
    return {std::min(scale.firstNsOf(x), subSaturated(endNs, 1)), endNs};
}

/// Slices that touch the pixels [x, x + count).
Found slicesIn(const SliceRow& row, const PixelScale& scale, int x, int count)
{
    const TimeRange times = timesOf(scale, x, count);
    const uint32_t begin = RowIndex::firstEndingAfter(row, times.beginNs);
    return {begin, std::max(begin, RowIndex::firstStartingAt(row, times.endNs))};
}

/// Slices that touch a pixel; if there are none, those that touch its neighbours.
Found slicesNear(const SliceRow& row, const PixelScale& scale, int x)
{
    const Found found = slicesIn(row, scale, x, 1);
    return found.begin < found.end ? found : slicesIn(row, scale, x - 1, 3);
}

} // namespace

TimelineHit hitTest(const TimelineIndex& index, const LaneLayout& layout, const PixelScale& scale, int x, int y)
{
    TimelineHit hit;
    hit.item = layout.itemAt(y);
    if (!hit.item || hit.item->kind != LaneItemKind::Lane)
        return hit;
    const LaneItem& item = *hit.item;
    if (item.isCollapsed) {
        for (const int at : {x, x - 1, x + 1}) {
            const auto [fromNs, toNs] = timesOf(scale, at, 1);
            const BusyRow& busy = index.busy(item.lane);
            const uint32_t k = RowIndex::firstEndingAfter(busy, fromNs);
            if (k >= busy.size() || busy.startNs(k) >= toNs)
                continue;
            hit.slice = index.outermostAt(item.lane, std::max(fromNs, busy.startNs(k)));
            break;
        }
        return hit;
    }
    hit.row = LaneLayout::rowAt(item, y);
    if (!hit.row)
        return hit;
    const RowView view = index.row(item.lane, item.frames, *hit.row);
    const Found found = slicesNear(view.slices, scale, x);
    if (found.begin < found.end)
        hit.slice = {item.lane, view.slices.laneIndex(view.index->longestOf(view.slices, found.begin, found.end))};
    return hit;
}

SliceRef nextInPixel(const TimelineIndex& index, Frames frames, const PixelScale& scale, int x, SliceRef current)
{
    const auto row = current.isValid() ? index.rowOf(current, frames) : std::nullopt;
    if (!row)
        return current;
    const SliceRow slices = index.row(current.lane, frames, *row).slices;
    const Found found = slicesNear(slices, scale, x);
    const uint32_t at = RowIndex::firstStartingAt(slices, index.trace().startNs(current));
    for (uint32_t k = at; k < found.end; ++k) {
        if (k >= found.begin && slices.laneIndex(k) > current.index)
            return {current.lane, slices.laneIndex(k)};
    }
    return found.begin < found.end ? SliceRef{current.lane, slices.laneIndex(found.begin)} : current;
}

} // namespace torchline::lod
