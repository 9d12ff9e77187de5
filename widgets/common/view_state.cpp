#include "common/view_state.h"

#include "model/annotations.h"
#include "model/same_slice.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr size_t kMostHistory = 200;

TimeRange shifted(TimeRange range, int64_t shiftNs)
{
    return {addSaturated(range.beginNs, shiftNs), addSaturated(range.endNs, shiftNs)};
}

} // namespace

ViewState::ViewState(QObject* parent)
    : QObject(parent)
{
}

ViewState::~ViewState() = default;

void ViewState::setTrace(TracePtr trace, bool keepView)
{
    auto facts = trace ? std::make_shared<const TraceFacts>(trace) : nullptr;
    changeTrace(std::move(trace), std::move(facts), keepView);
}

void ViewState::setTrace(std::shared_ptr<const TraceFacts> facts, bool keepView)
{
    TracePtr trace = facts->traceRef();
    changeTrace(std::move(trace), std::move(facts), keepView);
}

void ViewState::changeTrace(TracePtr trace, std::shared_ptr<const TraceFacts> facts, bool keepView)
{
    if (trace == m_trace)
        return;
    const TracePtr before = std::exchange(m_trace, std::move(trace));
    m_facts = std::move(facts);
    const bool isSame = keepView && before && m_trace;
    const SliceRef again = isSame ? sameSlice(*before, m_selection, *m_trace) : SliceRef{};
    const int64_t shiftNs = isSame ? shiftBetween(*before, *m_trace) : 0;
    if (shiftNs != 0)
        shiftTimes(shiftNs);
    m_isTakingLonger = isSame && shiftNs == 0 && &before->strings() == &m_trace->strings();
    m_hovered = {};
    if (m_marks)
        m_marks
            = m_isTakingLonger ? std::make_shared<const SliceMask>(sameSlices(*before, *m_marks, *m_trace)) : nullptr;
    if (m_hits && (!m_isTakingLonger || !haveSameLanes(m_hits->trace(), *m_trace)))
        m_hits = nullptr;
    m_overview = nullptr;
    m_selection = again;
    m_cursorNs.reset();
    if (!keepView) {
        m_isGrowing = false;
        m_range.reset();
        m_timeMarks.clear();
        m_place = {fitRange(), {}};
        m_history = {m_place};
        m_historyAt = 0;
    }
    Q_EMIT traceChanged();
    Q_EMIT overviewChanged();
    Q_EMIT visibleChanged();
    if (!m_isTakingLonger) {
        Q_EMIT historyChanged();
        Q_EMIT rangeChanged();
        Q_EMIT timeMarksChanged();
        Q_EMIT scopeChanged();
    }
    Q_EMIT selectionChanged();
    Q_EMIT marksChanged();
    Q_EMIT hitsChanged();
    m_isTakingLonger = false;
}

void ViewState::setOverview(OverviewPtr overview)
{
    if (overview == m_overview)
        return;
    m_overview = std::move(overview);
    Q_EMIT overviewChanged();
}

void ViewState::shiftTimes(int64_t shiftNs)
{
    const auto shift = [shiftNs](Place& place) {
        place.visible = shifted(place.visible, shiftNs);
        if (place.scope.range)
            place.scope.range = shifted(*place.scope.range, shiftNs);
    };
    shift(m_place);
    for (Place& place : m_history)
        shift(place);
    if (m_range)
        m_range = shifted(*m_range, shiftNs);
    for (TimeMark& mark : m_timeMarks)
        mark.range = shifted(mark.range, shiftNs);
}

TimeRange ViewState::fitRange() const
{
    if (!m_trace || m_trace->sliceCount() == 0)
        return {0, 1'000'000};
    const TimeRange fit = m_trace->fitSpan();
    const int64_t margin = std::max<int64_t>(fit.spanNs() / 100, 1);
    return held({subSaturated(fit.beginNs, margin), addSaturated(fit.endNs, margin)});
}

TimeRange ViewState::held(TimeRange range) const
{
    constexpr int64_t kWidestNs = kMaxNs / 4;
    int64_t width = std::clamp<int64_t>(range.spanNs(), kNarrowestNs, kWidestNs);
    if (!m_trace)
        return {range.beginNs, addSaturated(range.beginNs, width)};
    const TimeRange whole = m_trace->span();
    const int64_t wholeWidth = std::max<int64_t>(std::min(whole.spanNs(), kWidestNs), kNarrowestNs);
    width = std::min(width, addSaturated(wholeWidth, wholeWidth / 5 + kNarrowestNs));
    const int64_t slack = width / 2;
    const int64_t lowest = subSaturated(whole.beginNs, slack);
    const int64_t highest = std::max(lowest, subSaturated(addSaturated(whole.endNs, slack), width));
    const int64_t begin = std::clamp(range.beginNs, lowest, highest);
    return {begin, addSaturated(begin, width)};
}

