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
constexpr double kPanAKey = 0.1;
constexpr double kZoomANotch = 0.8;
constexpr int kNotch = 120; ///< of QWheelEvent::angleDelta
constexpr qint64 kOneMoveMs = 700;

bool isMovingKey(int key)
{
    return key == Qt::Key_W || key == Qt::Key_S || key == Qt::Key_A || key == Qt::Key_D;
}

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
    const bool isSameMove = m_sinceMove.isValid() && m_sinceMove.elapsed() < kOneMoveMs;
    m_sinceMove.start();
    if (isSameMove)
        m_state->setVisible(range);
    else
        m_state->goTo(range);
}

void AxisMover::zoomAt(int64_t timeNs, double factor)
{
    const TimeRange visible = m_state->visible();
    constexpr double kMostNs = 4e18;
    const double spanNs = std::min(static_cast<double>(visible.spanNs()) * factor, kMostNs);
    const int64_t newSpan = std::max<int64_t>(std::llround(spanNs), ViewState::kNarrowestNs);
    const double share
        = static_cast<double>(subSaturated(timeNs, visible.beginNs)) / static_cast<double>(visible.spanNs());
    const int64_t beginNs = subSaturated(timeNs, std::llround(static_cast<double>(newSpan) * share));
    if (newSpan != visible.spanNs())
        moveTo({beginNs, addSaturated(beginNs, newSpan)});
}

void AxisMover::panBy(double shareOfView)
{
    const TimeRange visible = m_state->visible();
    const int64_t by = std::llround(static_cast<double>(visible.spanNs()) * shareOfView);
    moveTo({addSaturated(visible.beginNs, by), addSaturated(visible.endNs, by)});
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
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const int key = event.key();
    if (modifiers == Qt::AltModifier && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        key == Qt::Key_Left ? m_state->goBack() : m_state->goForward();
        return true;
    }
    if (modifiers != Qt::NoModifier && modifiers != Qt::ShiftModifier)
        return false;
    m_isFast = modifiers == Qt::ShiftModifier;
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        panBy((key == Qt::Key_Left ? -kPanAKey : kPanAKey) * (m_isFast ? kFast : 1));
        return true;
    }
    if (!isMovingKey(key))
        return false;
    if (!event.isAutoRepeat())
        startMoving(key);
    return true;
}

void AxisMover::startMoving(int key)
{
    if (!m_keys.insert(key).second)
        return;
    const double speed = m_isFast ? kFast : 1;
    if (key == Qt::Key_W)
        zoomAt(m_anchorNs(), std::pow(kFirstZoom, speed));
    else if (key == Qt::Key_S)
        zoomAt(m_anchorNs(), 1 / std::pow(kFirstZoom, speed));
    else
        panBy((key == Qt::Key_A ? -kFirstPan : kFirstPan) * speed);
    m_clock.start();
    m_timer.start();
}

void AxisMover::keyRelease(const QKeyEvent& event)
{
    if (event.isAutoRepeat())
        return;
    m_keys.erase(event.key());
    if (m_keys.empty())
        m_timer.stop();
}

void AxisMover::stop()
{
    m_keys.clear();
    m_timer.stop();
}

void AxisMover::moveOn()
{
    const double ms = std::min(static_cast<double>(m_clock.restart()), kMostStepMs);
    const double seconds = ms / 1000 * (m_isFast ? kFast : 1);
    const bool zoomsIn = m_keys.contains(Qt::Key_W);
    const bool left = m_keys.contains(Qt::Key_A);
    if (zoomsIn != m_keys.contains(Qt::Key_S))
        zoomAt(m_anchorNs(), std::pow(kZoomASecond, zoomsIn ? -seconds : seconds));
    if (left != m_keys.contains(Qt::Key_D))
        panBy((left ? -seconds : seconds) * kPanASecond);
}

} // namespace torchline
