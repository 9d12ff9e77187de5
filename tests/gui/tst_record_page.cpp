// The record page used as a person uses it: the form, a program that runs, its output and end, the trace that grows.

#include "window_session.h"

#include "record/live_strip.h"
#include "record/output_pane.h"
#include "record/record_controller.h"
#include "record/record_form.h"
#include "record/record_notices.h"
#include "record/record_page.h"
#include "record/record_tabs.h"
#include "record/slow_step_bar.h"
#include "record/spool_recovery.h"
#include "record/terminal_text.h"

#include "capture/spool.h"
#include "import/load.h"
#include "operators/operator_pane.h"

#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>

using namespace torchline;
using namespace torchline::test;
using capture::Phase;

namespace {

constexpr int kLong = 60'000;

LaunchSetup shell(const char* script)
{
    LaunchSetup setup = LaunchSetup::ofCommand({"sh", "-c", script});
    setup.folder.clear();
    return setup;
}

/// Shows the page at both sizes of look.md; kept where TORCHLINE_PICTURES says.
void keepPictures(WindowSession& session, const QString& name)
{
    const QString folder = qEnvironmentVariable("TORCHLINE_PICTURES");
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        session.themes.setMode(mode);
        QApplication::setPalette(session.themes.theme().palette());
        for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
            session.window.resize(size);
            QCoreApplication::processEvents();
            const QPixmap picture = session.window.grab();
            QCOMPARE(picture.size(), size);
            if (!folder.isEmpty())
                QVERIFY(picture.save(folder + QLatin1Char('/') + name + QLatin1Char('-') + QString::number(size.width())
                    + (mode == ThemeMode::Dark ? QStringLiteral("-dark.png") : QStringLiteral("-light.png"))));
        }
    }
    session.themes.setMode(ThemeMode::Light);
}

} // namespace

class TestRecordPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
    }

    void terminalsAreRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const QByteArray& bytes, const char* text) {
            QTest::newRow(name) << bytes << QString::fromUtf8(text);
        };
        row("lines", "one\r\ntwo", "one\ntwo");
        row("progress bar", "10 %\r50 %\r100 %\r\n", "100 %\n");
        row("shorter over longer", "100 %\r7", "700 %");
        row("erased to the end", "100 %\r\x1b[K7", "7");
        row("backspace", "ab\bc", "ac");
        row("tab", "a\tb", "a       b");
        row("colours", "\x1b[1;31mred\x1b[0m", "red");
        row("title", "\x1b]0;title\atext", "text");
        row("title ended by ST", "\x1b]0;title\x1b\\text", "text");
        row("umlaut", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
        row("no UTF-8", "a\xff", "a\xef\xbf\xbd");
    }
    void terminalsAreRead()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        TerminalText whole;
        whole.add(bytes);
        QCOMPARE(whole.lines().join(QLatin1Char('\n')), text);
        TerminalText parts;
        for (const char byte : bytes)
            parts.add(QByteArray(1, byte));
        QCOMPARE(parts.lines(), whole.lines());
    }

    void terminalsForgetTheOldest()
    {
        TerminalText text;
        for (int i = 0; i < 30'000; ++i)
            text.add(QByteArray::number(i) + '\n');
        QVERIFY(text.lines().size() <= TerminalText::kMostLines * 5 / 4 + 1);
        QCOMPARE(text.lines().front(), QString::number(text.firstLine()));
        QCOMPARE(text.lines().at(text.lines().size() - 2), QStringLiteral("29999"));
        text.add(QByteArray(10'000, 'x'));
        QCOMPARE(text.lines().back().size(), TerminalText::kMostColumns);
    }

    void aLaunchIsRemembered()
    {
        LaunchSetup setup = LaunchSetup::ofCommand({"python3", "a b.py", "--quote=\"x\"", "", "back\\slash \\"});
        setup.when = LaunchSetup::When::Schedule;
        setup.repeat = 2;
        setup.shapes = false;
        setup.stacks = true;
        setup.environment = QStringLiteral("A=1 \"B=2 3\"");
        QVERIFY(LaunchSetup::fromJson(setup.toJson()) == setup);
        const capture::SessionOptions options = setup.options();
        QCOMPARE(
            options.program.arguments, (std::vector<std::string>{"a b.py", "--quote=\"x\"", "", "back\\slash \\"}));
        QCOMPARE(options.program.environment.at(1).second, std::string("2 3"));
        QCOMPARE(options.record.schedule.active, uint64_t{3});
        QVERIFY(!options.record.shapes && options.record.memory);
        QCOMPARE(options.record.stackFrames, capture::kDefaultStackFrames);
        LaunchSetup cheaper = setup;
        cheaper.stacks = false;
        QVERIFY(costText(setup) != costText(cheaper));
        QCOMPARE(LaunchSetup().options().record.stackFrames, 0u);

        const auto settings = Settings::forgetful();
        for (int i = 0; i < 14; ++i)
            rememberLaunch(*settings, LaunchSetup::ofCommand({"program" + std::to_string(i)}));
        rememberLaunch(*settings, LaunchSetup::ofCommand({"program9"}));
        const std::vector<LaunchSetup> recent = recentLaunches(*settings);
        QCOMPARE(recent.size(), size_t{10});
        QCOMPARE(recent.front().program, QStringLiteral("program9"));
        QCOMPARE(recent.at(1).program, QStringLiteral("program13"));
    }

    void theFormSaysWhatIsWrong()
    {
        WindowSession s;
        QTest::keyClick(&s.window, Qt::Key_F5);
        RecordForm* form = s.window.recorder().page()->form();
        QVERIFY(form->isVisible());
        QTest::keyClick(&s.window, Qt::Key_F5); // no program: nothing starts
        QVERIFY(s.window.recorder().recording() == nullptr);
        LaunchSetup setup;
        setup.program = QStringLiteral("no-such-program");
        form->setSetup(setup);
        keepPictures(s, QStringLiteral("form"));
        QTest::keyClick(&s.window, Qt::Key_F5);
        QVERIFY(form->fault().contains(QStringLiteral("there is no such program in PATH")));
        QCOMPARE(form->setup().program, setup.program);
        keepPictures(s, QStringLiteral("fault"));
    }

    void aProgramWithoutTorchIsShownToItsEnd()
    {
        WindowSession s;
        s.window.recorder().start(shell("echo hello; read line; echo got $line; exit 3"));
        Recording* recording = s.window.recorder().recording();
        QVERIFY2(recording != nullptr, qPrintable(s.window.recorder().page()->form()->fault()));
        OutputPane* output = s.window.recorder().page()->tabs()->output();
        QTRY_VERIFY(output->text().contains(QStringLiteral("hello")));
        auto* input = output->findChild<QLineEdit*>();
        QTest::keyClicks(input, QStringLiteral("hallo"));
        QTest::keyClick(input, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(recording->status().phase == Phase::Failed, kLong);
        QVERIFY(output->text().contains(QStringLiteral("got hallo")));
        QCOMPARE(s.window.recorder().page()->stateText(), QStringLiteral("Nothing recorded"));
        QVERIFY(QString::fromStdString(recording->status().fault).contains(QStringLiteral("exit 3")));
        keepPictures(s, QStringLiteral("failed"));
        QVERIFY(s.window.close());
    }

    void closingAsksWhatBecomesOfTheProgram()
    {
        WindowSession s;
        const QString mark = m_folder->filePath(QStringLiteral("mark"));
        s.window.recorder().start(shell(("sleep 1; echo x > " + mark.toStdString()).c_str()));
        QVERIFY(s.window.recorder().recording() != nullptr);
        QVERIFY(!s.window.close());
        auto* box = s.window.findChild<QMessageBox*>();
        QVERIFY(box != nullptr);
        box->button(QMessageBox::Cancel)->click();
        QVERIFY(s.window.isVisible());
        QTRY_VERIFY(s.window.findChild<QMessageBox*>() == nullptr);
        QVERIFY(!s.window.close());
        for (QAbstractButton* button : s.window.findChild<QMessageBox*>()->buttons()) {
            if (button->text() == QStringLiteral("Let It Run"))
                button->click();
        }
        QTRY_VERIFY_WITH_TIMEOUT(!s.window.isVisible(), kLong);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(mark), kLong);
    }

    void stepsBeforeTheRecordingAreTimed()
    {
        StepsBefore before;
        capture::SessionStatus status;
        const auto look = [&](Phase phase, uint64_t step, int64_t ms) {
            status.phase = phase;
            status.step = step;
            status.elapsedNs = ms * 1'000'000;
            before.take(status);
        };
        look(Phase::Connecting, 0, 900);
        look(Phase::Waiting, 0, 1000); // before its first step it does other things
        look(Phase::Waiting, 2, 1500);
        look(Phase::Waiting, 8, 1800);
        QCOMPARE(before.stepNs(), int64_t{0}); // six say nothing
        look(Phase::Waiting, 12, 2000);
        QCOMPARE(before.steps(), uint64_t{10});
        QCOMPARE(before.stepNs(), int64_t{50'000'000});
        look(Phase::Recording, 13, 3000);
        look(Phase::Recording, 20, 4000);
        look(Phase::Waiting, 21, 5000); // what was recorded in between does not count
        look(Phase::Waiting, 31, 5200);
        QCOMPARE(before.steps(), uint64_t{20});
        QCOMPARE(before.stepNs(), int64_t{35'000'000});
    }

    void errorsSayWhatIsWrong()
    {
        using Shape = NoticeList::Shape;
        capture::SessionStatus status;
        status.records = 1200;
        QCOMPARE(recordNotices(status).size(), size_t{1});
        QCOMPARE(recordNotices(status).front().shape, Shape::Ok);
        status.waitStatus = 0; // it ended well
        QCOMPARE(recordNotices(status).size(), size_t{1});
        status.dropped = 17;
        status.waitStatus = 11;
        status.exitText = "killed by SIGSEGV";
        status.running = {{4711, "main", {"forward", "aten::mm"}}};
        status.notes = {{"probe", "only names and times are read"}};
        const auto entries = recordNotices(status);
        QCOMPARE(entries.size(), size_t{4});
        QCOMPARE(entries[0].shape, Shape::Warning);
        QCOMPARE(entries[1].shape, Shape::Error);
        QCOMPARE(entries[1].title, QStringLiteral("The program ended: killed by SIGSEGV"));
        QVERIFY(entries[1].evidence.front().contains(QStringLiteral("aten::mm")));
        QCOMPARE(entries[2].count, QStringLiteral("17"));
        QCOMPARE(entries[3].title, QStringLiteral("only names and times are read"));
    }

    void slowStepsAreToldInWords()
    {
        ThemeHost themes;
        SlowStepBar bar(&themes);
        QVERIFY(bar.isHidden() && bar.text().isEmpty());
        SlowSteps steps;
        steps.count = 4;
        steps.longestNs = 118'000'000;
        steps.last = {LaneId(0), 7};
        steps.cause = "enumerate(DataLoader)#next";
        bar.setSteps(steps);
        QCOMPARE(bar.text().replace(QChar(0x00A0), QLatin1Char(' ')),
            QStringLiteral("4 slow steps in the last 30 s, the longest 118.0 ms; the loader was late in each."));
        steps.count = 1;
        steps.cause = "aten::mm";
        bar.setSteps(steps);
        QCOMPARE(bar.text().replace(QChar(0x00A0), QLatin1Char(' ')),
            QStringLiteral(
                "One slow step in the last 30 s: 118.0 ms; most of the time over the median was in aten::mm."));
        steps.cause.clear();
        bar.setSteps(steps);
        QVERIFY(bar.text().endsWith(QStringLiteral("118.0\u00A0ms.")));
        bar.setSteps({});
        QVERIFY(bar.isHidden());
    }

    void tipsNameTheKeysThatThereAre()
    {
        WindowSession s;
        const auto tipOf = [](const QWidget* parent, const QString& name) {
            for (const QAbstractButton* button : parent->findChildren<QAbstractButton*>()) {
                if (button->accessibleName() == name || button->text() == name)
                    return button->toolTip();
            }
            return QString();
        };
        const auto tips = [&] {
            const auto* strip = s.window.findChild<LiveStrip*>();
            const RecordPage* page = s.window.recorder().page();
            QStringList all;
            for (const char* name : {"Follow", "Pause", "Stop", "Save…"})
                all.append(tipOf(strip, QString::fromUtf8(name)));
            for (const char* name : {"Open Live View", "Pause", "Stop"})
                all.append(tipOf(page, QString::fromUtf8(name)));
            QStringList keys;
            for (const QString& tip : all)
                keys.append(tip.contains(QLatin1Char('(')) ? tip.section(QLatin1Char('('), -1).chopped(1) : QString());
            return keys.join(QLatin1Char('|'));
        };
        QCOMPARE(tips(), QStringLiteral("End||Shift+F5|Ctrl+S|F6||Shift+F5"));
        for (QAction* action : s.window.actions()) {
            if (action->shortcut() == QKeySequence(Qt::SHIFT | Qt::Key_F5))
                action->setShortcut(QKeySequence(Qt::Key_F9));
            else if (action->shortcut() == QKeySequence(Qt::Key_End))
                action->setShortcut({});
            else if (action->shortcut() == QKeySequence(Qt::Key_F6))
                action->setShortcut(QKeySequence(Qt::Key_F8));
        }
        QCOMPARE(tips(), QStringLiteral("||F9|Ctrl+S|F8||F9"));
    }

    void theTraceGrowsAndIsKept()
    {
        auto demo = demoLaunch();
        if (!demo)
            QSKIP("LibTorch is not there");
        demo->arguments = QStringLiteral("0");
        WindowSession s({1920, 1080});
        RecordController& recorder = s.window.recorder();
        recorder.start(*demo);
        Recording* recording = recorder.recording();
        QVERIFY2(recording != nullptr, qPrintable(recorder.page()->form()->fault()));
        QTRY_VERIFY_WITH_TIMEOUT(recording->data() != nullptr && recording->data()->steps.size() > 20, kLong);
        QCOMPARE(recording->status().phase, Phase::Recording);
        keepPictures(s, QStringLiteral("running"));
        s.window.resize(1920, 1080);

        // The tabs below the charts; what nobody looks at computes nothing.
        RecordTabs* tabs = recorder.page()->tabs();
        QVERIFY(tabs->hottest()->table() == nullptr);
        tabs->showTab(RecordTabs::Hottest);
        QTRY_VERIFY_WITH_TIMEOUT(tabs->hottest()->table() != nullptr && !tabs->hottest()->table()->rows.empty(), kLong);
        const Table& hottest = *tabs->hottest()->table();
        const auto selfNs = [&hottest](size_t row) {
            return std::get<TimeCell>(hottest.rows[row][*hottest.columnOf("self_cpu_us")]).ns;
        };
        QVERIFY(selfNs(0) > 0 && selfNs(0) >= selfNs(1));
        keepPictures(s, QStringLiteral("hottest"));
        tabs->showTab(RecordTabs::Errors);
        QCOMPARE(tabs->errors()->entries().front().shape, NoticeList::Shape::Ok);
        keepPictures(s, QStringLiteral("errors"));
        tabs->showTab(RecordTabs::Output);
        s.window.resize(1920, 1080);

        QVERIFY(!recorder.isInView());
        QTest::keyClick(&s.window, Qt::Key_F6);
        QVERIFY(recorder.isInView() && s.window.workspace().isVisible());
        QVERIFY(s.window.isTraceOpen());
        const uint64_t before = s.state().trace()->sliceCount();
        QTRY_VERIFY_WITH_TIMEOUT(s.state().trace()->sliceCount() > before, kLong);
        QVERIFY(recorder.isFollowing());
        QTRY_COMPARE(s.state().visible().endNs, s.state().trace()->span().endNs);
        QTRY_VERIFY_WITH_TIMEOUT(s.window.isSettled(), kLong);
        keepPictures(s, QStringLiteral("live"));
        const auto* strip = s.window.findChild<LiveStrip*>();
        QVERIFY(strip->isVisible());
        QVERIFY2(strip->text().startsWith(QStringLiteral("Recording 00:")), qPrintable(strip->text()));
        const auto button = [strip](const char* name) {
            const auto buttons = strip->findChildren<QAbstractButton*>();
            const auto found = std::ranges::find_if(buttons,
                [name](const QAbstractButton* each) { return each->accessibleName() == QString::fromUtf8(name); });
            return found == buttons.end() ? nullptr : *found;
        };
        QVERIFY(!button("Follow")->isVisible());

        // One pan leaves, the key resumes; the selection stays on its slice.
        QTest::keyClick(&s.timeline(), Qt::Key_Left);
        QTRY_VERIFY(!recorder.isFollowing());
        QVERIFY(button("Follow")->isVisible());
        button("Follow")->click();
        QVERIFY(recorder.isFollowing());
        QTest::keyClick(&s.timeline(), Qt::Key_Left);
        QTRY_VERIFY(!recorder.isFollowing());
        const SliceRef slice{LaneId(0), 0};
        s.state().select(slice);
        const std::string name = s.selectedName();
        const int64_t start = s.state().trace()->startNs(slice);
        const uint64_t then = s.state().trace()->sliceCount();
        QTRY_VERIFY_WITH_TIMEOUT(s.state().trace()->sliceCount() > then, kLong);
        QCOMPARE(s.selectedName(), name);
        QCOMPARE(s.state().trace()->startNs(s.state().selection()), start);
        QTest::keyClick(&s.window, Qt::Key_End);
        QVERIFY(recorder.isFollowing());

        QTest::keyClick(&s.window, Qt::Key_F5, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(recording->isComplete(), kLong);
        QVERIFY(recording->status().isProgramRunning()); // it goes on
        QVERIFY(recorder.hasUnsaved());
        QVERIFY(strip->text().startsWith(QStringLiteral("Recorded"))
            && strip->text().endsWith(QStringLiteral("not saved")));
        QVERIFY(button("Save…")->isVisible() && !button("Stop")->isVisible());
        QCOMPARE(recording->status().dropped, uint64_t{0});
        QTest::keyClick(&s.window, Qt::Key_F5);
        QVERIFY(!strip->isVisible());
        keepPictures(s, QStringLiteral("done"));

        // What a crash of the window would have left is the same recording.
        const auto spool = QDir(m_folder->filePath(QStringLiteral("torchline/spool"))).entryInfoList(QDir::Files);
        QCOMPARE(spool.size(), 1);
        const auto recovered = recoverSpool(spool.front().filePath().toStdString());
        QVERIFY2(recovered, recovered ? "" : recovered.error().message().c_str());
        QCOMPARE((*recovered)->sliceCount(), recording->data()->loaded->trace->sliceCount());

        recording->endProgram();
        QTRY_VERIFY_WITH_TIMEOUT(!recording->status().isProgramRunning(), kLong);
        QVERIFY(!s.window.close());
        for (QAbstractButton* choice : s.window.findChild<QMessageBox*>()->buttons()) {
            if (choice->text() == QStringLiteral("Discard"))
                choice->click();
        }
        QTRY_VERIFY(!s.window.isVisible());
        QVERIFY(QDir(m_folder->filePath(QStringLiteral("torchline/spool"))).entryList(QDir::Files).isEmpty());
    }

    void aRecordingIsSaved()
    {
        auto demo = demoLaunch();
        if (!demo)
            QSKIP("LibTorch is not there");
        demo->arguments = QStringLiteral("3");
        WindowSession s({1280, 720});
        RecordController& recorder = s.window.recorder();
        recorder.start(*demo);
        QTRY_VERIFY_WITH_TIMEOUT(recorder.recording()->isComplete(), kLong);
        const auto trace = recorder.recording()->data()->loaded->trace;
        recorder.showView();
        QVERIFY(s.window.findChild<LiveStrip*>()->isVisible());

        QTest::keyClick(&s.window, Qt::Key_S, Qt::ControlModifier);
        auto* dialog = s.window.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        const QString path = m_folder->filePath(QStringLiteral("kept.json.gz"));
        dialog->selectFile(path);
        static_cast<QDialog*>(dialog)->accept();
        QTRY_VERIFY_WITH_TIMEOUT(!recorder.hasUnsaved(), kLong);
        QVERIFY(!s.window.findChild<LiveStrip*>()->isVisible());
        QVERIFY(QDir(m_folder->filePath(QStringLiteral("torchline/spool"))).entryList(QDir::Files).isEmpty());

        const auto again = loadTraces({path.toStdString()});
        QVERIFY2(again, again ? "" : again.error().message().c_str());
        QCOMPARE((*again)->sliceCount(), trace->sliceCount());
        QCOMPARE((*again)->span().spanNs(), trace->span().spanNs());
        QVERIFY(s.window.close()); // nothing to ask
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(TestRecordPage)
#include "tst_record_page.moc"
