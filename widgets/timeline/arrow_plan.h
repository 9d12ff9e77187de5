#pragma once
// ArrowPlan: arrows of the selection (or of the view) as lines, with chips at the edge for ends that lie out of view;
// and the hints that fill lanes without anything in view. Both are places that can be clicked.
// Thread: GUI thread only.

#include "timeline/timeline_frame.h"

class QPainter;

namespace torchline {

/// A place that leads to a slice when clicked.
struct JumpSpot {
    QRectF rect;
    QString text;
    SliceRef target;
    lod::ViewEdge edge = lod::ViewEdge::None; ///< which way it points
    lod::LinkKind kind = lod::LinkKind::Launch; ///< of chips
};

struct ArrowPlan {
    struct Line {
        QPointF from;
        QPointF to;
        lod::LinkKind kind = lod::LinkKind::Launch;
        bool hasDot = true; ///< at `from`
        bool hasHead = true; ///< at `to`
        bool pointsUp = false;
    };
    std::vector<Line> lines; ///< of the selection
    std::vector<Line> faint; ///< many: thin, without heads
    std::vector<JumpSpot> chips;
    QString note; ///< how many of the arrows in view are drawn, where all are asked for
    std::vector<SliceRef> related; ///< other ends of the selection's arrows

    [[nodiscard]] static ArrowPlan forFrame(const TimelineFrame& frame);
    void paint(QPainter& painter, const TimelineFrame& frame) const;
};

/// "last ended 10.0 ms earlier", "next begins in 16.9 ms" for each open lane in view that shows nothing.
[[nodiscard]] std::vector<JumpSpot> neighbourHints(const TimelineFrame& frame);
void paintNeighbourHints(
    QPainter& painter, const TimelineFrame& frame, const std::vector<JumpSpot>& hints, const JumpSpot* hovered);

} // namespace torchline
