#include "timeline/ruler_painter.h"

#include "timeline/lane_raster.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(RulerPainter)
};

constexpr QChar kNoBreak(0x00A0);
constexpr QChar kMinus(0x2212);

struct Unit {
    int64_t ns;
    QStringView suffix;
};
constexpr std::array<Unit, 4> kUnits{{{1'000'000'000, u"s"}, {1'000'000, u"ms"}, {1'000, u"µs"}, {1, u"ns"}}};

} // namespace

QString tickText(int64_t distanceNs, int64_t stepNs)
{
    if (distanceNs == 0)
        return u"0"_s;
    const uint64_t size
        = distanceNs < 0 ? uint64_t{0} - static_cast<uint64_t>(distanceNs) : static_cast<uint64_t>(distanceNs);
    const Unit* unit = &kUnits.back();
    for (const Unit& candidate : kUnits) {
        if (size >= static_cast<uint64_t>(candidate.ns)) {
            unit = &candidate;
            break;
        }
    }
    // As many decimals as the step needs in this unit, so that neighbours differ and none ends in noise.
    const auto unitNs = static_cast<uint64_t>(unit->ns);
    QString text = QString::number(size / unitNs);
    QString digits;
    uint64_t rest = size % unitNs;
    uint64_t place = unitNs / 10;
    for (auto step = static_cast<uint64_t>(std::max<int64_t>(stepNs, 1)); place > 0 && step % (place * 10) != 0;
         place /= 10) {
        digits += QString::number(rest / place);
        rest %= place;
    }
    if (!digits.isEmpty())
        text += u'.' + digits;
    if (distanceNs < 0)
        text.prepend(kMinus);
    return text + kNoBreak + unit->suffix;
}

QString baseText(int64_t baseNs)
{
    if (baseNs == 0)
        return u"0"_s;
    QString text = formatExact(baseNs);
    // "625.000 000 ms" is 625 ms.
    const qsizetype unit = text.indexOf(kNoBreak);
    QString number = text.left(unit);
    if (number.contains(u'.')) {
        while (number.endsWith(u'0') || number.endsWith(QChar(0x2009)))
            number.chop(1);
        if (number.endsWith(u'.'))
            number.chop(1);
    }
    text = number + text.mid(unit);
    return baseNs < 0 ? text : u'+' + text;
}

QRectF rangeTag(const TimelineFrame& frame)
{
    if (!frame.range)
        return {};
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF ruler(geometry.rulerRect());
    const double left = std::max(geometry.pixelX(frame.range->beginNs), ruler.left());
    const double right = std::min(geometry.pixelX(frame.range->endNs), ruler.right());
    return right < left ? QRectF() : QRectF(left, ruler.top(), right - left, ruler.height());
}

namespace {

/// The filled tag with the range's length; empty if it is off the ruler.
QRectF lengthTag(const TimelineFrame& frame, const QString& text)
{
    const QRectF range = rangeTag(frame);
    const QRectF ruler(frame.geometry.rulerRect());
    if (range.isNull())
        return {};
    const double width = QFontMetricsF(frame.style->laneFontMedium()).horizontalAdvance(text) + frame.style->px(16);
    const double height = frame.style->px(18);
    double left = range.center().x() - width / 2;
    if (width > range.width())
        left = range.right() + frame.style->px(4);
    left = std::clamp(left, ruler.left(), std::max(ruler.right() - width, ruler.left()));
    return {std::round(left), std::round(ruler.center().y() - height / 2), std::round(width), height};
}

/// Without anything that lasts or is counted there is no time to tell.
bool hasTime(const TimelineFrame& frame)
{
    return frame.index && (frame.index->trace().sliceCount() > 0 || !frame.index->memory().empty());
}

void paintCorner(QPainter& painter, const TimelineFrame& frame)
{
    const TimelineStyle& style = *frame.style;
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF corner(geometry.cornerRect());
    painter.fillRect(corner, style.theme().ruler);
    if (!hasTime(frame))
        return;
    painter.save();
    painter.setClipRect(corner, Qt::IntersectClip);
    QFont bold = style.laneFont();
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF boldMetrics(bold);
    const QString base = baseText(frame.ruler.baseNs);
    const double baseline = std::round(corner.center().y() + (boldMetrics.ascent() - boldMetrics.descent()) / 2);
    painter.setFont(bold);
    painter.setPen(style.theme().text);
    painter.drawText(QPointF(style.px(12), baseline), base);
    const TimeRange visible = geometry.visible();
    const auto step = std::ranges::find_if(
        frame.steps, [&](const StepMark& mark) { return mark.range.beginNs >= visible.beginNs; });
    if (step != frame.steps.end() && step->range.beginNs < visible.endNs && step->number) {
        // To a tenth of a tick is as exact as a place on the ruler can be read.
        const int64_t grain = std::max<int64_t>(frame.ruler.majorNs / 100, 1);
        const int64_t distance = (step->range.beginNs - frame.ruler.baseNs) / grain * grain;
        const QString text = Words::tr("step %1 at %2").arg(QString::number(*step->number), tickText(distance, grain));
        const QFontMetricsF metrics(style.laneFont());
        const double left = corner.right() - frame.cornerTaken - style.px(8) - metrics.horizontalAdvance(text);
        if (left > style.px(12) + boldMetrics.horizontalAdvance(base) + style.px(12)) {
            painter.setFont(style.laneFont());
            painter.setPen(style.theme().text2);
            painter.drawText(QPointF(left, baseline), text);
        }
    }
    painter.restore();
}

void paintTicks(QPainter& painter, const TimelineFrame& frame, const QRectF& tag)
{
    const TimelineStyle& style = *frame.style;
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF ruler(geometry.rulerRect());
    const QFontMetricsF metrics(style.laneFont());
    const double thick = geometry.deviceGap() / geometry.ratio;
    const QRectF range = rangeTag(frame);
    const auto tick = [&](int64_t timeNs, double height, const QColor& color) {
        const double x = geometry.pixelX(timeNs);
        if (x >= ruler.left() && x < ruler.right())
            painter.fillRect(QRectF(x, ruler.bottom() - 1 - height, thick, height), color);
    };
    painter.setFont(style.laneFont());
    for (const int64_t major : frame.ruler.majors) {
        for (int64_t at = frame.ruler.minorNs; at < frame.ruler.majorNs; at += frame.ruler.minorNs)
            tick(addSaturated(major, at), style.px(4), style.theme().border);
        tick(major, style.px(8), style.theme().text3);
        const QString text = tickText(subSaturated(major, frame.ruler.baseNs), frame.ruler.majorNs);
        const QRectF place(geometry.pixelX(major) + style.px(4), ruler.top() + style.px(3),
            metrics.horizontalAdvance(text), metrics.height());
        const bool isOnEdge = !range.isNull()
            && ((place.left() < range.left() + 2 && place.right() > range.left() - 2)
                || (place.left() < range.right() + 2 && place.right() > range.right() - 2));
        if (isOnEdge || place.adjusted(-4, 0, 4, 0).intersects(tag) || place.left() < ruler.left()
            || place.right() > ruler.right())
            continue;
        painter.setPen(style.theme().text3);
        painter.drawText(
            QPointF(std::round(place.left() * geometry.ratio) / geometry.ratio, place.top() + metrics.ascent()), text);
    }
}

/// Spans that a person marked: a bar along the top with a flag at its begin; kept ones in the accent colour.
void paintTimeMarks(QPainter& painter, const TimelineFrame& frame)
{
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF ruler(geometry.rulerRect());
    const TimelineStyle& style = *frame.style;
    for (const TimeMark& mark : frame.timeMarks) {
        const double left = geometry.pixelX(mark.range.beginNs);
        const double right = std::max(geometry.pixelX(mark.range.endNs), left + 1);
        if (right < ruler.left() || left > ruler.right())
            continue;
        const QColor color = mark.isKept ? style.theme().accent : style.theme().text3;
        painter.fillRect(QRectF(left, ruler.top(), right - left, style.px(3)), color);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        const double flag = style.px(8);
        painter.drawPolygon(
            QPolygonF({{left, ruler.top()}, {left + flag, ruler.top() + flag / 2}, {left, ruler.top() + flag}}));
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRectF(left, ruler.top(), geometry.deviceGap() / geometry.ratio, ruler.height()), color);
    }
}

