#include "common/control_paint.h"

#include <QPainter>

#include <array>

namespace torchline {

void drawFocusRing(QPainter* painter, const QRect& body, const Theme& theme)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.accent, 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(body).adjusted(-2, -2, 2, 2), 4, 4);
    painter->restore();
}

void drawControlFrame(QPainter* painter, const QRect& body, const QColor& fill, const QColor& border)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(border.alpha() == 0 ? QPen(Qt::NoPen) : QPen(border, 1));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(body).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter->restore();
}

void drawChevron(QPainter* painter, const QRect& rect, const QColor& color, bool up)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = QRectF(rect).center();
    const qreal tip = up ? -1.75 : 1.75;
    painter->drawPolyline(std::array{c + QPointF(-3.5, -tip), c + QPointF(0, tip), c + QPointF(3.5, -tip)}.data(), 3);
    painter->restore();
}

} // namespace torchline
