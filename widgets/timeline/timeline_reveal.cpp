// Bringing slices of the timeline into view: opening what is folded, scrolling, panning, zooming.

#include "timeline/timeline_view.h"

#include <QScrollBar>

#include <algorithm>

namespace torchline {

TimeRange TimelineView::fitOf(SliceRef slice) const
{
    const TraceSnapshot& trace = m_index->trace();
    const int64_t lengthNs = std::max<int64_t>(trace.durationNs(slice), 1);
    const int64_t margin = std::max({lengthNs / 10, int64_t{1}, (ViewState::kNarrowestNs - lengthNs) / 2});
    const int64_t begin = subSaturated(trace.startNs(slice), margin);
    return {begin, addSaturated(begin, std::max(addSaturated(lengthNs, 2 * margin), ViewState::kNarrowestNs))};
}

void TimelineView::openFor(SliceRef slice)
{
    bool isChanged = false;
    const uint32_t group = lod::groupIndex(m_index->trace(), slice.lane);
    if (m_lanes.isGroupCollapsed(group) && !m_lanes.isPinned(slice.lane)) {
        m_lanes.setGroupCollapsed(group, false);
        isChanged = true;
    }
    if (m_lanes.isHidden(slice.lane)) {
        m_lanes.setHidden(slice.lane, false);
        isChanged = true;
    }
    if (m_lanes.isCollapsed(slice.lane)) {
        m_lanes.setCollapsed(slice.lane, false);
        isChanged = true;
    }
    if (!m_index->rowOf(slice, m_lanes.framesOf(slice.lane))) {
        m_lanes.setFrames(slice.lane, lod::Frames::Shown);
        isChanged = true;
    }
    if (!m_fits.empty() && !m_fits[slice.lane.value()])
        m_filterField->clear();
    if (!isChanged)
        return;
    lanesChanged();
}

void TimelineView::reveal(SliceRef slice)
{
    if (!m_index || !slice.isValid() || slice.lane.value() >= m_index->trace().lanes().size())
        return;
    openFor(slice);
    if (const auto band = m_layout.bandOf(*m_index, slice)) {
        const lod::LaneScroll scroll = laneScroll();
        const bool isPinned = scroll.isPinned(band->top);
        const int room = isPinned ? scroll.pinnedShown()
                                  : std::max(viewport()->height() - m_style->rulerHeight() - scroll.shownTop, 1);
        const int margin = std::min(3 * m_style->lanes().row, room / 4);
        const int top = band->top - (isPinned ? 0 : scroll.scrolledTop) - margin;
        const int bottom = band->bottom - (isPinned ? 0 : scroll.scrolledTop) + margin;
        const int now = isPinned ? scroll.pinnedScroll : scroll.scrollY;
        const int wanted = top < now ? top : bottom > now + room ? bottom - room : now;
        if (isPinned)
            m_pinnedScroll = wanted;
        else
            verticalScrollBar()->setValue(wanted);
    }
    readFrame();
    const TimeRange visible = m_state->visible();
    const int64_t startNs = m_index->trace().startNs(slice);
    const int64_t lengthNs = std::max<int64_t>(m_index->trace().durationNs(slice), 1);
    const int64_t endNs = addSaturated(startNs, lengthNs);
    constexpr double kLeastPixels = 4;
    const bool isWideEnough = m_frame.geometry.scale.pixelsOfNs(lengthNs) >= kLeastPixels;
    const bool isInView = startNs < visible.endNs && endNs > visible.beginNs;
    const bool isWhole = startNs >= visible.beginNs && endNs <= visible.endNs;
    if (isWideEnough && (isWhole || (isInView && lengthNs > visible.spanNs() / 2)))
        return;
    int64_t spanNs = visible.spanNs();
    constexpr int64_t kViewsOfSmall = 20;
    if (!isWideEnough)
        spanNs = std::max(
            lengthNs > kMaxNs / kViewsOfSmall ? lengthNs : lengthNs * kViewsOfSmall, ViewState::kNarrowestNs);
    // In the middle if it fits, else from a tenth of the view on.
    const int64_t beginNs
        = lengthNs < spanNs ? subSaturated(startNs, (spanNs - lengthNs) / 2) : subSaturated(startNs, spanNs / 10);
    m_state->goTo({beginNs, addSaturated(beginNs, spanNs)});
}

} // namespace torchline
