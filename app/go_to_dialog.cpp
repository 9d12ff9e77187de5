#include "go_to_dialog.h"

#include "common/format.h"
#include "query/units.h"
#include "timeline/step_walk.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

QString goToText(ViewState& state, const QString& text)
{
    const QString line = text.trimmed();
    const OverviewPtr& overview = state.overview();
    if (line.startsWith(u"step"_s, Qt::CaseInsensitive) || line.startsWith(u'#')) {
        const QString digits = line.mid(line.startsWith(u'#') ? 1 : 4).remove(u'#').trimmed();
        bool isNumber = false;
        const qlonglong number = digits.toLongLong(&isNumber);
        if (!isNumber)
            return GoToDialog::tr("A step is a number: step 12");
        if (!overview || overview->steps().empty())
            return GoToDialog::tr("This trace has no profiler steps");
        const auto steps = overview->steps();
        const auto at
            = std::ranges::find_if(steps, [number](const lod::StepBar& bar) { return bar.mark.number == number; });
        if (at == steps.end())
            return GoToDialog::tr("There is no step %1").arg(number);
        goToStep(state, static_cast<size_t>(at - steps.begin()));
        return {};
    }
    const std::string typed = line.toStdString();
    const auto timeNs = parseTime(typed);
    if (!timeNs)
        return GoToDialog::tr("A time is a number with ns, us, ms or s: 1.5ms");
    const TimeRange whole = state.trace()->span();
    if (*timeNs < whole.beginNs || *timeNs > whole.endNs)
        return GoToDialog::tr("The trace lasts from %1 to %2")
            .arg(formatExact(whole.beginNs), formatExact(whole.endNs));
    const int64_t spanNs = state.visible().spanNs();
    const int64_t beginNs = subSaturated(*timeNs, spanNs / 2);
    state.goTo({beginNs, addSaturated(beginNs, spanNs)});
    return {};
}

GoToDialog::GoToDialog(ThemeHost* themes, ViewState* state, QWidget* parent)
    : QDialog(parent)
    , m_themes(themes)
    , m_state(state)
    , m_line(new QLineEdit)
    , m_problem(new QLabel)
{
    setWindowTitle(tr("Go to a Time or a Step"));
    m_line->setPlaceholderText(tr("1.5ms, 800us or step 12"));
    m_line->setAccessibleName(tr("Time or step"));
    m_problem->setTextFormat(Qt::PlainText);
    const Metrics metrics(font());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* go = buttons->addButton(tr("Go"), QDialogButtonBox::AcceptRole);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics.px(16), metrics.px(16), metrics.px(16), metrics.px(12));
    layout->setSpacing(metrics.px(8));
    layout->addWidget(m_line);
    layout->addWidget(m_problem);
    layout->addWidget(buttons);
    m_line->setMinimumWidth(metrics.px(320));
    // Only a button that is in its dialog already can be the one that Enter means.
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
    go->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &GoToDialog::go);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_line, &QLineEdit::textEdited, m_problem, &QLabel::clear);
}

void GoToDialog::go()
{
    const QString problem = goToText(*m_state, m_line->text());
    if (problem.isEmpty()) {
        accept();
        return;
    }
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, m_themes->theme().error);
    m_problem->setPalette(colors);
    m_problem->setText(problem);
    m_line->selectAll();
}

QString GoToDialog::problem() const
{
    return m_problem->text();
}

} // namespace torchline
