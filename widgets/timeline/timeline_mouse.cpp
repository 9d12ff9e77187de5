// Mouse of the timeline: wheel, drag, click, hover, tool tips.

#include "timeline/header_painter.h"
#include "timeline/header_places.h"
#include "timeline/ruler_painter.h"
#include "timeline/slice_tip.h"
#include "timeline/timeline_view.h"

#include "common/tool_tip.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QWheelEvent>

#include <algorithm>

namespace torchline {

namespace {

constexpr int kNotch = 120; ///< of QWheelEvent::angleDelta
constexpr int kGrab = 4; ///< how near an edge can be grabbed
constexpr int kSnap = 5; ///< how near the edge of a slice draws that of a range
constexpr int kMostSnaps = 8;

} // namespace

bool TimelineView::isOnHeaderEdge(QPoint pos) const
{
    return std::abs(pos.x() - m_frame.geometry.headerWidth) <= kGrab - 1 && m_frame.geometry.headerWidth > 0;
}

/// The other edge of the range, which stays, if the pointer is at one of them on the ruler.
std::optional<int64_t> TimelineView::grabbedRangeEdge(QPoint pos) const
{
    if (!m_state->range() || pos.y() >= m_frame.geometry.rulerHeight || pos.x() < m_frame.geometry.headerWidth)
        return std::nullopt;
    const TimeRange range = *m_state->range();
    if (std::abs(m_frame.geometry.pixelX(range.beginNs) - pos.x()) <= kGrab)
        return range.endNs;
    if (std::abs(m_frame.geometry.pixelX(range.endNs) - pos.x()) <= kGrab)
        return range.beginNs;
    return std::nullopt;
}

/// The edge of a slice in the row under the pointer, if one is near; with Alt the time as it is.
int64_t TimelineView::snapped(int64_t timeNs, QPoint pos) const
{
    const TimelineGeometry& geometry = m_frame.geometry;
    if (!m_index || !geometry.lanesRect().contains(pos)
        || QGuiApplication::keyboardModifiers().testFlag(Qt::AltModifier))
        return timeNs;
    const int contentY = geometry.contentY(pos.y());
    const lod::LaneItem* item = m_layout.itemAt(contentY);
    if (!item || item->kind != lod::LaneItemKind::Lane || item->isCollapsed)
        return timeNs;
    const auto row = lod::LaneLayout::rowAt(*item, contentY);
    if (!row)
        return timeNs;
    const lod::SliceRow slices = m_index->row(item->lane, item->frames, *row).slices;
    int64_t least = geometry.scale.nsOfPixels(kSnap * geometry.ratio);
    int64_t best = timeNs;
    uint32_t k = lod::RowIndex::firstEndingAfter(slices, subSaturated(timeNs, least));
    // Where more edges than these are near, no single one is meant.
    for (int i = 0; i < kMostSnaps && k < slices.size(); ++i, ++k) {
        for (const int64_t edge : {slices.startNs(k), addSaturated(slices.startNs(k), slices.durationNs(k))}) {
            if (const int64_t distance = std::abs(subSaturated(edge, timeNs)); distance < least) {
                least = distance;
                best = edge;
            }
        }
    }
    return best;
}

const JumpSpot* TimelineView::spotAt(QPoint pos)
{
    if (!m_frame.geometry.lanesRect().contains(pos))
        return nullptr;
    for (const std::vector<JumpSpot>* spots : {&m_plan.chips, &m_hints}) {
        const auto at
            = std::ranges::find_if(*spots, [&](const JumpSpot& spot) { return spot.rect.contains(QPointF(pos)); });
        if (at != spots->end())
            return &*at;
    }
    return nullptr;
}

lod::TimelineHit TimelineView::hitAt(QPoint pos) const
{
    return lod::hitTest(*m_index, m_layout, m_frame.geometry.scale, m_frame.geometry.pixelAt(pos.x()),
        m_frame.geometry.contentY(pos.y()));
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    readFrame();
    hideTip();
    const QPoint pos = event->position().toPoint();
    m_pressedAt = pos;
    m_draggedFrom = pos;
    const bool pans = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier));
    m_dragged.reset();
    const HeaderHover header = headerAt(m_frame, pos);
    if (header.item >= 0)
        m_dragged = m_layout.items()[static_cast<size_t>(header.item)];
    if (event->button() == Qt::LeftButton && isOnHeaderEdge(pos)) {
        m_drag = Drag::HeaderEdge;
    } else if (event->button() == Qt::LeftButton && header.part == HeaderPart::LowerEdge) {
        m_drag = Drag::LaneHeight;
        m_draggedPercent = heightOf(*m_dragged);
    } else if (pans && pos.x() >= m_frame.geometry.headerWidth) {
        m_drag = Drag::Pending;
        m_isPressForPan = true;
        m_mover.beginDrag();
        m_panScroll = verticalScrollBar()->value();
    } else if (event->button() == Qt::LeftButton) {
        m_drag = Drag::Pending;
        m_isPressForPan = false;
        const auto otherEdge = grabbedRangeEdge(pos);
        m_rangeAnchorNs = otherEdge.value_or(snapped(m_frame.geometry.timeAt(pos.x()), pos));
        if (otherEdge)
            m_drag = Drag::Range;
    }
    event->setAccepted(m_drag != Drag::None);
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    readFrame();
    const QPoint pos = event->position().toPoint();
    // A menu that opened meanwhile got the release.
    if (m_drag != Drag::None && (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) == 0)
        endDrag();
    if (m_drag == Drag::Pending && (pos - m_pressedAt).manhattanLength() >= QApplication::startDragDistance()) {
        if (m_isPressForPan)
            m_drag = Drag::Pan;
        else if (m_pressedAt.x() >= m_frame.geometry.headerWidth)
            m_drag = Drag::Range;
        else if (m_dragged
            && (m_dragged->kind == lod::LaneItemKind::Lane || m_dragged->kind == lod::LaneItemKind::Group))
            m_drag = Drag::Header;
    }
    if (m_drag == Drag::None)
        hover(pos);
    else
        dragTo(pos);
}

