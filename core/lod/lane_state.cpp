#include "lod/lane_state.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

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

/// A process: path of its file, number, whether it is a device.
using GroupKey = std::tuple<std::string_view, std::string_view, bool>;
using LaneKey = std::tuple<GroupKey, std::string_view>;
using TrackKey = std::tuple<std::string_view, int32_t, int32_t>;

GroupKey keyOf(const TraceSnapshot& trace, const ProcessGroup& group)
{
    const FileStore& file = trace.file(group.fileIndex);
    return {file.info.path, trace.text(file.processes[group.process].pid), group.isDevice};
}

LaneKey keyOf(const TraceSnapshot& trace, LaneId lane)
{
    return {keyOf(trace, trace.groupOf(lane)), trace.tid(lane)};
}

TrackKey keyOf(const TraceSnapshot& trace, const MemoryTrack& track)
{
    return {trace.file(track.fileIndex).info.path, track.deviceType, track.deviceId};
}

/// Numbers of one list in another: those of equal keys, in order where a key stands for several.
template <typename Key> class NumberMap {
public:
    void add(const Key& key, uint32_t number) { m_numbers.emplace(key, number); }
    std::optional<uint32_t> take(const Key& key)
    {
        const auto found = m_numbers.lower_bound(key);
        if (found == m_numbers.end() || found->first != key)
            return std::nullopt;
        const uint32_t number = found->second;
        m_numbers.erase(found);
        return number;
    }

private:
    std::multimap<Key, uint32_t> m_numbers;
};

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
    LaneState result = forIndex(to);

    NumberMap<LaneKey> lanesNow;
    for (uint32_t i = 0; i < is.lanes().size(); ++i)
        lanesNow.add(keyOf(is, LaneId(i)), i);
    std::vector<std::optional<LaneId>> laneNow(was.lanes().size());
    for (uint32_t i = 0; i < was.lanes().size(); ++i) {
        const LaneId id(i);
        const std::optional<uint32_t> number = lanesNow.take(keyOf(was, id));
        if (!number)
            continue;
        const LaneId now(*number);
        laneNow[i] = now;
        result.setCollapsed(now, isCollapsed(id));
        result.setHidden(now, isHidden(id));
        result.setFrames(now, framesOf(id));
        result.setHeight(now, heightOf(id));
    }
    const auto findLane = [&](LaneId id) { return laneNow[id.value()]; };
    for (const LaneId id : pinned) {
        if (const std::optional<LaneId> now = findLane(id))
            result.pinned.push_back(*now);
    }

    NumberMap<GroupKey> groupsNow;
    for (uint32_t g = 0; g < is.groups().size(); ++g)
        groupsNow.add(keyOf(is, is.groups()[g]), g);
    std::vector<std::optional<uint32_t>> groupNow(groupCount(was));
    groupNow.back() = groupCount(is) - 1;
    for (uint32_t g = 0; g < was.groups().size(); ++g) {
        groupNow[g] = groupsNow.take(keyOf(was, was.groups()[g]));
        if (!groupNow[g])
            continue;
        result.setGroupCollapsed(*groupNow[g], isGroupCollapsed(g));
        if (g < order.size() && !order[g].empty())
            setAt(result.order, *groupNow[g], inOldOrder<LaneId>(order[g], is.groups()[*groupNow[g]].lanes, findLane),
                std::vector<LaneId>());
    }
    result.setGroupCollapsed(groupCount(is) - 1, isGroupCollapsed(groupCount(was) - 1));
    if (!groupOrder.empty())
        result.groupOrder = inOldOrder<uint32_t>(
            groupOrder, result.groupsInOrder(is), [&](uint32_t group) { return groupNow[group]; });

    NumberMap<TrackKey> tracksNow;
    for (uint32_t t = 0; t < to.memory().size(); ++t)
        tracksNow.add(keyOf(is, to.memory()[t]), t);
    for (uint32_t t = 0; t < from.memory().size(); ++t) {
        if (const std::optional<uint32_t> now = tracksNow.take(keyOf(was, from.memory()[t])))
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
