#pragma once
// The main window with settings of its own, as after a start, and hands on its mouse and keyboard.
// Thread: GUI thread of a test.

#include "main_window.h"
#include "search_box.h"
#include "settings.h"
#include "small_trace.h"
#include "workspace.h"

#include "timeline/overview_strips.h"
#include "timeline/timeline_view.h"

#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

namespace torchline::test {

struct WindowSession {
    explicit WindowSession(QSize size = {1600, 900}, ThemeMode mode = ThemeMode::Light)
        : themes(mode)
        , settings(std::make_unique<Settings>(folder.filePath(QStringLiteral("settings.ini"))))
        , window(&themes, *settings, nullptr)
    {
        window.resize(size);
        window.show();
        (void)QTest::qWaitForWindowExposed(&window);
    }

    void open(const QString& path)
    {
        window.openFiles({path.toStdString()});
        QTRY_VERIFY_WITH_TIMEOUT(window.isTraceOpen() && window.isSettled(), 60'000);
        QCoreApplication::processEvents();
    }
    void openSmall(int steps)
    {
        const QString path = folder.filePath(QStringLiteral("run.json"));
        QVERIFY(writeFile(path, smallTraceText(steps)));
        open(path);
    }

    [[nodiscard]] ViewState& state() { return window.state(); }
    [[nodiscard]] TimelineView& timeline() { return *window.workspace().timeline(); }
    [[nodiscard]] Minimap& minimap() { return *window.workspace().overview()->minimap(); }
    [[nodiscard]] StepStrip& steps() { return *window.workspace().overview()->steps(); }
    [[nodiscard]] QLineEdit* searchLine() { return window.searchBox().findChild<QLineEdit*>(); }
    [[nodiscard]] std::string selectedName()
    {
        const SliceRef slice = state().selection();
        return slice.isValid() ? std::string(state().trace()->text(state().trace()->name(slice))) : "-";
    }

    static void drag(QWidget& widget, QPoint from, QPoint to)
    {
        send(widget, QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
        for (int i = 1; i <= 4; ++i)
            send(widget, QEvent::MouseMove, from + (to - from) * i / 4, Qt::NoButton, Qt::LeftButton);
        send(widget, QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
    }
    static void moveTo(QWidget& widget, QPoint pos)
    {
        send(widget, QEvent::MouseMove, pos, Qt::NoButton, Qt::NoButton);
    }
    static void wheel(QWidget& widget, QPoint pos, QPoint angle, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(pos, widget.mapToGlobal(pos), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }

    QTemporaryDir folder;
    ThemeHost themes;
    std::unique_ptr<Settings> settings;
    MainWindow window;

private:
    static void send(QWidget& widget, QEvent::Type type, QPoint pos, Qt::MouseButton cause, Qt::MouseButtons held)
    {
        QMouseEvent event(type, pos, widget.mapToGlobal(pos), cause, held, {});
        QCoreApplication::sendEvent(&widget, &event);
    }
};

} // namespace torchline::test
