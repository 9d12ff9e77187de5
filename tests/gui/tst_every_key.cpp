// Each key that there is does what the keys card says: those of the views with a time axis on a trace, those of the
// window in it. A command or an action that gets a key without standing here fails.

#include "command_palette.h"
#include "export_dialog.h"
#include "go_to_dialog.h"
#include "key_cap.h"
#include "keys_card.h"
#include "query/condition_text.h"
#include "timeline_fixture.h"
#include "window_actions.h"
#include "window_session.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QScrollBar>
#include <QSignalSpy>

#include <map>
#include <set>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

constexpr TimeRange kNear{200'000, 400'000};

/// As timelineTrace(), with Python frames that can be folded.
std::shared_ptr<const TraceSnapshot> keyTrace()
{
    TraceFixture f;
    constexpr int64_t us = 1000;
    const uint32_t main = f.lane("4711", "4711");
    const uint32_t autograd = f.lane("4711", "4790");
    const uint32_t stream = f.lane("0", "7");
    f.python(main, "train.py(10): step", 0, 900 * us);
    f.annotation(main, "forward", 10 * us, 500 * us);
    for (uint32_t i = 0; i < 2; ++i) {
        const int64_t at = i * 400 * us;
        f.op(main, "aten::mm", at + 20 * us, 100 * us, i + 1);
        f.call(main, "cudaLaunchKernel", at + 60 * us, 20 * us, i + 1, i + 1);
        f.kernel(stream, "gemm_kernel", at + 100 * us, 80 * us, i + 1, i + 1);
    }
    f.op(autograd, "MmBackward0", 600 * us, 200 * us, 9);
    return f.snapshot(1);
}

/// What a key is pressed upon, and whether it has done its work.
struct ViewKey {
    std::function<void(TimelineUnderTest&)> prepare;
    std::function<bool(TimelineUnderTest&)> isDone;
};

std::function<void(TimelineUnderTest&)> with(std::string_view name, int nth = 0)
{
    return [name, nth](TimelineUnderTest& t) { t.state.select(t.named(name, nth)); };
}

std::function<bool(TimelineUnderTest&)> selects(std::string_view name, int nth = 0)
{
    return [name, nth](TimelineUnderTest& t) { return t.state.selection() == t.named(name, nth); };
}

bool isFirstOfItsProcess(TimelineUnderTest& t, std::string_view name)
{
    const LaneId lane = t.named(name).lane;
    return t.view.laneState().orderOf(t.trace(), lod::groupIndex(t.trace(), lane)).front() == lane;
}

