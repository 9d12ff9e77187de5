// torchline: opens the window, or draws a picture (`torchline render`).

#include "application.h"
#include "base/memory_policy.h"
#include "command_line.h"
#include "desktop_scheme.h"
#include "main_window.h"
#include "render_command.h"
#include "settings.h"
#include "theme_controller.h"

#include <QApplication>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include <unistd.h>

using namespace torchline;

namespace {

/// What Qt says while it looks for a display. Without one it ends the program by itself, so the message is ours here.
void onStartupMessage(QtMsgType type, const QMessageLogContext&, const QString&)
{
    if (type != QtFatalMsg)
        return;
    const std::string display = qEnvironmentVariable("WAYLAND_DISPLAY", qEnvironmentVariable("DISPLAY")).toStdString();
    std::cerr << "torchline: the display " + (display.empty() ? std::string() : "'" + display + "' ")
            + "cannot be opened; `torchline render FILE -o view.png` draws into a file without one\n";
    std::cerr.flush();
    ::_exit(kFailed);
}

bool namesADisplay()
{
    return qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("DISPLAY")
        || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

int runWindow(int argc, char** argv, const CommandLine& line)
{
    if (!namesADisplay()) {
        std::cerr << "torchline: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); "
                     "`torchline render FILE -o view.png` draws into a file without one\n";
        return kFailed;
    }
    int oneArgument = std::min(argc, 1); // the others are ours, not Qt's
    const QtMessageHandler usual = qInstallMessageHandler(onStartupMessage);
    QApplication application(oneArgument, argv);
    qInstallMessageHandler(usual);

    DesktopScheme desktop;
    const QPalette desktopPalette = QApplication::palette();
    Settings settings;
    ThemeHost themes;
    dressApplication(&themes);
    desktop.awaitFirstAnswer();
    ThemeController controller(settings, themes, desktop, desktopPalette);
    MainWindow window(&themes, settings, &controller);
    window.show();
    window.openFiles(line.files);
    if (!line.program.empty())
        window.recordProgram(line.program);
    else if (line.files.empty())
        window.offerRecovery();
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    giveBackLargeBlocks();
    try {
        const auto line = parseCommandLine({argv + std::min(argc, 1), argv + argc});
        if (!line) {
            (line.error().status == kDone ? std::cout : std::cerr) << line.error().text << std::flush;
            return line.error().status;
        }
        return line->render ? runRender(*line->render) : runWindow(argc, argv, *line);
    } catch (const std::bad_alloc&) {
        return report(Error(ErrorCode::Limit, "there is not enough memory for this"));
    } catch (const std::exception& fault) {
        return report(Error(ErrorCode::Limit, std::string("internal error: ") + fault.what()));
    }
}
