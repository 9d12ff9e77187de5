#pragma once
// The ruler: ticks, the base that their labels count from, length of the range, marks of all lanes.
// Thread: GUI thread only.

#include "timeline/timeline_frame.h"

class QPainter;

namespace torchline {

/// Label of a tick: its distance from the base, as short as the step allows: "400 µs", "1.2 ms", "0".
[[nodiscard]] QString tickText(int64_t distanceNs, int64_t stepNs);
/// The base itself: "+625 ms".
[[nodiscard]] QString baseText(int64_t baseNs);

void paintRuler(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty);
/// Range's share of the ruler: where its edges can be grabbed. Empty without a range.
[[nodiscard]] QRectF rangeTag(const TimelineFrame& frame);

} // namespace torchline
