// How a trace is looked at comes back with it, and from a session file; what such a file says when it does not fit.

#include "message_bar.h"
#include "session_file.h"
#include "status_line.h"
#include "tool_strip.h"
#include "window_session.h"

#include "operators/table_pane.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

/// JSON with its quotes written as single ones.
QByteArray json(QByteArray text)
{
    return text.replace('\'', '"');
}

struct SessionTest : WindowSession {
    using WindowSession::WindowSession;

    [[nodiscard]] QString path(const QString& name) const { return folder.filePath(name); }
    [[nodiscard]] const lod::LaneState& lanes() { return timeline().laneState(); }
    [[nodiscard]] LaneId host() { return state().trace()->laneOrder().front(); }
    [[nodiscard]] LaneId last() { return state().trace()->laneOrder().back(); }
    [[nodiscard]] QString message() { return window.messageBar().isVisible() ? window.messageBar().text() : QString(); }
    /// Looks at the trace in a way of its own.
    void arrange()
    {
        timeline().togglePin(last());
        timeline().toggleLane(host());
        timeline().moveGroup(1, true);
        timeline().setNameFilter(u"*0*"_s);
        state().goTo({300'000, 900'000});
        state().setRange(TimeRange{400'000, 500'000});
        Scope scope;
        scope.range = TimeRange{0, 800'000};
        scope.annotation = "ProfilerStep#1";
        scope.filter = "cat:kernel";
        state().setScope(scope);
        state().select({host(), 1});
        state().markTime({100'000, 200'000}, true);
    }
    [[nodiscard]] bool isArranged()
    {
        return lanes().isPinned(last()) && lanes().isCollapsed(host())
            && lanes().groupsInOrder(*state().trace()) == std::vector<uint32_t>{1, 0, 2}
        && timeline().nameFilter() == u"*0*"_s && state().visible() == TimeRange{300'000, 900'000}
        && state().range() == TimeRange{400'000, 500'000} && state().scope().filter == "cat:kernel"
            && state().scope().annotation == "ProfilerStep#1" && state().scope().range == TimeRange{0, 800'000}
        && state().selection() == SliceRef{host(), 1}
        && state().timeMarks() == std::vector{TimeMark{{100'000, 200'000}, true}};
    }
    /// Ctrl+S, then the name in the dialog.
    void save(const QString& name)
    {
        QTest::keyClick(&timeline(), Qt::Key_S, Qt::ControlModifier);
        auto* dialog = window.findChild<QFileDialog*>();
        if (dialog == nullptr)
            return;
        Q_EMIT dialog->fileSelected(path(name));
        dialog->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        window.activateWindow();
        (void)QTest::qWaitForWindowActive(&window);
    }
    void openSession(const QString& name)
    {
        window.openFiles({path(name).toStdString()});
        QTRY_VERIFY(!window.session().isLoading() && window.isSettled());
    }
    void click(const QString& label)
    {
        for (QAbstractButton* button : window.messageBar().findChildren<QAbstractButton*>()) {
            if (button->isVisible() && (button->text() == label || button->accessibleName() == label)) {
                button->click();
                return;
            }
        }
    }
};

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTraceComesBackAsItWasLeft()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        s.window.closeTrace();
        QVERIFY(!s.window.isTraceOpen());
        s.open(s.path(u"run.json"_s));
        QVERIFY(s.isArranged());
        QVERIFY(s.message().isEmpty());
        // The step before that is the whole trace.
        s.state().goBack();
        QCOMPARE(s.state().visible(), s.state().fitRange());
    }

