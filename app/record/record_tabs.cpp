#include "record/record_tabs.h"

#include "app_style.h"
#include "record/output_pane.h"
#include "record/record_notices.h"

#include "common/format.h"
#include "common/pane_head.h"
#include "operators/operator_pane.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace torchline {

RecordTabs::RecordTabs(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_bar(new QTabBar)
    , m_pages(new QStackedWidget)
    , m_output(new OutputPane(themes))
    , m_errors(new NoticeList(themes))
    , m_hottest(new OperatorPane(&m_state, themes))
{
    m_bar->addTab(tr("Output"));
    m_bar->addTab(tr("Errors"));
    m_bar->addTab(tr("Hottest operators"));
    m_bar->setExpanding(false);
    m_bar->setDrawBase(false);
    m_bar->setAccessibleName(tr("Of the recording"));
    m_errors->setAccessibleName(tr("Errors"));
    m_hottest->setSort("self_cpu_us", true);
    m_hottest->head()->setCanExport(false);
    for (QWidget* page :
        {static_cast<QWidget*>(m_output), static_cast<QWidget*>(m_errors), static_cast<QWidget*>(m_hottest)})
        m_pages->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addWidget(m_pages, 1);
    connect(m_bar, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    connect(m_bar, &QTabBar::currentChanged, this, &RecordTabs::updateOperators);
    connect(&m_state, &ViewState::revealRequested, this, &RecordTabs::sliceRequested);
}

RecordTabs::~RecordTabs() = default;

void RecordTabs::showTab(Tab tab)
{
    m_bar->setCurrentIndex(tab);
}

void RecordTabs::clear()
{
    m_output->clear();
    m_errors->setEntries({});
    m_trace = nullptr;
    m_state.setTrace(nullptr);
    showTab(Output);
}

void RecordTabs::setStatus(const capture::SessionStatus& status)
{
    std::vector<NoticeList::Entry> entries = recordNotices(status);
    const size_t faults = entries.size() - 1;
    QString title = tr("Errors");
    if (faults > 0)
        title += AppStyle::kBadgeMark + formatCount(static_cast<int64_t>(faults));
    if (m_bar->tabText(Errors) != title)
        m_bar->setTabText(Errors, title);
    m_errors->setEntries(std::move(entries));
}

void RecordTabs::setTrace(TracePtr trace, bool grows)
{
    m_trace = std::move(trace);
    m_grows = grows;
    updateOperators();
}

/// What nobody looks at costs nothing.
void RecordTabs::updateOperators()
{
    if (!m_hottest->isVisible() || m_state.trace() == m_trace)
        return;
    m_state.setGrowing(m_grows);
    m_state.setTrace(m_trace, m_state.trace() != nullptr);
    m_state.setGrowing(m_grows);
}

bool RecordTabs::isBusy() const
{
    return m_hottest->isVisible() && m_hottest->isBusy();
}

void RecordTabs::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    updateOperators();
}

} // namespace torchline
