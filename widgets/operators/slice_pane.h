#pragma once
// SlicePane: slices of every kind by name: count, sum, mean, min, median, max of what starts in the range that is
// drawn; without one, in the scope. Thread: GUI thread only.

#include "operators/table_pane.h"

namespace torchline {

class SlicePane : public TablePane {
    Q_OBJECT

public:
    SlicePane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

protected:
    [[nodiscard]] Work work(PaneInput input) const override;
    [[nodiscard]] EmptyText emptyText(const TraceSnapshot& trace) const override;
    [[nodiscard]] QString busyText() const override;
    [[nodiscard]] QString scopeRule() const override;
    [[nodiscard]] Scope ownScope() const override;
    [[nodiscard]] std::vector<PaneHead::Chip> chips() const override;
    void clearScope() override;

private:
    void listSlices(const QString& condition);

    QString m_listed; ///< the filter that another view asked for
    QTimer m_rest; ///< runs out when the range is no longer being drawn
};

} // namespace torchline
