#include "timeline/timeline_painter.h"

#include "timeline/header_painter.h"
#include "timeline/memory_painter.h"
#include "timeline/ruler_painter.h"

#include <QPainter>

namespace torchline {

namespace {

constexpr float kVeilShare = 0.5F;
constexpr float kCursorShare = 0.55F;

/// A frame of `width` around a rectangle, outside it (positive distance) or inside.
void paintFrameAround(QPainter& painter, const QRectF& rect, double distance, double width, const QColor& color)
{
    if (rect.isNull())
        return;
    const QRectF outer = rect.adjusted(-distance, -distance, distance, distance);
    const QRectF inner = outer.adjusted(width, width, -width, -width);
    if (inner.width() <= 0 || inner.height() <= 0) {
        painter.fillRect(outer, color);
        return;
    }
    painter.fillRect(QRectF(outer.left(), outer.top(), outer.width(), width), color);
    painter.fillRect(QRectF(outer.left(), inner.bottom(), outer.width(), width), color);
    painter.fillRect(QRectF(outer.left(), inner.top(), width, inner.height()), color);
    painter.fillRect(QRectF(inner.right(), inner.top(), width, inner.height()), color);
}

} // namespace

QRect outlineArea(const QRectF& sliceRect)
{
    constexpr int kAround = 3;
    return sliceRect.isNull() ? QRect() : sliceRect.toAlignedRect().adjusted(-kAround, -kAround, kAround, kAround);
}

TimelinePainter::TimelinePainter(const TimelineStyle& style)
    : m_labels(style)
{
}

void TimelinePainter::paintBase(QPainter& painter, const TimelineFrame& frame, const std::vector<JumpSpot>& hints,
    const JumpSpot* hoveredHint, const QRect& dirty, bool hasBudget)
{
    const QRectF area(dirty);
    const QRectF lanes(frame.geometry.lanesRect());
    if (lanes.intersects(area)) {
        painter.save();
        painter.setClipRect(lanes, Qt::IntersectClip);
        paintLanes(painter, frame, area);
        paintMemoryLanes(painter, frame, area);
        paintVeil(painter, frame);
        m_labels.paint(painter, frame, area, hasBudget);
        paintNeighbourHints(painter, frame, hints, hoveredHint);
        painter.restore();
    }
    paintHeaders(painter, frame, area);
    paintRuler(painter, frame, area);
}

void TimelinePainter::paintLanes(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty)
{
    if (frame.asVectors) {
        paintLanesAsShapes(painter, frame);
        return;
    }
    m_raster.update(frame);
    const TimelineGeometry& geometry = frame.geometry;
    if (m_raster.image().isNull()) {
        painter.fillRect(geometry.lanesRect(), frame.theme().lane);
        return;
    }
    // Device pixels one to one, whatever the scale.
    const QRect whole(geometry.deviceLeft(), geometry.deviceTop(), geometry.deviceWidth(), geometry.deviceHeight());
    const QRect part = QRectF(dirty.x() * geometry.ratio, dirty.y() * geometry.ratio, dirty.width() * geometry.ratio,
        dirty.height() * geometry.ratio)
                           .toAlignedRect()
                           .adjusted(-1, -1, 1, 1)
                           .intersected(whole);
    painter.save();
    painter.scale(1 / geometry.ratio, 1 / geometry.ratio);
    painter.drawImage(part.topLeft(), m_raster.image(), part.translated(-whole.topLeft()));
    painter.restore();
}

void TimelinePainter::paintMemoryLanes(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty)
{
    const TimelineGeometry& geometry = frame.geometry;
    frame.forEachPart(dirty, [&](std::span<const lod::LaneItem> items, const QRectF& clip) {
        for (const lod::LaneItem& item : items) {
            if (item.kind != lod::LaneItemKind::Memory)
                continue;
            MemoryPlot plot;
            plot.track = &frame.index->memory()[item.index];
            plot.style = frame.style;
            plot.grid = &frame.grid;
            plot.ratio = geometry.ratio;
            plot.asVectors = frame.asVectors;
            const double top = geometry.y(item.y);
            const double bottom = geometry.y(item.bottom()) - geometry.deviceGap() / geometry.ratio;
            plot.rect = QRectF(
                geometry.deviceLeft() / geometry.ratio, top, geometry.deviceWidth() / geometry.ratio, bottom - top);
            painter.save();
            painter.setClipRect(clip, Qt::IntersectClip);
            paintMemory(painter, plot, clip);
            painter.restore();
        }
    });
}

void TimelinePainter::paintVeil(QPainter& painter, const TimelineFrame& frame)
{
    if (!frame.range)
        return;
    const QRectF lanes(frame.geometry.lanesRect());
    const double begin = std::clamp(frame.geometry.pixelX(frame.range->beginNs), lanes.left(), lanes.right());
    const double end = std::clamp(frame.geometry.pixelX(frame.range->endNs), begin, lanes.right());
    QColor veil = frame.theme().veil;
    veil.setAlphaF(kVeilShare);
    painter.fillRect(QRectF(lanes.left(), lanes.top(), begin - lanes.left(), lanes.height()), veil);
    painter.fillRect(QRectF(end, lanes.top(), lanes.right() - end, lanes.height()), veil);
}

void TimelinePainter::paintOverlay(QPainter& painter, const TimelineFrame& frame, const ArrowPlan& plan)
{
    const Theme& theme = frame.theme();
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF lanes(geometry.lanesRect());
    painter.save();
    painter.setClipRect(lanes, Qt::IntersectClip);
    if (frame.range) {
        for (const int64_t edge : {frame.range->beginNs, frame.range->endNs}) {
            const double x = geometry.pixelX(edge);
            painter.fillRect(
                QRectF(x, lanes.top(), geometry.deviceGap() / geometry.ratio, lanes.height()), theme.rangeFill);
        }
    }
    for (const TimeMark& mark : frame.timeMarks) {
        const double gap = geometry.deviceGap() / geometry.ratio;
        const double dash = frame.style->px(4);
        const QColor color = mark.isKept ? theme.accent : theme.text3;
        for (const int64_t edge : {mark.range.beginNs, mark.range.endNs}) {
            const double x = geometry.pixelX(edge);
            if (x < lanes.left() || x >= lanes.right())
                continue;
            for (double y = lanes.top(); y < lanes.bottom(); y += 2 * dash)
                painter.fillRect(QRectF(x, y, gap, dash), color);
        }
    }
    const auto outline = [&](SliceRef slice, double distance, double width, const QColor& color) {
        painter.save();
        painter.setClipRect(frame.clipOf(slice), Qt::IntersectClip);
        paintFrameAround(painter, frame.sliceRect(slice), distance, width, color);
        painter.restore();
    };
    for (const SliceRef related : plan.related)
        outline(related, 1, 1, theme.selectionOuter);
    if (frame.hovered.isValid() && frame.hovered != frame.selection)
        outline(frame.hovered, 1, 1, theme.selectionOuter);
    const QRectF selected = frame.sliceRect(frame.selection);
    if (!selected.isNull()) {
        if (selected.width() > 3 && selected.height() > 3)
            outline(frame.selection, 0, 1, theme.selectionInner);
        outline(frame.selection, 2, 2, theme.selectionOuter);
    }
    plan.paint(painter, frame);
    if (frame.cursorNs) {
        const double x = geometry.pixelX(*frame.cursorNs);
        QColor color = theme.cursor;
        color.setAlphaF(kCursorShare);
        if (x >= lanes.left() && x < lanes.right())
            painter.fillRect(QRectF(x, lanes.top(), geometry.deviceGap() / geometry.ratio, lanes.height()), color);
    }
    painter.restore();
    if (frame.dropLine)
        painter.fillRect(QRectF(0, *frame.dropLine - 1, frame.geometry.size.width(), frame.style->px(2)), theme.accent);
    if (frame.hasFocusLine)
        painter.fillRect(QRectF(0, 0, frame.geometry.size.width(), 2), theme.accent);
}

void paintTimelinePicture(QPainter& painter, const TimelineFrame& frame)
{
    const ArrowPlan plan = ArrowPlan::forFrame(frame);
    const std::vector<JumpSpot> hints = neighbourHints(frame);
    TimelinePainter timeline(*frame.style);
    timeline.paintBase(painter, frame, hints, nullptr, QRect(QPoint(0, 0), frame.geometry.size), false);
    TimelinePainter::paintOverlay(painter, frame, plan);
}

} // namespace torchline
