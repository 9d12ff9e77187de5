#pragma once
// AxisMover: zooming and panning of the visible time, by steps and smoothly while keys are held; shared by all views
// with a time axis. Moves close together are one step of the history. No timer runs while nothing moves.
// Thread: GUI thread only.

#include "common/key_map.h"
#include "common/view_state.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <map>

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
    /// A drag that began with this view: all of it is one step of the history.
    void dragFrom(TimeRange from, int64_t byNs);
    /// Ctrl and wheel: zoom at a time. True if it was that.
    bool wheel(const QWheelEvent& event, int64_t timeNs);
    /// What keys mean from now on; the map outlives the mover.
    void setKeys(const KeyMap* keys) { m_map = keys; }
    [[nodiscard]] const KeyMap& keys() const { return *m_map; }
    /// One of the keys that zoom and pan? They move a little at once and on while they are held.
    bool keyPress(const QKeyEvent& event);
    void keyRelease(const QKeyEvent& event);
    /// The little that a tap moves; of ZoomIn to PanRight.
    void nudge(ViewCommand command, bool fast = false);
    void stop();
    [[nodiscard]] bool isMoving() const { return m_timer.isActive(); }

private:
    void moveTo(TimeRange range);
    void moveOn();
    [[nodiscard]] bool isHeld(ViewCommand command) const;

    ViewState* m_state;
    std::function<int64_t()> m_anchorNs;
    const KeyMap* m_map = &KeyMap::usual();
    std::map<int, ViewCommand> m_held; ///< by key
    bool m_isFast = false;
    QTimer m_timer;
    QElapsedTimer m_clock;
    QElapsedTimer m_sinceMove;
    TimeRange m_moved; ///< where the last move led
};

} // namespace torchline
