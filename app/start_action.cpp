#include "start_action.h"

#include "common/control_paint.h"
#include "common/icon.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QPainter>

namespace torchline {

namespace {

constexpr int kHeight = 58;
constexpr int kIcon = 20;
constexpr int kTextLeft = 52;
constexpr int kPadding = 14;

} // namespace

StartAction::StartAction(
    ThemeHost* themes, const QString& iconName, const QString& title, const QString& detail, QWidget* parent)
    : QAbstractButton(parent)
    , m_themes(themes)
    , m_iconName(iconName)
    , m_detail(detail)
{
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(detail);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void StartAction::setKey(const QString& key)
{
    m_key = key;
    update();
}

QSize StartAction::sizeHint() const
{
    const Metrics metrics(font());
    return {metrics.px(340), metrics.px(kHeight) + 2 * kRingRoom};
}

QSize StartAction::minimumSizeHint() const
{
    return {Metrics(font()).px(160), sizeHint().height()};
}

void StartAction::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const QRect body = rect().adjusted(kRingRoom, kRingRoom, -kRingRoom, -kRingRoom);
    const bool hot = underMouse() || m_focus.isShown();
    drawControlFrame(&painter, body,
        isDown()  ? theme.selectedRow
            : hot ? theme.hoverRow
                  : theme.panel,
        hot ? theme.accent : theme.border);
    if (m_focus.isShown())
        drawFocusRing(&painter, body, theme);

    const int iconSize = metrics.px(kIcon);
    painter.drawPixmap(body.left() + metrics.px(16), body.center().y() - iconSize / 2 + 1,
        tintedPixmap(m_iconName, theme.accent, iconSize, devicePixelRatioF()));

    const QRect right = body.adjusted(metrics.px(kTextLeft), 0, -metrics.px(kPadding), 0);
    const QRect upper(right.left(), body.top() + metrics.px(10), right.width(), metrics.px(20));
    const QRect lower(right.left(), upper.bottom() + 1, right.width(), metrics.px(18));
    painter.setFont(metrics.lanes());
    painter.setPen(theme.text2);
    const int keyWidth = painter.fontMetrics().horizontalAdvance(m_key);
    painter.drawText(upper, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, m_key);
    painter.setFont(metrics.scaled(1.0, QFont::DemiBold));
    painter.setPen(theme.text);
    const QRect titleRect = upper.adjusted(0, 0, -keyWidth - metrics.px(8), 0);
    painter.drawText(titleRect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        painter.fontMetrics().elidedText(text(), Qt::ElideRight, titleRect.width()));
    painter.setFont(metrics.tables());
    painter.setPen(theme.text2);
    painter.drawText(lower, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        painter.fontMetrics().elidedText(m_detail, Qt::ElideRight, lower.width()));
}

void StartAction::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

} // namespace torchline
