// What the window shows of a file while the rest of it is read: slices, a view that is kept or goes on, and what stays
// when somebody cancels.

#include "main_window.h"
#include "message_bar.h"
#include "small_trace.h"
#include "status_line.h"
#include "theme_controller.h"
#include "workspace.h"

#include "operators/table_pane.h"
#include "timeline/timeline_view.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int kEvents = 4000;

/// The later an event stands in it, the earlier it begins.
QByteArray backwardsTraceText()
{
    QByteArray events;
    for (int i = 0; i < kEvents; ++i)
        events += (i > 0 ? ",\n" : "") + QByteArray(R"({"ph":"X","cat":"cpu_op","name":"op)") + QByteArray::number(i)
            + R"(","pid":1,"tid":1,"ts":)" + QByteArray::number(10 * (kEvents - i)) + R"(,"dur":8})";
    return R"({"schemaVersion":1,"traceEvents":[)" + events + "]}";
}

struct Session {
    Session(const QString& settingsPath, qint64 fileBytes)
        : settings(settingsPath)
        , desktop(QDBusConnection(u"none"_s))
        , controller(settings, themes, desktop, QPalette())
        , window(&themes, settings, &controller)
    {
        window.session().options().chunkBytes = 16 * 1024;
        window.session().options().partEveryBytes = static_cast<uint64_t>(fileBytes) / 4;
        window.resize(1600, 900);
        window.show();
        (void)QTest::qWaitForWindowExposed(&window);
    }

    /// Opens the file and calls `use` when the first part of it is in view.
    template <typename Use> void open(const QString& path, Use use)
    {
        int parts = 0;
        QObject shown;
        QObject::connect(&window.session(), &LoadSession::partLoaded, &shown, [&] {
            if (++parts == 1)
                use();
        });
        window.openFiles({path.toStdString()});
        QTRY_VERIFY(!window.session().isLoading());
        QVERIFY(parts > 0);
    }
    [[nodiscard]] ViewState& state() { return window.state(); }

    Settings settings;
    ThemeHost themes;
    DesktopScheme desktop;
    ThemeController controller;
    MainWindow window;
};

int colorsOf(QWidget* widget)
{
    const QImage image = widget->grab().toImage();
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            colors.insert(image.pixel(x, y));
    }
    return static_cast<int>(colors.size());
}

/// Moments of the file, not of the axis of one trace.
TimeRange inFile(const TraceSnapshot& trace, TimeRange range)
{
    const int64_t zero = trace.file(0).info.originNs - trace.fileOffsetNs(0);
    return {range.beginNs + zero, range.endNs + zero};
}

} // namespace

