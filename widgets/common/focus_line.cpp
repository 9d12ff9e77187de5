#include "common/focus_line.h"

#include <QApplication>
#include <QPainter>

namespace torchline {

FocusLine::FocusLine(ThemeHost* themes, QWidget* watched, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_watched(watched)
{
    setFixedHeight(kHeight);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        const bool isLit = now != nullptr && (now == m_watched || m_watched->isAncestorOf(now));
        if (isLit != m_isLit) {
            m_isLit = isLit;
            update();
        }
    });
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void FocusLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_isLit ? m_themes->theme().accent : m_themes->theme().bar);
}

} // namespace torchline