void ViewState::show(const Place& place)
{
    const Place before = std::exchange(m_place, place);
    if (m_place.visible != before.visible)
        Q_EMIT visibleChanged();
    if (m_place.scope != before.scope)
        Q_EMIT scopeChanged();
}

bool ViewState::step(const Place& place)
{
    if (place == m_place)
        return false;
    m_history.resize(std::min(m_history.size(), m_historyAt + 1));
    m_history.push_back(place);
    if (m_history.size() > kMostHistory)
        m_history.erase(m_history.begin());
    m_historyAt = m_history.size() - 1;
    show(place);
    Q_EMIT historyChanged();
    return true;
}

void ViewState::setVisible(TimeRange range)
{
    const Place place{held(range), m_place.scope};
    if (m_historyAt < m_history.size())
        m_history[m_historyAt] = place;
    show(place);
}

bool ViewState::goTo(TimeRange range)
{
    return goTo(range, m_place.scope);
}

bool ViewState::goTo(TimeRange range, const Scope& scope)
{
    return step({held(range), scope});
}

void ViewState::goBack()
{
    if (!canGoBack())
        return;
    show(m_history[--m_historyAt]);
    Q_EMIT historyChanged();
}

void ViewState::goForward()
{
    if (!canGoForward())
        return;
    show(m_history[++m_historyAt]);
    Q_EMIT historyChanged();
}

void ViewState::select(SliceRef slice)
{
    if (slice == m_selection)
        return;
    m_selection = slice;
    Q_EMIT selectionChanged();
}

void ViewState::reveal(SliceRef slice)
{
    select(slice);
    if (slice.isValid())
        Q_EMIT revealRequested(slice);
}

void ViewState::setHovered(SliceRef slice)
{
    if (slice == m_hovered)
        return;
    m_hovered = slice;
    Q_EMIT hoverChanged();
}

void ViewState::setMarks(const SliceMask& marks, const TracePtr& of)
{
    if (m_trace && &of->strings() == &m_trace->strings())
        setMarks(std::make_shared<const SliceMask>(of == m_trace ? marks : sameSlices(*of, marks, *m_trace)));
}

void ViewState::setMarks(MaskPtr marks)
{
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    Q_EMIT marksChanged();
}

void ViewState::setHits(HitsPtr hits)
{
    if (hits == m_hits)
        return;
    m_hits = std::move(hits);
    Q_EMIT hitsChanged();
}

void ViewState::setRange(std::optional<TimeRange> range)
{
    if (range == m_range)
        return;
    m_range = range;
    Q_EMIT rangeChanged();
}

void ViewState::setTimeMarks(std::vector<TimeMark> marks)
{
    std::ranges::stable_sort(marks, {}, [](const TimeMark& mark) { return mark.range.beginNs; });
    if (marks == m_timeMarks)
        return;
    m_timeMarks = std::move(marks);
    Q_EMIT timeMarksChanged();
}

void ViewState::markTime(TimeRange range, bool keep)
{
    std::vector<TimeMark> marks = m_timeMarks;
    const auto known = std::ranges::find(marks, range, &TimeMark::range);
    const bool wasSame = known != marks.end() && known->isKept == keep;
    if (known != marks.end())
        marks.erase(known);
    if (!keep)
        std::erase_if(marks, [](const TimeMark& mark) { return !mark.isKept; });
    if (!wasSame)
        marks.push_back({range, keep});
    setTimeMarks(std::move(marks));
}

void ViewState::setScope(const Scope& scope)
{
    step({m_place.visible, scope});
}

void ViewState::scopeToAnnotationAround(SliceRef slice)
{
    const SliceRef annotation = slice.isValid() ? annotationAround(*m_trace, slice) : SliceRef{};
    if (!annotation.isValid())
        return;
    Scope scope = m_place.scope;
    scope.annotation = m_trace->text(m_trace->name(annotation));
    setScope(scope);
}

void ViewState::setCursor(std::optional<int64_t> timeNs)
{
    if (timeNs == m_cursorNs)
        return;
    m_cursorNs = timeNs;
    Q_EMIT cursorChanged();
}

} // namespace torchline
