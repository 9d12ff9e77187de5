#include "common/icon.h"

#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString pathOf(const QString& name)
{
    return u":/icons/"_s + name + u".svg"_s;
}

/// size in device pixels.
QPixmap rendered(const QString& name, const QColor& color, QSize size)
{
    const QString key = u"%1/%2/%3x%4"_s.arg(name, color.name(QColor::HexArgb)).arg(size.width()).arg(size.height());
    QPixmap pixmap;
    if (size.isEmpty() || QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(pathOf(name));
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), color);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class TintedIconEngine : public QIconEngine {
public:
    TintedIconEngine(QString name, QColor color, QColor disabled)
        : m_name(std::move(name))
        , m_color(color)
        , m_disabled(disabled)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect.topLeft(), scaledPixmap(rect.size() * ratio, mode, state, ratio));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override
    {
        return rendered(m_name, mode == QIcon::Disabled ? m_disabled : m_color, size);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override
    {
        QPixmap out = pixmap(size, mode, state);
        out.setDevicePixelRatio(scale);
        return out;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new TintedIconEngine(*this); }

private:
    QString m_name;
    QColor m_color;
    QColor m_disabled;
};

} // namespace

QIcon tintedIcon(const QString& name, const QColor& color, const QColor& disabled)
{
    QColor faint = disabled;
    if (!faint.isValid()) {
        faint = color;
        faint.setAlphaF(0.4F);
    }
    return QIcon(new TintedIconEngine(name, color, faint));
}

QPixmap tintedPixmap(const QString& name, const QColor& color, int size, qreal ratio)
{
    const int pixels = qRound(size * ratio);
    QPixmap pixmap = rendered(name, color, {pixels, pixels});
    pixmap.setDevicePixelRatio(ratio);
    return pixmap;
}

} // namespace torchline
