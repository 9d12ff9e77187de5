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
    /// A drag that begins with the present view: all of it is one step of the history.
    void beginDrag();
    void dragBy(int64_t ns); ///< away from where it began
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
    /// What whole nanoseconds leave over of a place: a view a few wide moves by less than one at a time.
    struct Rest {
        TimeRange of; ///< it is of no other view
        double beginNs = 0;
        double spanNs = 0;
    };

    void moveTo(TimeRange range);
    void moveTo(int64_t fromNs, double by, int64_t spanNs, double spanRestNs);
    [[nodiscard]] Rest restNow() const;
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
    Rest m_rest;
    TimeRange m_dragFrom;
    bool m_hasDragged = false;
};

} // namespace torchline
