#include "details/details_pane.h"
#include "query/query.h"
#include "trace_fixture.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QtTest>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

/// Step 3 around a module that calls aten::linear, which calls aten::mm, which launches a kernel; a backward operator.
TracePtr makeTrace()
{
    TraceFixture f;
    const uint32_t main = f.lane("100", "100");
    const uint32_t autograd = f.lane("100", "200");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "ProfilerStep#3", 1000, 100'000);
    f.python(main, "train.py(10): main", 1500, 90'000);
    f.python(main, "nn.Module: Linear_0", 2000, 50'000);
    f.op(main, "aten::linear", 3000, 40'000, 1);
    f.op(main, "aten::mm", 4000, 30'500, 2)
        .args({{"Input Dims", "[[16384,768],[],[[4,4],[2]],[]]"},
            {"Input type", "[\"c10::BFloat16\",\"Scalar\",\"TensorList\",\"\"]"},
            {"Concrete Inputs", "[\"\",\"1.5\",\"\",\"\"]"}, {"Sequence number", "12"}});
    f.call(main, "cudaLaunchKernel", 10'000, 6'000, 77, 2);
    f.kernel(stream, "sgemm_128", 17'118, 20'000, 77, 2)
        .args({{"grid", "[8,16,12]"}, {"block", "[128,1,1]"}, {"registers per thread", "255"},
            {"shared memory", "49152"}, {"est. achieved occupancy %", "13"}, {"stream", "7"}});
    f.op(autograd, "MmBackward0", 60'000, 5'000, 3);
    f.arrow("fwdbwd", "1", main, 4000, autograd, 60'000);
    return f.snapshot();
}

TracePtr makeHostileTrace()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "<h1>x</h1>" + std::string(100'000, 'y'), 0, 100, 1)
        .args({{"<b>key</b>", "<img src=x>\n\x01" + std::string(60'000, 'z')}, {"Input Dims", "not json"},
            {"empty", ""}});
    f.op(main, "", 200, 100, 2);
    return f.snapshot();
}

class Bench {
public:
    explicit Bench(TracePtr trace = makeTrace())
        : pane(&state, &themes)
    {
        pane.resize(640, 600);
        pane.show();
        state.setTrace(std::move(trace));
    }

    void select(const char* name)
    {
        state.select(sliceNamed(*state.trace(), name));
        QTRY_VERIFY_WITH_TIMEOUT(!pane.isBusy(), 30'000);
    }

    [[nodiscard]] QString time(const QString& label) const
    {
        for (const DetailPair& pair : pane.facts()->time) {
            if (pair.label == label)
                return pair.value;
        }
        return {};
    }

    [[nodiscard]] const DetailLink* link(const QString& label) const
    {
        for (const DetailLink& each : pane.facts()->links) {
            if (each.label == label)
                return &each;
        }
        return nullptr;
    }

    [[nodiscard]] QString args(const QString& label) const
    {
        for (const DetailPair& pair : pane.args()->facts) {
            if (pair.label == label)
                return pair.value;
        }
        return {};
    }

    LinkLabel* linkLabel(const QString& text)
    {
        for (auto* label : pane.findChildren<LinkLabel*>()) {
            if (label->text() == text && label->isVisible())
                return label;
        }
        return nullptr;
    }

    ViewState state;
    ThemeHost themes;
    DetailsPane pane;
};

QString plain(QString text)
{
    return text.replace(QChar(0x00A0), u' ').replace(QChar(0x2009), u' ').replace(QChar(0x202F), u' ');
}

} // namespace

class TestDetailsPane : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin)"_s)); }

    void nothingSelectedSaysSo()
    {
        Bench bench;
        auto* empty = bench.pane.findChild<EmptyPane*>();
        QVERIFY(empty->isVisible());
        QCOMPARE(empty->text().title, u"Nothing is selected"_s);
        bench.select("aten::mm");
        QVERIFY(!empty->isVisible());
        bench.state.select({});
        QVERIFY(empty->isVisible());
    }

    void timesAreExact()
    {
        Bench bench;
        bench.select("aten::mm");
        QCOMPARE(plain(bench.time(u"Start"_s)), u"3.000 µs"_s); // from the first slice
        QCOMPARE(plain(bench.time(u"In step 3"_s)), u"+3.000 µs"_s);
        QCOMPARE(plain(bench.time(u"Duration"_s)), u"30.500 µs"_s);
        QCOMPARE(plain(bench.time(u"Self"_s)), u"24.500 µs · 80.3 %"_s); // without the launch call
        QCOMPARE(plain(bench.time(u"Device time"_s)), u"20.000 µs"_s);
        QCOMPARE(plain(bench.time(u"Launch delay"_s)), u"1.118 µs from call to start"_s);
    }

    void thePlaceNamesKindLaneStepAndModule()
    {
        Bench bench;
        bench.select("aten::mm");
        const QString place = bench.pane.facts()->place;
        QVERIFY2(place.startsWith(u"operator · "_s), qPrintable(place));
        QVERIFY2(place.contains(u"thread 100"_s), qPrintable(place));
        QVERIFY2(place.endsWith(u" · step 3 · nn.Module: Linear_0"_s), qPrintable(place));
    }

    void linksLeadBothWays()
    {
        Bench bench;
        const TraceSnapshot& trace = *bench.state.trace();
        bench.select("sgemm_128");
        QCOMPARE(bench.link(u"Launched by"_s)->target, sliceNamed(trace, "cudaLaunchKernel"));
        QVERIFY(bench.link(u"Launched by"_s)->command == std::optional(ViewCommand::FollowBack));
        QCOMPARE(bench.link(u"Operator"_s)->target, sliceNamed(trace, "aten::mm"));
        bench.select("cudaLaunchKernel");
        QCOMPARE(bench.link(u"Launches"_s)->target, sliceNamed(trace, "sgemm_128"));
        QVERIFY(bench.link(u"Launches"_s)->command == std::optional(ViewCommand::FollowForth));
        bench.select("aten::mm");
        QCOMPARE(bench.link(u"Launches"_s)->target, sliceNamed(trace, "sgemm_128"));
        QCOMPARE(bench.link(u"Backward"_s)->target, sliceNamed(trace, "MmBackward0"));
        QCOMPARE(plain(bench.link(u"Backward"_s)->note), u"+56.00 µs"_s);
        QCOMPARE(bench.link(u"Parent"_s)->target, sliceNamed(trace, "aten::linear"));
        QVERIFY(bench.link(u"Parent"_s)->command == std::optional(ViewCommand::Parent));
        QCOMPARE(bench.link(u"Child"_s)->target, sliceNamed(trace, "cudaLaunchKernel"));
        bench.select("MmBackward0");
        QCOMPARE(bench.link(u"Forward"_s)->target, sliceNamed(trace, "aten::mm"));
        QVERIFY(!bench.link(u"Parent"_s));
    }

    void theAnnotationAroundBecomesTheScope()
    {
        Bench bench;
        bench.select("sgemm_128");
        const DetailLink* link = bench.link(u"As scope"_s);
        QVERIFY(link != nullptr && link->command == std::optional(ViewCommand::AnnotationAsScope));
        LinkLabel* label = bench.linkLabel(u"inside ProfilerStep#3"_s);
        QVERIFY(label != nullptr);
        const SliceRef before = bench.state.selection();
        QTest::mouseClick(label, Qt::LeftButton, {}, {4, label->height() / 2});
        QCOMPARE(bench.state.scope().annotation, std::optional<std::string>("ProfilerStep#3"));
        QCOMPARE(bench.state.selection(), before);
        bench.select("MmBackward0"); // on a thread without one
        QVERIFY(bench.link(u"As scope"_s) == nullptr);
    }

    void aKernelLeadsUpToTheCodeThatAskedForIt()
    {
        TraceFixture f;
        const uint32_t main = f.lane("100", "100");
        const uint32_t autograd = f.lane("100", "200");
        const uint32_t stream = f.lane("0", "7");
        f.python(main, "train.py(10): main", 1500, 90'000);
        f.python(main, "nn.Module: Linear_0", 2000, 50'000);
        f.op(main, "aten::linear", 3000, 40'000, 1);
        f.python(autograd, "backward.py(3): run", 55'000, 30'000);
        f.op(autograd, "LinearBackward0", 60'000, 20'000, 2);
        f.op(autograd, "aten::mm", 61'000, 10'000, 3);
        f.call(autograd, "cudaLaunchKernel", 62'000, 6'000, 77, 3);
        f.kernel(stream, "sgemm_128", 70'000, 20'000, 77, 3);
        f.arrow("fwdbwd", "1", main, 3000, autograd, 60'000);
        Bench bench(f.snapshot());
        const TraceSnapshot& trace = *bench.state.trace();
        const auto leadsTo = [&](const QString& label, std::string_view name) {
            return bench.link(label) != nullptr && bench.link(label)->target == sliceNamed(trace, name);
        };
        bench.select("sgemm_128");
        QVERIFY(leadsTo(u"Launched by"_s, "cudaLaunchKernel"));
        QVERIFY(leadsTo(u"Operator"_s, "aten::mm"));
        QVERIFY(leadsTo(u"Python frame"_s, "backward.py(3): run"));
        QVERIFY(leadsTo(u"Forward"_s, "aten::linear"));
        bench.select("cudaLaunchKernel");
        QVERIFY(leadsTo(u"Operator"_s, "aten::mm"));
        QVERIFY(leadsTo(u"Forward"_s, "aten::linear"));
        bench.select("aten::linear");
        QVERIFY(leadsTo(u"Module"_s, "nn.Module: Linear_0"));
        QVERIFY(leadsTo(u"Python frame"_s, "train.py(10): main"));
        QVERIFY(leadsTo(u"Backward"_s, "LinearBackward0"));
    }

    void binsHoldEachDurationOnce_data()
    {
        QTest::addColumn<qint64>("least");
        QTest::addColumn<qint64>("most");
        QTest::newRow("one duration") << qint64{5} << qint64{5};
        QTest::newRow("nothing at all") << qint64{0} << qint64{0};
        QTest::newRow("fewer ns than bins") << qint64{10} << qint64{14};
        QTest::newRow("near each other") << qint64{1000} << qint64{9000};
        QTest::newRow("far apart") << qint64{3} << qint64{80'000'000'000};
        QTest::newRow("from 0 on") << qint64{0} << qint64{1'000'000};
        QTest::newRow("as long as can be") << qint64{1} << qint64{kMaxNs - 1};
    }
    void binsHoldEachDurationOnce()
    {
        QFETCH(const qint64, least);
        QFETCH(const qint64, most);
        const std::vector<DurationBin> bins = emptyBins(least, most, 24);
        QVERIFY(!bins.empty() && bins.size() <= 24);
        QCOMPARE(bins.front().beginNs, int64_t{least});
        QCOMPARE(bins.back().endNs, int64_t{most} + 1);
        for (size_t i = 0; i < bins.size(); ++i) {
            QVERIFY(bins[i].beginNs < bins[i].endNs);
            QVERIFY(i == 0 || bins[i].beginNs == bins[i - 1].endNs);
        }
    }

    void allOfTheNameAreSummedUp()
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        const std::vector<int64_t> durations{100, 110, 400, 100, 900, 395};
        int64_t at = 0;
        for (const int64_t ns : durations) {
            f.op(main, "aten::mm", at, ns);
            f.op(main, "aten::add", at + 1000, ns + 7);
            at += 3000;
        }
        Bench bench(f.snapshot());
        bench.select("aten::mm");
        const NameFigures& figures = *bench.pane.ofName();
        QCOMPARE(figures.count, uint64_t{6});
        QCOMPARE(figures.sumNs, int64_t{2005});
        QCOMPARE(figures.minNs, int64_t{100});
        QCOMPARE(figures.medianNs, int64_t{252}); // 252.5 to even
        QCOMPARE(figures.maxNs, int64_t{900});
        uint64_t inBins = 0;
        for (const DurationBin& bin : figures.bins) {
            const auto brute
                = std::ranges::count_if(durations, [&](int64_t ns) { return ns >= bin.beginNs && ns < bin.endNs; });
            QCOMPARE(bin.count, static_cast<uint64_t>(brute));
            inBins += bin.count;
        }
        QCOMPARE(inBins, uint64_t{6});
        QVERIFY(!figures.binOf(99) && !figures.binOf(901));
    }

    void aClickOnABinMarksItsSlices()
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        for (int i = 0; i < 10; ++i)
            f.op(main, "aten::mm", i * 1000, i < 7 ? 100 : 300);
        f.op(main, "aten::add", 20'000, 100);
        Bench bench(f.snapshot());
        bench.select("aten::mm");
        auto* histogram = bench.pane.findChild<DurationHistogram*>();
        QVERIFY(histogram->isVisible());
        const auto click = [&](int64_t ns) {
            QTest::mouseClick(
                histogram, Qt::LeftButton, {}, histogram->barRect(*bench.pane.ofName()->binOf(ns)).center());
            QTRY_VERIFY_WITH_TIMEOUT(!bench.pane.isBusy(), 30'000);
        };
        QSignalSpy listed(&bench.state, &ViewState::sliceListRequested);
        click(100);
        QVERIFY(bench.state.marks() != nullptr);
        QCOMPARE(bench.state.marks()->count(), uint64_t{7});
        // The list of slices is asked for the very same.
        const auto query = Query::parse(listed.back()[0].toString().toStdString());
        QVERIFY(query.has_value());
        const auto same = query->evaluate(*bench.state.trace());
        QVERIFY(same && same->count() == 7 && !same->contains(sliceNamed(*bench.state.trace(), "aten::add")));
        QVERIFY(!bench.state.marks()->contains(sliceNamed(*bench.state.trace(), "aten::add")));
        QCOMPARE(bench.pane.facts()->name, u"aten::mm"_s); // still about the selection
        click(300);
        QCOMPARE(bench.state.marks()->count(), uint64_t{3});
        click(300);
        QVERIFY(!bench.state.marks());
        QVERIFY(listed.back()[0].toString().isEmpty());
        click(200); // nobody lasts that long
        QVERIFY(!bench.state.marks());
        QTest::keyClick(histogram, Qt::Key_Left);
        QTest::keyClick(histogram, Qt::Key_Return);
        QTRY_VERIFY(bench.state.marks() != nullptr);
        bench.select("aten::add"); // another name lets go of them
        QVERIFY(!bench.state.marks());
        QVERIFY(!histogram->isVisible()); // alone of its name
    }

    void aStackIsCopiedLineByLine()
    {
        Bench bench;
        bench.select("aten::mm");
        for (auto* button : bench.pane.findChildren<PaneButton*>()) {
            if (button->accessibleName() == u"Copy the stack"_s)
                button->click();
        }
        QCOMPARE(QGuiApplication::clipboard()->text(), u"nn.Module: Linear_0\ntrain.py(10): main\n"_s);
    }

    void aClickOnALinkGoesThere()
    {
        Bench bench;
        bench.select("aten::mm");
        QSignalSpy revealed(&bench.state, &ViewState::revealRequested);
        QTest::mouseClick(bench.linkLabel(u"sgemm_128"_s), Qt::LeftButton);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(bench.state.selection(), sliceNamed(*bench.state.trace(), "sgemm_128"));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.pane.isBusy(), 30'000);
        LinkLabel* op = bench.linkLabel(u"aten::mm"_s);
        op->setFocus(Qt::TabFocusReason);
        QTest::keyClick(op, Qt::Key_Return);
        QCOMPARE(bench.state.selection(), sliceNamed(*bench.state.trace(), "aten::mm"));
    }

    void inputsAreReadable()
    {
        Bench bench;
        bench.select("aten::mm");
        QCOMPARE(bench.pane.args()->factsTitle, u"Inputs"_s);
        QCOMPARE(plain(bench.args(u"0"_s)), u"16384 × 768  bf16"_s);
        QCOMPARE(bench.args(u"1"_s), u"1.5  Scalar"_s);
        QCOMPARE(plain(bench.args(u"2"_s)), u"4 × 4, 2  TensorList"_s);
        QCOMPARE(bench.args(u"3"_s), QString(QChar(0x2013)));
    }

    void theLaunchIsReadable()
    {
        Bench bench;
        bench.select("sgemm_128");
        QCOMPARE(bench.pane.args()->factsTitle, u"Launch"_s);
        QCOMPARE(plain(bench.args(u"Grid"_s)), u"8 × 16 × 12"_s);
        QCOMPARE(bench.args(u"Registers"_s), u"255 a thread"_s);
        QCOMPARE(plain(bench.args(u"Shared memory"_s)), u"48.00 KiB a block"_s);
        QCOMPARE(plain(bench.args(u"Est. occupancy"_s)), u"13 %"_s);
    }

    void stacksComeFromPythonOrTheCallStack()
    {
        Bench bench;
        bench.select("aten::mm");
        QCOMPARE(bench.pane.facts()->stack, (QStringList{u"nn.Module: Linear_0"_s, u"train.py(10): main"_s}));
        bench.select("sgemm_128");
        QCOMPARE(bench.pane.facts()->stack.size(), 2); // of the operator that launched it
        const SliceArgs args = describeArgs({{"Call stack", "a.py(1): f;b.py(2): g"}}, SliceKind::CpuOp);
        QCOMPARE(args.callStack, (QStringList{u"a.py(1): f"_s, u"b.py(2): g"_s}));
    }

    void allArgumentsAreThereAsWritten()
    {
        Bench bench;
        bench.select("sgemm_128");
        QString shown;
        for (auto* grid : bench.pane.findChildren<TextGrid*>())
            shown += grid->toPlainText() + u'\n';
        for (const auto& [key, value] : bench.pane.args()->all) {
            const QString line = QString::fromStdString(key) + u'\t' + QString::fromStdString(value);
            QVERIFY2(shown.contains(line), qPrintable(line));
        }
    }

    void tabGoesThroughLinksInTheirPlace()
    {
        Bench bench;
        bench.select("aten::mm");
        bench.pane.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&bench.pane));
        bench.pane.findChild<TextGrid*>()->setFocus();
        QStringList order;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            order.append(QApplication::focusWidget()->accessibleName());
        }
        QCOMPARE(order,
            (QStringList{u"sgemm_128"_s, u"nn.Module: Linear_0"_s, u"train.py(10): main"_s, u"MmBackward0"_s,
                u"aten::linear"_s, u"cudaLaunchKernel"_s}));
    }

    void pageKeysScroll()
    {
        Bench bench;
        bench.select("sgemm_128");
        bench.pane.resize(300, 150);
        auto* bar = bench.pane.findChild<QScrollArea*>()->verticalScrollBar();
        QTest::keyClick(bench.pane.findChild<TextGrid*>(), Qt::Key_PageDown);
        QVERIFY(bar->value() > 0);
        QTest::keyClick(&bench.pane, Qt::Key_PageUp);
        QCOMPARE(bar->value(), 0);
    }

    void copyGivesNameAndTimes()
    {
        Bench bench;
        bench.select("aten::mm");
        QTest::keySequence(&bench.pane, QKeySequence::Copy);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"aten::mm\nstart\t3.000 us\nduration\t30.500 us\n"_s);
    }

    void severalSlicesAreSummedUp()
    {
        Bench bench;
        auto mask = std::make_shared<SliceMask>(*bench.state.trace());
        mask->insert(sliceNamed(*bench.state.trace(), "aten::mm"));
        mask->insert(sliceNamed(*bench.state.trace(), "MmBackward0"));
        bench.state.setMarks(mask);
        QTRY_VERIFY(bench.pane.marked());
        const MarkFacts& marked = *bench.pane.marked();
        QCOMPARE(marked.count, uint64_t{2});
        QCOMPARE(marked.sumNs, int64_t{35'500});
        QCOMPARE(marked.minNs, int64_t{5'000});
        QCOMPARE(marked.maxNs, int64_t{30'500});
        QCOMPARE(marked.longest, sliceNamed(*bench.state.trace(), "aten::mm"));
        bench.select("sgemm_128");
        QVERIFY(!bench.pane.marked());
        QVERIFY(bench.pane.facts());
    }

    void hostileTextsAreShownAsText()
    {
        Bench bench(makeHostileTrace());
        bench.state.select({LaneId(0), 0});
        QTRY_VERIFY_WITH_TIMEOUT(!bench.pane.isBusy(), 30'000);
        QString shown;
        for (auto* grid : bench.pane.findChildren<TextGrid*>())
            shown += grid->toPlainText() + u'\n';
        QVERIFY(shown.contains(u"<b>key</b>"_s));
        QVERIFY(shown.contains(u"<img src=x>␊␁zzz"_s));
        QVERIFY(shown.contains(u"more characters"_s));
        QVERIFY(shown.size() < 20'000);
        QVERIFY(bench.pane.grab().toImage().size() == bench.pane.size());
        bench.pane.copy();
        QVERIFY(QGuiApplication::clipboard()->text().size() > 100'000); // copied whole
        bench.state.select({LaneId(0), 1});
        QTRY_VERIFY_WITH_TIMEOUT(!bench.pane.isBusy(), 30'000);
        QCOMPARE(bench.pane.findChild<NameTitle*>()->text(), u"(no name)"_s);
    }

    void twoColumnsFrom480()
    {
        Bench bench;
        bench.select("sgemm_128");
        const auto titleX = [&](const QString& text) {
            for (auto* title : bench.pane.findChildren<SectionTitle*>()) {
                if (title->accessibleName() == text)
                    return title->x();
            }
            return -1;
        };
        QVERIFY(titleX(u"Launch"_s) > titleX(u"Time"_s));
        bench.pane.resize(400, 600);
        QCOMPARE(titleX(u"Launch"_s), titleX(u"Time"_s));
        for (const QSize size : {QSize(0, 0), QSize(30, 400), QSize(2000, 20)}) {
            bench.pane.resize(size);
            bench.pane.grab();
        }
    }

    void theThemeSwitchesLive()
    {
        Bench bench;
        bench.select("aten::mm");
        bench.themes.setMode(ThemeMode::Dark);
        const QImage image = bench.pane.grab().toImage();
        QCOMPARE(image.pixelColor(3, bench.pane.height() - 3), Theme::dark().panel);
        QCOMPARE(bench.pane.facts()->name, u"aten::mm"_s);
    }
};

QTEST_MAIN(TestDetailsPane)
#include "tst_details_pane.moc"
