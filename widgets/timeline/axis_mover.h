#pragma once
// AxisMover: zooming and panning of the visible time, by steps and smoothly while keys are held; shared by all views
// with a time axis. Moves close together are one step of the history. No timer runs while nothing moves.
// Thread: GUI thread only.

#include "common/view_state.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <set>

class QKeyEvent;
class QWheelEvent;

namespace torchline {

class AxisMover : public QObject {
    Q_OBJECT

public:
    /// anchorNs: the time that stays where it is while keys zoom.
    AxisMover(ViewState* state, std::function<int64_t()> anchorNs, QObject* parent);

    void zoomAt(int64_t timeNs, double factor); ///< factor of the visible span: below 1 zooms in
    void zoomBy(const QWheelEvent& event, int64_t timeNs); ///< by the notches of the wheel
    void panBy(double shareOfView);
    /// Ctrl and wheel: zoom at a time. True if it was that.
    bool wheel(const QWheelEvent& event, int64_t timeNs);
    /// W, S, A, D, Left, Right, Alt+Left, Alt+Right. True if it was one of them.
    bool keyPress(const QKeyEvent& event);
    void keyRelease(const QKeyEvent& event);
    void stop();
    [[nodiscard]] bool isMoving() const { return m_timer.isActive(); }

private:
    void moveTo(TimeRange range);
    void startMoving(int key);
    void moveOn();

    ViewState* m_state;
    std::function<int64_t()> m_anchorNs;
    std::set<int> m_keys;
    bool m_isFast = false;
    QTimer m_timer;
    QElapsedTimer m_clock;
    QElapsedTimer m_sinceMove;
};

} // namespace torchline
