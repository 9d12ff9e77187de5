#include "timeline/header_places.h"

#include "timeline/header_painter.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace torchline {

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(HeaderPlaces)
};

constexpr int kEdgeGrab = 3; ///< how near the lower edge of a header can be grabbed

bool canBeResized(const lod::LaneItem& item)
{
    return item.kind == lod::LaneItemKind::Memory || (item.kind == lod::LaneItemKind::Lane && !item.isCollapsed);
}

} // namespace

double lineHeight(const QFont& font)
{
    return QFontMetricsF(font).height();
}

HeaderPlaces placesOf(const TimelineFrame& frame, const lod::LaneItem& item, double linesHeight)
{
    const TimelineStyle& style = *frame.style;
    const TimelineGeometry& geometry = frame.geometry;
    HeaderPlaces places;
    const double padding = item.height >= style.px(30) ? style.px(5) : 0;
    const double itemTop = geometry.y(item.y);
    places.bottom = geometry.y(item.bottom());
    const double natural = padding > 0 ? itemTop + padding : itemTop + (places.bottom - itemTop - 1 - linesHeight) / 2;
    const double sticky = std::max(natural, double(geometry.partRect(item.isPinned).top() + style.px(3)));
    places.top = std::max(std::min(sticky, places.bottom - linesHeight - style.px(3)), std::min(natural, itemTop));
    places.chevron = style.px(13) + item.indent * style.px(14);
    places.left = style.px(22) + item.indent * style.px(14);
    places.right = geometry.headerWidth - style.px(8);
    return places;
}

bool hasNoteLine(const TimelineFrame& frame, const lod::LaneItem& item)
{
    return item.kind != lod::LaneItemKind::Busy && item.height >= frame.style->px(36);
}

double headerLines(const TimelineFrame& frame, const lod::LaneItem& item)
{
    const double note = lineHeight(frame.style->laneFont());
    return lineHeight(frame.style->nameFont()) + (hasNoteLine(frame, item) ? note : 0)
        + (framesLine(frame, item).isEmpty() ? 0 : note);
}

QRectF framesLine(const TimelineFrame& frame, const lod::LaneItem& item)
{
    if (item.kind != lod::LaneItemKind::Lane || item.isCollapsed || !frame.index->hasFrames(item.lane))
        return {};
    const TimelineStyle& style = *frame.style;
    const double name = lineHeight(style.nameFont());
    const double note = lineHeight(style.laneFont());
    const double lines = name + 2 * note;
    if (item.height < lines + style.px(8))
        return {};
    const HeaderPlaces places = placesOf(frame, item, lines);
    return {places.left, places.top + name + note, places.right - places.left, note};
}

QRectF pinPlace(const TimelineFrame& frame, const lod::LaneItem& item)
{
    if (item.kind != lod::LaneItemKind::Lane)
        return {};
    const TimelineStyle& style = *frame.style;
    const HeaderPlaces places = placesOf(frame, item, headerLines(frame, item));
    const double share = QFontMetricsF(style.noteFont()).horizontalAdvance(headerShare(frame, item));
    const double size = style.px(16);
    const QRectF place(
        places.right - share - style.px(4) - size, places.top + (lineHeight(style.nameFont()) - size) / 2, size, size);
    return place.left() < places.left + style.px(24) ? QRectF() : place;
}

QString hiddenText(const lod::LaneItem& item)
{
    return item.hidden == 0 ? QString() : Words::tr("%1 hidden").arg(formatCount(item.hidden));
}

QRectF hiddenPlace(const TimelineFrame& frame, const lod::LaneItem& item)
{
    if (item.kind != lod::LaneItemKind::Group || item.hidden == 0)
        return {};
    const TimelineGeometry& geometry = frame.geometry;
    const double width = QFontMetricsF(frame.style->noteFont()).horizontalAdvance(hiddenText(item));
    const double right = geometry.size.width() - frame.style->px(8);
    return {right - width, geometry.y(item.y), width, geometry.y(item.bottom()) - geometry.y(item.y)};
}

int chevronRight(const TimelineFrame& frame, const lod::LaneItem& item)
{
    return frame.style->px(22) + item.indent * frame.style->px(14);
}

HeaderHover headerAt(const TimelineFrame& frame, QPoint pos)
{
    const TimelineGeometry& geometry = frame.geometry;
    if (!frame.index || !frame.layout || pos.y() < geometry.rulerHeight)
        return {};
    const auto found = [&](const lod::LaneItem& item, HeaderPart part) {
        return HeaderHover{static_cast<int>(&item - frame.layout->items().data()), part};
    };
    const bool isInColumn = geometry.headerRect().contains(pos);
    if (isInColumn) {
        // The edge reaches a little into the item below.
        for (const int above : {0, kEdgeGrab}) {
            const lod::LaneItem* item = frame.layout->itemAt(geometry.contentY(pos.y() - above));
            if (item && canBeResized(*item) && std::abs(geometry.y(item->bottom()) - 1 - pos.y()) <= kEdgeGrab)
                return found(*item, HeaderPart::LowerEdge);
        }
    }
    const lod::LaneItem* item = frame.layout->itemAt(geometry.contentY(pos.y()));
    if (!item)
        return {};
    if (hiddenPlace(frame, *item).contains(QPointF(pos)))
        return found(*item, HeaderPart::Hidden);
    if (!isInColumn)
        return item->kind == lod::LaneItemKind::Group ? found(*item, HeaderPart::Chevron) : HeaderHover();
    if (item->kind == lod::LaneItemKind::Group)
        return found(*item, HeaderPart::Chevron);
    if (item->kind != lod::LaneItemKind::Lane)
        return found(*item, HeaderPart::Name);
    if (framesLine(frame, *item).contains(QPointF(pos)))
        return found(*item, HeaderPart::Frames);
    if (pinPlace(frame, *item).contains(QPointF(pos)))
        return found(*item, HeaderPart::Pin);
    return found(*item, pos.x() < chevronRight(frame, *item) ? HeaderPart::Chevron : HeaderPart::Name);
}

} // namespace torchline
