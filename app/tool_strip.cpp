#include "tool_strip.h"

#include "menu_actions.h"
#include "shown_keys.h"
#include "step_field.h"

#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/pane_button.h"
#include "common/scope_text.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 40;
constexpr int kCompactHeight = 36;
constexpr int kControl = 28;
constexpr int kMostSearch = 475;
constexpr int kRingRoomTwice = 6;

} // namespace

ToolStrip::ToolStrip(ThemeHost* themes, ViewState* state, const Actions& actions, QWidget* search, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_state(state)
    , m_open(actionButton(u"folder"_s, actions.open, true))
    , m_scopeLabel(new ElidedLabel(themes))
    , m_scope(new PaneButton(themes, PaneButton::Look::Framed, {}, tr("Scope: what the tables speak of")))
    , m_wholeAgain(new PaneButton(themes, PaneButton::Look::Plain, u"close"_s, tr("Back to the whole trace")))
    , m_step(new StepField(state, themes, actionButton(u"back"_s, actions.previousStep, false),
          actionButton(u"forward"_s, actions.nextStep, false)))
    , m_span(new ElidedLabel(themes))
{
    const Metrics metrics(font());
    m_open->setLabel(tr("Open"));
    m_scopeLabel->setText(tr("Scope"));
    m_scopeLabel->setColor(&Theme::text2);
    auto* menu = new QMenu;
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillScopeMenu(menu); });
    m_scope->setMenu(menu);
    m_span->setAlignment(Qt::AlignRight);
    m_span->setHint(tr("Time in view, of the whole trace"));
    m_buttons.insert(m_buttons.end(), {m_scope, m_wholeAgain});

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics.px(5), 0, metrics.px(8), 1);
    layout->setSpacing(metrics.px(2));
    layout->addWidget(m_open);
    layout->addSpacing(metrics.px(10));
    PaneButton* back = actionButton(u"back"_s, actions.back, false);
    PaneButton* forward = actionButton(u"forward"_s, actions.forward, false);
    PaneButton* fit = actionButton(u"fit"_s, actions.fit, false);
    layout->addWidget(back);
    layout->addWidget(forward);
    layout->addSpacing(metrics.px(10));
    layout->addWidget(search, 6);
    layout->addSpacing(metrics.px(14));
    layout->addWidget(m_scopeLabel);
    layout->addSpacing(metrics.px(4));
    layout->addWidget(m_scope);
    layout->addWidget(m_wholeAgain);
    layout->addSpacing(metrics.px(10));
    layout->addWidget(m_step);
    layout->addStretch(1);
    layout->addWidget(m_span);
    layout->addSpacing(metrics.px(8));
    layout->addWidget(fit);
    followFont(this, [this, search](const Metrics& now) {
        m_span->setFont(now.scaled(1.0, QFont::DemiBold));
        search->setMaximumWidth(now.px(kMostSearch));
        for (PaneButton* button : m_buttons)
            button->setFixedHeight(now.px(kControl) + kRingRoomTwice);
        setCompact(m_isCompact);
    });

    connect(m_wholeAgain, &QAbstractButton::clicked, this, [this] { m_state->setScope({}); });
    connect(state, &ViewState::scopeChanged, this, &ToolStrip::showScope);
    connect(state, &ViewState::traceChanged, this, &ToolStrip::showScope);
    connect(state, &ViewState::traceChanged, this, &ToolStrip::showSpan);
    connect(state, &ViewState::visibleChanged, this, &ToolStrip::showSpan);
    connect(m_step, &StepField::widthChanged, this, &ToolStrip::fit);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    showScope();
    showSpan();
}

PaneButton* ToolStrip::actionButton(const QString& icon, QAction* action, bool isFramed)
{
    const QString name = titleOf(*action);
    auto* button = new PaneButton(m_themes, isFramed ? PaneButton::Look::Framed : PaneButton::Look::Plain, icon, name);
    followKeyInTip(button, action, name);
    m_buttons.push_back(button);
    button->setEnabled(action->isEnabled());
    connect(button, &QAbstractButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::enabledChanged, button, &QWidget::setEnabled);
    return button;
}

void ToolStrip::setCompact(bool compact)
{
    m_isCompact = compact;
    m_open->setCompact(compact);
    m_scopeLabel->setVisible(!compact);
    setFixedHeight(Metrics(QApplication::font()).px(compact ? kCompactHeight : kHeight));
}

void ToolStrip::fillScopeMenu(QMenu* menu)
{
    menu->clear();
    const auto add = [&](const QString& text, const Scope& scope) {
        QAction* action = menu->addAction(text, this, [this, scope] { m_state->setScope(scope); });
        action->setCheckable(true);
        action->setChecked(m_state->scope() == scope);
    };
    add(tr("Whole Trace"), {});
    const TracePtr& trace = m_state->trace();
    if (!trace)
        return;
    Scope visible;
    visible.range = m_state->visible();
    add(tr("Time in View (%1)").arg(formatDuration(visible.range->spanNs())), visible);
    if (m_state->range()) {
        Scope drawn;
        drawn.range = m_state->range();
        add(tr("Drawn Range (%1)").arg(formatDuration(drawn.range->spanNs())), drawn);
    }
    if (trace->files().size() < 2)
        return;
    menu->addSeparator();
    for (uint32_t i = 0; i < trace->files().size(); ++i) {
        Scope file;
        file.files = {i};
        add(tr("Only %1").arg(fileNameText(trace->file(i).info.path).replace(u'&', u"&&"_s)), file);
    }
}

void ToolStrip::showScope()
{
    m_scope->setLabel(scopeText());
    m_wholeAgain->setVisible(!m_state->scope().isWhole());
    fit();
}

void ToolStrip::showSpan()
{
    m_span->setText(spanText());
    fit();
}

/// In a narrow window the time in view goes first, then the name of the step, then the scope is cut: buttons stay.
void ToolStrip::fit()
{
    const int spanWidth = m_span->sizeHint().width();
    const int least = layout()->minimumSize().width() - (m_span->isHidden() ? 0 : m_span->minimumWidth())
        - m_step->shownLabelWidth();
    const int withStep = least + m_step->labelWidth();
    m_span->setFixedWidth(spanWidth);
    m_span->setVisible(withStep + spanWidth <= width());
    m_step->setBare(withStep > width());
    const int scope = m_scope->sizeHint().width();
    const int lack = least - std::min(m_scope->maximumWidth(), scope) + scope - width();
    m_scope->setMaximumWidth(lack <= 0 ? QWIDGETSIZE_MAX : std::max(scope - lack, Metrics(font()).px(60)));
}

QSize ToolStrip::minimumSizeHint() const
{
    return {Metrics(font()).px(320), height()};
}

void ToolStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

QString ToolStrip::scopeText() const
{
    QStringList parts;
    for (const ScopePart& part : scopeParts(m_state->scope(), m_state->trace().get()))
        parts.append(part.text);
    return parts.isEmpty() ? tr("whole trace") : parts.join(u" · "_s);
}

QString ToolStrip::spanText() const
{
    const TracePtr& trace = m_state->trace();
    if (!trace)
        return {};
    const TimeRange visible = m_state->visible();
    const TimeRange whole = trace->span();
    const TimeRange seen{std::max(visible.beginNs, whole.beginNs), std::min(visible.endNs, whole.endNs)};
    return tr("%1 of %2").arg(formatDuration(std::max<int64_t>(seen.spanNs(), 0)), formatDuration(whole.spanNs()));
}

void ToolStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.bar);
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);
}

} // namespace torchline
