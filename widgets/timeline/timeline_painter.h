#pragma once
// TimelinePainter: draws a frame: lanes, labels, memory, headers, ruler, and on top of them range, selection, arrows
// and cursor. Keeps the raster and the shaped names between frames. Thread: GUI thread only.

#include "timeline/arrow_plan.h"
#include "timeline/label_painter.h"
#include "timeline/lane_raster.h"

class QPainter;

namespace torchline {

class TimelinePainter {
public:
    explicit TimelinePainter(const TimelineStyle& style);

    /// Draws what of the frame meets dirty, but for what lies over it; hints are those of the frame. With a budget, new
    /// names may wait for the next frame: see isComplete().
    void paintBase(QPainter& painter, const TimelineFrame& frame, const std::vector<JumpSpot>& hints,
        const JumpSpot* hoveredHint, const QRect& dirty, bool hasBudget);
    /// What changes alone: edges of the range, marks, outlines, arrows, cursor; plan is that of the frame.
    static void paintOverlay(QPainter& painter, const TimelineFrame& frame, const ArrowPlan& plan);
    [[nodiscard]] bool isComplete() const { return m_labels.isComplete(); }
    /// Another index, layout, marks or theme: draw lanes anew.
    void invalidate() { m_raster.invalidate(); }
    [[nodiscard]] LabelPainter& labels() { return m_labels; }
    [[nodiscard]] const LaneRaster& raster() const { return m_raster; }

private:
    void paintLanes(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty);
    void paintMemoryLanes(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty);
    void paintVeil(QPainter& painter, const TimelineFrame& frame);

    LaneRaster m_raster;
    LabelPainter m_labels;
};

/// Area that the outline of a slice takes, for repainting it alone.
[[nodiscard]] QRect outlineArea(const QRectF& sliceRect);

/// A whole picture of it, with everything computed anew: for exports.
void paintTimelinePicture(QPainter& painter, const TimelineFrame& frame);

} // namespace torchline
