#include "common/view_state.h"

#include "model/annotations.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr size_t kMostHistory = 200;

/// What a time of one trace is later in another of the same files. Times count from the first slice, and more of a file
/// can begin with another one.
int64_t shiftBetween(const TraceSnapshot& before, const TraceSnapshot& after)
{
    if (before.files().empty() || after.files().empty() || before.file(0).info.originNs != after.file(0).info.originNs)
        return 0;
    return subSaturated(after.fileOffsetNs(0), before.fileOffsetNs(0));
}

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
    if (trace == m_trace)
        return;
    const TracePtr before = std::exchange(m_trace, std::move(trace));
    m_facts = m_trace ? std::make_shared<const TraceFacts>(m_trace) : nullptr;
    const bool isSame = keepView && before && m_trace;
    const int64_t shiftNs = isSame ? shiftBetween(*before, *m_trace) : 0;
    const SliceRef again = isSame && m_selection.isValid() ? findAgain(*before, m_selection, shiftNs) : SliceRef{};
    if (shiftNs != 0)
        shiftTimes(shiftNs);
    m_hovered = {};
    m_marks = nullptr;
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
    Q_EMIT historyChanged();
    Q_EMIT rangeChanged();
    Q_EMIT timeMarksChanged();
    Q_EMIT scopeChanged();
    Q_EMIT selectionChanged();
    Q_EMIT marksChanged();
    Q_EMIT hitsChanged();
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
    m_visible = shifted(m_visible, shiftNs);
    for (TimeRange& range : m_history)
        range = shifted(range, shiftNs);
    if (m_range)
        m_range = shifted(*m_range, shiftNs);
    for (TimeMark& mark : m_timeMarks)
        mark.range = shifted(mark.range, shiftNs);
    if (m_scope.range)
        m_scope.range = shifted(*m_scope.range, shiftNs);
}

SliceRef ViewState::findAgain(const TraceSnapshot& before, SliceRef slice, int64_t shiftNs) const
{
    const Lane& old = before.lane(slice.lane);
    const int64_t startNs = addSaturated(old.startNs(slice.index), shiftNs);
    const std::string_view name = before.text(old.name(slice.index));
    for (uint32_t i = 0; i < m_trace->lanes().size(); ++i) {
        const LaneId id(i);
        const Lane& lane = m_trace->lane(id);
        if (lane.fileIndex() != old.fileIndex() || lane.isDevice() != old.isDevice()
            || m_trace->pid(id) != before.pid(slice.lane) || m_trace->tid(id) != before.tid(slice.lane))
            continue;
        for (uint32_t k = lane.lowerBound(startNs); k < lane.size() && lane.startNs(k) == startNs; ++k) {
            if (m_trace->text(lane.name(k)) == name)
                return {id, k};
        }
    }
    return {};
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

void ViewState::step(const Place& place)
{
    if (place == m_place)
        return;
    m_history.resize(std::min(m_history.size(), m_historyAt + 1));
    m_history.push_back(place);
    if (m_history.size() > kMostHistory)
        m_history.erase(m_history.begin());
    m_historyAt = m_history.size() - 1;
    show(place);
    Q_EMIT historyChanged();
}

void ViewState::setVisible(TimeRange range)
{
    const Place place{held(range), m_place.scope};
    if (m_historyAt < m_history.size())
        m_history[m_historyAt] = place;
    show(place);
}

void ViewState::goTo(TimeRange range)
{
    goTo(range, m_place.scope);
}

void ViewState::goTo(TimeRange range, const Scope& scope)
{
    step({held(range), scope});
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
