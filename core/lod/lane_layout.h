#pragma once
// LaneLayout: where bands, busy strips, lanes and their rows lie, top to bottom, as numbers in logical pixels from the
// top of the content. No colours, no scrolling.
// Thread: values. Cost: build O(rows of all lanes), look-ups O(log items).

#include "lod/timeline_index.h"

#include <algorithm>
#include <functional>

namespace torchline::lod {

struct LaneMetrics {
    int row = 19; ///< rows with their gap
    int kernelRow = 22;
    int collapsed = 20;
    int group = 22;
    int busy = 22;
    int memory = 72;
    int padding = 5; ///< above and below the rows of a lane
    int separator = 1; ///< below each lane

    friend bool operator==(const LaneMetrics&, const LaneMetrics&) = default;
};

/// What a person opened and closed. Missing entries: open, frames as decided by defaultFrames().
struct LaneState {
    std::vector<bool> groupCollapsed; ///< by index in TraceSnapshot::groups()
    std::vector<bool> laneCollapsed; ///< by LaneId
    std::vector<Frames> frames; ///< by LaneId
    std::vector<bool> laneHidden; ///< by LaneId: left out of the layout

    [[nodiscard]] bool isGroupCollapsed(uint32_t group) const
    {
        return group < groupCollapsed.size() && groupCollapsed[group];
    }
    [[nodiscard]] bool isCollapsed(LaneId lane) const
    {
        return lane.value() < laneCollapsed.size() && laneCollapsed[lane.value()];
    }
    [[nodiscard]] bool isHidden(LaneId lane) const
    {
        return lane.value() < laneHidden.size() && laneHidden[lane.value()];
    }
    void setHidden(LaneId lane, bool hidden)
    {
        laneHidden.resize(std::max<size_t>(laneHidden.size(), lane.value() + size_t{1}));
        laneHidden[lane.value()] = hidden;
    }
    [[nodiscard]] Frames framesOf(LaneId lane) const
    {
        return lane.value() < frames.size() ? frames[lane.value()] : Frames::Shown;
    }
    /// Everything open; frames folded in lanes that would be deeper than this many rows.
    [[nodiscard]] static LaneState forIndex(const TimelineIndex& index, uint16_t deepestOpen);
};

enum class LaneItemKind : uint8_t { Group, Busy, Lane, Memory };

struct LaneItem {
    LaneItemKind kind = LaneItemKind::Lane;
    uint32_t group = 0; ///< index in TraceSnapshot::groups(); their count for memory without a device group
    LaneId lane; ///< of Lane
    uint32_t index = 0; ///< of Busy: in TimelineIndex::devices(); of Memory: in TimelineIndex::memory()
    int y = 0;
    int height = 0; ///< with padding and separator
    int indent = 0; ///< levels
    bool isCollapsed = false;
    Frames frames = Frames::Shown;
    uint16_t rows = 0;
    std::vector<int> rowTops; ///< from y, one more at the end; empty for anything but open lanes

    [[nodiscard]] int bottom() const { return y + height; }
};

class LaneLayout {
public:
    LaneLayout() = default;
    /// shows: lanes that are left out when it says no; empty: all.
    LaneLayout(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state,
        const std::function<bool(LaneId)>& shows = {});

    [[nodiscard]] std::span<const LaneItem> items() const { return m_items; }
    [[nodiscard]] int height() const { return m_height; }
    /// Items that meet [top, bottom).
    [[nodiscard]] std::span<const LaneItem> itemsIn(int top, int bottom) const;
    [[nodiscard]] const LaneItem* itemAt(int y) const; ///< null above and below all
    [[nodiscard]] const LaneItem* itemOf(LaneId lane) const; ///< null in a collapsed group or left out
    [[nodiscard]] const LaneItem* groupItem(uint32_t group) const;
    /// Row of an open lane at y, none in its padding and for other items.
    [[nodiscard]] static std::optional<uint16_t> rowAt(const LaneItem& item, int y);
    /// Top and bottom (without the gap line of 1) of a row; of the one bar of a collapsed lane.
    struct Band {
        int top = 0;
        int bottom = 0;
    };
    [[nodiscard]] static Band rowBand(const LaneItem& item, uint16_t row);
    /// Where a slice is drawn: its row, the bar of its collapsed lane, else the band of its group; none if left out.
    [[nodiscard]] std::optional<Band> bandOf(const TimelineIndex& index, SliceRef slice) const;

private:
    std::vector<LaneItem> m_items;
    std::vector<uint32_t> m_itemOfLane; ///< by LaneId, kNoSlice: none
    int m_height = 0;
};

} // namespace torchline::lod
