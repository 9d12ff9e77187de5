#pragma once
// Where the parts of a header lie: name, triangle, pin, the lines that fold frames or show hidden lanes, the lower
// edge. The same for painting and for the mouse. Thread: GUI thread only. Lengths are logical pixels of the view.

#include "timeline/timeline_frame.h"

namespace torchline {

struct HeaderPlaces {
    double top = 0; ///< of the first line: held in view while the lane scrolls
    double bottom = 0; ///< of the lane
    double chevron = 0; ///< its centre
    double left = 0;
    double right = 0;
};

[[nodiscard]] double lineHeight(const QFont& font);
/// linesHeight: of all lines of the header.
[[nodiscard]] HeaderPlaces placesOf(const TimelineFrame& frame, const lod::LaneItem& item, double linesHeight);
/// All lines of a lane's or strip's header.
[[nodiscard]] double headerLines(const TimelineFrame& frame, const lod::LaneItem& item);
[[nodiscard]] bool hasNoteLine(const TimelineFrame& frame, const lod::LaneItem& item);

/// The line of a lane's header that folds or shows its Python frames; empty if it has none or no room.
[[nodiscard]] QRectF framesLine(const TimelineFrame& frame, const lod::LaneItem& item);
/// The pin of a lane, beside its share.
[[nodiscard]] QRectF pinPlace(const TimelineFrame& frame, const lod::LaneItem& item);
/// "3 hidden" at the right of a band; empty if none are.
[[nodiscard]] QString hiddenText(const lod::LaneItem& item);
[[nodiscard]] QRectF hiddenPlace(const TimelineFrame& frame, const lod::LaneItem& item);
/// Left of this x a click in a lane's header folds it.
[[nodiscard]] int chevronRight(const TimelineFrame& frame, const lod::LaneItem& item);
/// The header under a point; none right of the header column, but for what a band has there.
[[nodiscard]] HeaderHover headerAt(const TimelineFrame& frame, QPoint pos);

} // namespace torchline