void TimelineView::dragTo(QPoint pos)
{
    const TimelineGeometry& geometry = m_frame.geometry;
    if (m_drag == Drag::HeaderEdge) {
        setHeaderWidth(std::max(pos.x(), 1));
        return;
    }
    if (m_drag == Drag::Header)
        return dragHeader(pos);
    if (m_drag == Drag::LaneHeight)
        return dragHeight(pos);
    if (m_drag == Drag::Pan) {
        const int64_t movedNs = geometry.scale.nsOfPixels((m_pressedAt.x() - pos.x()) * geometry.ratio);
        m_mover.dragBy(movedNs);
        verticalScrollBar()->setValue(m_panScroll + m_pressedAt.y() - pos.y());
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (m_drag != Drag::Range || !m_index)
        return;
    const double x
        = std::clamp(pos.x(), geometry.headerWidth, std::max(geometry.size.width() - 1, geometry.headerWidth));
    const int64_t timeNs = snapped(geometry.timeAt(x), pos);
    const TimeRange range{std::min(timeNs, m_rangeAnchorNs), std::max(timeNs, m_rangeAnchorNs)};
    m_state->setCursor(timeNs);
    if (range.isEmpty())
        return;
    m_state->setRange(range);
    m_isRangeNewer = true;
}

void TimelineView::endDrag()
{
    m_drag = Drag::None;
    m_dragged.reset();
    if (std::exchange(m_dropLine, std::nullopt))
        frameChanged();
    viewport()->unsetCursor();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    readFrame();
    const QPoint pos = event->position().toPoint();
    const bool isClick = m_drag == Drag::Pending && event->button() == Qt::LeftButton;
    if (m_drag == Drag::Header)
        dropHeader(pos);
    endDrag();
    if (isClick)
        click(pos);
    hover(pos);
}

void TimelineView::click(QPoint pos)
{
    if (!m_index)
        return;
    const bool isAgain = (pos - m_lastClick).manhattanLength() <= 2;
    m_lastClick = pos;
    if (const JumpSpot* spot = spotAt(pos)) {
        const SliceRef target = spot->target;
        m_state->reveal(target);
        return;
    }
    if (pos.y() < m_frame.geometry.rulerHeight)
        return;
    if (pos.x() < m_frame.geometry.headerWidth || headerAt(m_frame, pos).item >= 0) {
        clickHeader(pos);
        return;
    }
    const lod::TimelineHit hit = hitAt(pos);
    SliceRef slice = hit.slice;
    const SliceRef selected = m_state->selection();
    // Clicking on goes through what shares the pixel.
    if (isAgain && slice.isValid() && selected.lane == slice.lane && hit.row
        && m_index->rowOf(selected, hit.item->frames) == hit.row)
        slice = lod::nextInPixel(
            *m_index, hit.item->frames, m_frame.geometry.scale, m_frame.geometry.pixelAt(pos.x()), selected);
    m_state->select(slice);
}

void TimelineView::clickHeader(QPoint pos)
{
    const HeaderHover header = headerAt(m_frame, pos);
    if (header.item < 0)
        return;
    const lod::LaneItem item = m_layout.items()[static_cast<size_t>(header.item)];
    switch (header.part) {
    case HeaderPart::Chevron:
        item.kind == lod::LaneItemKind::Group ? toggleGroup(item.group) : toggleLane(item.lane);
        break;
    case HeaderPart::Frames:
        toggleFrames(item.lane);
        break;
    case HeaderPart::Pin:
        togglePin(item.lane);
        break;
    case HeaderPart::Hidden:
        setGroupHidden(item.group, false);
        break;
    case HeaderPart::Name:
        setCurrentItem(&m_layout.items()[static_cast<size_t>(header.item)]);
        break;
    case HeaderPart::LowerEdge:
    case HeaderPart::None:
        break;
    }
}

void TimelineView::doubleClickHeader(QPoint pos)
{
    const HeaderHover header = headerAt(m_frame, pos);
    if (header.item < 0)
        return;
    const lod::LaneItem item = m_layout.items()[static_cast<size_t>(header.item)];
    if (header.part == HeaderPart::LowerEdge)
        resetHeight(item);
    else if (header.part == HeaderPart::Name && item.kind == lod::LaneItemKind::Lane)
        toggleLane(item.lane);
    else
        clickHeader(pos); // the first click of the two has toggled what lies under it already
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    readFrame();
    const QPoint pos = event->position().toPoint();
    if (event->button() != Qt::LeftButton || !m_index || pos.y() < m_frame.geometry.rulerHeight)
        return;
    if (pos.x() < m_frame.geometry.headerWidth || headerAt(m_frame, pos).item >= 0) {
        doubleClickHeader(pos);
        return;
    }
    const SliceRef slice = hitAt(pos).slice;
    if (!slice.isValid())
        return;
    m_state->select(slice);
    m_state->goTo(fitOf(slice));
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    readFrame();
    hideTip();
    const QPoint delta = event->angleDelta();
    const double x = event->position().x();
    if (m_mover.wheel(*event, x >= m_frame.geometry.headerWidth ? m_frame.geometry.timeAt(x) : zoomAnchor())) {
        event->accept();
        return;
    }
    if (delta.x() != 0 || event->modifiers().testFlag(Qt::ShiftModifier)) {
        const int along = delta.x() != 0 ? delta.x() : delta.y();
        m_mover.panBy(-0.1 * along / kNotch);
        event->accept();
        if (std::abs(delta.x()) >= std::abs(delta.y()))
            return;
    }
    // Three rows a notch; what a fine wheel leaves over is kept for its next turn.
    m_wheelRest += delta.y() * 3 * m_style->lanes().row;
    const int lines = m_wheelRest / kNotch;
    m_wheelRest -= lines * kNotch;
    const lod::LaneScroll& lanes = m_frame.geometry.lanes;
    const bool isOverPinned = QRectF(m_frame.geometry.partRect(true)).contains(event->position());
    if (isOverPinned && lanes.pinnedShown() < lanes.pinnedHeight) {
        m_pinnedScroll = std::clamp(lanes.pinnedScroll - lines, 0, lanes.pinnedHeight - lanes.pinnedShown());
        frameChanged();
    } else {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - lines);
    }
    event->accept();
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        leave();
    if (event->type() == QEvent::ContextMenu) {
        const auto* menu = static_cast<QContextMenuEvent*>(event);
        if (menu->reason() == QContextMenuEvent::Keyboard)
            showMenuAtTarget();
        else
            showMenu(menu->pos());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::leave()
{
    m_pointer.reset();
    hideTip();
    m_state->setHovered({});
    m_state->setCursor(std::nullopt);
    if (m_hoveredHint || m_frame.headerHover.item >= 0) {
        m_hoveredHint = nullptr;
        m_frame.headerHover = {};
        updateBase(viewport()->rect());
    }
}

void TimelineView::hover(QPoint pos)
{
    if (m_pointer != pos)
        hideTip();
    m_pointer = pos;
    if (!m_index)
        return;
    readFrame();
    const TimelineGeometry& geometry = m_frame.geometry;
    const JumpSpot* spot = spotAt(pos);
    const bool isInLanes = geometry.lanesRect().contains(pos);
    const bool isOverTime = pos.x() >= geometry.headerWidth && pos.x() < geometry.size.width();
    // A time that is still under the pointer stays as it is: zooming keeps hold of it.
    const std::optional<int64_t> cursor = m_state->cursorNs();
    if (!isOverTime)
        m_state->setCursor(std::nullopt);
    else if (!cursor || geometry.scale.pixelOf(*cursor) != geometry.pixelAt(pos.x()))
        m_state->setCursor(geometry.timeAt(pos.x()));

    SliceRef slice;
    if (isInLanes && !spot)
        slice = hitAt(pos).slice;
    m_state->setHovered(slice);

    if (const HeaderHover header = spot ? HeaderHover() : headerAt(m_frame, pos); header != m_frame.headerHover) {
        m_frame.headerHover = header;
        updateBase(geometry.headerRect());
    }
    if (spot != m_hoveredHint) {
        for (const JumpSpot* changed : {spot, m_hoveredHint}) {
            if (changed)
                updateBase(changed->rect.toAlignedRect());
        }
        m_hoveredHint = spot;
    }
    updatePointer(pos);
    m_tipTimer.start();
}

void TimelineView::updatePointer(QPoint pos)
{
    const HeaderPart part = m_frame.headerHover.part;
    if (isOnHeaderEdge(pos) || grabbedRangeEdge(pos))
        viewport()->setCursor(Qt::SplitHCursor);
    else if (part == HeaderPart::LowerEdge)
        viewport()->setCursor(Qt::SplitVCursor);
    else if (spotAt(pos) || part == HeaderPart::Frames || part == HeaderPart::Pin || part == HeaderPart::Hidden)
        viewport()->setCursor(Qt::PointingHandCursor);
    else
        viewport()->unsetCursor();
}

void TimelineView::hideTip()
{
    m_tipTimer.stop();
    m_argsJob.cancel();
    if (m_tip->isVisible())
        m_tip->hide();
}

void TimelineView::showTip()
{
    if (!m_pointer || !m_index || m_drag != Drag::None || !isVisible())
        return;
    readFrame();
    const QPoint pos = *m_pointer;
    const QPoint global = viewport()->mapToGlobal(pos);
    const auto avoidOf = [this](const QRectF& rect) {
        const QRect area = rect.toAlignedRect().intersected(viewport()->rect());
        return QRect(viewport()->mapToGlobal(area.topLeft()), area.size());
    };
    const SliceRef slice = m_state->hovered();
    if (slice.isValid() && m_frame.geometry.lanesRect().contains(pos)) {
        const std::span<const StepMark> steps = m_frame.steps;
        const QRect avoid = avoidOf(m_frame.sliceRect(slice));
        m_tip->showAt(sliceTip(*m_index, steps, m_themes->theme(), m_mover.keys(), slice, nullptr), global, avoid);
        if (!tipWantsArgs(m_index->trace().kind(slice)))
            return;
        m_argsJob.start([index = m_index, slice](const std::stop_token&) { return index->trace().args(slice); },
            [this, slice, global, avoid](Result<ArgList> args) {
                if (args && m_state->hovered() == slice && m_tip->isVisible())
                    m_tip->showAt(sliceTip(*m_index, m_frame.steps, m_themes->theme(), m_mover.keys(), slice, &*args),
                        global, avoid);
            });
        return;
    }
    const lod::LaneItem* item = m_layout.itemAt(m_frame.geometry.contentY(pos.y()));
    if (!item || pos.y() < m_frame.geometry.rulerHeight || spotAt(pos))
        return;
    if (pos.x() < m_frame.geometry.headerWidth) {
        TipContent tip;
        const QString text = headerTip(m_frame, *item);
        const qsizetype end = item->kind == lod::LaneItemKind::Lane ? text.indexOf(u'\n') : -1;
        if (end > 0)
            tip.title = text.left(end);
        tip.text = text.mid(end + 1);
        m_tip->showAt(tip, global, {});
    } else if (item->kind == lod::LaneItemKind::Memory) {
        m_tip->showAt(memoryTip(m_index->memory()[item->index], m_frame.geometry.timeAt(pos.x())), global, {});
    }
}

} // namespace torchline
