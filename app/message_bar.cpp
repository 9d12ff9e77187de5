#include "message_bar.h"

#include "common/icon.h"
#include "common/pane_button.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNewsStaysMs = 8000;

} // namespace

MessageBar::MessageBar(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_icon(new QLabel)
    , m_text(new QLabel)
    , m_actions(new QHBoxLayout)
    , m_close(new PaneButton(themes, PaneButton::Look::Plain, u"close"_s, tr("Close the message")))
{
    const Metrics metrics(font());
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics.px(12), metrics.px(4), metrics.px(8), metrics.px(4));
    layout->setSpacing(metrics.px(8));
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addLayout(m_actions);
    layout->addWidget(m_close);
    connect(m_close, &QAbstractButton::clicked, this, &MessageBar::dismiss);
    connect(themes, &ThemeHost::themeChanged, this, &MessageBar::applyTheme);
    setAccessibleName(tr("Message"));
    m_stay.setSingleShot(true);
    m_stay.setInterval(kNewsStaysMs);
    connect(&m_stay, &QTimer::timeout, this, &MessageBar::dismiss);
    hide();
}

void MessageBar::tell(Kind kind, const QString& text, const std::vector<Action>& actions)
{
    m_kind = kind;
    m_text->setText(text);
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        if (QWidget* widget = item->widget())
            widget->deleteLater();
        delete item;
    }
    for (const Action& action : actions) {
        auto* button = new PaneButton(m_themes, PaneButton::Look::Framed, {}, action.label);
        button->setLabel(action.label);
        connect(button, &QAbstractButton::clicked, this, [this, run = action.run] {
            dismiss();
            run();
        });
        m_actions->addWidget(button);
    }
    if (kind == Kind::Info && actions.empty())
        m_stay.start();
    else
        m_stay.stop();
    applyTheme();
    setAccessibleDescription(text);
    setVisible(true);
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::dismiss()
{
    if (isHidden())
        return;
    hide();
    Q_EMIT dismissed();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::applyTheme()
{
    const Theme& theme = m_themes->theme();
    const QColor ink = m_kind == Kind::Error ? theme.error : m_kind == Kind::Warning ? theme.warn : theme.text;
    const QString icon = m_kind == Kind::Error ? u"error"_s : m_kind == Kind::Warning ? u"warn"_s : u"info"_s;
    m_icon->setPixmap(tintedPixmap(icon, ink, Metrics(font()).px(16), devicePixelRatioF()));
    QPalette palette;
    palette.setColor(QPalette::WindowText, m_kind == Kind::Info ? theme.text : ink);
    m_text->setPalette(palette);
    update();
}

void MessageBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(),
        m_kind == Kind::Error         ? theme.errorBackground
            : m_kind == Kind::Warning ? theme.warnBackground
                                      : theme.hoverRow);
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);
}

} // namespace torchline
