#pragma once
// What assistive programs see of the timeline: its selection as its value, and a list item for each lane with name,
// what it holds, busy share, and whether it is folded. Thread: GUI thread only.

namespace torchline {

/// Makes QAccessible find it for every TimelineView; more than one call does no harm.
void installTimelineAccessibility();

} // namespace torchline
