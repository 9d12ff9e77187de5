#include "dock_title.h"

#include <QDockWidget>
#include <QPainter>

namespace torchline {

namespace {

constexpr int kHeight = 28;
constexpr int kSide = 14;

} // namespace

DockTitle::DockTitle(ThemeHost* themes, QDockWidget* dock)
    : QWidget(dock)
    , m_themes(themes)
    , m_dock(dock)
{
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    connect(dock, &QDockWidget::windowTitleChanged, this, qOverload<>(&QWidget::update));
}

void DockTitle::setShown(bool shown)
{
    if (shown == m_isShown)
        return;
    m_isShown = shown;
    updateGeometry();
    update();
}

QSize DockTitle::sizeHint() const
{
    return {0, m_isShown ? Metrics(font()).px(kHeight) : 0};
}

QSize DockTitle::minimumSizeHint() const
{
    return sizeHint();
}

void DockTitle::paintEvent(QPaintEvent*)
{
    if (!m_isShown)
        return;
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    QFont font = Metrics(this->font()).controls();
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    const int width
        = std::min(this->width(), painter.fontMetrics().horizontalAdvance(m_dock->windowTitle()) + 2 * kSide);
    painter.fillRect(rect(), theme.bar);
    painter.fillRect(0, height() - 1, this->width(), 1, theme.separator);
    painter.fillRect(0, 0, width, height(), theme.panel);
    painter.fillRect(0, 0, width, 2, theme.accent);
    painter.fillRect(width - 1, 0, 1, height(), theme.separator);
    painter.setPen(theme.text);
    painter.drawText(QRect(kSide, 1, width - kSide, height() - 1),
        Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, m_dock->windowTitle());
}

} // namespace torchline
