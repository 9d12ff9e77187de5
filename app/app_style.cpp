#include "app_style.h"

#include "common/control_paint.h"
#include "common/icon.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMenuHeight = 24;
constexpr int kTabHeight = 28;
constexpr int kTabSide = 14;
constexpr int kScrollBar = 12;
constexpr int kLeastHandle = 24;

struct TabText {
    QString title;
    QString badge;
};

TabText split(const QString& text)
{
    const qsizetype mark = text.lastIndexOf(AppStyle::kBadgeMark);
    return mark < 0 ? TabText{text, {}} : TabText{text.left(mark), text.mid(mark + 1)};
}

QFont badgeFont(const QFont& base)
{
    return Metrics(base).scaled(0.85, QFont::DemiBold);
}

int badgeWidth(const QFont& base, const QString& badge)
{
    const QFontMetrics metrics(badgeFont(base));
    return std::max(metrics.horizontalAdvance(badge) + 10, metrics.height() + 2);
}

QFont tabFont(const QFont& base)
{
    return Metrics(base).controls();
}

QColor buttonFill(const Theme& theme, QStyle::State state, const QColor& idle)
{
    if ((state & (QStyle::State_Sunken | QStyle::State_On)) != 0)
        return theme.selectedRow;
    if ((state & QStyle::State_MouseOver) != 0 && (state & QStyle::State_Enabled) != 0)
        return theme.hoverRow;
    return idle;
}

bool hasKeyboardFocus(QStyle::State state)
{
    return (state & QStyle::State_HasFocus) != 0 && (state & QStyle::State_KeyboardFocusChange) != 0;
}

} // namespace

AppStyle::AppStyle(ThemeHost* themes)
    : QProxyStyle(QStyleFactory::create(u"Fusion"_s))
    , m_themes(themes)
{
}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return kScrollBar;
    case PM_ScrollBarSliderMin:
        return kLeastHandle;
    case PM_DockWidgetSeparatorExtent:
        return 5;
    case PM_DockWidgetFrameWidth:
    case PM_DefaultFrameWidth:
        return metric == PM_DefaultFrameWidth ? 1 : 0;
    case PM_TabBarTabHSpace:
        return 2 * kTabSide;
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
        return 0;
    case PM_MenuBarItemSpacing:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int AppStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay:
        return 350;
    case SH_Widget_Animation_Duration:
    case SH_UnderlineShortcut:
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
        return 0;
    case SH_ScrollBar_LeftClickAbsolutePosition:
        return 0;
    case SH_TabBar_ElideMode:
        return Qt::ElideRight;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize AppStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const
{
    if (type == CT_TabBarTab) {
        const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
        if (tab == nullptr || widget == nullptr)
            return QProxyStyle::sizeFromContents(type, option, size, widget);
        const TabText text = split(tab->text);
        // Medium weight at all times, so that the row does not move when another tab is chosen.
        QFont font = tabFont(widget->font());
        font.setWeight(QFont::Medium);
        int width = QFontMetrics(font).horizontalAdvance(text.title) + 2 * kTabSide;
        if (!text.badge.isEmpty())
            width += 8 + badgeWidth(widget->font(), text.badge);
        return {width, Metrics(widget->font()).px(kTabHeight)};
    }
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_MenuBarItem && widget != nullptr)
        return {size.width() + 16, Metrics(widget->font()).px(kMenuHeight)};
    if (widget != nullptr
        && (type == CT_PushButton || type == CT_ComboBox || type == CT_LineEdit || type == CT_SpinBox))
        result.setHeight(Metrics(widget->font()).px(28));
    return result;
}

QRect AppStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    if (element == SE_TabBarTabText)
        return option->rect.adjusted(kTabSide, 0, -kTabSide / 2, 0);
    return QProxyStyle::subElementRect(element, option, widget);
}

