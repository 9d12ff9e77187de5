#include "common/pane_button.h"

#include "common/control_paint.h"
#include "common/icon.h"

#include <QFocusEvent>
#include <QMenu>
#include <QPainter>

namespace torchline {

namespace {

constexpr int kPadding = 8;
constexpr int kIcon = 16;
constexpr int kGap = 6;
constexpr int kChevron = 12;
constexpr int kMostLabel = 260;

} // namespace

PaneButton::PaneButton(ThemeHost* themes, Look look, const QString& iconName, const QString& name, QWidget* parent)
    : QAbstractButton(parent)
    , m_themes(themes)
    , m_look(look)
    , m_iconName(iconName)
{
    setAccessibleName(name);
    setToolTip(name);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    connect(this, &QAbstractButton::clicked, this, &PaneButton::openMenu);
}

void PaneButton::setLabel(const QString& label)
{
    m_label = label;
    updateGeometry();
    update();
}

void PaneButton::setMenu(QMenu* menu)
{
    m_menu = menu;
    menu->setParent(this, menu->windowFlags());
    updateGeometry();
}

void PaneButton::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    updateGeometry();
    update();
}

int PaneButton::labelWidth() const
{
    return std::min(fontMetrics().horizontalAdvance(shownLabel()) + 2, Metrics(font()).px(kMostLabel));
}

QSize PaneButton::sizeHint() const
{
    const Metrics metrics(font());
    const bool hasLabel = !shownLabel().isEmpty();
    int width = m_iconName.isEmpty() ? 0 : metrics.px(kIcon);
    if (hasLabel)
        width += labelWidth() + (width > 0 ? kGap : 0);
    if (m_menu != nullptr)
        width += kGap + kChevron;
    width += 2 * (hasLabel || m_menu != nullptr ? kPadding : 4);
    return {width + 2 * kRingRoom, metrics.px(24) + 2 * kRingRoom};
}

QSize PaneButton::minimumSizeHint() const
{
    return sizeHint();
}

void PaneButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const QRect body = rect().adjusted(kRingRoom, kRingRoom, -kRingRoom, -kRingRoom);
    const bool hot = isEnabled() && underMouse();
    const bool down = isDown() || (m_menu != nullptr && m_menu->isVisible());
    QColor fill = m_look == Look::Framed ? theme.field
        : m_look == Look::Chip           ? theme.selectedRow
                                         : QColor(Qt::transparent);
    if (down)
        fill = theme.selectedRowInactive;
    else if (hot && m_look != Look::Chip)
        fill = theme.hoverRow;
    const QColor border = m_look == Look::Framed ? theme.border : QColor(Qt::transparent);
    drawControlFrame(&painter, body, fill, border);
    if (m_focus.isShown())
        drawFocusRing(&painter, body, theme);

    const QString label = shownLabel();
    const QColor textColor = isEnabled() ? theme.text : theme.text3;
    const bool padded = !label.isEmpty() || m_menu != nullptr;
    int x = body.left() + (padded ? kPadding : 4);
    int right = body.right() + 1 - (padded ? kPadding : 4);
    const int iconSize = metrics.px(kIcon);
    const auto drawIcon = [&](int at) {
        const QColor color = isEnabled() ? (hot || m_look == Look::Chip ? theme.text : theme.text2) : theme.text3;
        painter.drawPixmap(
            at, body.center().y() - iconSize / 2 + 1, tintedPixmap(m_iconName, color, iconSize, devicePixelRatioF()));
    };
    if (m_menu != nullptr) {
        drawChevron(&painter, QRect(right - kChevron, body.top(), kChevron, body.height()), theme.text2);
        right -= kChevron + kGap;
    }
    if (m_look == Look::Chip) { // the cross stands right of what it removes
        drawIcon(right - iconSize);
        right -= iconSize + kGap;
    } else if (!m_iconName.isEmpty()) {
        drawIcon(x);
        x += iconSize + kGap;
    }
    if (!label.isEmpty()) {
        painter.setPen(textColor);
        const QRect place(x, body.top(), right - x, body.height());
        painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
            fontMetrics().elidedText(label, Qt::ElideMiddle, place.width()));
    }
}

void PaneButton::openMenu()
{
    if (m_menu == nullptr)
        return;
    m_menu->popup(mapToGlobal(QPoint(kRingRoom, height() - kRingRoom + 2)));
    update();
}

void PaneButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter
        || (m_menu != nullptr && event->key() == Qt::Key_Down)) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

void PaneButton::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void PaneButton::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

void PaneButton::changeEvent(QEvent* event)
{
    QAbstractButton::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    update();
}

} // namespace torchline