    void itIsKeptWithoutClosing()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        const QString other = s.path(u"other.json"_s);
        QVERIFY(writeFile(other, smallTraceText(3)));
        s.open(other);
        QVERIFY(!s.lanes().isCollapsed(s.host()));
        QVERIFY(s.timeline().nameFilter().isEmpty());
        QVERIFY(s.state().scope().isWhole());
        s.open(s.path(u"run.json"_s));
        QTRY_VERIFY(s.isArranged());
    }

    void filesInAnotherOrderAreTheSameTrace()
    {
        SessionTest s;
        const std::string a = s.path(u"a.json"_s).toStdString();
        const std::string b = s.path(u"b.json"_s).toStdString();
        QVERIFY(writeFile(s.path(u"a.json"_s), smallTraceText(3)));
        QVERIFY(writeFile(s.path(u"b.json"_s), smallTraceText(4)));
        const auto open = [&](const std::vector<std::string>& paths) {
            s.window.openFiles(paths);
            QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading() && s.window.isSettled());
        };
        const auto laneOf = [&](const std::string& path) {
            const TraceSnapshot& trace = *s.state().trace();
            const auto order = trace.laneOrder();
            return *std::ranges::find_if(
                order, [&](LaneId lane) { return trace.file(trace.lane(lane).fileIndex()).info.path == path; });
        };
        open({a, b});
        s.timeline().toggleLane(laneOf(b));
        s.timeline().togglePin(laneOf(a));
        s.state().select({laneOf(b), 1});
        const std::string selected = s.selectedName();
        s.window.closeTrace();
        open({b, a});
        QVERIFY(s.lanes().isCollapsed(laneOf(b)) && !s.lanes().isCollapsed(laneOf(a)));
        QCOMPARE(s.lanes().pinned, std::vector{laneOf(a)});
        QCOMPARE(s.state().selection().lane, laneOf(b));
        QCOMPARE(s.selectedName(), selected);
    }

    void aChangedTraceKeepsItsLanesAlone()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        s.window.closeTrace();
        QVERIFY(writeFile(s.path(u"run.json"_s), smallTraceText(6)));
        s.open(s.path(u"run.json"_s));
        QVERIFY(s.lanes().isPinned(s.last()));
        QVERIFY(!s.state().selection().isValid());
        QVERIFY(s.state().scope().isWhole());
        QCOMPARE(s.state().visible(), s.state().fitRange());
        QVERIFY2(s.message().contains(u"has changed since"_s), qPrintable(s.message()));
    }

    void aSessionIsSavedAndOpened()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        s.save(u"mine.torchline"_s);
        QVERIFY2(s.message().contains(u"mine.torchline"_s), qPrintable(s.message()));
        QVERIFY(QFile::exists(s.path(u"mine.torchline"_s)));
        // From now on Ctrl+S writes there without asking.
        s.timeline().hideLane(s.host());
        QTest::keyClick(&s.timeline(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(s.window.findChild<QFileDialog*>() == nullptr);
        s.timeline().showAllLanes();
        s.state().setScope({});
        s.state().select({});
        s.window.closeTrace();
        s.openSession(u"mine.torchline"_s);
        QVERIFY(s.window.isTraceOpen());
        QVERIFY(s.lanes().isHidden(s.host()));
        s.timeline().showAllLanes();
        QVERIFY(s.isArranged());
        QVERIFY(s.message().isEmpty());
        const auto read = SessionFile::read(s.path(u"mine.torchline"_s).toStdString());
        QVERIFY(read);
        QCOMPARE(read->traces.size(), size_t{1});
        QCOMPARE(read->traces[0].path, s.path(u"run.json"_s).toStdString());
        QCOMPARE(read->traces[0].sizeBytes, static_cast<uint64_t>(QFileInfo(s.path(u"run.json"_s)).size()));
    }

    void itSaysWhenTheTraceHasChanged()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        s.save(u"mine.torchline"_s);
        s.window.closeTrace();
        QVERIFY(writeFile(s.path(u"run.json"_s), smallTraceText(6)));
        s.openSession(u"mine.torchline"_s);
        QVERIFY(s.window.isTraceOpen());
        QVERIFY2(s.message().contains(u"Changed since the session was saved: run.json"_s), qPrintable(s.message()));
        QCOMPARE(s.window.messageBar().kind(), MessageBar::Kind::Warning);
        QVERIFY(s.lanes().isPinned(s.last()));
    }

    void itSaysWhenTheTraceIsMissing()
    {
        SessionTest s;
        s.openSmall(4);
        s.arrange();
        s.save(u"mine.torchline"_s);
        s.window.closeTrace();
        QVERIFY(QDir(s.folder.path()).mkdir(u"moved"_s));
        QVERIFY(QFile::rename(s.path(u"run.json"_s), s.path(u"moved/run.json"_s)));
        s.openSession(u"mine.torchline"_s);
        QVERIFY(!s.window.isTraceOpen());
        QVERIFY2(s.message().contains(u"is missing"_s) && s.message().contains(u"run.json"_s), qPrintable(s.message()));
        s.click(u"Locate…"_s);
        auto* dialog = s.window.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        Q_EMIT dialog->fileSelected(s.path(u"moved/run.json"_s));
        dialog->close();
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QVERIFY(s.isArranged());
        s.window.closeTrace();
        // Both moved together: found beside the session.
        QVERIFY(QFile::rename(s.path(u"mine.torchline"_s), s.path(u"moved/mine.torchline"_s)));
        s.openSession(u"moved/mine.torchline"_s);
        QVERIFY(s.window.isTraceOpen());
        QVERIFY(s.isArranged());
    }

    void filesThatAreNoSessionSaySo_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("newer") << json("{'torchline_session': 7, 'traces': 3}") << u"newer version"_s;
        QTest::newRow("cut") << json("{'torchline_session': 1, 'tra") << u"damaged at byte"_s;
        QTest::newRow("empty") << QByteArray() << u"damaged at byte"_s;
        QTest::newRow("other JSON") << json("{'traceEvents': []}") << u"no session of Torchline"_s;
        QTest::newRow("no list") << json("{'torchline_session': 1, 'traces': 3, 'view': {}}") << u"damaged"_s;
        QTest::newRow("no trace") << json("{'torchline_session': 1, 'traces': [], 'view': {}}") << u"no trace"_s;
        QTest::newRow("no size") << json("{'torchline_session': 1, 'traces': [{'path': '/x'}], 'view': {}}")
                                 << u"damaged"_s;
        QTest::newRow("text") << QByteArray("\x00\x01\xff not json") << u"damaged at byte"_s;
    }

    void filesThatAreNoSessionSaySo()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        SessionTest s;
        s.openSmall(4);
        QVERIFY(writeFile(s.path(u"bad.torchline"_s), text));
        s.window.openFiles({s.path(u"bad.torchline"_s).toStdString()});
        QCOMPARE(s.window.messageBar().kind(), MessageBar::Kind::Error);
        QVERIFY2(s.message().contains(says) && s.message().contains(u"bad.torchline"_s), qPrintable(s.message()));
        // What was open stays.
        QVERIFY(s.window.isTraceOpen());
    }

    void aViewOfTheWrongShapeIsLeftOut()
    {
        SessionTest s;
        s.openSmall(4);
        for (const QByteArray& view : {json("'none'"), json("{'lanes': 4}"), json("{'lanes': {'heights': 5}}"),
                 json("{'visible': ['a', 'b']}"), json("{'selection': {}}"), json("{'marks': [[1]]}"),
                 json("{'scope': {'step': 'x'}}"), json("{'scope': {'annotation': 5}}")}) {
            s.window.closeTrace();
            QVERIFY(writeFile(s.path(u"bad.torchline"_s),
                json("{'torchline_session': 1, 'traces': [{'path': '") + s.path(u"run.json"_s).toUtf8()
                    + json("', 'beside': 'run.json', 'size': 1}], 'view': ") + view + "}"));
            s.openSession(u"bad.torchline"_s);
            QVERIFY(s.window.isTraceOpen());
            QVERIFY2(s.message().contains(u"without its session"_s), qPrintable(s.message() + QString::fromUtf8(view)));
        }
    }

    void lanesThatAreGoneAreLeftOut()
    {
        SessionTest s;
        s.openSmall(4);
        QVERIFY(writeFile(s.path(u"old.torchline"_s),
            json("{'torchline_session': 1, 'traces': [{'path': '") + s.path(u"run.json"_s).toUtf8()
                + json("', 'beside': 'run.json', 'size': 1}], 'view': {'files': [['/elsewhere/run.json', '', '9']], "
                       "'lanes': {'pinned': [[0, '9', '9', false]], 'hidden': [[7, '1', '1', false]],")
                + json("'order': [[[0, '9', '9', false]]], 'folded_processes': [[0, 'x', false], [5, 'x', false]], "
                       "'memory_heights': [[[0, 99, 7], 200]]},")
                + json("'selection': {'lane': [0, '9', '9', false], 'start': 5, 'name': 'x'}}}")));
        s.openSession(u"old.torchline"_s);
        QVERIFY(s.window.isTraceOpen());
        QVERIFY(s.lanes().pinned.empty());
        QVERIFY(!s.state().selection().isValid());
    }

    void aSessionThatCannotBeLoadedTakesNothingOver()
    {
        SessionTest s;
        s.openSmall(4);
        s.save(u"mine.torchline"_s);
        QVERIFY(writeFile(s.path(u"broken.json"_s), "no trace"));
        const QByteArray other = json("{'torchline_session': 1, 'traces': [{'path': '")
            + s.path(u"broken.json"_s).toUtf8() + json("', 'beside': 'broken.json', 'size': 8}], 'view': {}}");
        QVERIFY(writeFile(s.path(u"other.torchline"_s), other));
        s.openSession(u"other.torchline"_s);
        QCOMPARE(s.window.messageBar().kind(), MessageBar::Kind::Error);
        QVERIFY(s.window.isTraceOpen());
        // Ctrl+S still means the session that is open.
        s.timeline().hideLane(s.host());
        QTest::keyClick(&s.timeline(), Qt::Key_S, Qt::ControlModifier);
        QFile untouched(s.path(u"other.torchline"_s));
        QVERIFY(untouched.open(QIODevice::ReadOnly));
        QCOMPARE(untouched.readAll(), other);
        const auto mine = SessionFile::read(s.path(u"mine.torchline"_s).toStdString());
        QVERIFY(mine && mine->view.at("lanes").contains("hidden"));
    }

    void severalFilesWithASessionAreRefused()
    {
        SessionTest s;
        s.openSmall(4);
        s.save(u"mine.torchline"_s);
        s.window.openFiles({s.path(u"run.json"_s).toStdString(), s.path(u"mine.torchline"_s).toStdString()});
        QVERIFY2(s.message().contains(u"opens by itself"_s), qPrintable(s.message()));
    }

    void theLastCharactersOfTheStatusLineStay_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {640, 800, 1280})
            QTest::addRow("%d", width) << width;
    }

    /// At 640 x 480 a table still shows rows, and the status line what is selected.
    void theLastCharactersOfTheStatusLineStay()
    {
        QFETCH(int, width);
        SessionTest s(QSize(width, 480));
        s.openSmall(4);
        QWidget& status = s.window.statusLine();
        for (QWidget* part : status.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (part->isVisible() && part->metaObject()->className() == QByteArray("torchline::LinkLabel"))
                QVERIFY(part->width() >= part->sizeHint().width());
        }
        const auto widgets = status.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        // Nothing lies beyond the edge.
        QCOMPARE(s.window.size(), QSize(width, 480));
        QCOMPARE(s.window.workspace().width(), width);
        for (const QWidget* part : s.window.toolStrip().findChildren<QWidget*>()) {
            if (part->isVisible())
                QVERIFY2(
                    part->mapTo(&s.window, QPoint(part->width(), 0)).x() <= width, part->metaObject()->className());
        }
        const QWidget* selection = *std::max_element(widgets.begin(), widgets.end(),
            [](const QWidget* a, const QWidget* b) { return a->geometry().right() < b->geometry().right(); });
        QVERIFY(selection->width() >= selection->sizeHint().width());
        const TablePane* table = s.window.workspace().table(Pane::Operators);
        const auto* rows = table->findChild<QAbstractItemView*>();
        QVERIFY(rows != nullptr);
        QVERIFY2(rows->viewport()->height() >= 40, qPrintable(QString::number(rows->viewport()->height())));
    }
};

QTEST_MAIN(TestSession)
#include "tst_session.moc"
