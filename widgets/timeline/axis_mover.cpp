#include "timeline/axis_mover.h"

#include <QKeyEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace torchline {

namespace {

constexpr int kIntervalMs = 16;
constexpr double kMostStepMs = 50;
constexpr double kFast = 4;
constexpr double kZoomASecond = 4.0;
constexpr double kPanASecond = 1.1; ///< views
constexpr double kFirstZoom = 0.85; ///< a tap moves a little at once, holding goes on smoothly
constexpr double kFirstPan = 0.06;
constexpr double kZoomANotch = 0.8;
constexpr int kNotch = 120; ///< of QWheelEvent::angleDelta
constexpr qint64 kOneMoveMs = 700;

} // namespace

AxisMover::AxisMover(ViewState* state, std::function<int64_t()> anchorNs, QObject* parent)
    : QObject(parent)
    , m_state(state)
    , m_anchorNs(std::move(anchorNs))
{
    m_timer.setInterval(kIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &AxisMover::moveOn);
}

void AxisMover::moveTo(TimeRange range)
{
    const bool isSameMove
        = m_sinceMove.isValid() && m_sinceMove.elapsed() < kOneMoveMs && m_state->visible() == m_moved;
    if (isSameMove)
        m_state->setVisible(range);
    else if (!m_state->goTo(range))
        return;
    m_sinceMove.start();
    m_moved = m_state->visible();
}

AxisMover::Rest AxisMover::restNow() const
{
    return m_rest.of == m_state->visible() ? m_rest : Rest();
}

/// To `by` from a time that is near enough for a double, so wide.
void AxisMover::moveTo(int64_t fromNs, double by, int64_t spanNs, double spanRestNs)
{
    const int64_t wholeBy = std::llround(by);
    const int64_t beginNs = addSaturated(fromNs, wholeBy);
    const TimeRange range{beginNs, addSaturated(beginNs, spanNs)};
    if (range != m_state->visible())
        moveTo(range);
    // A view that was held back at the ends of the trace goes on from there.
    m_rest = m_state->visible() == range ? Rest{range, by - static_cast<double>(wholeBy), spanRestNs} : Rest();
}

void AxisMover::zoomAt(int64_t timeNs, double factor)
{
    const TimeRange visible = m_state->visible();
    const Rest rest = restNow();
    constexpr double kMostNs = 4e18;
    const double spanNs = static_cast<double>(visible.spanNs()) + rest.spanNs;
    const double newSpanNs = std::clamp(spanNs * factor, static_cast<double>(ViewState::kNarrowestNs), kMostNs);
    if (newSpanNs == spanNs)
        return;
    const int64_t wholeSpanNs = std::llround(newSpanNs);
    const double beforeNs = static_cast<double>(subSaturated(timeNs, visible.beginNs)) - rest.beginNs;
    moveTo(timeNs, -beforeNs * (newSpanNs / spanNs), wholeSpanNs, newSpanNs - static_cast<double>(wholeSpanNs));
}

void AxisMover::panBy(double shareOfView)
{
    const TimeRange visible = m_state->visible();
    const Rest rest = restNow();
    moveTo(visible.beginNs, rest.beginNs + static_cast<double>(visible.spanNs()) * shareOfView, visible.spanNs(),
        rest.spanNs);
}

void AxisMover::beginDrag()
{
    m_dragFrom = m_state->visible();
    m_hasDragged = false;
}

void AxisMover::dragBy(int64_t ns)
{
    const TimeRange range{addSaturated(m_dragFrom.beginNs, ns), addSaturated(m_dragFrom.endNs, ns)};
    if (m_hasDragged)
        m_state->setVisible(range);
    else
        m_hasDragged = m_state->goTo(range);
}

void AxisMover::zoomBy(const QWheelEvent& event, int64_t timeNs)
{
    const QPoint delta = event.angleDelta();
    const double notches = static_cast<double>(delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    zoomAt(timeNs, std::pow(kZoomANotch, notches));
}

bool AxisMover::wheel(const QWheelEvent& event, int64_t timeNs)
{
    if (!event.modifiers().testFlag(Qt::ControlModifier))
        return false;
    zoomBy(event, timeNs);
    return true;
}

bool AxisMover::keyPress(const QKeyEvent& event)
{
    const auto command = m_map->find(event);
    if (!command || !isMove(*command))
        return false;
    m_isFast = event.modifiers().testFlag(Qt::ShiftModifier);
    if (event.isAutoRepeat() || !m_held.emplace(event.key(), *command).second)
        return true;
    nudge(*command, m_isFast);
    m_clock.start();
    m_timer.start();
    return true;
}

void AxisMover::nudge(ViewCommand command, bool fast)
{
    const double speed = fast ? kFast : 1;
    if (command == ViewCommand::ZoomIn)
        zoomAt(m_anchorNs(), std::pow(kFirstZoom, speed));
    else if (command == ViewCommand::ZoomOut)
        zoomAt(m_anchorNs(), 1 / std::pow(kFirstZoom, speed));
    else
        panBy((command == ViewCommand::PanLeft ? -kFirstPan : kFirstPan) * speed);
}

void AxisMover::keyRelease(const QKeyEvent& event)
{
    if (event.isAutoRepeat())
        return;
    m_held.erase(event.key());
    if (m_held.empty())
        m_timer.stop();
}

void AxisMover::stop()
{
    m_held.clear();
    m_timer.stop();
}

bool AxisMover::isHeld(ViewCommand command) const
{
    return std::ranges::any_of(m_held, [command](const auto& held) { return held.second == command; });
}

void AxisMover::moveOn()
{
    const double ms = std::min(static_cast<double>(m_clock.restart()), kMostStepMs);
    const double seconds = ms / 1000 * (m_isFast ? kFast : 1);
    const bool zoomsIn = isHeld(ViewCommand::ZoomIn);
    const bool left = isHeld(ViewCommand::PanLeft);
    if (zoomsIn != isHeld(ViewCommand::ZoomOut))
        zoomAt(m_anchorNs(), std::pow(kZoomASecond, zoomsIn ? -seconds : seconds));
    if (left != isHeld(ViewCommand::PanRight))
        panBy((left ? -seconds : seconds) * kPanASecond);
}

} // namespace torchline