QRect AppStyle::subControlRect(
    ComplexControl control, const QStyleOptionComplex* option, SubControl part, const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar != nullptr && (part == SC_ScrollBarAddLine || part == SC_ScrollBarSubLine))
            return {}; // no arrows: the whole length is the track
        if (bar != nullptr && part != SC_None) {
            const bool flat = bar->orientation == Qt::Horizontal;
            const int length = flat ? bar->rect.width() : bar->rect.height();
            const qint64 range = qint64{bar->maximum} - bar->minimum;
            int handle = length;
            if (range > 0)
                handle = static_cast<int>(std::clamp<qint64>(
                    qint64{length} * bar->pageStep / (range + bar->pageStep), std::min(kLeastHandle, length), length));
            const int at = sliderPositionFromValue(
                bar->minimum, bar->maximum, bar->sliderPosition, length - handle, bar->upsideDown);
            const auto along = [&](int from, int to) {
                const QRect r = flat ? QRect(bar->rect.left() + from, bar->rect.top(), to - from, bar->rect.height())
                                     : QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), to - from);
                return flat ? visualRect(bar->direction, bar->rect, r) : r;
            };
            switch (part) {
            case SC_ScrollBarSlider:
                return along(at, at + handle);
            case SC_ScrollBarSubPage:
                return along(0, at);
            case SC_ScrollBarAddPage:
                return along(at + handle, length);
            case SC_ScrollBarGroove:
                return bar->rect;
            default:
                break;
            }
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

void AppStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& t = theme();
    switch (element) {
    case PE_PanelButtonCommand: {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        const bool isDefault = button != nullptr && (button->features & QStyleOptionButton::DefaultButton) != 0
            && (option->state & State_Enabled) != 0;
        if (isDefault)
            drawControlFrame(painter, option->rect, t.accentFill, t.accentFill);
        else
            drawControlFrame(painter, option->rect, buttonFill(t, option->state, t.field), t.border);
        if (hasKeyboardFocus(option->state))
            drawFocusRing(painter, option->rect.adjusted(3, 3, -3, -3), t);
        return;
    }
    case PE_IndicatorCheckBox: {
        const bool isEnabled = (option->state & State_Enabled) != 0;
        const bool isOn = (option->state & State_On) != 0;
        const QColor fill = isOn ? (isEnabled ? t.accentFill : t.idle) : t.field;
        drawControlFrame(painter, option->rect, fill, isOn && isEnabled ? t.accentFill : t.border);
        if (isOn)
            painter->drawPixmap(option->rect,
                tintedPixmap(QStringLiteral("check"), isEnabled ? t.onAccent : t.text3, option->rect.width(),
                    painter->device()->devicePixelRatioF()));
        if (hasKeyboardFocus(option->state))
            drawFocusRing(painter, option->rect, t);
        return;
    }
    case PE_PanelButtonTool: {
        const bool isQuiet = (option->state & State_AutoRaise) != 0 && (option->state & (State_Sunken | State_On)) == 0
            && ((option->state & State_MouseOver) == 0 || (option->state & State_Enabled) == 0);
        if (!isQuiet)
            drawControlFrame(painter, option->rect, buttonFill(t, option->state, t.field),
                (option->state & State_AutoRaise) != 0 ? QColor(Qt::transparent) : t.border);
        return;
    }
    case PE_PanelLineEdit:
        painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame != nullptr && frame->lineWidth > 0)
            drawPrimitive(PE_FrameLineEdit, option, painter, widget);
        return;
    case PE_FrameLineEdit:
        drawControlFrame(painter, option->rect, QColor(Qt::transparent),
            (option->state & State_HasFocus) != 0 ? t.accent : t.border);
        return;
    case PE_FrameFocusRect:
        if ((option->state & State_KeyboardFocusChange) != 0)
            drawFocusRing(painter, option->rect.adjusted(2, 2, -2, -2), t);
        return;
    case PE_FrameTabBarBase:
        painter->fillRect(option->rect, t.bar);
        painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1, t.separator);
        return;
    case PE_FrameTabWidget:
    case PE_FrameDockWidget:
    case PE_PanelMenuBar:
        return;
    case PE_IndicatorDockWidgetResizeHandle: {
        // Five pixels to grab, one to see.
        const bool upright = (option->state & State_Horizontal) == 0; // the state tells how the handle lies
        const QRect r = option->rect;
        painter->fillRect(r, (option->state & State_MouseOver) != 0 ? t.hoverRow : t.bar);
        if (upright)
            painter->fillRect(r.center().x(), r.top(), 1, r.height(), t.border);
        else
            painter->fillRect(r.left(), r.center().y(), r.width(), 1, t.border);
        return;
    }
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void AppStyle::drawControl(
    ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case CE_TabBarTabShape:
        drawTab(option, painter);
        return;
    case CE_TabBarTabLabel:
        drawTabLabel(option, painter);
        return;
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option); button != nullptr
            && (button->features & QStyleOptionButton::DefaultButton) != 0 && (option->state & State_Enabled) != 0) {
            QStyleOptionButton copy = *button;
            copy.palette.setColor(QPalette::ButtonText, theme().onAccent);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_MenuBarItem: {
        const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        if (item == nullptr)
            break;
        painter->fillRect(option->rect, theme().window);
        if ((option->state & State_Selected) != 0)
            drawControlFrame(
                painter, option->rect.adjusted(1, 1, -1, -1), theme().selectedRow, QColor(Qt::transparent));
        drawItemText(painter, option->rect,
            Qt::AlignCenter | Qt::TextHideMnemonic | Qt::TextDontClip | Qt::TextSingleLine, option->palette,
            (option->state & State_Enabled) != 0, item->text, QPalette::WindowText);
        return;
    }
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, theme().window);
        return;
    case CE_HeaderSection:
        painter->fillRect(option->rect, theme().bar);
        painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1, theme().separator);
        return;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void AppStyle::drawTab(const QStyleOption* option, QPainter* painter) const
{
    const Theme& t = theme();
    const QRect r = option->rect;
    const bool isChosen = (option->state & State_Selected) != 0;
    const bool isHot = (option->state & State_MouseOver) != 0;
    painter->fillRect(r, isChosen ? t.panel : isHot ? t.hoverRow : t.bar);
    if (isChosen)
        painter->fillRect(r.left(), r.top(), r.width(), 2, t.accent);
    else
        painter->fillRect(r.left(), r.bottom(), r.width(), 1, t.separator);
    painter->fillRect(r.right(), r.top(), 1, r.height(), t.separator);
}

