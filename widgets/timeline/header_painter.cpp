#include "timeline/header_painter.h"

#include "timeline/header_places.h"
#include "timeline/memory_painter.h"

#include "common/format.h"
#include "common/icon.h"
#include "common/lane_title.h"
#include "common/text_cut.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(HeaderPainter)
};

constexpr QChar kNoBreak(0x00A0);

QString toText(std::string_view utf8)
{
    return displayText(utf8);
}

void paintChevron(QPainter& painter, QPointF centre, bool isOpen, const QColor& color, double unit)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.3, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    const double r = 3.2 * unit;
    const double h = 1.7 * unit;
    if (isOpen)
        painter.drawPolyline(QPolygonF(
            {{centre.x() - r, centre.y() - h}, {centre.x(), centre.y() + h}, {centre.x() + r, centre.y() - h}}));
    else
        painter.drawPolyline(QPolygonF(
            {{centre.x() - h, centre.y() - r}, {centre.x() + h, centre.y()}, {centre.x() - h, centre.y() + r}}));
    painter.restore();
}

/// One line of text cut in the middle; returns its width.
double drawLine(QPainter& painter, const QFont& font, const QColor& color, double left, double top, double width,
    const QString& text)
{
    if (width <= 0)
        return 0;
    constexpr qsizetype kMostMeasured = 400;
    const QFontMetricsF metrics(font);
    const QString ends = bothEndsOf(text, kMostMeasured);
    const QString shown
        = metrics.horizontalAdvance(ends) <= width ? ends : metrics.elidedText(ends, Qt::ElideMiddle, width);
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(QPointF(left, top + metrics.ascent()), shown);
    return metrics.horizontalAdvance(shown);
}

} // namespace

QString laneNote(const lod::TimelineIndex& index, LaneId lane, bool isShort)
{
    const uint16_t kinds = index.kinds(lane);
    const auto has = [kinds](SliceKind kind) { return (kinds >> static_cast<unsigned>(kind) & 1u) != 0; };
    QStringList parts;
    if (has(SliceKind::Kernel))
        parts.append(Words::tr("kernels"));
    if (has(SliceKind::Memcpy))
        parts.append(Words::tr("copies"));
    if (has(SliceKind::Memset))
        parts.append(Words::tr("memset"));
    if (has(SliceKind::DeviceSync))
        parts.append(Words::tr("waits"));
    if (has(SliceKind::CpuOp))
        parts.append(isShort ? Words::tr("ops") : Words::tr("operators"));
    if (has(SliceKind::PythonFunction))
        parts.append(Words::tr("Python"));
    if (has(SliceKind::Runtime) || has(SliceKind::Driver))
        parts.append(Words::tr("runtime"));
    if (parts.isEmpty() && (has(SliceKind::UserAnnotation) || has(SliceKind::DeviceAnnotation)))
        parts.append(Words::tr("annotations"));
    if (parts.isEmpty() && has(SliceKind::Overhead))
        parts.append(Words::tr("profiler overhead"));
    return parts.join(u", "_s);
}

QString shareText(int64_t partNs, int64_t wholeNs, bool isPrecise)
{
    if (partNs <= 0 || wholeNs <= 0)
        return u"0"_s + kNoBreak + u'%';
    const double percent = 100.0 * static_cast<double>(std::min(partNs, wholeNs)) / static_cast<double>(wholeNs);
    if (percent < 0.05)
        return u"<0.1"_s + kNoBreak + u'%';
    const bool hasDecimal = percent < 9.95 || (isPrecise && percent < 99.95);
    return QString::number(percent, 'f', hasDecimal ? 1 : 0) + kNoBreak + u'%';
}

