#include "lod/lane_layout.h"

#include <algorithm>

namespace torchline::lod {

LaneState LaneState::forIndex(const TimelineIndex& index, uint16_t deepestOpen)
{
    LaneState state;
    const TraceSnapshot& trace = index.trace();
    state.groupCollapsed.assign(trace.groups().size(), false);
    state.laneCollapsed.assign(trace.lanes().size(), false);
    state.frames.assign(trace.lanes().size(), Frames::Shown);
    for (uint32_t i = 0; i < state.frames.size(); ++i) {
        if (index.hasFrames(LaneId(i)) && index.rowCount(LaneId(i), Frames::Shown) > deepestOpen)
            state.frames[i] = Frames::Folded;
    }
    return state;
}

LaneLayout::LaneLayout(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state,
    const std::function<bool(LaneId)>& shows)
{
    const TraceSnapshot& trace = index.trace();
    m_itemOfLane.assign(trace.lanes().size(), kNoSlice);
    int y = 0;
    const auto add = [&](LaneItem item, int height) {
        item.y = y;
        item.height = height;
        y += height;
        m_items.push_back(std::move(item));
    };
    const auto addMemory = [&](std::optional<uint32_t> group) {
        for (uint32_t m = 0; m < index.memory().size(); ++m) {
            if (index.groupOf(index.memory()[m]) != group)
                continue;
            LaneItem item;
            item.kind = LaneItemKind::Memory;
            item.group = group.value_or(static_cast<uint32_t>(trace.groups().size()));
            item.index = m;
            item.indent = 1;
            add(std::move(item), metrics.memory + metrics.separator);
        }
    };
    for (uint32_t g = 0; g < trace.groups().size(); ++g) {
        const ProcessGroup& group = trace.groups()[g];
        std::vector<LaneId> lanes;
        std::ranges::copy_if(group.lanes, std::back_inserter(lanes),
            [&](LaneId id) { return (!shows || shows(id)) && !state.isHidden(id); });
        if (lanes.empty())
            continue;
        LaneItem band;
        band.kind = LaneItemKind::Group;
        band.group = g;
        band.isCollapsed = state.isGroupCollapsed(g);
        add(band, metrics.group);
        if (band.isCollapsed)
            continue;
        for (uint32_t d = 0; d < index.devices().size(); ++d) {
            if (index.devices()[d].group != g)
                continue;
            LaneItem strip;
            strip.kind = LaneItemKind::Busy;
            strip.group = g;
            strip.index = d;
            strip.indent = 1;
            add(strip, metrics.busy + metrics.separator);
        }
        for (const LaneId id : lanes) {
            LaneItem item;
            item.group = g;
            item.lane = id;
            item.indent = 1;
            item.isCollapsed = state.isCollapsed(id);
            item.frames = state.framesOf(id);
            item.rows = index.rowCount(id, item.frames);
            int height = metrics.collapsed;
            if (!item.isCollapsed) {
                item.rowTops.reserve(item.rows + size_t{1});
                height = metrics.padding;
                for (uint16_t r = 0; r < item.rows; ++r) {
                    item.rowTops.push_back(height);
                    height += index.rowHasDeviceWork(id, r) ? metrics.kernelRow : metrics.row;
                }
                item.rowTops.push_back(height);
                height += metrics.padding;
            }
            m_itemOfLane[id.value()] = static_cast<uint32_t>(m_items.size());
            add(std::move(item), height + metrics.separator);
        }
        addMemory(g);
    }
    const auto loose = static_cast<uint32_t>(trace.groups().size());
    const bool hasLoose = std::ranges::any_of(
        index.memory(), [&](const MemoryTrack& track) { return !index.groupOf(track).has_value(); });
    if (hasLoose) {
        LaneItem band;
        band.kind = LaneItemKind::Group;
        band.group = loose;
        band.isCollapsed = state.isGroupCollapsed(loose);
        add(band, metrics.group);
        if (!band.isCollapsed)
            addMemory(std::nullopt);
    }
    m_height = y;
}

std::span<const LaneItem> LaneLayout::itemsIn(int top, int bottom) const
{
    const auto first
        = std::ranges::partition_point(m_items, [top](const LaneItem& item) { return item.bottom() <= top; });
    const auto last
        = std::partition_point(first, m_items.end(), [bottom](const LaneItem& item) { return item.y < bottom; });
    return {first, last};
}

const LaneItem* LaneLayout::itemAt(int y) const
{
    const auto items = itemsIn(y, y + 1);
    return items.empty() || y < 0 ? nullptr : &items.front();
}

const LaneItem* LaneLayout::itemOf(LaneId lane) const
{
    const uint32_t at = lane.value() < m_itemOfLane.size() ? m_itemOfLane[lane.value()] : kNoSlice;
    return at == kNoSlice ? nullptr : &m_items[at];
}

const LaneItem* LaneLayout::groupItem(uint32_t group) const
{
    const auto at = std::ranges::find_if(
        m_items, [group](const LaneItem& item) { return item.kind == LaneItemKind::Group && item.group == group; });
    return at == m_items.end() ? nullptr : &*at;
}

std::optional<uint16_t> LaneLayout::rowAt(const LaneItem& item, int y)
{
    const int inside = y - item.y;
    if (item.rowTops.empty() || inside < item.rowTops.front() || inside >= item.rowTops.back())
        return std::nullopt;
    const auto after = std::ranges::upper_bound(item.rowTops, inside);
    return static_cast<uint16_t>(after - item.rowTops.begin() - 1);
}

LaneLayout::Band LaneLayout::rowBand(const LaneItem& item, uint16_t row)
{
    if (item.rowTops.empty()) {
        const int inset = item.height / 5;
        return {item.y + inset, item.bottom() - 1 - inset};
    }
    return {item.y + item.rowTops[row], item.y + item.rowTops[row + size_t{1}] - 1};
}

std::optional<LaneLayout::Band> LaneLayout::bandOf(const TimelineIndex& index, SliceRef slice) const
{
    if (const LaneItem* item = itemOf(slice.lane)) {
        if (item->isCollapsed)
            return rowBand(*item, 0);
        if (const auto row = index.rowOf(slice, item->frames))
            return rowBand(*item, *row);
        // Folded away: the nearest frame around it that is shown, else the lane's first row.
        for (SliceRef up = index.trace().parent(slice); up.isValid(); up = index.trace().parent(up)) {
            if (const auto row = index.rowOf(up, item->frames))
                return rowBand(*item, *row);
        }
        return item->rows > 0 ? std::optional(rowBand(*item, 0)) : std::nullopt;
    }
    for (const LaneItem& item : m_items) {
        if (item.kind == LaneItemKind::Group && item.isCollapsed && item.group < index.trace().groups().size()
            && std::ranges::find(index.trace().groups()[item.group].lanes, slice.lane)
                != index.trace().groups()[item.group].lanes.end())
            return Band{item.y, item.bottom()};
    }
    return std::nullopt;
}

} // namespace torchline::lod
