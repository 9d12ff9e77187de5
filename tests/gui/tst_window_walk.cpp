// Going about in the window: marks that stay with their trace, going to a time or a step, hiding lanes, snapping
// ranges.

#include "go_to_dialog.h"
#include "window_session.h"

#include "details/duration_histogram.h"
#include "operators/table_pane.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int64_t kMs = 1'000'000;

SliceRef named(WindowSession& s, std::string_view name)
{
    const TraceSnapshot& trace = *s.state().trace();
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lane(LaneId(l)).size(); ++i) {
            if (trace.text(trace.lane(LaneId(l)).name(i)) == name)
                return {LaneId(l), i};
        }
    }
    return {};
}

/// Chooses an entry of the menu that a right click opens.
bool choose(WindowSession& s, QPoint at, const QString& entry)
{
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, s.timeline().viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(s.timeline().viewport(), &event);
    auto* menu = s.timeline().findChild<QMenu*>();
    if (menu == nullptr)
        return false;
    for (QAction* action : menu->actions()) {
        if (action->isEnabled() && action->text().remove(u'&').startsWith(entry)) {
            action->trigger();
            menu->close();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            return true;
        }
    }
    return false;
}

} // namespace

class TestWindowWalk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void marksAreSetKeptAndTakenAway()
    {
        WindowSession s;
        s.openSmall(4);
        s.state().select(named(s, "aten::mm"));
        QTest::keyClick(&s.timeline(), Qt::Key_M);
        QCOMPARE(s.state().timeMarks(), (std::vector{TimeMark{{10'000, 210'000}, false}}));
        // The next one takes its place, kept ones stay.
        s.state().select(named(s, "ProfilerStep#1"));
        QTest::keyClick(&s.timeline(), Qt::Key_M);
        QCOMPARE(s.state().timeMarks(), (std::vector{TimeMark{{kMs, kMs + 990'000}, false}}));
        QTest::keyClick(&s.timeline(), Qt::Key_M, Qt::ShiftModifier);
        s.state().select(named(s, "aten::mm"));
        QTest::keyClick(&s.timeline(), Qt::Key_M);
        QCOMPARE(s.state().timeMarks().size(), 2u);
        QTest::keyClick(&s.timeline(), Qt::Key_M);
        QCOMPARE(s.state().timeMarks(), (std::vector{TimeMark{{kMs, kMs + 990'000}, true}}));
        const QImage picture = s.timeline().viewport()->grab().toImage();
        const auto x = static_cast<int>(s.timeline().geometryOfView().pixelX(kMs));
        QCOMPARE(picture.pixelColor(x, 1), s.themes.theme().accent);
        s.state().select({});
        s.state().setRange(TimeRange{kMs, kMs + 990'000});
        QTest::keyClick(&s.timeline(), Qt::Key_M, Qt::ShiftModifier);
        QVERIFY(s.state().timeMarks().empty());
    }

    void keptMarksComeBackWithTheirTrace()
    {
        WindowSession s;
        s.openSmall(4);
        const QString first = s.folder.filePath(u"run.json"_s);
        const QString other = s.folder.filePath(u"other.json"_s);
        QVERIFY(writeFile(other, smallTraceText(3)));
        s.state().setRange(TimeRange{5, 500'000});
        QTest::keyClick(&s.timeline(), Qt::Key_M, Qt::ShiftModifier);
        const std::vector<TimeMark> marks = s.state().timeMarks();
        QCOMPARE(marks.size(), 1u);
        s.open(other);
        QTRY_COMPARE(s.state().trace()->sliceCount(), uint64_t{12});
        QVERIFY(s.state().timeMarks().empty());
        s.open(first);
        QTRY_COMPARE(s.state().timeMarks(), marks);
        s.window.closeTrace();
        s.open(other);
        QVERIFY(s.state().timeMarks().empty());
    }

    void aLineGoesToATimeOrAStep()
    {
        WindowSession s;
        s.openSmall(10);
        s.state().goTo({0, kMs});
        QTest::keyClick(&s.timeline(), Qt::Key_G, Qt::ControlModifier);
        auto* dialog = s.window.findChild<GoToDialog*>();
        QVERIFY(dialog != nullptr);
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"soon"_s);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(!dialog->problem().isEmpty());
        QVERIFY(dialog->isVisible());
        dialog->findChild<QLineEdit*>()->selectAll();
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"7.5ms"_s);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QCOMPARE(s.state().visible(), (TimeRange{7 * kMs, 8 * kMs}));
        QTRY_VERIFY(s.window.findChild<GoToDialog*>() == nullptr);
        // A time as the details show it.
        QVERIFY(goToText(s.state(), u' ' + formatExact(3 * kMs + 250'125)).isEmpty());
        QCOMPARE(s.state().visible(), (TimeRange{2'750'125, 3'750'125}));
        QVERIFY(goToText(s.state(), u"step 4"_s).isEmpty());
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#4"));
        QVERIFY(goToText(s.state(), u"#5"_s).isEmpty());
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#5"));
        QVERIFY(!goToText(s.state(), u"step 99"_s).isEmpty());
        QVERIFY(!goToText(s.state(), u"2h"_s).isEmpty());
        QVERIFY(!goToText(s.state(), u"5s"_s).isEmpty());
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#5"));
    }

    void lanesAreHiddenAndComeBack()
    {
        WindowSession s;
        s.openSmall(4);
        const LaneId host = named(s, "aten::mm").lane;
        const LaneId stream = named(s, "sgemm_128").lane;
        QVERIFY(choose(s, s.timeline().laneHeaderRect(host).center().toPoint(), u"Hide Lane"_s));
        QVERIFY(s.timeline().layoutOfLanes().itemOf(host) == nullptr);
        QVERIFY(s.timeline().layoutOfLanes().itemOf(stream) != nullptr);
        // What is looked for is shown again.
        s.state().reveal(named(s, "aten::mm"));
        QVERIFY(s.timeline().layoutOfLanes().itemOf(host) != nullptr);
        QVERIFY(choose(s, s.timeline().laneHeaderRect(host).center().toPoint(), u"Hide All Others"_s));
        QVERIFY(s.timeline().layoutOfLanes().itemOf(stream) == nullptr);
        QVERIFY(choose(s, s.timeline().laneHeaderRect(host).center().toPoint(), u"Show All Lanes (1 hidden)"_s));
        QVERIFY(s.timeline().layoutOfLanes().itemOf(stream) != nullptr);
    }

    void aLaneBecomesTheScope()
    {
        WindowSession s;
        s.openSmall(4);
        const LaneId stream = named(s, "sgemm_128").lane;
        QVERIFY(choose(s, s.timeline().laneHeaderRect(stream).center().toPoint(), u"Lane as Scope"_s));
        QVERIFY(!s.state().scope().filter.empty());
        const LaneId host = named(s, "aten::mm").lane;
        QVERIFY(choose(s, s.timeline().laneHeaderRect(host).center().toPoint(), u"Lane as Scope"_s));
        const auto scope = resolveScope(*s.state().trace(), s.state().scope());
        QVERIFY(scope);
        QCOMPARE(scope->slices.count(), uint64_t{s.state().trace()->lane(host).size()});
    }

    void aBinOfTheHistogramIsListed()
    {
        QByteArray events;
        for (int i = 0; i < 10; ++i)
            events += QByteArray(i == 0 ? "" : ",")
                + "{'ph':'X','cat':'cpu_op','name':'aten::mm(a, [0])','pid':1,'tid':1,'ts':"
                + QByteArray::number(100 * i) + ",'dur':" + (i < 7 ? "10" : "30") + "}";
        const QByteArray text = "{'schemaVersion':1,'traceEvents':[" + events + "]}";
        WindowSession s;
        const QString path = s.folder.filePath(u"run.json"_s);
        QVERIFY(writeFile(path, QByteArray(text).replace('\'', '"')));
        s.open(path);
        s.state().select({LaneId(0), 0});
        QTRY_VERIFY(s.window.isSettled());
        TablePane& slices = *s.window.workspace().table(Pane::Slices);
        auto* histogram = s.window.workspace().content(Pane::Details)->findChild<DurationHistogram*>();
        QTRY_VERIFY(histogram->isVisible());
        QVERIFY(!slices.isVisible());
        QTest::mouseClick(histogram, Qt::LeftButton, {}, histogram->barRect(0).center());
        QTRY_VERIFY(slices.isVisible() && !slices.isBusy() && slices.table());
        QCOMPARE(slices.table()->rows.size(), size_t{1});
        const size_t calls = *slices.table()->columnOf("calls");
        QCOMPARE(std::get<int64_t>(slices.table()->rows[0][calls]), int64_t{7});
        QCOMPARE(s.state().marks()->count(), uint64_t{7});
        QTest::mouseClick(histogram, Qt::LeftButton, {}, histogram->barRect(0).center());
        QTRY_VERIFY(slices.filter().isEmpty());
        QVERIFY(!s.state().marks());
        // What a person has typed since then is not taken back.
        QTest::mouseClick(histogram, Qt::LeftButton, {}, histogram->barRect(0).center());
        slices.setFilter(u"dur > 5us"_s);
        QTest::mouseClick(histogram, Qt::LeftButton, {}, histogram->barRect(0).center());
        QCOMPARE(slices.filter(), u"dur > 5us"_s);
    }

    void aRangeSnapsToTheSlicesUnderThePointer()
    {
        WindowSession s;
        s.openSmall(2);
        const SliceRef slice = named(s, "aten::mm");
        const QRectF rect = s.timeline().sliceRect(slice);
        const auto y = static_cast<int>(rect.center().y());
        s.drag(
            *s.timeline().viewport(), {static_cast<int>(rect.left()) - 3, y}, {static_cast<int>(rect.right()) + 3, y});
        QCOMPARE(s.state().range(), std::optional(TimeRange{10'000, 210'000}));
        // Away from any edge the range is where the pointer is.
        const auto inside = static_cast<int>(rect.center().x());
        s.drag(*s.timeline().viewport(), {inside, y}, {inside + 12, y});
        QCOMPARE(s.state().range()->beginNs, s.timeline().geometryOfView().timeAt(inside));
    }

    void anEdgeOfTheRangeIsDraggedToASlice()
    {
        WindowSession s;
        s.openSmall(2);
        TimelineView& view = s.timeline();
        const QRectF rect = view.sliceRect(named(s, "sgemm_128"));
        const auto y = static_cast<int>(rect.center().y());
        s.state().setRange(TimeRange{20'000, 700'000});
        const auto edgeX = [&](int64_t ns) { return qRound(view.geometryOfView().pixelX(ns)); };
        s.moveTo(*view.viewport(), {edgeX(700'000) + 2, 12});
        QCOMPARE(view.viewport()->cursor().shape(), Qt::SplitHCursor);
        // Grabbed at the ruler, let go of over a lane, near the end of its slice.
        s.drag(*view.viewport(), {edgeX(700'000) + 2, 12}, {qRound(rect.right()) + 3, y});
        QCOMPARE(s.state().range(), std::optional(TimeRange{20'000, 400'000}));
        s.drag(*view.viewport(), {edgeX(20'000) - 2, 12}, {qRound(rect.left()) - 3, y});
        QCOMPARE(s.state().range(), std::optional(TimeRange{100'000, 400'000}));
        // Past the other edge the two change places.
        s.drag(*view.viewport(), {edgeX(100'000), 12}, {edgeX(600'000), 12});
        QCOMPARE(s.state().range()->beginNs, int64_t{400'000});
        QVERIFY(std::abs(s.state().range()->endNs - 600'000) <= view.geometryOfView().scale.nsOfPixels(1) + 1);
    }
};

QTEST_MAIN(TestWindowWalk)
#include "tst_window_walk.moc"
