#pragma once
// GrowthPace: when a view whose figures take long reads a trace that grows: not while it still works on an earlier
// picture of it, and after a rest of several times as long as that took. So what it shows may be behind, but it never
// holds up what is drawn.
// Thread: GUI thread only.

#include <QElapsedTimer>
#include <QTimer>

#include <functional>

namespace torchline {

class GrowthPace {
public:
    explicit GrowthPace(std::function<void()> refresh);

    /// There is a longer trace: reads it when its turn comes, never before this returns.
    void wait();
    void workBegan();
    void workEnded();
    /// Nothing is waited for any more.
    void reset();

private:
    void goOn();

    std::function<void()> m_refresh;
    QElapsedTimer m_work; ///< valid while it works
    QTimer m_rest;
    bool m_isDue = false;
};

} // namespace torchline
