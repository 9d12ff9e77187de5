// Keys of the timeline: moving about, selecting, following arrows.

#include "timeline/hit_walk.h"
#include "timeline/timeline_view.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <tuple>

namespace torchline {

void TimelineView::setKeys(const KeyMap* keys)
{
    m_mover.keys().disconnect(this);
    m_mover.setKeys(keys);
    connect(keys, &KeyMap::changed, this, &TimelineView::showFilterKey);
    showFilterKey();
}

int64_t TimelineView::zoomAnchor() const
{
    if (m_state->cursorNs() && m_pointer)
        return *m_state->cursorNs();
    const TimeRange visible = m_state->visible();
    return addSaturated(visible.beginNs, visible.spanNs() / 2);
}

void TimelineView::fit()
{
    const SliceRef slice = m_state->selection();
    const TimeRange before = m_state->visible();
    if (m_index && slice.isValid()) {
        m_state->goTo(fitOf(slice));
        if (m_state->visible() != before)
            return;
    }
    m_state->goTo(m_state->fitRange());
}

void TimelineView::zoomToSelection()
{
    if (m_index && m_state->selection().isValid())
        m_state->goTo(fitOf(m_state->selection()));
}

void TimelineView::step(bool forward)
{
    const SliceRef slice = m_state->selection();
    if (!m_index || !slice.isValid())
        return;
    const lod::Frames frames = m_lanes.framesOf(slice.lane);
    const auto row = m_index->rowOf(slice, frames);
    if (!row)
        return;
    const lod::SliceRow slices = m_index->row(slice.lane, frames, *row).slices;
    uint32_t k = lod::RowIndex::firstStartingAt(slices, m_index->trace().startNs(slice));
    while (k < slices.size() && slices.laneIndex(k) != slice.index)
        ++k;
    if (forward ? k + 1 >= slices.size() : k == 0)
        return;
    m_state->reveal({slice.lane, slices.laneIndex(forward ? k + 1 : k - 1)});
}

namespace {

/// The nearest slice of this name by (start, lane, index) after or before the given one, any lane.
SliceRef nearestOfName(const TraceSnapshot& trace, SliceRef from, bool forward, const std::stop_token& stop)
{
    const NameId name = trace.name(from);
    const int64_t fromNs = trace.startNs(from);
    SliceRef best;
    const auto keyOf = [&](SliceRef s) { return std::tuple(trace.startNs(s), s.lane.value(), s.index); };
    const auto fromKey = keyOf(from);
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        const auto take = [&](uint32_t i) {
            const SliceRef found{LaneId(l), i};
            const bool isBeyond = forward ? keyOf(found) > fromKey : keyOf(found) < fromKey;
            if (lane.name(i) != name || !isBeyond)
                return false;
            if (!best.isValid() || (forward ? keyOf(found) < keyOf(best) : keyOf(found) > keyOf(best)))
                best = found;
            return true;
        };
        const uint32_t start = lane.lowerBound(fromNs);
        if (forward) {
            for (uint32_t i = start; i < lane.size() && !take(i); ++i) {
                if ((best.isValid() && lane.startNs(i) > trace.startNs(best))
                    || (i % 4096 == 0 && stop.stop_requested()))
                    break;
            }
            continue;
        }
        uint32_t i = start;
        while (i < lane.size() && lane.startNs(i) == fromNs)
            ++i;
        while (i > 0 && !take(i - 1)) {
            --i;
            if ((best.isValid() && lane.startNs(i) < trace.startNs(best)) || (i % 4096 == 0 && stop.stop_requested()))
                break;
        }
    }
    return best;
}

} // namespace

void TimelineView::stepByName(bool forward)
{
    const SliceRef slice = m_state->selection();
    if (!m_index || !slice.isValid())
        return;
    m_nameJob.start([index = m_index, slice, forward](
                        const std::stop_token& stop) { return nearestOfName(index->trace(), slice, forward, stop); },
        [this, slice](SliceRef found) {
            if (found.isValid() && m_state->selection() == slice)
                m_state->reveal(found);
        });
}

void TimelineView::goToParent()
{
    const SliceRef slice = m_state->selection();
    if (!m_index || !slice.isValid())
        return;
    const lod::Frames frames = m_lanes.framesOf(slice.lane);
    SliceRef parent = m_index->trace().parent(slice);
    while (parent.isValid() && !m_index->rowOf(parent, frames))
        parent = m_index->trace().parent(parent);
    if (parent.isValid())
        m_state->reveal(parent);
}

void TimelineView::goToChild()
{
    const SliceRef slice = m_state->selection();
    if (!m_index || !slice.isValid())
        return;
    const TraceSnapshot& trace = m_index->trace();
    const Lane& lane = trace.lane(slice.lane);
    const lod::Frames frames = m_lanes.framesOf(slice.lane);
    const int64_t endNs = trace.endNs(slice);
    for (uint32_t i = slice.index + 1; i < lane.size() && lane.startNs(i) <= endNs; ++i) {
        const SliceRef child{slice.lane, i};
        if (!m_index->rowOf(child, frames))
            continue;
        SliceRef up = trace.parent(child);
        while (up.isValid() && up != slice && !m_index->rowOf(up, frames))
            up = trace.parent(up);
        if (up == slice) {
            m_state->reveal(child);
            return;
        }
    }
}

