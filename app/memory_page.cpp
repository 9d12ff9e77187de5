#include "memory_page.h"

#include "memory/memory_chart.h"
#include "operators/memory_pane.h"

namespace torchline {

MemoryPage::MemoryPage(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QSplitter(Qt::Vertical, parent)
    , m_chart(new MemoryChart(state, themes))
    , m_table(new MemoryPane(state, themes))
{
    setChildrenCollapsible(false);
    setHandleWidth(1);
    addWidget(m_chart);
    addWidget(m_table);
    setStretchFactor(0, 3);
    setStretchFactor(1, 2);
    setFocusProxy(m_table);
    connect(m_chart, &MemoryChart::curvesChanged, this, &MemoryPage::showChart);
    connect(state, &ViewState::traceChanged, this, &MemoryPage::showChart);
    showChart();
}

bool MemoryPage::isSettled() const
{
    return !m_table->isBusy() && m_chart->isSettled();
}

void MemoryPage::showChart()
{
    m_chart->setVisible(m_chart->curves() != nullptr && !m_chart->curves()->empty());
}

} // namespace torchline
