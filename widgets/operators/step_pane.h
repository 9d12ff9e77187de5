#pragma once
// StepPane: profiler steps and where their time goes. A row leads to its step on the timeline.
// Thread: GUI thread only.

#include "operators/table_pane.h"

namespace torchline {

class StepPane : public TablePane {
    Q_OBJECT

public:
    StepPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString busyText() const override;
    [[nodiscard]] QString scopeRule() const override;
    [[nodiscard]] QString activateText() const override;
    void activateRow(uint32_t sourceRow) override;
};

} // namespace torchline