const std::map<ViewCommand, ViewKey>& viewKeys()
{
    using T = TimelineUnderTest;
    const auto nearby = [](T& t) { t.state.setVisible(kNear); };
    const auto height = [](T& t) { return t.view.laneState().heightOf(t.named("aten::mm").lane); };
    const auto pointsAt = [](lod::LaneItemKind kind) {
        return [kind](T& t) { return t.view.targetItem() && t.view.targetItem()->kind == kind; };
    };
    static const std::map<ViewCommand, ViewKey> keys{
        {ViewCommand::ZoomIn, {nearby, [](T& t) { return t.state.visible().spanNs() < kNear.spanNs(); }}},
        {ViewCommand::ZoomOut, {nearby, [](T& t) { return t.state.visible().spanNs() > kNear.spanNs(); }}},
        {ViewCommand::PanLeft, {nearby, [](T& t) { return t.state.visible().beginNs < kNear.beginNs; }}},
        {ViewCommand::PanRight, {nearby, [](T& t) { return t.state.visible().beginNs > kNear.beginNs; }}},
        {ViewCommand::Fit, {nearby, [](T& t) { return t.state.visible() == t.state.fitRange(); }}},
        {ViewCommand::NextOfLane, {with("gemm_kernel"), selects("gemm_kernel", 1)}},
        {ViewCommand::PreviousOfLane, {with("gemm_kernel", 1), selects("gemm_kernel")}},
        {ViewCommand::NextOfName, {with("aten::mm"), selects("aten::mm", 1)}},
        {ViewCommand::PreviousOfName, {with("aten::mm", 1), selects("aten::mm")}},
        {ViewCommand::FollowForth, {with("cudaLaunchKernel"), selects("gemm_kernel")}},
        {ViewCommand::FollowBack, {with("gemm_kernel", 1), selects("cudaLaunchKernel", 1)}},
        {ViewCommand::Parent, {with("cudaLaunchKernel"), selects("aten::mm")}},
        {ViewCommand::Child, {with("aten::mm"), selects("cudaLaunchKernel")}},
        {ViewCommand::AnnotationAsScope,
            {with("gemm_kernel"), [](T& t) { return t.state.scope().annotation == "forward"; }}},
        {ViewCommand::RangeOrScope,
            {with("aten::mm"),
                [](T& t) {
                    return t.state.range() == TimeRange{20'000, 120'000};
                }}},
        {ViewCommand::Mark,
            {with("aten::mm"),
                [](T& t) {
                    return t.state.timeMarks() == std::vector{TimeMark{{20'000, 120'000}, false}};
                }}},
        {ViewCommand::MarkAndKeep,
            {with("aten::mm"),
                [](T& t) {
                    return t.state.timeMarks() == std::vector{TimeMark{{20'000, 120'000}, true}};
                }}},
        {ViewCommand::AllArrows, {[](T&) {}, [](T& t) { return t.view.arrowMode() == ArrowMode::All; }}},
        {ViewCommand::NextLane, {[](T&) {}, pointsAt(lod::LaneItemKind::Group)}},
        {ViewCommand::PreviousLane,
            {[](T&) {},
                [](T& t) {
                    const lod::LaneItem* item = t.view.targetItem();
                    return item && item->isSame(t.view.layoutOfLanes().items().back());
                }}},
        {ViewCommand::PinLane,
            {with("gemm_kernel"), [](T& t) { return t.view.laneState().isPinned(t.named("gemm_kernel").lane); }}},
        {ViewCommand::FoldLane,
            {with("gemm_kernel"), [](T& t) { return t.view.laneState().isCollapsed(t.named("gemm_kernel").lane); }}},
        {ViewCommand::FoldFrames,
            {with("aten::mm"),
                [](T& t) { return t.view.laneState().framesOf(t.named("aten::mm").lane) == lod::Frames::Folded; }}},
        {ViewCommand::MoveLaneUp, {with("MmBackward0"), [](T& t) { return isFirstOfItsProcess(t, "MmBackward0"); }}},
        {ViewCommand::MoveLaneDown, {with("aten::mm"), [](T& t) { return isFirstOfItsProcess(t, "MmBackward0"); }}},
        {ViewCommand::TallerLane, {with("aten::mm"), [height](T& t) { return height(t) == 125; }}},
        {ViewCommand::LowerLane, {with("aten::mm"), [height](T& t) { return height(t) == 75; }}},
        {ViewCommand::UsualLaneHeight,
            {[](T& t) {
                 t.state.select(t.named("aten::mm"));
                 t.view.run(ViewCommand::TallerLane);
             },
                [height](T& t) { return height(t) == 100; }}},
        {ViewCommand::LaneAsScope,
            {with("gemm_kernel"),
                [](T& t) { return t.state.scope().filter == laneCondition(t.trace(), t.named("gemm_kernel").lane); }}},
        {ViewCommand::HideLane,
            {with("gemm_kernel"), [](T& t) { return t.view.laneState().isHidden(t.named("gemm_kernel").lane); }}},
        {ViewCommand::ShowAllLanes,
            {[](T& t) { t.view.hideLane(t.named("gemm_kernel").lane); },
                [](T& t) { return t.view.hiddenLanes() == 0; }}},
        {ViewCommand::FilterLanes, {[](T&) {}, [](T& t) { return t.view.findChild<QLineEdit*>()->isVisible(); }}},
    };
    return keys;
}

/// Prepares, and gives what says whether the key has done its work.
using WindowKey = std::function<std::function<bool()>(WindowSession&)>;

template <typename Widget> WindowKey opens()
{
    return [](WindowSession& s) {
        return [&s] {
            const auto* widget = s.window.findChild<Widget*>();
            return widget != nullptr && widget->isVisible();
        };
    };
}

WindowKey searches()
{
    return [](WindowSession& s) { return [&s] { return s.searchLine()->hasFocus(); }; };
}

WindowKey goesTo(Pane pane)
{
    return [pane](WindowSession& s) { return [&s, pane] { return s.window.workspace().focusedPane() == pane; }; };
}

WindowKey resizesText(int before, int after)
{
    return [before, after](WindowSession& s) {
        s.window.textSize().change(before);
        return [&s, after] { return s.window.textSize().percent() == after; };
    };
}

