#include "timeline/arrow_plan.h"

#include "timeline/label_painter.h"

#include "common/format.h"
#include "common/text_cut.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <optional>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(ArrowPlan)
};

constexpr size_t kMostStrong = 12; ///< more of them cannot be followed one by one
constexpr size_t kMostChips = 3; ///< at each edge
constexpr double kLine = 1.6;
constexpr double kHalo = 4.5;
constexpr double kHead = 9;
constexpr double kDot = 2.8;

QColor colorOf(const Theme& theme, lod::LinkKind kind)
{
    return kind == lod::LinkKind::ForwardBackward ? theme.arrowForwardBackward : theme.arrow;
}

lod::ViewWindow windowOf(const TimelineFrame& frame)
{
    lod::ViewWindow window;
    window.scale = &frame.geometry.scale;
    window.pixelsPerUnit = frame.geometry.ratio;
    window.width = frame.geometry.lanesRect().width();
    window.height = frame.geometry.lanesRect().height();
    window.lanes = frame.geometry.lanes;
    return window;
}

QString arrowed(const QString& text, lod::ViewEdge edge)
{
    switch (edge) {
    case lod::ViewEdge::Left:
        return u"‹ "_s + text;
    case lod::ViewEdge::Right:
        return text + u" ›"_s;
    default:
        return text;
    }
}

/// "AddmmBackward0 · in 36.7 ms", or where it lies for an end above or below.
QString chipText(const TimelineFrame& frame, SliceRef here, SliceRef there, lod::ViewEdge edge)
{
    const TraceSnapshot& trace = frame.index->trace();
    constexpr qsizetype kLongest = 32;
    QString name = shortName(displayText(trace.text(trace.name(there))));
    if (name.size() > kLongest)
        name = headOf(name, kLongest / 2) + u'…' + tailOf(name, kLongest / 2 - 1);
    if (edge == lod::ViewEdge::Top || edge == lod::ViewEdge::Bottom)
        return name + u" · "_s + displayText(trace.laneLabel(there.lane)).simplified();
    const int64_t distance = subSaturated(trace.startNs(there), trace.startNs(here));
    return name + u" · "_s
        + (distance >= 0 ? Words::tr("in %1").arg(formatDuration(distance))
                         : Words::tr("%1 earlier").arg(formatDuration(-distance)));
}

QRectF placeChip(
    const TimelineFrame& frame, const lod::ArrowEnd& end, const QString& text, const std::vector<JumpSpot>& chips)
{
    const QRectF lanes(frame.geometry.lanesRect());
    const double width = QFontMetricsF(frame.style->laneFont()).horizontalAdvance(text) + frame.style->px(16);
    const double height = frame.style->px(18);
    const double margin = frame.style->px(6);
    QPointF at = lanes.topLeft() + QPointF(end.x, end.y);
    QRectF rect(at.x() - width / 2, at.y() - height / 2, width, height);
    rect.moveLeft(std::clamp(
        rect.left(), lanes.left() + margin, std::max(lanes.right() - margin - width, lanes.left() + margin)));
    rect.moveTop(
        std::clamp(rect.top(), lanes.top() + margin, std::max(lanes.bottom() - margin - height, lanes.top() + margin)));
    const double step = end.edge == lod::ViewEdge::Bottom ? -(height + 4) : height + 4;
    const auto isTaken
        = [&] { return std::ranges::any_of(chips, [&](const JumpSpot& chip) { return chip.rect.intersects(rect); }); };
    for (size_t i = 0; i < kMostChips * 2 && isTaken(); ++i)
        rect.translate(0, step);
    return rect.toAlignedRect();
}

/// "200 of 12 431 arrows in view".
QString arrowsNote(const lod::LinkSample& sample)
{
    const QString total = formatCount(static_cast<int64_t>(sample.total));
    if (sample.total == 0)
        return Words::tr("no arrow with both ends in view");
    if (sample.links.size() < sample.total)
        return Words::tr("%1 of %2 arrows in view").arg(formatCount(static_cast<int64_t>(sample.links.size())), total);
    return sample.total == 1 ? Words::tr("1 arrow in view") : Words::tr("all %1 arrows in view").arg(total);
}

} // namespace

