#pragma once
// MemoryPage: memory over time above its figures by device; the figures alone where nothing was recorded.
// Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include <QSplitter>

namespace torchline {

class MemoryChart;
class MemoryPane;

class MemoryPage : public QSplitter {
    Q_OBJECT

public:
    MemoryPage(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] MemoryChart* chart() { return m_chart; }
    [[nodiscard]] MemoryPane* table() { return m_table; }
    [[nodiscard]] bool isSettled() const;

private:
    void showChart();

    MemoryChart* m_chart;
    MemoryPane* m_table;
};

} // namespace torchline