void paintMarks(QPainter& painter, const TimelineFrame& frame)
{
    if (!frame.marks || frame.marks->count() == 0)
        return;
    const TimelineGeometry& geometry = frame.geometry;
    const lod::IntervalRow& starts = frame.marks->starts();
    lod::PixelSums sums;
    sums.setGap(0);
    sums.reset(frame.grid, 0, geometry.deviceWidth());
    starts.index().query(starts, sums);
    std::vector<lod::PixelCell> cells(static_cast<size_t>(geometry.deviceWidth()));
    sums.resolve(cells.data());
    const double height = frame.style->px(5);
    const double top = geometry.rulerHeight - 1 - height;
    for (size_t x = 0; x < cells.size();) {
        size_t end = x;
        while (end < cells.size() && cells[end] != 0)
            ++end;
        // A lone mark is two pixels wide: one alone is lost among the ticks.
        if (end > x)
            painter.fillRect(QRectF((geometry.deviceLeft() + static_cast<double>(x)) / geometry.ratio, top,
                                 std::max(static_cast<double>(end - x) / geometry.ratio, 2.0), height),
                frame.theme().hit);
        x = end + 1;
    }
}

} // namespace

void paintRuler(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty)
{
    const TimelineStyle& style = *frame.style;
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF bar(0, 0, geometry.size.width(), geometry.rulerHeight);
    if (!bar.intersects(dirty))
        return;
    const QRectF ruler(geometry.rulerRect());
    painter.fillRect(ruler, style.theme().ruler);
    paintCorner(painter, frame);
    painter.save();
    painter.setClipRect(ruler, Qt::IntersectClip);
    const QString length = frame.range ? formatDuration(frame.range->spanNs()) : QString();
    const QRectF tag = frame.range ? lengthTag(frame, length) : QRectF();
    const QRectF range = rangeTag(frame);
    if (!range.isNull()) {
        QColor fill = style.theme().rangeFill;
        fill.setAlphaF(0.22f);
        painter.fillRect(range, fill);
    }
    if (hasTime(frame))
        paintTicks(painter, frame, tag);
    paintMarks(painter, frame);
    paintTimeMarks(painter, frame);
    if (!range.isNull()) {
        for (const int64_t edge : {frame.range->beginNs, frame.range->endNs}) {
            const double x = geometry.pixelX(edge);
            if (x >= ruler.left() && x <= ruler.right())
                painter.fillRect(
                    QRectF(x - style.px(1), ruler.top(), style.px(3), ruler.height()), style.theme().rangeFill);
        }
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.theme().accentFill);
        painter.drawRoundedRect(tag, 3, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(style.theme().onAccent);
        painter.setFont(style.laneFontMedium());
        painter.drawText(tag, Qt::AlignCenter, length);
    }
    painter.restore();
    const double thick = geometry.deviceGap() / geometry.ratio;
    painter.fillRect(QRectF(0, geometry.rulerHeight - thick, geometry.size.width(), thick), style.theme().separator);
    painter.fillRect(QRectF(geometry.deviceLeft() / geometry.ratio - thick, 0, thick, geometry.rulerHeight),
        style.theme().separator);
}

} // namespace torchline
