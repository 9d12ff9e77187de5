// bench-live-window WORD...: records a program in the whole window and follows it; prints "KEY VALUE" lines.

#include "bench_window.h"
#include "measure.h"

#include "record/record_controller.h"

#include "timeline/timeline_view.h"
#include "workspace.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

#include <sys/resource.h>

namespace torchline::bench {

namespace {

double peakMiB()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// How old the newest operator is that a new trace shows, when it is painted.
class Follower : public QObject {
public:
    explicit Follower(MainWindow& window)
        : m_window(window)
    {
        m_window.workspace().timeline()->viewport()->installEventFilter(this);
    }

    std::vector<double> agesMs;

    bool eventFilter(QObject*, QEvent* event) override
    {
        const auto trace = m_window.state().trace();
        if (event->type() != QEvent::Paint || !trace || trace->generation() == m_generation)
            return false;
        m_generation = trace->generation();
        const FileStore& file = trace->file(0);
        const int64_t newestNs = file.info.originNs + trace->span().endNs - trace->fileOffsetNs(0);
        agesMs.push_back(static_cast<double>(steadyNowNs() - newestNs) / 1e6);
        return false;
    }

private:
    MainWindow& m_window;
    uint64_t m_generation = 0;
};

/// of: in [0, 1].
double quantile(std::vector<double> values, double of)
{
    if (values.empty())
        return 0;
    const auto at = static_cast<std::ptrdiff_t>(of * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

int follow(const std::vector<std::string>& command)
{
    QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    BenchWindow bench;
    MainWindow& window = bench.window;
    RecordController& recorder = window.recorder();
    LaunchSetup setup = LaunchSetup::ofCommand(command);
    setup.shapes = false;
    setup.memory = false;
    recorder.start(setup);
    if (recorder.recording() == nullptr) {
        std::fputs("bench-live-window: the program does not start\n", stderr);
        return 1;
    }
    QTimer wake; // processEvents() with a limit of time never sleeps
    wake.start(50);
    const auto process = [] { QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents); };
    while (!recorder.recording()->data() && recorder.isRunning())
        process();
    recorder.showView();
    Follower follower(window);
    QElapsedTimer clock;
    clock.start();
    const double cpuBefore = ownCpuSeconds();
    while (recorder.isRunning())
        process();
    const double followed = static_cast<double>(clock.elapsed()) / 1e3;
    const double cpu = ownCpuSeconds() - cpuBefore;
    while (!recorder.recording()->isComplete())
        process();
    const capture::SessionStatus& status = recorder.recording()->status();
    const TraceSnapshot& trace = *recorder.recording()->data()->loaded->trace;
    std::printf("cpu-percent %f\n", 100 * cpu / followed);
    std::printf("updates-per-second %f\n", static_cast<double>(follower.agesMs.size()) / followed);
    std::printf("age-median-ms %f\n", quantile(follower.agesMs, 0.5));
    std::printf("age-p95-ms %f\n", quantile(follower.agesMs, 0.95));
    std::printf("records %llu\n", static_cast<unsigned long long>(status.records));
    std::printf("records-per-second %f\n",
        static_cast<double>(status.records) * 1e9 / static_cast<double>(trace.span().spanNs()));
    std::printf("dropped %llu\n", static_cast<unsigned long long>(status.dropped));
    uint64_t toldLost = 0;
    for (const auto& file : trace.files()) {
        for (const Notice& notice : file->notices)
            toldLost += notice.code == "records-lost" || notice.code == "records-forgotten" ? notice.count : 0;
    }
    std::printf("slices %llu\n", static_cast<unsigned long long>(trace.sliceCount()));
    std::printf("told-lost %llu\n", static_cast<unsigned long long>(toldLost));
    std::printf("peak-mib %f\n", peakMiB());
    std::printf("bytes-a-slice %f\n",
        static_cast<double>(trace.memoryUsage()) / static_cast<double>(std::max<uint64_t>(trace.sliceCount(), 1)));
    recorder.recording()->discard();
    return 0;
}

} // namespace

} // namespace torchline::bench

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("bench-live-window WORD...\n", stderr);
        return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    return torchline::bench::follow(std::vector<std::string>(argv + 1, argv + argc));
}
