#pragma once
// The header column: bands of processes and GPUs, names, what a lane holds, how busy it is in view. Headers stay in
// view while their lane scrolls. Thread: GUI thread only. Cost: O(lanes in view log slices).

#include "timeline/timeline_frame.h"

class QPainter;

namespace torchline {

/// What a lane holds: "operators, Python, runtime"; short: "ops, Python, runtime".
[[nodiscard]] QString laneNote(const lod::TimelineIndex& index, LaneId lane, bool isShort);
/// "46 %", "3.1 %", "0 %", "<0.1 %".
[[nodiscard]] QString shareText(int64_t partNs, int64_t wholeNs, bool isPrecise = false);
/// Busy share of what a header stands for in the visible time; empty for bands and memory.
[[nodiscard]] QString headerShare(const TimelineFrame& frame, const lod::LaneItem& item);
/// What a header's tool tip says.
[[nodiscard]] QString headerTip(const TimelineFrame& frame, const lod::LaneItem& item);

void paintHeaders(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty);

} // namespace torchline
