#include "step_field.h"

#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/pane_button.h"
#include "timeline/step_walk.h"

#include <QApplication>
#include <QHBoxLayout>

namespace torchline {

StepField::StepField(ViewState* state, ThemeHost* themes, PaneButton* previous, PaneButton* next, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_label(new ElidedLabel(themes))
{
    m_label->setAlignment(Qt::AlignHCenter);
    m_label->setHint(tr("The profiler step that is selected or in the middle of the view"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics(font()).px(2));
    layout->addWidget(previous);
    layout->addWidget(m_label);
    layout->addWidget(next);
    connect(state, &ViewState::overviewChanged, this, &StepField::showStep);
    connect(state, &ViewState::visibleChanged, this, &StepField::showStep);
    connect(state, &ViewState::selectionChanged, this, &StepField::showStep);
    showStep();
    followFont(this, [this](const Metrics&) { fitLabel(QApplication::font()); });
}

void StepField::showStep()
{
    const OverviewPtr& overview = m_state->overview();
    const bool hasSteps = overview && !overview->steps().empty();
    if (hasSteps == isHidden()) {
        setVisible(hasSteps);
        Q_EMIT widthChanged();
    }
    if (!hasSteps)
        return;
    const auto count = static_cast<int64_t>(overview->steps().size());
    const auto current = currentStep(*m_state);
    // The number of the file and the place among those that were recorded: recording seldom begins at step 0.
    const auto textOf = [&](size_t step) {
        return tr("Step %1 · %2 of %3")
            .arg(stepText(*m_state, overview->steps()[step]), formatCount(static_cast<int64_t>(step) + 1),
                formatCount(count));
    };
    const QString text = current ? textOf(*current) : formatCounted(count, tr("step"), tr("steps"));
    if (text == m_label->text())
        return;
    m_label->setText(text);
    m_widest = textOf(overview->steps().size() - 1);
    fitLabel(m_label->font());
}

/// As wide as its widest text: the buttons stay where they are while one walks.
void StepField::fitLabel(const QFont& font)
{
    const int before = labelWidth();
    const QFontMetrics metrics(font);
    m_label->setFixedWidth(std::max(metrics.horizontalAdvance(m_widest), metrics.horizontalAdvance(m_label->text()))
        + Metrics(font).px(8));
    if (labelWidth() != before)
        Q_EMIT widthChanged();
}

void StepField::setBare(bool bare)
{
    if (bare == m_label->isHidden())
        return;
    m_label->setHidden(bare);
    updateGeometry();
}

int StepField::labelWidth() const
{
    return isHidden() ? 0 : m_label->minimumWidth() + layout()->spacing();
}

int StepField::shownLabelWidth() const
{
    return m_label->isHidden() ? 0 : labelWidth();
}

QString StepField::text() const
{
    return m_label->text();
}

} // namespace torchline
