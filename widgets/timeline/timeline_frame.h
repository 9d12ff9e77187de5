#pragma once
// TimelineFrame: everything that one picture of the timeline is drawn from. TimelineGeometry: where its parts lie.
// Painters take a frame and know no widget, so the window, PNG, SVG and PDF show the same.
// Thread: values; GUI thread for painting. Lengths are logical pixels unless a name says device or pixel.

#include "timeline/timeline_style.h"

#include "common/view_state.h"
#include "lod/ruler.h"
#include "lod/slice_links.h"

#include <QRect>

#include <cmath>

namespace torchline {

struct TimelineGeometry {
    QSize size;
    qreal ratio = 1; ///< device pixels a logical one
    int headerWidth = 0;
    int rulerHeight = 0;
    lod::LaneScroll lanes; ///< from the top of the lanes
    lod::PixelScale scale; ///< device pixels from the left edge of the lanes

    [[nodiscard]] int device(double length) const { return static_cast<int>(std::lround(length * ratio)); }
    [[nodiscard]] int deviceLeft() const { return device(headerWidth); }
    [[nodiscard]] int deviceTop() const { return device(rulerHeight); }
    [[nodiscard]] int deviceWidth() const { return std::max(device(size.width()) - deviceLeft(), 0); }
    [[nodiscard]] int deviceHeight() const { return std::max(device(size.height()) - deviceTop(), 0); }
    /// From the top of the lanes. Rounded in content space, so scrolling moves rows by whole pixels.
    [[nodiscard]] int deviceY(int contentY) const
    {
        return lanes.isPinned(contentY)
            ? device(contentY) - device(lanes.pinnedScroll)
            : device(contentY - lanes.scrolledTop) - device(lanes.scrollY) + device(lanes.shownTop);
    }
    /// Lines left blank below rows, columns right of slices; width of grid lines.
    [[nodiscard]] int deviceGap() const { return ratio < 1.5 ? 1 : 2; }

    [[nodiscard]] double y(int contentY) const { return (deviceTop() + deviceY(contentY)) / ratio; }
    [[nodiscard]] double x(int64_t timeNs) const
    {
        return (deviceLeft() + std::ldexp(static_cast<double>(scale.position(timeNs)), -lod::PixelScale::kFractionBits))
            / ratio;
    }
    /// The same on a whole device pixel.
    [[nodiscard]] double pixelX(int64_t timeNs) const { return (deviceLeft() + scale.pixelOf(timeNs)) / ratio; }
    [[nodiscard]] int pixelAt(double xPos) const { return static_cast<int>(std::floor(xPos * ratio)) - deviceLeft(); }
    [[nodiscard]] int64_t timeAt(double xPos) const { return scale.firstNsOf(pixelAt(xPos)); }
    [[nodiscard]] int contentY(double yPos) const
    {
        return lanes.contentY(static_cast<int>(std::floor(yPos)) - rulerHeight);
    }

    [[nodiscard]] QRect lanesRect() const
    {
        return {headerWidth, rulerHeight, std::max(size.width() - headerWidth, 0),
            std::max(size.height() - rulerHeight, 0)};
    }
    [[nodiscard]] QRect headerRect() const
    {
        return {0, rulerHeight, headerWidth, std::max(size.height() - rulerHeight, 0)};
    }
    [[nodiscard]] QRect rulerRect() const
    {
        return {headerWidth, 0, std::max(size.width() - headerWidth, 0), rulerHeight};
    }
    /// Of headers and lanes: the part that holds pinned lanes, the part that holds the others.
    [[nodiscard]] QRect partRect(bool isPinned) const
    {
        return isPinned ? QRect(0, rulerHeight, size.width(), lanes.pinnedShown())
                        : QRect(0, rulerHeight + lanes.shownTop, size.width(),
                            std::max(size.height() - rulerHeight - lanes.shownTop, 0));
    }
    [[nodiscard]] QRect cornerRect() const { return {0, 0, headerWidth, rulerHeight}; }
    [[nodiscard]] TimeRange visible() const
    {
        return {scale.firstNsOf(0), scale.firstNsOf(std::max(deviceWidth(), 1))};
    }
};

/// What the band of a process or GPU says.
struct GroupTitle {
    QString title; ///< "python 4711", "GPU 0"
    QString note; ///< "rank 0 of 8", "NVIDIA H100 80GB HBM3"
};
/// By index in TraceSnapshot::groups(), and one more for memory that belongs to none of them.
[[nodiscard]] std::vector<GroupTitle> groupTitles(const TraceSnapshot& trace);

enum class ArrowMode : uint8_t { None, Selection, All };

/// Places in the header of a lane, process or track that do something.
enum class HeaderPart : uint8_t { None, Name, Chevron, Frames, Pin, Hidden, LowerEdge };

/// Part of the header column under the pointer.
struct HeaderHover {
    int item = -1; ///< index in LaneLayout::items()
    HeaderPart part = HeaderPart::None;

    friend bool operator==(const HeaderHover&, const HeaderHover&) = default;
};

struct TimelineFrame {
    static constexpr size_t kMostLinks = 200;

    const TimelineStyle* style = nullptr;
    const lod::TimelineIndex* index = nullptr; ///< null: no trace
    const lod::LaneLayout* layout = nullptr;
    const lod::MarkIndex* marks = nullptr; ///< null: none
    std::span<const StepMark> steps;
    std::span<const GroupTitle> groups;
    TimelineGeometry geometry;
    lod::PixelGrid grid; ///< of geometry.scale
    lod::Ruler ruler;
    SliceRef selection;
    std::span<const lod::SliceLink> links; ///< of the selection, at most kMostLinks
    const lod::LinkSample* linksInView = nullptr; ///< null: not asked for, or not known yet
    SliceRef hovered;
    std::optional<TimeRange> range;
    std::span<const TimeMark> timeMarks;
    std::optional<int64_t> cursorNs;
    ArrowMode arrows = ArrowMode::Selection;
    HeaderHover headerHover;
    int currentItem = -1; ///< that keys for lanes speak of: index in LaneLayout::items()
    std::optional<double> dropLine; ///< where a dragged lane would go: y
    int cornerTaken = 0; ///< width at the right of the corner that something else stands in
    bool hasFocusLine = false;
    bool asVectors = false; ///< shapes and texts as such, for SVG and PDF

    [[nodiscard]] const Theme& theme() const { return style->theme(); }
    /// Grid and ruler of the geometry.
    void readScale();
    /// Place of a slice in logical pixels, cut at the edges of the lanes by no more than a few pixels; empty if it is
    /// not laid out or off the lanes to the left or right.
    [[nodiscard]] QRectF sliceRect(SliceRef slice) const;
    /// The part of the lanes' rectangle in which that place can be seen.
    [[nodiscard]] QRectF clipOf(SliceRef slice) const;
    /// Calls visit(items, clip) for the pinned items and for the others that meet the area; clip is their part of it.
    template <typename Visit> void forEachPart(const QRectF& area, Visit visit) const
    {
        if (!index || !layout)
            return;
        for (const bool isPinned : {true, false}) {
            const QRectF clip = QRectF(geometry.partRect(isPinned)).intersected(area);
            if (clip.isEmpty())
                continue;
            const auto last = static_cast<int>(std::ceil(clip.bottom())) - 1;
            visit(layout->itemsIn(geometry.contentY(clip.top()), geometry.contentY(last) + 1), clip);
        }
    }
};

} // namespace torchline
