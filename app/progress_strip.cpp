#include "progress_strip.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace torchline {

ProgressStrip::ProgressStrip(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    setFixedHeight(kHeight);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Progress of loading"));
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    hide();
}

void ProgressStrip::setShare(double share)
{
    share = std::clamp(share, m_share, 1.0);
    if (share == m_share)
        return;
    m_share = share;
    update();
}

void ProgressStrip::reset()
{
    m_share = 0;
    update();
}

void ProgressStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.separator);
    painter.fillRect(0, 0, static_cast<int>(std::lround(width() * m_share)), height(), theme.accent);
}

} // namespace torchline
