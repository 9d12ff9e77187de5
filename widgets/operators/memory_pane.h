#pragma once
// MemoryPane: allocated and reserved totals by device, as a table; the curve is the timeline's and the chart's.
// A row leads to its peak. Thread: GUI thread only.

#include "operators/table_pane.h"

namespace torchline {

class MemoryPane : public TablePane {
    Q_OBJECT

public:
    MemoryPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString scopeRule() const override;
    [[nodiscard]] QString activateText() const override;
    void activateRow(uint32_t sourceRow) override;
};

} // namespace torchline