void TimelineView::follow(bool forward)
{
    const SliceRef slice = m_state->selection();
    if (!m_index || !slice.isValid())
        return;
    const SliceRef target = lod::followLink(m_index->trace(), slice, forward);
    if (target.isValid())
        m_state->reveal(target);
}

void TimelineView::rangeFromSelection()
{
    const SliceRef slice = m_state->selection();
    const std::optional<TimeRange> range = m_state->range();
    if (m_index && slice.isValid() && !(range && m_isRangeNewer)) {
        const TraceSnapshot& trace = m_index->trace();
        const TimeRange span{
            trace.startNs(slice), addSaturated(trace.startNs(slice), std::max<int64_t>(trace.durationNs(slice), 1))};
        if (range != span) {
            m_state->setRange(span);
            return;
        }
    }
    if (!range)
        return;
    Scope scope = m_state->scope();
    scope.range = range;
    m_state->setScope(scope);
}

/// Marks the selection's span, without one the range.
void TimelineView::mark(bool keep)
{
    if (!m_index)
        return;
    if (const SliceRef slice = m_state->selection(); slice.isValid()) {
        const int64_t startNs = m_index->trace().startNs(slice);
        const int64_t lengthNs = std::max<int64_t>(m_index->trace().durationNs(slice), 1);
        m_state->markTime({startNs, addSaturated(startNs, lengthNs)}, keep);
    } else if (m_state->range()) {
        m_state->markTime(*m_state->range(), keep);
    }
}

void TimelineView::clearNext()
{
    if (m_state->selection().isValid())
        m_state->select({});
    else if (m_state->range())
        m_state->setRange(std::nullopt);
    else if (m_state->hits())
        m_state->endSearch();
    else if (!m_state->scope().isWhole())
        m_state->setScope({});
}

void TimelineView::run(ViewCommand command)
{
    hideTip();
    switch (command) {
    case ViewCommand::ZoomIn:
    case ViewCommand::ZoomOut:
    case ViewCommand::PanLeft:
    case ViewCommand::PanRight:
        m_mover.nudge(command);
        return;
    case ViewCommand::Fit:
        fit();
        return;
    case ViewCommand::NextOfLane:
    case ViewCommand::PreviousOfLane:
        step(command == ViewCommand::NextOfLane);
        return;
    case ViewCommand::NextOfName:
    case ViewCommand::PreviousOfName:
        stepByName(command == ViewCommand::NextOfName);
        return;
    case ViewCommand::FollowForth:
    case ViewCommand::FollowBack:
        follow(command == ViewCommand::FollowForth);
        return;
    case ViewCommand::Parent:
    case ViewCommand::Child:
        if (m_index && m_state->selection().isValid())
            command == ViewCommand::Parent ? goToParent() : goToChild();
        else
            verticalScrollBar()->triggerAction(command == ViewCommand::Parent ? QAbstractSlider::SliderSingleStepSub
                                                                              : QAbstractSlider::SliderSingleStepAdd);
        return;
    case ViewCommand::AnnotationAsScope:
        m_state->scopeToAnnotationAround(m_state->selection());
        return;
    case ViewCommand::RangeOrScope:
        rangeFromSelection();
        return;
    case ViewCommand::Mark:
    case ViewCommand::MarkAndKeep:
        mark(command == ViewCommand::MarkAndKeep);
        return;
    case ViewCommand::AllArrows:
        setArrowMode(m_arrows == ArrowMode::All ? ArrowMode::Selection : ArrowMode::All);
        return;
    case ViewCommand::NextLane:
    case ViewCommand::PreviousLane:
        goToItem(command == ViewCommand::PreviousLane);
        return;
    case ViewCommand::ShowAllLanes:
        showAllLanes();
        return;
    case ViewCommand::FilterLanes:
        beginLaneFilter();
        return;
    case ViewCommand::PinLane:
    case ViewCommand::FoldLane:
    case ViewCommand::FoldFrames:
    case ViewCommand::LaneAsScope:
    case ViewCommand::HideLane:
    case ViewCommand::MoveLaneUp:
    case ViewCommand::MoveLaneDown:
    case ViewCommand::TallerLane:
    case ViewCommand::LowerLane:
    case ViewCommand::UsualLaneHeight:
        runOnLane(command);
        return;
    case ViewCommand::Count:
        return;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    hideTip();
    event->accept();
    if (m_mover.keyPress(*event))
        return;
    if (const auto command = m_mover.keys().find(*event)) {
        run(*command);
        return;
    }
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)) {
        walkHits(*m_state, modifiers == Qt::NoModifier);
        return;
    }
    if (event->key() == Qt::Key_Escape && modifiers == Qt::NoModifier) {
        if (m_drag != Drag::None)
            endDrag();
        else
            clearNext();
        return;
    }
    event->ignore();
    QAbstractScrollArea::keyPressEvent(event);
}

void TimelineView::keyReleaseEvent(QKeyEvent* event)
{
    m_mover.keyRelease(*event);
    QAbstractScrollArea::keyReleaseEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    m_hasKeyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason
        || event->reason() == Qt::ShortcutFocusReason;
    m_frame.hasFocusLine = m_hasKeyboardFocus;
    if (m_hasKeyboardFocus)
        updateAll();
}

void TimelineView::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    m_mover.stop();
    hideTip();
    if (std::exchange(m_hasKeyboardFocus, false)) {
        m_frame.hasFocusLine = false;
        updateAll();
    }
}

} // namespace torchline