WindowKey walksHits(bool forward)
{
    return [forward](WindowSession& s) {
        s.searchLine()->setText(u"sgemm"_s);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        (void)QTest::qWaitFor([&s] { return s.state().hits() && !s.window.searchBox().isBusy(); });
        s.timeline().setFocus();
        const SliceRef last{s.state().trace()->laneOrder().back(), 3};
        s.state().select(forward ? SliceRef{last.lane, 0} : last);
        const SliceRef from = s.state().selection();
        return [&s, from, forward] {
            const SliceRef at = s.state().selection();
            return at.isValid() && s.selectedName() == "sgemm_128"
                && (forward ? at.index > from.index : at.index < from.index);
        };
    };
}

WindowKey walksSteps(int64_t from, int64_t to)
{
    return [from, to](WindowSession& s) {
        s.state().goTo({from * 1'000'000, from * 1'000'000 + 990'000});
        return [&s, to] {
            const TimeRange seen = s.state().visible();
            return seen.beginNs <= to * 1'000'000 && seen.endNs >= to * 1'000'000 + 990'000
                && seen.spanNs() < 2'000'000;
        };
    };
}

WindowKey walksViews(bool forward)
{
    return [forward](WindowSession& s) {
        s.state().goTo({0, 500'000});
        s.state().goTo({500'000, 900'000});
        if (forward)
            s.state().goBack();
        return [&s, forward] {
            return s.state().visible() == (forward ? TimeRange{500'000, 900'000} : TimeRange{0, 500'000});
        };
    };
}

/// By the key as people read it.
const std::map<QString, WindowKey>& windowKeys()
{
    static const std::map<QString, WindowKey> keys{{u"Ctrl+O"_s, opens<QFileDialog>()},
        {u"Ctrl+S"_s, opens<QFileDialog>()}, {u"Ctrl+Shift+S"_s, opens<QFileDialog>()},
        {u"Ctrl+E"_s, opens<ExportDialog>()}, {u"Ctrl+G"_s, opens<GoToDialog>()}, {u"?"_s, opens<KeysCard>()},
        {u"Ctrl+Shift+P"_s, opens<CommandPalette>()},
        {u"Ctrl+R"_s,
            [](WindowSession& s) { return [&s, before = s.state().trace()] { return s.state().trace() != before; }; }},
        {u"Ctrl+W"_s, [](WindowSession& s) { return [&s] { return !s.window.isTraceOpen(); }; }},
        {u"Ctrl+Q"_s, [](WindowSession& s) { return [&s] { return !s.window.isVisible(); }; }},
        {u"Esc"_s,
            [](WindowSession& s) {
                const QString big = s.folder.filePath(u"big.json"_s);
                auto cancelled = std::make_shared<QSignalSpy>(&s.window.session(), &LoadSession::cancelled);
                if (writeFile(big, smallTraceText(40'000)))
                    s.window.openFiles({big.toStdString()});
                return [cancelled] { return cancelled->size() == 1; };
            }},
        {u"Ctrl+Shift+C"_s,
            [](WindowSession&) {
                QApplication::clipboard()->clear();
                return [] { return !QApplication::clipboard()->image().isNull(); };
            }},
        {u"Ctrl+="_s, resizesText(0, 110)}, {u"Ctrl++"_s, resizesText(0, 110)}, {u"Ctrl+-"_s, resizesText(0, 90)},
        {u"Ctrl+0"_s, resizesText(1, 100)}, {u"Alt+1"_s, goesTo(Pane::Operators)}, {u"Alt+2"_s, goesTo(Pane::Kernels)},
        {u"Alt+3"_s, goesTo(Pane::Slices)}, {u"Alt+4"_s, goesTo(Pane::Steps)}, {u"Alt+5"_s, goesTo(Pane::Memory)},
        {u"Alt+6"_s, goesTo(Pane::Health)}, {u"Alt+7"_s, goesTo(Pane::Details)}, {u"Ctrl+F"_s, searches()},
        {u"/"_s, searches()}, {u"F3"_s, walksHits(true)}, {u"Shift+F3"_s, walksHits(false)}, {u"N"_s, walksSteps(1, 2)},
        {u"Shift+N"_s, walksSteps(2, 1)},
        {u"Ctrl+Shift+N"_s,
            [](WindowSession& s) {
                s.state().goTo({1'000'000, 1'990'000});
                return [&s] { return s.state().scope().step == 1; };
            }},
        {u"Alt+Left"_s, walksViews(false)}, {u"Alt+Right"_s, walksViews(true)},
        {u"F5"_s, [](WindowSession& s) { return [&s] { return !s.window.workspace().isVisible(); }; }}};
    return keys;
}

/// Those that need a program that is being recorded: tst_record_page.
const std::set<QString> kWhileRecording{u"Shift+F5"_s, u"F6"_s, u"End"_s};

} // namespace

class TestEveryKey : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCommandOfTheViewsStandsHere()
    {
        for (size_t i = 0; i < static_cast<size_t>(ViewCommand::Count); ++i) {
            const auto command = static_cast<ViewCommand>(i);
            QVERIFY2(viewKeys().contains(command), qPrintable(KeyMap::usual().text(command)));
            QVERIFY(!KeyMap::usualKeys(command).isEmpty());
        }
    }

    void keysOfTheViews_data()
    {
        QTest::addColumn<int>("command");
        QTest::addColumn<QKeySequence>("key");
        for (const auto& [command, wanted] : viewKeys()) {
            for (const QKeySequence& key : KeyMap::usualKeys(command))
                QTest::newRow(qPrintable(key.toString())) << static_cast<int>(command) << key;
        }
    }

    void keysOfTheViews()
    {
        QFETCH(int, command);
        QFETCH(QKeySequence, key);
        const ViewKey& wanted = viewKeys().at(static_cast<ViewCommand>(command));
        TimelineUnderTest t(keyTrace());
        wanted.prepare(t);
        QVERIFY(!wanted.isDone(t));
        QTest::keyClick(&t.view, key[0].key(), key[0].keyboardModifiers());
        QTRY_VERIFY(wanted.isDone(t));
    }

    void everyKeyOfTheWindowStandsHere()
    {
        WindowSession s;
        for (const QAction* action : s.window.actions()) {
            if (action->shortcutContext() == Qt::WidgetShortcut)
                continue;
            for (const QKeySequence& key : action->shortcuts()) {
                const QString text = key.toString();
                QVERIFY2(windowKeys().contains(text) || kWhileRecording.contains(text),
                    qPrintable(text + u": "_s + action->text()));
            }
        }
    }

    void theCardHasEveryKey()
    {
        WindowSession s;
        QTest::keyClick(&s.window, Qt::Key_Question);
        const auto* card = s.window.findChild<KeysCard*>();
        QVERIFY(card != nullptr);
        std::set<QString> shown;
        for (const auto* cap : card->findChildren<KeyCap*>())
            shown.insert(cap->accessibleName());
        for (const QAction* action : s.window.actions()) {
            const QString key = action->shortcut().toString(QKeySequence::NativeText);
            const bool isPane = key.startsWith(u"Alt+"_s) && key.back().isDigit(); // Alt+1 ... Alt+7
            QVERIFY2(key.isEmpty() || isPane || shown.contains(key), qPrintable(key + u": "_s + action->text()));
        }
    }

    void panesHandTheFocusOn()
    {
        WindowSession s;
        s.openSmall(4);
        for (const int pane : {0, 4, 5, 2, 6, 5, 3, 1}) {
            QTest::keyClick(&s.window, static_cast<Qt::Key>(Qt::Key_1 + pane), Qt::AltModifier);
            QTRY_VERIFY(s.window.isSettled());
            QTest::qWait(20);
            QCOMPARE(s.window.workspace().focusedPane(), std::optional(static_cast<Pane>(pane)));
        }
    }

    void keysOfTheWindow_data()
    {
        QTest::addColumn<QString>("key");
        for (const auto& [key, wanted] : windowKeys())
            QTest::newRow(qPrintable(key)) << key;
    }

    void keysOfTheWindow()
    {
        QFETCH(QString, key);
        WindowSession s;
        s.openSmall(4);
        s.window.activateWindow();
        s.timeline().setFocus();
        const std::function<bool()> isDone = windowKeys().at(key)(s);
        QVERIFY(!isDone());
        const QKeySequence keys(key);
        QTest::keyClick(&s.window, keys[0].key(), keys[0].keyboardModifiers());
        QTRY_VERIFY(isDone());
        for (QDialog* dialog : s.window.findChildren<QDialog*>())
            dialog->close();
    }
};

QTEST_MAIN(TestEveryKey)
#include "tst_every_key.moc"