QString headerShare(const TimelineFrame& frame, const lod::LaneItem& item)
{
    // Of the trace: the margins beside it are no idle time.
    const TimeRange seen = frame.geometry.visible();
    const TimeRange whole = frame.index->trace().span();
    const TimeRange inside{std::max(seen.beginNs, whole.beginNs), std::min(seen.endNs, whole.endNs)};
    const TimeRange visible = inside.isEmpty() ? seen : inside;
    if (item.kind == lod::LaneItemKind::Busy)
        return shareText(frame.index->devices()[item.index].busy.coveredNs(visible), visible.spanNs(), true);
    if (item.kind == lod::LaneItemKind::Lane)
        return shareText(frame.index->busy(item.lane).coveredNs(visible), visible.spanNs());
    return {};
}

QString headerTip(const TimelineFrame& frame, const lod::LaneItem& item)
{
    const TraceSnapshot& trace = frame.index->trace();
    switch (item.kind) {
    case lod::LaneItemKind::Group: {
        const GroupTitle& group = frame.groups[item.group];
        return group.note.isEmpty() ? group.title : QString(group.title + u'\n' + group.note);
    }
    case lod::LaneItemKind::Busy:
        return Words::tr("%1 of the visible time at least one kernel, copy or memset ran on this device: "
                         "the union of all its streams.")
            .arg(headerShare(frame, item));
    case lod::LaneItemKind::Lane: {
        const QString what = trace.lane(item.lane).isDevice()
            ? Words::tr("kernels, copies or memsets ran")
            : Words::tr("operators or runtime calls ran (Python frames and annotations do not count where there is "
                        "anything else)");
        const QString pinned = item.isPinned
            ? QString(Words::tr("Pinned, of %1").arg(frame.groups[item.group].title) + u'\n')
            : QString();
        return laneTitle(trace, item.lane) + u'\n' + pinned
            + Words::tr("%1 slices, %2 deep")
                  .arg(formatCount(trace.lane(item.lane).size()))
                  .arg(trace.lane(item.lane).maxDepth())
            + u'\n' + Words::tr("%1 of the visible time %2.").arg(headerShare(frame, item), what);
    }
    case lod::LaneItemKind::Memory:
        return Words::tr("Memory that the caching allocator holds for tensors (allocated) and has from the device "
                         "(reserved), as the recording states them.");
    }
    return {};
}