ArrowPlan ArrowPlan::forFrame(const TimelineFrame& frame)
{
    ArrowPlan plan;
    if (!frame.index || !frame.layout || frame.arrows == ArrowMode::None)
        return plan;
    const lod::ViewWindow window = windowOf(frame);
    const QPointF origin = frame.geometry.lanesRect().topLeft();
    const auto pointOf = [&](const lod::ArrowEnd& end) { return origin + QPointF(end.x, end.y); };
    if (frame.arrows == ArrowMode::All && frame.linksInView) {
        for (const lod::SliceLink& link : frame.linksInView->links) {
            const auto shape = lod::arrowShape(*frame.index, *frame.layout, window, link);
            if (shape)
                plan.faint.push_back(
                    {pointOf(shape->from), pointOf(shape->to), link.kind, false, false, shape->pointsUp});
        }
        plan.note = arrowsNote(*frame.linksInView);
    }
    std::array<size_t, 5> chipsAt{};
    for (const lod::SliceLink& link : frame.links) {
        for (const SliceRef end : {link.from, link.to}) {
            if (end != frame.selection)
                plan.related.push_back(end);
        }
        const auto shape = lod::arrowShape(*frame.index, *frame.layout, window, link);
        if (!shape)
            continue;
        Line line{pointOf(shape->from), pointOf(shape->to), link.kind, shape->from.edge == lod::ViewEdge::None,
            shape->to.edge == lod::ViewEdge::None, shape->pointsUp};
        if (plan.lines.size() >= kMostStrong) {
            plan.faint.push_back(line);
            continue;
        }
        const bool fromIsOut = !line.hasDot;
        const lod::ArrowEnd& outside = fromIsOut ? shape->from : shape->to;
        if (outside.edge != lod::ViewEdge::None && ++chipsAt[static_cast<size_t>(outside.edge)] <= kMostChips) {
            const SliceRef target = fromIsOut ? link.from : link.to;
            JumpSpot chip;
            chip.text = arrowed(chipText(frame, fromIsOut ? link.to : link.from, target, outside.edge), outside.edge);
            chip.rect = placeChip(frame, outside, chip.text, plan.chips);
            chip.target = target;
            chip.edge = outside.edge;
            chip.kind = link.kind;
            // The line ends at the chip, not under it.
            const QPointF other = fromIsOut ? line.to : line.from;
            const QPointF end(std::clamp(other.x(), chip.rect.left(), chip.rect.right()),
                std::clamp(other.y(), chip.rect.top(), chip.rect.bottom()));
            (fromIsOut ? line.from : line.to) = end;
            plan.chips.push_back(chip);
        }
        plan.lines.push_back(line);
    }
    return plan;
}

