// Dragging in the header column: a lane to another place or to the pinned ones, a process, the lower edge of a lane.

#include "timeline/header_places.h"
#include "timeline/timeline_view.h"

#include <QScrollBar>

#include <algorithm>

namespace torchline {

namespace {

constexpr int kUsualHeight = 100;

} // namespace

TimelineView::Drop TimelineView::dropAt(QPoint pos)
{
    Drop drop = m_dragged->kind == lod::LaneItemKind::Group ? groupDropAt(pos) : laneDropAt(m_dragged->lane, pos);
    const QRect part = m_frame.geometry.partRect(drop.isPinned);
    drop.y = std::clamp<double>(drop.y, part.top() + 1, std::max(part.bottom(), part.top() + 1));
    return drop;
}

/// Between two processes: before the one whose upper half the pointer is in.
TimelineView::Drop TimelineView::groupDropAt(QPoint pos)
{
    const TimelineGeometry& geometry = m_frame.geometry;
    const int contentY = std::max(geometry.contentY(pos.y()), m_layout.scrolledTop());
    const auto items = bands();
    Drop drop;
    drop.y = geometry.y(m_layout.height());
    for (size_t i = 0; i < items.size(); ++i) {
        const int bottom = i + 1 < items.size() ? items[i + 1]->y : m_layout.height();
        if (contentY >= items[i]->y + (bottom - items[i]->y) / 2)
            continue;
        drop.beforeGroup = items[i]->group;
        drop.y = geometry.y(items[i]->y);
        break;
    }
    return drop;
}

TimelineView::Drop TimelineView::laneDropAt(LaneId lane, QPoint pos)
{
    const TimelineGeometry& geometry = m_frame.geometry;
    Drop drop;
    drop.isPinned = pos.y() < geometry.rulerHeight + geometry.lanes.shownTop;
    const auto items = siblings(lane, drop.isPinned);
    const int contentY = pos.y() < geometry.rulerHeight ? -1 : geometry.contentY(pos.y());
    const auto after
        = std::ranges::find_if(items, [&](const lod::LaneItem* item) { return contentY < item->y + item->height / 2; });
    if (after != items.end()) {
        drop.before = (*after)->lane;
        drop.y = geometry.y((*after)->y);
    } else if (!items.empty()) {
        drop.y = geometry.y(items.back()->bottom());
    } else if (const lod::LaneItem* band = m_layout.groupItem(lod::groupIndex(m_index->trace(), lane));
               band && !drop.isPinned) {
        drop.y = geometry.y(band->bottom());
    } else {
        drop.y = geometry.rulerHeight + 1;
    }
    return drop;
}

void TimelineView::dragHeader(QPoint pos)
{
    // Near the upper and lower end the lanes move along.
    const QRect part = m_frame.geometry.partRect(false);
    QScrollBar* bar = verticalScrollBar();
    const int margin = m_style->px(12);
    if (pos.y() > part.bottom() - margin)
        bar->setValue(bar->value() + bar->singleStep());
    else if (pos.y() >= part.top() && pos.y() < part.top() + margin)
        bar->setValue(bar->value() - bar->singleStep());
    readFrame();
    m_dropLine = dropAt(pos).y;
    viewport()->setCursor(Qt::ClosedHandCursor);
    frameChanged();
}

void TimelineView::dropHeader(QPoint pos)
{
    const Drop drop = dropAt(pos);
    if (m_dragged->kind == lod::LaneItemKind::Group) {
        m_lanes.moveGroup(m_index->trace(), m_dragged->group, drop.beforeGroup);
        lanesChanged();
        setCurrentItem(m_layout.groupItem(m_dragged->group));
        return;
    }
    const LaneId lane = m_dragged->lane;
    putLane(lane, drop.isPinned, drop.before);
    setCurrentItem(m_layout.itemOf(lane));
}

void TimelineView::dragHeight(QPoint pos)
{
    const lod::LaneItem& item = *m_dragged;
    const lod::LaneMetrics& metrics = m_style->lanes();
    const bool isMemory = item.kind == lod::LaneItemKind::Memory;
    const int fixed = metrics.separator + (isMemory ? 0 : 2 * metrics.padding);
    const int before = std::max(item.height - fixed, 1);
    const int wanted = std::max(before + pos.y() - m_pressedAt.y(), 1);
    const int percent = (m_draggedPercent * wanted + before / 2) / before;
    if (percent != heightOf(item))
        setHeight(item, percent);
}

void TimelineView::resetHeight(const lod::LaneItem& item)
{
    setHeight(lod::LaneItem(item), kUsualHeight);
}

} // namespace torchline