namespace {

void paintBand(QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item, bool isCurrent)
{
    const TimelineStyle& style = *frame.style;
    const Theme& theme = style.theme();
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF rect(0, geometry.y(item.y), geometry.size.width(), geometry.y(item.bottom()) - geometry.y(item.y));
    painter.fillRect(rect, theme.group);
    paintChevron(
        painter, {double(style.px(13)), rect.center().y()}, !item.isCollapsed, theme.text2, style.px(13) / 13.0);
    if (isCurrent)
        painter.fillRect(QRectF(0, rect.top(), style.px(3), rect.height()), theme.accent);
    const GroupTitle& group = frame.groups[item.group];
    const double top = rect.top() + (rect.height() - lineHeight(style.groupFont())) / 2;
    double left = style.px(22);
    double room = rect.right() - style.px(8);
    if (const QRectF hidden = hiddenPlace(frame, item); !hidden.isEmpty()) {
        drawLine(painter, style.noteFont(), theme.accent, hidden.left(), top, hidden.width() + 1, hiddenText(item));
        room = hidden.left() - style.px(12);
    }
    left += drawLine(painter, style.groupFont(), theme.text, left, top, room - left, group.title) + style.px(12);
    drawLine(painter, style.noteFont(), theme.text2, left, top, room - left, group.note);
}

void paintMemoryHeader(
    QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item, const HeaderPlaces& places)
{
    const TimelineStyle& style = *frame.style;
    const Theme& theme = style.theme();
    const lod::MemoryTrack& track = frame.index->memory()[item.index];
    const MemoryAxis axis = MemoryAxis::forTrack(track);
    const QFont& small = style.laneFont();
    const QFontMetricsF metrics(small);
    const double right = places.right
        - std::max(metrics.horizontalAdvance(axis.topText()), metrics.horizontalAdvance(axis.bottomText()))
        - style.px(8);
    drawLine(painter, style.nameFont(), theme.text, places.left, places.top, right - places.left, Words::tr("memory"));
    const QString where = Words::tr("%1 on %2").arg(axis.unit(), memoryDeviceName(track));
    const double second = places.top + lineHeight(style.nameFont());
    drawLine(painter, small, theme.text2, places.left, second, right - places.left, where);
    if (track.exceedsReserved)
        drawLine(painter, small, theme.warn, places.left, second + metrics.height(), places.right - places.left,
            Words::tr("allocated above reserved"));
    painter.setPen(theme.text2);
    painter.setFont(small);
    const double top = frame.geometry.y(item.y);
    const auto drawRight = [&](double y, const QString& text) {
        painter.drawText(QPointF(places.right - metrics.horizontalAdvance(text), y), text);
    };
    drawRight(top + style.px(5) + metrics.ascent() * 0.8, axis.topText());
    drawRight(places.bottom - 1 - style.px(3), axis.bottomText());
}

/// What a lane holds; of a pinned one, which stands apart from its process, where it belongs as well.
QString noteOf(const TimelineFrame& frame, const lod::LaneItem& item)
{
    const QString note = laneNote(*frame.index, item.lane, frame.geometry.headerWidth < frame.style->px(220));
    if (!item.isPinned)
        return note;
    const QString& group = frame.groups[item.group].title;
    return note.isEmpty() ? group : QString(group + u" \u00B7 "_s + note);
}

void paintHeader(
    QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item, bool isHovered, bool isCurrent)
{
    const TimelineStyle& style = *frame.style;
    const Theme& theme = style.theme();
    const TimelineGeometry& geometry = frame.geometry;
    const double nameHeight = lineHeight(style.nameFont());
    const bool hasNote = hasNoteLine(frame, item);
    const QRectF frames = framesLine(frame, item);
    const HeaderPlaces places = placesOf(frame, item, headerLines(frame, item));
    const double itemTop = geometry.y(item.y);
    const QRectF rect(0, itemTop, geometry.headerWidth, places.bottom - itemTop);
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    if (isHovered)
        painter.fillRect(rect.adjusted(0, 0, -1, -1), theme.hoverRow);
    if (isCurrent)
        painter.fillRect(QRectF(0, itemTop, style.px(3), rect.height() - 1), theme.accent);
    painter.fillRect(QRectF(0, places.bottom - geometry.deviceGap() / geometry.ratio, geometry.headerWidth,
                         geometry.deviceGap() / geometry.ratio),
        theme.separator);
    if (frame.marks && item.kind == lod::LaneItemKind::Lane && frame.marks->countOf(item.lane) > 0)
        painter.fillRect(
            QRectF(geometry.headerWidth - style.px(4), itemTop, style.px(3), rect.height() - 1), theme.hit);
    if (item.kind == lod::LaneItemKind::Memory) {
        paintMemoryHeader(painter, frame, item, places);
        painter.restore();
        return;
    }
    const QFontMetricsF shareMetrics(style.noteFont());
    const QString share = headerShare(frame, item);
    const double shareLeft = places.right - shareMetrics.horizontalAdvance(share);
    painter.setFont(style.noteFont());
    painter.setPen(theme.text2);
    painter.drawText(QPointF(shareLeft, places.top + shareMetrics.ascent()), share);
    const QRectF pin = isHovered || item.isPinned ? pinPlace(frame, item) : QRectF();
    if (!pin.isEmpty()) {
        const bool isOver = isHovered && frame.headerHover.part == HeaderPart::Pin;
        const int size = style.px(14);
        painter.drawPixmap(pin.center() - QPointF(size / 2.0, size / 2.0),
            tintedPixmap(u"pin"_s, item.isPinned || isOver ? theme.accent : theme.text2, size, geometry.ratio));
    }
    const double width = (pin.isEmpty() ? shareLeft - style.px(8) : pin.left() - style.px(4)) - places.left;
    if (item.kind == lod::LaneItemKind::Busy) {
        const lod::DeviceBusy& device = frame.index->devices()[item.index];
        const bool isAlone = std::ranges::count(frame.index->devices(), device.group, &lod::DeviceBusy::group) == 1;
        const QString name = isAlone ? Words::tr("busy") : Words::tr("busy, device %1").arg(toText(device.device));
        drawLine(painter, style.nameFont(), theme.text, places.left, places.top, width, name);
        painter.restore();
        return;
    }
    paintChevron(
        painter, {places.chevron, places.top + nameHeight / 2}, !item.isCollapsed, theme.text2, style.px(13) / 13.0);
    QString title = laneTitle(frame.index->trace(), item.lane);
    if (QFontMetricsF(style.nameFont()).horizontalAdvance(title) > width)
        title = laneTitle(frame.index->trace(), item.lane, LaneTitle::Short);
    const double nameWidth = drawLine(painter, style.nameFont(), theme.text, places.left, places.top, width, title);
    if (item.isPinned && !hasNote) {
        const double gap = style.px(8);
        const double drop = QFontMetricsF(style.nameFont()).ascent() - QFontMetricsF(style.laneFont()).ascent();
        if (width - nameWidth - gap > style.px(20))
            drawLine(painter, style.laneFont(), theme.text2, places.left + nameWidth + gap, places.top + drop,
                width - nameWidth - gap, frame.groups[item.group].title);
    }
    if (hasNote)
        drawLine(painter, style.laneFont(), theme.text2, places.left, places.top + nameHeight,
            places.right - places.left, noteOf(frame, item));
    if (!frames.isEmpty()) {
        const bool isFolded = item.frames == lod::Frames::Folded;
        const int rows = frame.index->rowCount(item.lane, lod::Frames::Shown)
            - frame.index->rowCount(item.lane, lod::Frames::Folded);
        const QString text = !isFolded ? Words::tr("fold Python frames")
            : rows > 0                 ? Words::tr("+%1 Python rows").arg(rows)
                                       : Words::tr("show Python frames");
        const bool isOver = isHovered && frame.headerHover.part == HeaderPart::Frames;
        drawLine(painter, style.laneFont(), isOver ? theme.accent : theme.text3, frames.left(), frames.top(),
            frames.width(), text);
    }
    painter.restore();
}

} // namespace