namespace {

/// The part of a line inside a rectangle; none if it lies beside it.
std::optional<QLineF> cutTo(const QRectF& area, QPointF from, QPointF to)
{
    double begin = 0;
    double end = 1;
    const auto keep = [&](double at, double by, double low, double high) {
        if (by == 0)
            return at >= low && at <= high;
        const double one = (low - at) / by;
        const double other = (high - at) / by;
        begin = std::max(begin, std::min(one, other));
        end = std::min(end, std::max(one, other));
        return begin <= end;
    };
    const QPointF by = to - from;
    if (!keep(from.x(), by.x(), area.left(), area.right()) || !keep(from.y(), by.y(), area.top(), area.bottom()))
        return std::nullopt;
    return QLineF(from + by * begin, from + by * end);
}

/// What of it meets an area: a stroke costs by its length, seen or not. Flat caps: lines with round ones are stroked as
/// paths, which takes ten times as long.
void paintLine(QPainter& painter, const TimelineFrame& frame, const ArrowPlan::Line& line, const QRectF& area)
{
    const Theme& theme = frame.theme();
    const QColor color = colorOf(theme, line.kind);
    const double unit = frame.style->px(13) / 13.0;
    const double head = kHead * unit;
    const double up = line.pointsUp ? -1 : 1;
    QPointF end = line.to;
    if (line.hasHead)
        end.ry() -= up * head * 0.9;
    if (const auto seen = cutTo(area, line.from, end)) {
        painter.setPen(QPen(theme.lane, kHalo * unit, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(*seen);
        QPen pen(color, kLine * unit, Qt::SolidLine, Qt::FlatCap);
        if (line.kind == lod::LinkKind::ForwardBackward) {
            pen.setDashPattern({4 / kLine, 2.5 / kLine});
            pen.setDashOffset(QLineF(line.from, seen->p1()).length() / (kLine * unit));
        }
        painter.setPen(pen);
        painter.drawLine(*seen);
    }
    painter.setBrush(color);
    if (line.hasDot && area.contains(line.from)) {
        painter.setPen(QPen(theme.lane, 1.4 * unit));
        painter.drawEllipse(line.from, (kDot + 0.7) * unit, (kDot + 0.7) * unit);
    }
    if (line.hasHead && area.contains(line.to)) {
        // Outside the target, its tip on the edge; first a wider one in the colour of the lane.
        const double half = head * 0.45;
        const QPolygonF shape(
            {line.to, {line.to.x() - half, line.to.y() - up * head}, {line.to.x() + half, line.to.y() - up * head}});
        painter.setPen(QPen(theme.lane, 2.4 * unit, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawPolygon(shape);
        painter.setPen(Qt::NoPen);
        painter.drawPolygon(shape);
    }
}

void paintNote(QPainter& painter, const TimelineFrame& frame, const QString& text)
{
    const Theme& theme = frame.theme();
    const QFontMetricsF metrics(frame.style->laneFont());
    const QRectF lanes(frame.geometry.lanesRect());
    const double margin = frame.style->px(6);
    const double width = metrics.horizontalAdvance(text) + frame.style->px(16);
    const double height = frame.style->px(18);
    const QRectF rect(lanes.right() - margin - width, lanes.bottom() - margin - height, width, height);
    if (rect.left() < lanes.left() || rect.top() < lanes.top())
        return;
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(rect.toAlignedRect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(theme.text2);
    painter.drawText(rect, Qt::AlignCenter, text);
}

} // namespace

void ArrowPlan::paint(QPainter& painter, const TimelineFrame& frame) const
{
    if (lines.empty() && faint.empty() && chips.empty() && note.isEmpty())
        return;
    const Theme& theme = frame.theme();
    painter.save();
    painter.setClipRect(frame.geometry.lanesRect(), Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    const double around = 2 * frame.style->px(kHead);
    const QRectF area = painter.clipBoundingRect().adjusted(-around, -around, around, around);
    for (const Line& line : faint) {
        const auto seen = cutTo(area, line.from, line.to);
        if (!seen)
            continue;
        QColor color = colorOf(theme, line.kind);
        color.setAlphaF(0.3f);
        painter.setPen(QPen(color, 1));
        painter.drawLine(*seen);
    }
    for (const Line& line : lines)
        paintLine(painter, frame, line, area);
    const QFontMetricsF metrics(frame.style->laneFont());
    painter.setFont(frame.style->laneFont());
    for (const JumpSpot& chip : chips) {
        if (!chip.rect.intersects(area))
            continue;
        const QColor color = colorOf(theme, chip.kind);
        painter.setPen(QPen(color, 1.2));
        painter.setBrush(theme.panel);
        painter.drawRoundedRect(chip.rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(color);
        painter.drawText(QPointF(chip.rect.left() + frame.style->px(8),
                             std::round(chip.rect.center().y() + (metrics.ascent() - metrics.descent()) / 2)),
            chip.text);
    }
    if (!note.isEmpty())
        paintNote(painter, frame, note);
    painter.restore();
}

std::vector<JumpSpot> neighbourHints(const TimelineFrame& frame)
{
    std::vector<JumpSpot> hints;
    if (!frame.index || !frame.layout)
        return hints;
    const TimelineGeometry& geometry = frame.geometry;
    const TraceSnapshot& trace = frame.index->trace();
    const QRectF lanes(geometry.lanesRect());
    const QFontMetricsF metrics(frame.style->laneFont());
    const TimeRange visible = geometry.visible();
    const auto addFor = [&](const lod::LaneItem& item, const QRectF& part) {
        const auto near
            = frame.index->neighbours(item.lane, item.isCollapsed ? lod::Frames::Shown : item.frames, visible);
        if (!near)
            return;
        const double top = std::max(geometry.y(item.y), part.top());
        const double bottom = std::min(geometry.y(item.bottom()), part.bottom());
        const double height = metrics.height();
        if (bottom - top < height)
            return;
        const double y = std::round((top + bottom - height) / 2);
        double leftEnd = lanes.left();
        if (near->before.isValid()) {
            JumpSpot spot;
            spot.target = near->before;
            spot.edge = lod::ViewEdge::Left;
            spot.text = u"‹  "_s
                + Words::tr("last ended %1 earlier")
                      .arg(formatDuration(subSaturated(visible.beginNs, trace.endNs(near->before))));
            spot.rect = QRectF(lanes.left() + frame.style->px(10), y, metrics.horizontalAdvance(spot.text), height);
            leftEnd = spot.rect.right() + frame.style->px(12);
            if (spot.rect.right() <= lanes.right())
                hints.push_back(spot);
        }
        if (near->after.isValid()) {
            JumpSpot spot;
            spot.target = near->after;
            spot.edge = lod::ViewEdge::Right;
            spot.text = Words::tr("next begins in %1")
                            .arg(formatDuration(subSaturated(trace.startNs(near->after), visible.endNs)))
                + u"  ›"_s;
            const double width = metrics.horizontalAdvance(spot.text);
            spot.rect = QRectF(lanes.right() - frame.style->px(10) - width, y, width, height);
            if (spot.rect.left() >= leftEnd)
                hints.push_back(spot);
        }
    };
    frame.forEachPart(lanes, [&](std::span<const lod::LaneItem> items, const QRectF& part) {
        for (const lod::LaneItem& item : items) {
            if (item.kind == lod::LaneItemKind::Lane)
                addFor(item, part);
        }
    });
    return hints;
}

void paintNeighbourHints(
    QPainter& painter, const TimelineFrame& frame, const std::vector<JumpSpot>& hints, const JumpSpot* hovered)
{
    const QFontMetricsF metrics(frame.style->laneFont());
    painter.setFont(frame.style->laneFont());
    for (const JumpSpot& hint : hints) {
        painter.setPen(&hint == hovered ? frame.theme().accent : frame.theme().text3);
        painter.drawText(QPointF(hint.rect.left(), hint.rect.top() + metrics.ascent()), hint.text);
    }
}

} // namespace torchline
