#pragma once
// KernelPane: device work by name: sums, extremes, bandwidth, occupancy.
// Thread: GUI thread only.

#include "analysis/kernels.h"
#include "operators/table_pane.h"

namespace torchline {

class KernelPane : public TablePane {
    Q_OBJECT

public:
    KernelPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] const std::vector<GroupKey>& groupBy() const { return m_groupBy; }
    void setGroupBy(std::vector<GroupKey> keys);

    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString busyText() const override;
    [[nodiscard]] QString scopeRule() const override;
    void fillGroupMenu(QMenu* menu) override;

private:
    std::vector<GroupKey> m_groupBy;
};

} // namespace torchline
