#include "key_cap.h"

#include "common/control_paint.h"
#include "common/font_follow.h"

#include <QPainter>

namespace torchline {

KeyCap::KeyCap(ThemeHost* themes, QString key, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_key(std::move(key))
{
    followFont(this, [this](const Metrics& metrics) { setFont(metrics.lanes()); });
    setAccessibleName(m_key);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
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
