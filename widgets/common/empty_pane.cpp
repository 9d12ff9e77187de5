#include "common/empty_pane.h"

#include "common/elided_label.h"
#include "common/icon.h"

#include <QEvent>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 420;
constexpr int kIcon = 20;
constexpr int kTextFlags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;

} // namespace

EmptyPane::EmptyPane(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_link(new LinkLabel(themes, this))
{
    m_link->setAlignment(Qt::AlignHCenter);
    m_link->hide();
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    connect(m_link, &LinkLabel::activated, this, &EmptyPane::linkActivated);
}

void EmptyPane::setText(const EmptyText& text)
{
    m_text = text;
    m_link->setText(text.link);
    m_link->setVisible(!text.link.isEmpty());
    setAccessibleName(text.title);
    setAccessibleDescription(text.advice);
    placeLink();
    update();
}

QFont EmptyPane::titleFont() const
{
    return Metrics(font()).scaled(1.0, QFont::DemiBold);
}

EmptyPane::Places EmptyPane::places() const
{
    const Metrics metrics(font());
    const int wide = std::max(0, std::min(metrics.px(kWidth), width() - metrics.px(32)));
    const int left = (width() - wide) / 2;
    const int icon = metrics.px(kIcon);
    const QRect room(left, 0, wide, 10'000);
    const int titleHeight = QFontMetrics(titleFont()).boundingRect(room, kTextFlags, m_text.title).height();
    const int adviceHeight
        = m_text.advice.isEmpty() ? 0 : fontMetrics().boundingRect(room, kTextFlags, m_text.advice).height();
    const int linkHeight = m_text.link.isEmpty() ? 0 : m_link->sizeHint().height() + 8;
    const int all = icon + 8 + titleHeight + 4 + adviceHeight + linkHeight;
    const int top = std::max(8, std::min(height() * 2 / 5 - icon / 2 - 8, height() - all - 8));

    Places p;
    p.icon = QRect((width() - icon) / 2, top, icon, icon);
    p.title = QRect(left, p.icon.bottom() + 1 + 8, wide, titleHeight);
    p.advice = QRect(left, p.title.bottom() + 1 + 4, wide, adviceHeight);
    p.linkTop = p.advice.bottom() + 1 + 8;
    return p;
}

void EmptyPane::placeLink()
{
    const int wide = std::min(width(), m_link->sizeHint().width());
    m_link->setGeometry((width() - wide) / 2, places().linkTop, wide, m_link->sizeHint().height());
}

void EmptyPane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.panel);
    const Places p = places();
    const QString icon = m_text.icon.isEmpty() ? u"info"_s : m_text.icon;
    const QColor color = icon == u"error"_s ? theme.error : theme.text3;
    painter.drawPixmap(p.icon.topLeft(), tintedPixmap(icon, color, p.icon.width(), devicePixelRatioF()));
    painter.setPen(theme.text);
    painter.setFont(titleFont());
    painter.drawText(p.title, kTextFlags, m_text.title);
    painter.setPen(theme.text2);
    painter.setFont(font());
    painter.drawText(p.advice, kTextFlags, m_text.advice);
}

void EmptyPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeLink();
}

void EmptyPane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        placeLink();
}

} // namespace torchline
