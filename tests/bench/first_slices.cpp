// bench-first-slices FILE: opens a file in the whole window; prints "KEY VALUE" lines: how long until a grabbed frame
// of the timeline shows slices, whether the file was still being read then, how long until all of it is there.

#include "bench_window.h"
#include "workspace.h"

#include "timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace torchline::bench {

namespace {

/// Pixels of the timeline in the colour of some class of work.
int inkOf(QWidget* timeline, const Theme& theme)
{
    std::vector<QRgb> colors;
    for (const ClassColor& color : theme.classes)
        colors.push_back(color.fill.rgb());
    const QImage image = timeline->grab().toImage().convertToFormat(QImage::Format_RGB32);
    int ink = 0;
    for (int y = 0; y < image.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        ink += static_cast<int>(std::count_if(line, line + image.width(),
            [&](QRgb pixel) { return std::ranges::find(colors, pixel | 0xFF000000U) != colors.end(); }));
    }
    return ink;
}

int open(const std::string& file)
{
    constexpr int kLeastInk = 500;
    BenchWindow bench;
    MainWindow& window = bench.window;
    QCoreApplication::processEvents();

    QTimer wake; // processEvents() with a limit of time never sleeps
    wake.start(5);
    QElapsedTimer clock;
    clock.start();
    const auto elapsedMs = [&clock] { return static_cast<double>(clock.nsecsElapsed()) / 1e6; };
    int parts = 0;
    double shownMs = 0; // the first part is in view, but not drawn yet
    QObject::connect(&window.session(), &LoadSession::partLoaded, &window, [&] {
        if (parts++ == 0)
            shownMs = elapsedMs();
    });
    window.openFiles({file});
    double firstMs = 0;
    bool isLoading = false;
    while (firstMs == 0) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (!window.isTraceOpen())
            continue;
        if (inkOf(window.workspace().timeline()->viewport(), bench.themes.theme()) < kLeastInk)
            continue;
        firstMs = elapsedMs();
        isLoading = window.session().isLoading();
    }
    while (window.session().isLoading())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    std::printf("shown-ms %f\nfirst-ms %f\nwhole-ms %f\nwas-loading %d\nparts %d\n", shownMs, firstMs, elapsedMs(),
        isLoading ? 1 : 0, parts);
    return 0;
}

} // namespace

} // namespace torchline::bench

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: bench-first-slices FILE\n", stderr);
        return 2;
    }
    const std::string file = argv[1];
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const int result = torchline::bench::open(file);
    std::fflush(stdout);
    std::_Exit(result);
}
