#pragma once
// ViewState: the one selection, range, scope, visible span and cursor that every view of a window shares.
// Views never call each other; they set state here and react to its signals.
// Thread: GUI thread only. Setting a value equal to the present one emits nothing.

#include "common/trace_facts.h"
#include "lod/mark_index.h"
#include "lod/overview.h"
#include "query/scope.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace torchline {

using TracePtr = std::shared_ptr<const TraceSnapshot>;
using MaskPtr = std::shared_ptr<const SliceMask>;
using HitsPtr = std::shared_ptr<const lod::MarkIndex>;
/// A span that a person marked. Only one is not kept: the next takes its place.
struct TimeMark {
    TimeRange range;
    bool isKept = false;
    friend bool operator==(const TimeMark&, const TimeMark&) = default;
};
using OverviewPtr = std::shared_ptr<const lod::Overview>;

class ViewState : public QObject {
    Q_OBJECT

public:
    explicit ViewState(QObject* parent = nullptr);
    ~ViewState() override;

    [[nodiscard]] const TracePtr& trace() const { return m_trace; }
    /// keepView: a reload of the same trace; visible span, range and scope stay, also where the trace begins earlier
    /// now, the selection is found again by (lane key, start, name), marks too if the trace grows.
    void setTrace(TracePtr trace, bool keepView = false);
    /// The same with what is known of the trace already.
    void setTrace(std::shared_ptr<const TraceFacts> facts, bool keepView);
    /// A recording in view: trace() is followed by a longer one again and again, and tables keep their rows in place.
    [[nodiscard]] bool isGrowing() const { return m_isGrowing; }
    void setGrowing(bool isGrowing) { m_isGrowing = isGrowing; }
    /// True while signals tell of a longer one only: selection and marks are the same slices as before, scope, range
    /// and history are what they were and have no signal.
    [[nodiscard]] bool isTakingLonger() const { return m_isTakingLonger; }
    /// Work classes and steps of trace(), shared by all views; null without a trace.
    [[nodiscard]] const std::shared_ptr<const TraceFacts>& facts() const { return m_facts; }

    /// The whole of trace() at a glance; null until it is known.
    [[nodiscard]] const OverviewPtr& overview() const { return m_overview; }
    void setOverview(OverviewPtr overview); ///< of trace()

    [[nodiscard]] TimeRange visible() const { return m_place.visible; }
    /// Held to at least kNarrowestNs wide and to a little beyond the trace. The present step of the history goes along.
    void setVisible(TimeRange range);
    /// The same as one step of the history (jumps, fits, and the first bit of a move by hand). False: it leads nowhere
    /// else, and there is no step.
    bool goTo(TimeRange range);
    bool goTo(TimeRange range, const Scope& scope);
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
    void setMarks(const SliceMask& marks, const TracePtr& of); ///< of an earlier picture of trace()

    /// What a search has found so far: marked on timeline and minimap, before the marks. Null: no search. Of a trace
    /// that grows they may be of an earlier picture that has the same lanes.
    [[nodiscard]] const HitsPtr& hits() const { return m_hits; }
    void setHits(HitsPtr hits);
    /// Asks whoever searches to end it.
    void endSearch() { Q_EMIT searchEndRequested(); }

    /// Asks the list of slices to show those that meet a condition; an empty one takes the last back.
    void listSlices(const QString& condition) { Q_EMIT sliceListRequested(condition); }

    [[nodiscard]] std::optional<TimeRange> range() const { return m_range; }
    void setRange(std::optional<TimeRange> range);

    /// Shown by all views with a time axis, in order of begin.
    [[nodiscard]] const std::vector<TimeMark>& timeMarks() const { return m_timeMarks; }
    void setTimeMarks(std::vector<TimeMark> marks);
    /// Marks a span, or takes the same mark away again.
    void markTime(TimeRange range, bool keep);

    /// What the tables speak of, besides their own filter. Each change is a step of the history.
    [[nodiscard]] const Scope& scope() const { return m_place.scope; }
    void setScope(const Scope& scope);
    /// What starts inside the annotation around a slice, wherever that recurs; the rest of the scope stays. Nothing
    /// changes where there is none.
    void scopeToAnnotationAround(SliceRef slice);

    /// Time under the pointer, shown by all views with a time axis.
    [[nodiscard]] std::optional<int64_t> cursorNs() const { return m_cursorNs; }
    void setCursor(std::optional<int64_t> timeNs);

    static constexpr int64_t kNarrowestNs = 20;

Q_SIGNALS:
    void traceChanged();
    void overviewChanged();
    void visibleChanged();
    void historyChanged();
    void selectionChanged();
    void revealRequested(torchline::SliceRef slice);
    void hoverChanged();
    void marksChanged();
    void hitsChanged();
    void searchEndRequested();
    void sliceListRequested(const QString& condition);
    void rangeChanged();
    void timeMarksChanged();
    void scopeChanged();
    void cursorChanged();

private:
    [[nodiscard]] TimeRange held(TimeRange range) const;
    void changeTrace(TracePtr trace, std::shared_ptr<const TraceFacts> facts, bool keepView);
    void shiftTimes(int64_t shiftNs);

    TracePtr m_trace;
    bool m_isGrowing = false;
    bool m_isTakingLonger = false;
    std::shared_ptr<const TraceFacts> m_facts;
    OverviewPtr m_overview;
    /// What a step of the history holds.
    struct Place {
        TimeRange visible{0, 1'000'000};
        Scope scope;
        friend bool operator==(const Place&, const Place&) = default;
    };
    void show(const Place& place);
    bool step(const Place& place);

    Place m_place;
    std::vector<Place> m_history;
    size_t m_historyAt = 0;
    SliceRef m_selection;
    SliceRef m_hovered;
    MaskPtr m_marks;
    HitsPtr m_hits;
    std::optional<TimeRange> m_range;
    std::vector<TimeMark> m_timeMarks;
    std::optional<int64_t> m_cursorNs;
};

} // namespace torchline
