#pragma once
// OperatorPane: torch.profiler's key_averages() of the trace or of the scope, grouped by name and more.
// Thread: GUI thread only.

#include "analysis/operators.h"
#include "operators/table_pane.h"

namespace torchline {

class OperatorPane : public TablePane {
    Q_OBJECT

public:
    OperatorPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] const OperatorOptions& options() const { return m_options; }
    void setOptions(const OperatorOptions& options);

    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString busyText() const override;
    void fillGroupMenu(QMenu* menu) override;

private:
    OperatorOptions m_options;
};

} // namespace torchline