void AppStyle::drawTabLabel(const QStyleOption* option, QPainter* painter) const
{
    const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
    if (tab == nullptr)
        return;
    const Theme& t = theme();
    const TabText text = split(tab->text);
    const bool isChosen = (option->state & State_Selected) != 0;
    painter->save();
    const QFont base = painter->font();
    QFont font = tabFont(base);
    font.setWeight(isChosen ? QFont::Medium : QFont::Normal);
    painter->setFont(font);
    painter->setPen(isChosen ? t.text : t.text2);
    const QRect r = option->rect.adjusted(kTabSide, 1, -kTabSide / 2, 0);
    QRect used;
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text.title, &used);
    if (!text.badge.isEmpty()) {
        const int width = badgeWidth(base, text.badge);
        const int height = QFontMetrics(badgeFont(base)).height() + 2;
        const QRect badge(used.right() + 9, r.center().y() - height / 2 + 1, width, height);
        drawControlFrame(painter, badge, t.warnBackground, QColor(Qt::transparent));
        painter->setFont(badgeFont(base));
        painter->setPen(t.warn);
        painter->drawText(badge, Qt::AlignCenter | Qt::TextSingleLine, text.badge);
    }
    painter->restore();
    if (hasKeyboardFocus(option->state))
        drawFocusRing(painter, option->rect.adjusted(4, 4, -4, -4), t);
}

void AppStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        drawScrollBar(option, painter, widget);
        return;
    }
    if (control == CC_ComboBox) {
        drawComboBox(option, painter);
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox) // Fusion's own frame is lost on a dark page
        drawControlFrame(painter, option->rect, Qt::transparent, theme().border);
}

void AppStyle::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& t = theme();
    painter->fillRect(option->rect, t.panel);
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (bar == nullptr || bar->maximum <= bar->minimum)
        return;
    const QRect handle = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget).adjusted(3, 3, -3, -3);
    const bool isHot = (option->activeSubControls & SC_ScrollBarSlider) != 0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(isHot ? t.text3 : t.border);
    painter->drawRoundedRect(handle, 3, 3);
    painter->restore();
}

void AppStyle::drawComboBox(const QStyleOptionComplex* option, QPainter* painter) const
{
    const Theme& t = theme();
    drawControlFrame(painter, option->rect, buttonFill(t, option->state, t.field),
        (option->state & State_HasFocus) != 0 ? t.accent : t.border);
    drawChevron(painter, option->rect.adjusted(option->rect.width() - 24, 0, -6, 0), t.text2);
}

} // namespace torchline
