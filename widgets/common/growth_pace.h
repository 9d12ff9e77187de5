#pragma once
// GrowthPace: when a view whose figures take long reads a trace that grows: not while it still works on an earlier
// picture of it, and after a rest of several times as long as that took. So what it shows may be behind, but it never
// holds up what is drawn. The jobs of the view that are made with it are that work; all that run at once are one piece.
// Thread: GUI thread only.

#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <memory>

namespace torchline {

class GrowthPace {
public:
    explicit GrowthPace(std::function<void()> refresh);

    /// There is a longer trace: reads it when its turn comes, never before this returns.
    void wait();
    /// Nothing is waited for any more.
    void reset();
    /// It works for as long as somebody holds this.
    [[nodiscard]] std::shared_ptr<void> work();

private:
    void goOn();
    void rest();

    std::function<void()> m_refresh;
    std::weak_ptr<void> m_work;
    QElapsedTimer m_sinceWorkBegan;
    QTimer m_rest;
    bool m_isDue = false;
};

} // namespace torchline
