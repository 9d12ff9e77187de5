#include "common/elided_label.h"

#include "common/control_paint.h"
#include "common/text_cut.h"
#include "common/tool_tip.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace torchline {

namespace {

/// Text beyond this is never measured: one label cannot show it.
constexpr qsizetype kMostMeasured = 2000;

} // namespace

ElidedLabel::ElidedLabel(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void ElidedLabel::setText(const QString& text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text.left(kMostMeasured));
    updateGeometry();
    update();
}

void ElidedLabel::setBrief(const QString& brief)
{
    m_brief = brief;
    update();
}

void ElidedLabel::setColor(QColor Theme::*color)
{
    m_color = color;
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode)
{
    m_mode = mode;
    update();
}

void ElidedLabel::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment;
    update();
}

void ElidedLabel::setHint(const QString& hint)
{
    m_hint = hint;
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text.left(kMostMeasured)) + 2 + 2 * m_inset, minimumSizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {0, fontMetrics().height() + 2 + m_inset};
}

QString ElidedLabel::shownText() const
{
    const int room = textRect().width();
    if (!m_brief.isEmpty() && fontMetrics().horizontalAdvance(m_text.left(kMostMeasured)) > room)
        return fontMetrics().elidedText(m_brief, m_mode, room);
    return fontMetrics().elidedText(bothEndsOf(m_text, kMostMeasured), m_mode, room);
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(theme().*m_color);
    painter.drawText(textRect(), static_cast<int>(m_alignment | Qt::AlignVCenter) | Qt::TextSingleLine, shownText());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        QString tip = shownText() == m_text ? QString() : m_text;
        if (!m_hint.isEmpty())
            tip = tip.isEmpty() ? m_hint : tip + u'\n' + m_hint;
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip.isEmpty() ? QString() : plainToolTip(tip), this);
        return true;
    }
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    return QWidget::event(event);
}

LinkLabel::LinkLabel(ThemeHost* themes, QWidget* parent)
    : ElidedLabel(themes, parent)
{
    setColor(&Theme::accent);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setInset(kInset);
}

void LinkLabel::paintEvent(QPaintEvent* event)
{
    ElidedLabel::paintEvent(event);
    QPainter painter(this);
    const QRect text = textRect();
    const int lineWidth = std::min(text.width(), fontMetrics().horizontalAdvance(shownText()));
    if (underMouse()) {
        painter.setPen(theme().accent);
        const int y = (height() + fontMetrics().ascent() - fontMetrics().descent()) / 2 + 2;
        painter.drawLine(text.left(), y, text.left() + lineWidth - 1, y);
    }
    if (m_focus.isShown())
        drawFocusRing(&painter, QRect(text.left() - 1, 3, lineWidth + 2, height() - 6), theme());
}

void LinkLabel::mousePressEvent(QMouseEvent* event)
{
    event->accept();
}

void LinkLabel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
        Q_EMIT activated();
}

void LinkLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
        Q_EMIT activated();
        return;
    }
    ElidedLabel::keyPressEvent(event);
}

} // namespace torchline
