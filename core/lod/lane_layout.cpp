#include "lod/lane_layout.h"

#include <algorithm>

namespace torchline::lod {

LaneLayout::LaneLayout(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state,
    const std::function<bool(LaneId)>& shows)
{
    const TraceSnapshot& trace = index.trace();
    const auto groups = static_cast<uint32_t>(trace.groups().size());
    m_itemOfLane.assign(trace.lanes().size(), kNoSlice);
    m_itemOfGroup.assign(groups + size_t{1}, kNoSlice);
    std::vector<bool> isPinned(trace.lanes().size());
    for (const LaneId lane : state.pinned) {
        isPinned[lane.value()] = true;
        if (!state.isHidden(lane) && (!shows || shows(lane)))
            addLane(index, metrics, state, lane, true);
    }
    m_pinnedHeight = m_height;
    if (m_height > 0)
        m_height += metrics.divider;
    m_scrolledTop = m_height;

    std::vector<LaneId> lanes;
    for (const uint32_t g : state.groupsInOrder(trace)) {
        if (g >= groups) {
            addLooseMemory(index, metrics, state);
            continue;
        }
        lanes.clear();
        uint32_t hidden = 0;
        bool hasPinned = false;
        for (const LaneId lane : state.orderOf(trace, g)) {
            if (shows && !shows(lane))
                continue;
            if (state.isHidden(lane))
                ++hidden;
            else if (isPinned[lane.value()])
                hasPinned = true;
            else
                lanes.push_back(lane);
        }
        if (!lanes.empty() || hidden > 0 || hasPinned)
            addGroup(index, metrics, state, g, lanes, hidden);
    }
}

void LaneLayout::addLooseMemory(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state)
{
    const bool hasLoose = std::ranges::any_of(
        index.memory(), [&](const MemoryTrack& track) { return !index.groupOf(track).has_value(); });
    if (!hasLoose)
        return;
    LaneItem band;
    band.kind = LaneItemKind::Group;
    band.group = static_cast<uint32_t>(index.trace().groups().size());
    band.isCollapsed = state.isGroupCollapsed(band.group);
    const bool isOpen = !band.isCollapsed;
    add(std::move(band), metrics.group);
    if (isOpen)
        addMemory(index, metrics, state, std::nullopt);
}

void LaneLayout::add(LaneItem item, int height)
{
    const auto at = static_cast<uint32_t>(m_items.size());
    if (item.kind == LaneItemKind::Lane) {
        m_itemOfLane[item.lane.value()] = at;
        ++m_laneCount;
    }
    if (item.kind == LaneItemKind::Group)
        m_itemOfGroup[item.group] = at;
    item.y = m_height;
    item.height = height;
    m_height += height;
    m_items.push_back(std::move(item));
}

namespace {

int scaled(int length, uint16_t percent)
{
    constexpr int kLeast = 3; ///< a line of colour and its gap
    return percent == 100 ? length : std::max((length * percent + 50) / 100, kLeast);
}

} // namespace

void LaneLayout::addLane(
    const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state, LaneId lane, bool isPinned)
{
    const uint16_t percent = state.heightOf(lane);
    LaneItem item;
    item.group = groupIndex(index.trace(), lane);
    item.lane = lane;
    item.indent = isPinned ? 0 : 1;
    item.isPinned = isPinned;
    item.isCollapsed = state.isCollapsed(lane);
    item.frames = state.framesOf(lane);
    item.rows = index.rowCount(lane, item.frames);
    int height = metrics.collapsed;
    if (!item.isCollapsed) {
        item.rowTops.reserve(item.rows + size_t{1});
        height = metrics.padding;
        for (uint16_t r = 0; r < item.rows; ++r) {
            item.rowTops.push_back(height);
            height += scaled(index.rowHasDeviceWork(lane, r) ? metrics.kernelRow : metrics.row, percent);
        }
        item.rowTops.push_back(height);
        height = std::max(height + metrics.padding, isPinned ? metrics.pinned - metrics.separator : metrics.collapsed);
    }
    add(std::move(item), height + metrics.separator);
}

void LaneLayout::addMemory(
    const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state, std::optional<uint32_t> group)
{
    for (uint32_t m = 0; m < index.memory().size(); ++m) {
        if (index.groupOf(index.memory()[m]) != group)
            continue;
        LaneItem item;
        item.kind = LaneItemKind::Memory;
        item.group = group.value_or(static_cast<uint32_t>(index.trace().groups().size()));
        item.index = m;
        item.indent = 1;
        const int height = std::max(scaled(metrics.memory, state.memoryHeightOf(m)), 2 * metrics.collapsed);
        add(std::move(item), height + metrics.separator);
    }
}

void LaneLayout::addGroup(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state,
    uint32_t group, std::span<const LaneId> lanes, uint32_t hidden)
{
    LaneItem band;
    band.kind = LaneItemKind::Group;
    band.group = group;
    band.hidden = hidden;
    band.isCollapsed = state.isGroupCollapsed(group);
    const bool isOpen = !band.isCollapsed;
    // A process whose lanes are all hidden is hidden but for its band.
    const bool isAllHidden = lanes.empty() && hidden > 0;
    add(std::move(band), metrics.group);
    if (!isOpen || isAllHidden)
        return;
    for (uint32_t d = 0; d < index.devices().size(); ++d) {
        if (index.devices()[d].group != group)
            continue;
        LaneItem strip;
        strip.kind = LaneItemKind::Busy;
        strip.group = group;
        strip.index = d;
        strip.indent = 1;
        add(std::move(strip), metrics.busy + metrics.separator);
    }
    for (const LaneId lane : lanes)
        addLane(index, metrics, state, lane, false);
    addMemory(index, metrics, state, group);
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
    const uint32_t at = group < m_itemOfGroup.size() ? m_itemOfGroup[group] : kNoSlice;
    return at == kNoSlice ? nullptr : &m_items[at];
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
    const LaneItem* band = groupItem(groupIndex(index.trace(), slice.lane));
    return band ? std::optional(rowBand(*band, 0)) : std::nullopt;
}

LaneScroll LaneScroll::of(const LaneLayout& layout, int room, int scrollY, int pinnedScroll)
{
    constexpr int kMostShare = 60; ///< per cent of the view that pinned lanes take
    LaneScroll scroll;
    scroll.scrollY = scrollY;
    scroll.pinnedHeight = layout.pinnedHeight();
    scroll.scrolledTop = layout.scrolledTop();
    const int shown = std::min(scroll.pinnedHeight, std::max(room, 0) * kMostShare / 100);
    scroll.shownTop = shown + scroll.scrolledTop - scroll.pinnedHeight;
    scroll.pinnedScroll = std::clamp(pinnedScroll, 0, scroll.pinnedHeight - shown);
    return scroll;
}

} // namespace torchline::lod