class TestWindowParts : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    qint64 m_bytes = 0;

    [[nodiscard]] QString settingsPath() const { return m_folder->filePath(u"settings.ini"_s); }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"run.json"_s);
        const QByteArray text = backwardsTraceText();
        m_bytes = text.size();
        QVERIFY(writeFile(m_path, text));
    }

    void slicesAreSeenWhileTheRestIsRead()
    {
        Session s(settingsPath(), m_bytes);
        const int colorsBefore = colorsOf(s.window.workspace().timeline()->viewport());
        bool isSeen = false;
        s.open(m_path, [&] {
            isSeen = true;
            QVERIFY(s.window.session().isLoading());
            QVERIFY(s.window.workspace().isVisible());
            const TracePtr trace = s.state().trace();
            QVERIFY(trace->isPartial());
            QVERIFY(trace->sliceCount() > 0 && trace->sliceCount() < kEvents);
            QVERIFY(s.state().visible() == s.state().fitRange());
            QVERIFY(colorsOf(s.window.workspace().timeline()->viewport()) > colorsBefore);
            QCOMPARE(s.window.windowTitle(), u"run.json — Torchline"_s);
            QVERIFY(!s.window.findChildren<QWidget*>().isEmpty());
            TablePane& operators = *s.window.workspace().table(Pane::Operators);
            operators.refresh();
            QTRY_VERIFY(operators.table() != nullptr);
            QVERIFY2(operators.head()->status().contains(u"read so far"_s), qPrintable(operators.head()->status()));
        });
        QVERIFY(isSeen);
        QTRY_VERIFY(s.window.isSettled());
        QVERIFY(!s.state().trace()->isPartial());
        QCOMPARE(s.state().trace()->sliceCount(), static_cast<uint64_t>(kEvents));
        QVERIFY(s.state().visible() == s.state().fitRange());
        QVERIFY(!s.state().isGrowing());
        TablePane& operators = *s.window.workspace().table(Pane::Operators);
        QTRY_VERIFY(!operators.isBusy());
        QVERIFY2(operators.head()->status().contains(u"whole trace"_s), qPrintable(operators.head()->status()));
    }

    void whereSomebodyLooksIsKept()
    {
        Session s(settingsPath(), m_bytes);
        TimeRange view;
        TimeRange range;
        TimeRange mark;
        std::string name;
        s.open(m_path, [&] {
            ViewState& state = s.state();
            const TraceSnapshot& trace = *state.trace();
            state.goTo({50'000, 250'000});
            state.setRange(TimeRange{60'000, 90'000});
            state.markTime({70'000, 80'000}, true);
            Scope scope;
            scope.range = TimeRange{60'000, 90'000};
            state.setScope(scope);
            state.select({LaneId(0), 7});
            view = inFile(trace, state.visible());
            range = inFile(trace, *state.range());
            mark = inFile(trace, state.timeMarks().front().range);
            name = trace.text(trace.name(state.selection()));
        });
        QTRY_VERIFY(!s.state().trace()->isPartial());
        const TraceSnapshot& trace = *s.state().trace();
        QCOMPARE(trace.sliceCount(), static_cast<uint64_t>(kEvents));
        QVERIFY(inFile(trace, s.state().visible()) == view);
        QVERIFY(inFile(trace, *s.state().range()) == range);
        QVERIFY(inFile(trace, *s.state().scope().range) == range);
        QCOMPARE(s.state().timeMarks().size(), 1u);
        QVERIFY(inFile(trace, s.state().timeMarks().front().range) == mark);
        QVERIFY(s.state().selection().isValid());
        QCOMPARE(std::string(trace.text(trace.name(s.state().selection()))), name);
    }

    void whatIsThereStaysWhenSomebodyCancels()
    {
        Session s(settingsPath(), m_bytes);
        s.open(m_path, [&] { QTest::keyClick(&s.window, Qt::Key_Escape); });
        QVERIFY(s.state().trace()->isPartial());
        const uint64_t slices = s.state().trace()->sliceCount();
        QVERIFY(slices > 0 && slices < kEvents);
        QVERIFY(s.window.messageBar().isVisible());
        QVERIFY(s.window.messageBar().text().contains(u"cancelled"_s));
        QTest::qWait(50);
        QCOMPARE(s.state().trace()->sliceCount(), slices); // nothing comes any more
        QAbstractButton* readAll = nullptr;
        for (auto* button : s.window.messageBar().findChildren<QAbstractButton*>()) {
            if (button->accessibleName() == u"Read All"_s || button->text() == u"Read All"_s)
                readAll = button;
        }
        QVERIFY(readAll != nullptr);
        QTest::mouseClick(readAll, Qt::LeftButton);
        QTRY_VERIFY(!s.state().trace()->isPartial());
        QCOMPARE(s.state().trace()->sliceCount(), static_cast<uint64_t>(kEvents));
    }

    void aReloadKeepsTheWholeInViewUntilItIsThere()
    {
        Session s(settingsPath(), m_bytes);
        s.open(m_path, [] {});
        QTRY_VERIFY(!s.state().trace()->isPartial());
        const TracePtr before = s.state().trace();
        bool wasReplaced = false;
        QObject seen;
        connect(&s.window.session(), &LoadSession::partLoaded, &seen,
            [&] { wasReplaced = wasReplaced || s.state().trace() != before; });
        s.window.reload();
        QTRY_VERIFY(s.state().trace() != before);
        QVERIFY(!wasReplaced);
        QVERIFY(!s.state().trace()->isPartial());
    }

    void theViewOfAPartIsNotRemembered()
    {
        {
            Session s(settingsPath(), m_bytes);
            s.open(m_path, [] {});
            QTRY_VERIFY(s.window.isSettled());
            s.state().goTo({1'000'000, 2'000'000});
            s.window.close();
        }
        Session s(settingsPath(), m_bytes);
        s.open(m_path, [&] { QVERIFY(s.state().visible() == s.state().fitRange()); });
        QTRY_VERIFY(!s.state().trace()->isPartial());
        QVERIFY(s.state().visible() == (TimeRange{1'000'000, 2'000'000}));
    }
};

QTEST_MAIN(TestWindowParts)
#include "tst_window_parts.moc"
