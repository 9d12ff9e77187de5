#pragma once
// ViewState: the one selection, range, scope, visible span and cursor that every view of a window shares.
// Views never call each other; they set state here and react to its signals.
// Thread: GUI thread only. Setting a value equal to the present one emits nothing.

#include "common/trace_facts.h"
#include "model/slice_mask.h"
#include "query/scope.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace torchline {

using TracePtr = std::shared_ptr<const TraceSnapshot>;
using MaskPtr = std::shared_ptr<const SliceMask>;

class ViewState : public QObject {
    Q_OBJECT

public:
    explicit ViewState(QObject* parent = nullptr);
    ~ViewState() override;

    [[nodiscard]] const TracePtr& trace() const { return m_trace; }
    /// keepView: a reload of the same trace; visible span, range and scope stay, the selection is found again by
    /// (lane key, start, name).
    void setTrace(TracePtr trace, bool keepView = false);
    /// Work classes and steps of trace(), shared by all views; null without a trace.
    [[nodiscard]] const std::shared_ptr<const TraceFacts>& facts() const { return m_facts; }

    [[nodiscard]] TimeRange visible() const { return m_visible; }
    /// Held to at least kNarrowestNs wide and to a little beyond the trace.
    void setVisible(TimeRange range);
    /// The same as one step of the history (jumps and fits, not each wheel notch).
    void goTo(TimeRange range);
    [[nodiscard]] TimeRange fitRange() const; ///< the whole trace with a small margin
    [[nodiscard]] bool canGoBack() const { return m_historyAt > 0; }
    [[nodiscard]] bool canGoForward() const { return m_historyAt + 1 < m_history.size(); }
    void goBack();
    void goForward();

    [[nodiscard]] SliceRef selection() const { return m_selection; } ///< invalid: nothing
    void select(SliceRef slice); ///< an invalid ref clears
    /// Selects and asks views to bring it into view.
    void reveal(SliceRef slice);

    [[nodiscard]] SliceRef hovered() const { return m_hovered; }
    void setHovered(SliceRef slice);

    /// The slices of the rows selected in a table: marked on the timeline. Null: none.
    [[nodiscard]] const MaskPtr& marks() const { return m_marks; }
    void setMarks(MaskPtr marks);

    [[nodiscard]] std::optional<TimeRange> range() const { return m_range; }
    void setRange(std::optional<TimeRange> range);

    /// What the tables speak of, besides their own filter.
    [[nodiscard]] const Scope& scope() const { return m_scope; }
    void setScope(const Scope& scope);

    /// Time under the pointer, shown by all views with a time axis.
    [[nodiscard]] std::optional<int64_t> cursorNs() const { return m_cursorNs; }
    void setCursor(std::optional<int64_t> timeNs);

    static constexpr int64_t kNarrowestNs = 20;

Q_SIGNALS:
    void traceChanged();
    void visibleChanged();
    void historyChanged();
    void selectionChanged();
    void revealRequested(torchline::SliceRef slice);
    void hoverChanged();
    void marksChanged();
    void rangeChanged();
    void scopeChanged();
    void cursorChanged();

private:
    [[nodiscard]] TimeRange held(TimeRange range) const;
    [[nodiscard]] SliceRef findAgain(const TraceSnapshot& before, SliceRef slice) const;

    TracePtr m_trace;
    std::shared_ptr<const TraceFacts> m_facts;
    TimeRange m_visible{0, 1'000'000};
    std::vector<TimeRange> m_history;
    size_t m_historyAt = 0;
    SliceRef m_selection;
    SliceRef m_hovered;
    MaskPtr m_marks;
    std::optional<TimeRange> m_range;
    Scope m_scope;
    std::optional<int64_t> m_cursorNs;
};

} // namespace torchline
