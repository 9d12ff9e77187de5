#pragma once
// LaneState: how a person arranged the lanes of a trace: what is folded, hidden, pinned, in which order and how tall.
// Thread: values. Missing entries mean: as the trace has it. Cost: O(1), of order and pins O(lanes of a process).

#include "lod/timeline_index.h"

namespace torchline::lod {

struct LaneState {
    static constexpr uint16_t kLeastPercent = 30;
    static constexpr uint16_t kMostPercent = 800;

    std::vector<bool> groupCollapsed; ///< by index in TraceSnapshot::groups()
    std::vector<bool> laneCollapsed; ///< by LaneId
    std::vector<Frames> frames; ///< by LaneId
    std::vector<bool> laneHidden; ///< by LaneId
    std::vector<LaneId> pinned; ///< above all others, top to bottom
    std::vector<std::vector<LaneId>> order; ///< by group: all of its lanes; empty: as the trace has them
    std::vector<uint32_t> groupOrder; ///< all of groupCount(); empty: as the trace has them
    std::vector<uint16_t> heights; ///< by LaneId: per cent of the usual height of rows; 0: 100
    std::vector<uint16_t> memoryHeights; ///< the same, by index in TimelineIndex::memory()

    /// Lanes deeper than this many rows begin with their Python frames folded: GPU lanes would lie screens below.
    static constexpr uint16_t kDeepestOpen = 24;
    /// Everything open; frames folded in lanes that would be deeper than that.
    [[nodiscard]] static LaneState forIndex(const TimelineIndex& index, uint16_t deepestOpen = kDeepestOpen);
    /// The same arrangement of another index, of a trace that was read again or grew: lanes, processes and tracks are
    /// found again by what the files call them. New ones are as forIndex() has them, below those that were moved.
    [[nodiscard]] LaneState carriedTo(const TimelineIndex& to, const TimelineIndex& from) const;

    [[nodiscard]] bool isGroupCollapsed(uint32_t group) const
    {
        return group < groupCollapsed.size() && groupCollapsed[group];
    }
    [[nodiscard]] bool isCollapsed(LaneId lane) const { return isSet(laneCollapsed, lane); }
    [[nodiscard]] bool isHidden(LaneId lane) const { return isSet(laneHidden, lane); }
    [[nodiscard]] Frames framesOf(LaneId lane) const
    {
        return lane.value() < frames.size() ? frames[lane.value()] : Frames::Shown;
    }
    [[nodiscard]] bool isPinned(LaneId lane) const;
    [[nodiscard]] uint16_t heightOf(LaneId lane) const { return percentAt(heights, lane.value()); }
    [[nodiscard]] uint16_t memoryHeightOf(uint32_t track) const { return percentAt(memoryHeights, track); }
    /// Lanes of a group as they stand, pinned and hidden ones in their places.
    [[nodiscard]] std::span<const LaneId> orderOf(const TraceSnapshot& trace, uint32_t group) const;
    /// Processes as they stand, those that are left out in their places.
    [[nodiscard]] std::vector<uint32_t> groupsInOrder(const TraceSnapshot& trace) const;

    void setGroupCollapsed(uint32_t group, bool collapsed);
    void setCollapsed(LaneId lane, bool collapsed);
    void setHidden(LaneId lane, bool hidden);
    void setFrames(LaneId lane, Frames shown);
    void setHeight(LaneId lane, int percent); ///< held to the bounds above
    void setMemoryHeight(uint32_t track, int percent);
    /// Into the pinned ones before another of them; none: after the last.
    void pin(LaneId lane, std::optional<LaneId> before = std::nullopt);
    void unpin(LaneId lane);
    /// Within its group, before another lane of it; none: after the last.
    void move(const TraceSnapshot& trace, LaneId lane, std::optional<LaneId> before);
    /// A process with all its lanes, before another one; none: after the last.
    void moveGroup(const TraceSnapshot& trace, uint32_t group, std::optional<uint32_t> before);

private:
    [[nodiscard]] static bool isSet(const std::vector<bool>& flags, LaneId lane)
    {
        return lane.value() < flags.size() && flags[lane.value()];
    }
    [[nodiscard]] static uint16_t percentAt(const std::vector<uint16_t>& percents, uint32_t at)
    {
        return at < percents.size() && percents[at] != 0 ? percents[at] : uint16_t{100};
    }
};

/// Those of the trace and, last, that of memory that belongs to none of them.
[[nodiscard]] inline uint32_t groupCount(const TraceSnapshot& trace)
{
    return static_cast<uint32_t>(trace.groups().size()) + 1;
}

/// Index of a lane's process in TraceSnapshot::groups().
[[nodiscard]] inline uint32_t groupIndex(const TraceSnapshot& trace, LaneId lane)
{
    return static_cast<uint32_t>(&trace.groupOf(lane) - trace.groups().data());
}

} // namespace torchline::lod
