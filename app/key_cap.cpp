#include "key_cap.h"

#include "common/control_paint.h"
#include "common/font_follow.h"

#include <QPainter>

namespace torchline {

KeyCap::KeyCap(ThemeHost* themes, const QString& key, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    followFont(this, [this](const Metrics& metrics) { setFont(metrics.lanes()); });
    setKey(key);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void KeyCap::setKey(const QString& key)
{
    m_key = key;
    setAccessibleName(key);
    updateGeometry();
    update();
}

QSize KeyCap::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_key) + 12, fontMetrics().height() + 4};
}

void KeyCap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    drawControlFrame(&painter, rect(), theme.panel, theme.border);
    painter.setPen(theme.text);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, m_key);
}

} // namespace torchline
