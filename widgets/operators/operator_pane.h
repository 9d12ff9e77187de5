#pragma once
// OperatorPane: torch.profiler's key_averages() of the trace or of the scope, grouped by name and more.
// Thread: GUI thread only.

#include "analysis/growing_operators.h"
#include "operators/table_pane.h"

namespace torchline {

class OperatorPane : public TablePane {
    Q_OBJECT

public:
    OperatorPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] const OperatorOptions& options() const { return m_growing->options(); }
    void setOptions(const OperatorOptions& options);

    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString busyText() const override;
    void fillGroupMenu(QMenu* menu) override;

private:
    std::shared_ptr<GrowingOperators> m_growing = std::make_shared<GrowingOperators>(OperatorOptions()); ///< never null
};

} // namespace torchline
