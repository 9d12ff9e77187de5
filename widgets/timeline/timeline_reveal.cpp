// Bringing slices of the timeline into view: opening what is folded, scrolling, panning, zooming.

#include "timeline/timeline_view.h"

#include <QScrollBar>

#include <algorithm>

namespace torchline {

TimeRange TimelineView::fitOf(SliceRef slice) const
{
    const TraceSnapshot& trace = m_index->trace();
    const int64_t lengthNs = std::max<int64_t>(trace.durationNs(slice), 1);
    const int64_t margin = std::max<int64_t>(lengthNs / 10, 1);
    const int64_t begin = subSaturated(trace.startNs(slice), margin);
    return {begin, addSaturated(begin, std::max(addSaturated(lengthNs, 2 * margin), ViewState::kNarrowestNs))};
}

void TimelineView::openFor(SliceRef slice)
{
    const TraceSnapshot& trace = m_index->trace();
    bool isChanged = false;
    for (uint32_t g = 0; g < trace.groups().size(); ++g) {
        if (m_lanes.isGroupCollapsed(g)
            && std::ranges::find(trace.groups()[g].lanes, slice.lane) != trace.groups()[g].lanes.end()) {
            m_lanes.groupCollapsed[g] = false;
            isChanged = true;
        }
    }
    if (m_lanes.isHidden(slice.lane)) {
        m_lanes.setHidden(slice.lane, false);
        isChanged = true;
    }
    if (m_lanes.isCollapsed(slice.lane)) {
        m_lanes.laneCollapsed[slice.lane.value()] = false;
        isChanged = true;
    }
    if (!m_index->rowOf(slice, m_lanes.framesOf(slice.lane))) {
        m_lanes.frames[slice.lane.value()] = lod::Frames::Shown;
        isChanged = true;
    }
    if (!isChanged)
        return;
    layOut();
    Q_EMIT laneStateChanged();
}

void TimelineView::reveal(SliceRef slice)
{
    if (!m_index || !slice.isValid() || slice.lane.value() >= m_index->trace().lanes().size())
        return;
    openFor(slice);
    if (const auto band = m_layout.bandOf(*m_index, slice)) {
        const int room = std::max(viewport()->height() - m_style->rulerHeight(), 1);
        const int margin = std::min(3 * m_style->lanes().row, room / 4);
        QScrollBar* bar = verticalScrollBar();
        if (band->top - margin < bar->value())
            bar->setValue(band->top - margin);
        else if (band->bottom + margin > bar->value() + room)
            bar->setValue(band->bottom + margin - room);
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
