#pragma once
// LaneLayout: where bands, busy strips, lanes and their rows lie, top to bottom, as numbers in logical pixels from the
// top of the content: first the pinned lanes, a divider, then all others by process. No colours.
// LaneScroll: where that content lies in a view. Thread: values. Cost: build O(rows of all lanes), look-ups O(log
// items).

#include "lod/lane_state.h"

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
    int divider = 4; ///< below the pinned lanes
    int pinned = 36; ///< least height of a pinned lane that is open: its header says where it belongs

    friend bool operator==(const LaneMetrics&, const LaneMetrics&) = default;
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
    bool isPinned = false;
    Frames frames = Frames::Shown;
    uint16_t rows = 0;
    uint32_t hidden = 0; ///< of Group: lanes that are left out by hand
    std::vector<int> rowTops; ///< from y, one more at the end; empty for anything but open lanes

    [[nodiscard]] int bottom() const { return y + height; }
    /// The same band, strip, lane or track, wherever it lies.
    [[nodiscard]] bool isSame(const LaneItem& other) const
    {
        return kind == other.kind && group == other.group && lane == other.lane && index == other.index;
    }
};

class LaneLayout {
public:
    LaneLayout() = default;
    /// shows: lanes that are left out when it says no; empty: all.
    LaneLayout(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state,
        const std::function<bool(LaneId)>& shows = {});

    [[nodiscard]] std::span<const LaneItem> items() const { return m_items; }
    [[nodiscard]] size_t laneCount() const { return m_laneCount; } ///< lanes among the items
    [[nodiscard]] int height() const { return m_height; }
    [[nodiscard]] int pinnedHeight() const { return m_pinnedHeight; } ///< without the divider; 0: nothing pinned
    [[nodiscard]] int scrolledTop() const { return m_scrolledTop; } ///< where the others begin
    /// Items that meet [top, bottom).
    [[nodiscard]] std::span<const LaneItem> itemsIn(int top, int bottom) const;
    [[nodiscard]] const LaneItem* itemAt(int y) const; ///< null above and below all, and on the divider
    [[nodiscard]] const LaneItem* itemOf(LaneId lane) const; ///< null in a collapsed group or left out
    [[nodiscard]] const LaneItem* groupItem(uint32_t group) const;
    /// Row of an open lane at y, none in its padding and for other items.
    [[nodiscard]] static std::optional<uint16_t> rowAt(const LaneItem& item, int y);
    /// Top and bottom (without the gap line of 1) of a row; of the one bar of a collapsed lane or a band.
    struct Band {
        int top = 0;
        int bottom = 0;
    };
    [[nodiscard]] static Band rowBand(const LaneItem& item, uint16_t row);
    /// Where a slice is drawn: its row, the bar of its collapsed lane, else the band of its group; none without that.
    [[nodiscard]] std::optional<Band> bandOf(const TimelineIndex& index, SliceRef slice) const;

private:
    void add(LaneItem item, int height);
    void addLane(
        const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state, LaneId lane, bool isPinned);
    void addMemory(
        const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state, std::optional<uint32_t> group);
    void addLooseMemory(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state);
    void addGroup(const TimelineIndex& index, const LaneMetrics& metrics, const LaneState& state, uint32_t group,
        std::span<const LaneId> lanes, uint32_t hidden);

    std::vector<LaneItem> m_items;
    std::vector<uint32_t> m_itemOfLane; ///< by LaneId, kNoSlice: none
    std::vector<uint32_t> m_itemOfGroup; ///< by group, the one of loose memory last
    size_t m_laneCount = 0;
    int m_height = 0;
    int m_pinnedHeight = 0;
    int m_scrolledTop = 0;
};

/// Where the content of a layout lies in a view: what is pinned from its top, what scrolls below it.
struct LaneScroll {
    int scrollY = 0; ///< how far the lanes that scroll are
    int pinnedScroll = 0; ///< the same for pinned lanes, which take no more than a part of the view
    int pinnedHeight = 0; ///< of the layout
    int scrolledTop = 0; ///< of the layout
    int shownTop = 0; ///< where in the view the lanes that scroll begin

    /// room: height of the view.
    [[nodiscard]] static LaneScroll of(const LaneLayout& layout, int room, int scrollY, int pinnedScroll);

    [[nodiscard]] int pinnedShown() const
    {
        return shownTop - (scrolledTop - pinnedHeight);
    } ///< its height in the view
    [[nodiscard]] bool isPinned(int contentY) const { return scrolledTop > 0 && contentY <= pinnedHeight; }
    [[nodiscard]] int viewY(int contentY) const
    {
        return isPinned(contentY) ? contentY - pinnedScroll : contentY - scrolledTop - scrollY + shownTop;
    }
    [[nodiscard]] int contentY(int viewY) const
    {
        if (viewY >= shownTop)
            return viewY - shownTop + scrolledTop + scrollY;
        return viewY < pinnedShown() ? viewY + pinnedScroll : pinnedHeight;
    }

    friend bool operator==(const LaneScroll&, const LaneScroll&) = default;
};

} // namespace torchline::lod
