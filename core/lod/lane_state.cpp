#include "lod/lane_state.h"

#include "model/lane_match.h"

#include <algorithm>
#include <functional>
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

/// Those that are still there, as they stood, then the others of `all`.
template <typename T>
std::vector<T> inOldOrder(
    const std::vector<T>& before, const std::vector<T>& all, const std::function<std::optional<T>(T)>& numberNow)
{
    std::vector<T> result;
    for (const T& each : before) {
        if (const std::optional<T> now = numberNow(each))
            result.push_back(*now);
    }
    for (const T& each : all) {
        if (std::ranges::find(result, each) == result.end())
            result.push_back(each);
    }
    return result;
}

} // namespace

LaneState LaneState::carriedTo(const TimelineIndex& to, const TimelineIndex& from) const
{
    const TraceSnapshot& was = from.trace();
    const TraceSnapshot& is = to.trace();
    const LaneMatch match(was, is);
    LaneState result = forIndex(to);

    for (uint32_t i = 0; i < was.lanes().size(); ++i) {
        const LaneId id(i);
        const std::optional<LaneId> now = match.lane(id);
        if (!now)
            continue;
        result.setCollapsed(*now, isCollapsed(id));
        result.setHidden(*now, isHidden(id));
        result.setFrames(*now, framesOf(id));
        result.setHeight(*now, heightOf(id));
    }
    const auto findLane = [&](LaneId id) { return match.lane(id); };
    for (const LaneId id : pinned) {
        if (const std::optional<LaneId> now = findLane(id))
            result.pinned.push_back(*now);
    }

    const uint32_t loose = groupCount(was) - 1; // memory that belongs to no process
    const auto findGroup = [&](uint32_t group) {
        return group == loose ? std::optional(groupCount(is) - 1) : match.group(group);
    };
    for (uint32_t g = 0; g < groupCount(was); ++g) {
        const std::optional<uint32_t> now = findGroup(g);
        if (!now)
            continue;
        result.setGroupCollapsed(*now, isGroupCollapsed(g));
        if (g < order.size() && !order[g].empty())
            setAt(result.order, *now, inOldOrder<LaneId>(order[g], is.groups()[*now].lanes, findLane),
                std::vector<LaneId>());
    }
    if (!groupOrder.empty())
        result.groupOrder = inOldOrder<uint32_t>(groupOrder, result.groupsInOrder(is), findGroup);

    for (uint32_t t = 0; t < from.memory().size(); ++t) {
        const MemoryTrack& track = from.memory()[t];
        const std::optional<uint32_t> file = match.file(track.fileIndex);
        const auto now = file ? to.trackOf(*file, track.deviceType, track.deviceId) : std::nullopt;
        if (now)
            result.setMemoryHeight(*now, memoryHeightOf(t));
    }
    return result;
}

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
