// The whole window: at rest, and while one goes about in it.

#include "bench_window.h"
#include "measure.h"
#include "timeline_subjects.h"

#include "workspace.h"

#include "timeline/timeline_view.h"

#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include <cstdio>
#include <fstream>
#include <random>

#include <unistd.h>

namespace torchline::bench {

namespace {

double residentMiB()
{
    size_t total = 0;
    size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
}

/// Counts the paints of the whole program.
class PaintCount : public QObject {
public:
    int paints = 0;

    bool eventFilter(QObject*, QEvent* event) override
    {
        paints += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
};

size_t runningTimers()
{
    size_t timers = 0;
    const QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance();
    for (QWidget* widget : QApplication::allWidgets()) {
        timers += static_cast<size_t>(dispatcher->registeredTimers(widget).size());
        for (QObject* object : widget->findChildren<QObject*>(Qt::FindDirectChildrenOnly))
            timers += object->isWidgetType() ? 0 : static_cast<size_t>(dispatcher->registeredTimers(object).size());
    }
    return timers;
}

void processFor(int ms)
{
    QTimer end; // may fire a little before its time
    end.setSingleShot(true);
    end.start(ms);
    while (end.isActive())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

/// Zooms, pans, scrolls, hovers and selects at random, painting each time.
class Roamer {
public:
    explicit Roamer(MainWindow& window)
        : m_window(window)
        , m_trace(*window.state().trace())
    {
    }

    /// Each move comes out of the event loop as a person's does: what is to be deleted later is deleted after it.
    void roam(int moves)
    {
        QEventLoop loop;
        QTimer next;
        int made = 0;
        QObject::connect(&next, &QTimer::timeout, &loop, [&] {
            if (made < moves)
                move(made++);
            else if (m_window.isSettled())
                loop.quit();
        });
        next.start(0);
        loop.exec();
    }

private:
    void move(int i)
    {
        ViewState& state = m_window.state();
        const int64_t spanNs = std::max<int64_t>(m_trace.span().spanNs() >> (m_random() % 16), 1000);
        const int64_t beginNs = m_trace.span().beginNs + static_cast<int64_t>(m_share(m_random) * spanOf());
        state.goTo({beginNs, beginNs + spanNs});
        state.setHovered(randomSlice());
        if (i % 4 == 0)
            state.reveal(randomSlice());
        if (i % 16 == 0)
            state.setRange(TimeRange{beginNs, beginNs + spanNs / 4});
        m_window.workspace().timeline()->viewport()->repaint();
    }
    [[nodiscard]] double spanOf() const { return static_cast<double>(m_trace.span().spanNs()); }
    SliceRef randomSlice()
    {
        const LaneId lane(static_cast<uint32_t>(m_random() % m_trace.lanes().size()));
        const uint32_t size = m_trace.lane(lane).size();
        return size == 0 ? SliceRef{} : SliceRef{lane, static_cast<uint32_t>(m_random() % size)};
    }

    MainWindow& m_window;
    const TraceSnapshot& m_trace;
    std::minstd_rand m_random{1};
    std::uniform_real_distribution<double> m_share{0, 0.9};
};

} // namespace

bool restAndRoam(const std::string& file, bool isQuick)
{
    BenchWindow bench;
    MainWindow& window = bench.window;
    window.openFiles({file});
    while (!window.isTraceOpen() || !window.isSettled())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 100);
    constexpr int kComeToRestMs = 1500;
    processFor(kComeToRestMs);

    const int restMs = isQuick ? 3000 : 10'000;
    PaintCount count;
    qApp->installEventFilter(&count);
    const size_t timers = runningTimers();
    const double cpu = ownCpuSeconds();
    QElapsedTimer clock;
    clock.start();
    processFor(restMs);
    const double used = 1e3 * (ownCpuSeconds() - cpu);
    qApp->removeEventFilter(&count);
    std::printf("rest-cpu-percent %f\nrest-paints %d\nrest-timers %zu\n",
        used * 100 / static_cast<double>(clock.elapsed()), count.paints, timers);

    const int moves = isQuick ? 300 : 1500;
    Roamer roamer(window);
    roamer.roam(moves);
    const double before = residentMiB();
    roamer.roam(moves);
    roamer.roam(moves);
    std::printf("resident-mib %f\ngrowth-mib %f\n", before, residentMiB() - before);
    return true;
}

} // namespace torchline::bench
