#pragma once
// What assistive programs see of the timeline: its selection as its value and as a child; a list item for each lane
// with name, what it holds, busy share, whether it is folded or has the focus, and what can be done with it. Thread:
// GUI thread only.

namespace torchline {

class TimelineView;

/// Makes QAccessible find it for every TimelineView; more than one call does no harm.
void installTimelineAccessibility();
/// Tells them that the focus went to an item of the layout.
void announceItem(TimelineView* view, int item);

} // namespace torchline
