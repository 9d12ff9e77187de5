#include "lod/lane_state.h"

#include <algorithm>
#include <numeric>

namespace torchline::lod {

namespace {

template <typename T> void setAt(std::vector<T>& values, uint32_t at, T value, T usual)
{
    if (at >= values.size())
        values.resize(at + size_t{1}, usual);
    values[at] = value;
}

uint16_t heldPercent(int percent)
{
    return static_cast<uint16_t>(std::clamp<int>(percent, LaneState::kLeastPercent, LaneState::kMostPercent));
}

template <typename T> void putBefore(std::vector<T>& values, T value, std::optional<T> before)
{
    if (before == value)
        return;
    std::erase(values, value);
    values.insert(before ? std::ranges::find(values, *before) : values.end(), value);
}

} // namespace

LaneState LaneState::forIndex(const TimelineIndex& index, uint16_t deepestOpen)
{
    LaneState state;
    const auto lanes = static_cast<uint32_t>(index.trace().lanes().size());
    for (uint32_t i = 0; i < lanes; ++i) {
        if (index.hasFrames(LaneId(i)) && index.rowCount(LaneId(i), Frames::Shown) > deepestOpen)
            state.setFrames(LaneId(i), Frames::Folded);
    }
    return state;
}

bool LaneState::isPinned(LaneId lane) const
{
    return std::ranges::find(pinned, lane) != pinned.end();
}

std::span<const LaneId> LaneState::orderOf(const TraceSnapshot& trace, uint32_t group) const
{
    return group < order.size() && !order[group].empty() ? std::span<const LaneId>(order[group])
                                                         : std::span<const LaneId>(trace.groups()[group].lanes);
}

std::vector<uint32_t> LaneState::groupsInOrder(const TraceSnapshot& trace) const
{
    if (!groupOrder.empty())
        return groupOrder;
    std::vector<uint32_t> groups(groupCount(trace));
    std::iota(groups.begin(), groups.end(), 0U);
    return groups;
}

void LaneState::setGroupCollapsed(uint32_t group, bool collapsed)
{
    setAt(groupCollapsed, group, collapsed, false);
}

void LaneState::setCollapsed(LaneId lane, bool collapsed)
{
    setAt(laneCollapsed, lane.value(), collapsed, false);
}

void LaneState::setHidden(LaneId lane, bool hidden)
{
    setAt(laneHidden, lane.value(), hidden, false);
}

void LaneState::setFrames(LaneId lane, Frames shown)
{
    setAt(frames, lane.value(), shown, Frames::Shown);
}

void LaneState::setHeight(LaneId lane, int percent)
{
    setAt(heights, lane.value(), heldPercent(percent), uint16_t{0});
}

void LaneState::setMemoryHeight(uint32_t track, int percent)
{
    setAt(memoryHeights, track, heldPercent(percent), uint16_t{0});
}

void LaneState::pin(LaneId lane, std::optional<LaneId> before)
{
    putBefore(pinned, lane, before);
}

void LaneState::unpin(LaneId lane)
{
    std::erase(pinned, lane);
}

void LaneState::move(const TraceSnapshot& trace, LaneId lane, std::optional<LaneId> before)
{
    const uint32_t group = groupIndex(trace, lane);
    if (group >= order.size())
        order.resize(trace.groups().size());
    if (order[group].empty())
        order[group] = trace.groups()[group].lanes;
    putBefore(order[group], lane, before);
}

void LaneState::moveGroup(const TraceSnapshot& trace, uint32_t group, std::optional<uint32_t> before)
{
    groupOrder = groupsInOrder(trace);
    putBefore(groupOrder, group, before);
}

} // namespace torchline::lod