void paintHeaders(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty)
{
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF column(geometry.headerRect());
    const Theme& theme = frame.theme();
    painter.save();
    painter.setClipRect(QRectF(0, geometry.rulerHeight, geometry.size.width(), column.height()), Qt::IntersectClip);
    if (column.intersects(dirty))
        painter.fillRect(column, theme.laneHead);
    const auto forEachItem = [&](const auto& visit) {
        frame.forEachPart(dirty, [&](std::span<const lod::LaneItem> items, const QRectF& clip) {
            painter.save();
            painter.setClipRect(clip, Qt::IntersectClip);
            for (const lod::LaneItem& item : items)
                visit(item, static_cast<int>(&item - frame.layout->items().data()));
            painter.restore();
        });
    };
    if (column.intersects(dirty)) {
        forEachItem([&](const lod::LaneItem& item, int at) {
            if (item.kind != lod::LaneItemKind::Group)
                paintHeader(painter, frame, item, at == frame.headerHover.item, at == frame.currentItem);
        });
        const double thick = geometry.deviceGap() / geometry.ratio;
        painter.fillRect(QRectF(geometry.deviceLeft() / geometry.ratio - thick, column.top(), thick, column.height()),
            theme.separator);
    }
    forEachItem([&](const lod::LaneItem& item, int at) {
        if (item.kind == lod::LaneItemKind::Group)
            paintBand(painter, frame, item, at == frame.currentItem);
    });
    const QRect pinned = geometry.partRect(true);
    const QRect scrolled = geometry.partRect(false);
    painter.fillRect(
        QRect(0, pinned.bottom() + 1, geometry.size.width(), scrolled.top() - pinned.bottom() - 1), theme.border);
    painter.restore();
}

} // namespace torchline
