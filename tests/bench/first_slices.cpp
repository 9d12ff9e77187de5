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

namespace torchline::bench {

namespace {

/// Pixels in the colour of some class of work.
int inkOf(const QImage& image, const Theme& theme)
{
    int ink = 0;
    for (int y = 0; y < image.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        ink += static_cast<int>(std::count_if(line, line + image.width(), [&](QRgb pixel) {
            return std::ranges::any_of(
                theme.classes, [pixel](const ClassColor& color) { return (color.fill.rgb() | 0xFF000000U) == pixel; });
        }));
    }
    return ink;
}

int open(const std::string& file)
{
    constexpr int kLeastInk = 500;
    BenchWindow bench;
    MainWindow& window = bench.window;
    QCoreApplication::processEvents();

    int parts = 0;
    QObject::connect(&window.session(), &LoadSession::partLoaded, &window, [&parts] { ++parts; });
    QTimer wake; // processEvents() with a limit of time never sleeps
    wake.start(5);
    QElapsedTimer clock;
    clock.start();
    window.openFiles({file});
    double firstMs = 0;
    bool isLoading = false;
    while (firstMs == 0) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (!window.isTraceOpen())
            continue;
        const QImage image
            = window.workspace().timeline()->viewport()->grab().toImage().convertToFormat(QImage::Format_RGB32);
        if (inkOf(image, bench.themes.theme()) < kLeastInk)
            continue;
        firstMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        isLoading = window.session().isLoading();
    }
    while (window.session().isLoading())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    std::printf("first-ms %f\nwhole-ms %f\nwas-loading %d\nparts %d\n", firstMs,
        static_cast<double>(clock.nsecsElapsed()) / 1e6, isLoading ? 1 : 0, parts);
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
