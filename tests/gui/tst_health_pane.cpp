#include "details/health_pane.h"
#include "trace_fixture.h"

#include "common/elided_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

class Bench {
public:
    explicit Bench(TracePtr trace)
        : pane(&state, &themes)
    {
        pane.resize(700, 300);
        pane.show();
        state.setTrace(std::move(trace));
        wait();
    }

    void wait() { QTRY_VERIFY_WITH_TIMEOUT(!pane.isBusy(), 30'000); }

    [[nodiscard]] QStringList titles() const
    {
        QStringList titles;
        for (auto* row : pane.findChildren<NoticeRow*>())
            titles.append(row->accessibleName());
        return titles;
    }

    ViewState state;
    ThemeHost themes;
    HealthPane pane;
};

TracePtr goodTrace()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::mm", 0, 100, 1);
    return f.snapshot();
}

TracePtr badTrace()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.op(lane, "aten::mm", 0, 100, 1);
    f.unfinished(lane, "cpu_op", "aten::open", 200);
    f.builder.addNotice("damaged-event", "Damaged events were skipped (invalid JSON): %n", 9000, "12 bytes",
        NoticeSeverity::Warning, 3);
    f.builder.addNotice("zero-bytes", "Zero bytes were skipped: %n", 1, {}, NoticeSeverity::Info, 500);
    f.builder.addNotice("broken", "Something failed: %n", 2, {}, NoticeSeverity::Error, 1);
    return f.snapshot();
}

} // namespace

class TestHealthPane : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin)"_s)); }

    void growthIsReadWhenThePaneIsInSight()
    {
        const auto pool = std::make_shared<StringPool>();
        const auto grownTo = [&pool](int slices) {
            TraceFixture f(pool);
            for (int i = 0; i < slices; ++i)
                f.op(f.lane("1", "1"), "aten::mm", 100 * i, 50, 1);
            if (slices > 1)
                f.builder.addNotice("broken", "Something failed: %n", 2, {}, NoticeSeverity::Error, 1);
            return f.snapshot();
        };
        Bench bench(grownTo(1));
        bench.state.setGrowing(true);
        bench.pane.hide();
        bench.state.setTrace(grownTo(2), true);
        QTest::qWait(100);
        QVERIFY(bench.pane.report() && bench.pane.report()->rows.empty());
        QCOMPARE(bench.pane.noticeCount(), 1);
        bench.pane.show();
        QTRY_VERIFY(bench.pane.report() && bench.pane.report()->rows.size() == 1);
        bench.state.setTrace(grownTo(3), true);
        QTRY_VERIFY(bench.pane.report() && bench.pane.report()->rows.size() == 1 && !bench.pane.isBusy());
    }

    void aGoodTraceSaysSoToo()
    {
        Bench bench(goodTrace());
        QCOMPARE(bench.titles(), QStringList{u"The file was read completely: 1 slice, 0 damaged records"_s});
        QVERIFY(bench.pane.report()->isComplete);
        QCOMPARE(bench.pane.noticeCount(), 0);
        QVERIFY(bench.pane.table()->rows.empty());
    }

    void lossesAreCountedWorstFirst()
    {
        Bench bench(badTrace());
        const HealthReport& report = *bench.pane.report();
        QVERIFY(!report.isComplete);
        QVERIFY(!report.isCutShort);
        QCOMPARE(report.summary, u"The file was read to its end: 2 slices, 3 damaged or skipped records"_s);
        QStringList codes;
        for (const auto& row : report.table.rows)
            codes.append(QString::fromStdString(std::get<std::string>(row[1])));
        QCOMPARE(codes, (QStringList{u"broken"_s, u"damaged-event"_s, u"unfinished"_s, u"zero-bytes"_s}));
        QCOMPARE(bench.pane.noticeCount(), 4);
        QVERIFY(bench.pane.worst() == NoticeSeverity::Error);
        QCOMPARE(bench.titles().size(), 5);
        QVERIFY(report.rows[1].places.contains(u"9\u2009000"_s));
        QVERIFY(report.rows[1].places.contains(u"12 bytes"_s));
    }

    void aFileThatIsStillReadIsNotCalledComplete()
    {
        TraceFixture f;
        f.info.partBytes = 1000;
        f.op(f.lane("1", "1"), "aten::mm", 0, 100, 1);
        Bench bench(f.snapshot());
        const HealthReport& report = *bench.pane.report();
        QVERIFY(!report.isComplete);
        QCOMPARE(report.summary, u"The file is not read to its end: 1 slice, 0 damaged or skipped records"_s);
        QVERIFY(report.table.readSoFar.find("1000 bytes") != std::string::npos);
    }

    void aCutFileIsNotCalledComplete()
    {
        TraceFixture f;
        f.op(f.lane("1", "1"), "aten::mm", 0, 100, 1);
        f.builder.addNotice("truncated-input", "The text is truncated", 50, {});
        Bench bench(f.snapshot());
        QVERIFY(bench.pane.report()->isCutShort);
        QVERIFY(bench.pane.report()->summary.startsWith(u"The file ends early"_s));
    }

    void aPlaceThatIsASliceCanBeVisited()
    {
        Bench bench(badTrace());
        const SliceRef open = sliceNamed(*bench.state.trace(), "aten::open");
        PaneButton* go = nullptr;
        for (auto* row : bench.pane.findChildren<NoticeRow*>()) {
            if (row->accessibleName() == u"Unfinished"_s)
                go = row->findChild<PaneButton*>();
            else
                QVERIFY(!row->findChild<PaneButton*>());
        }
        QVERIFY(go);
        QSignalSpy revealed(&bench.state, &ViewState::revealRequested);
        QTest::mouseClick(go, Qt::LeftButton);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(bench.state.selection(), open);
    }

    void theListIsCopiedAsTsv()
    {
        Bench bench(badTrace());
        QTest::keySequence(&bench.pane, QKeySequence::Copy);
        const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines[0], u"severity\tcode\ttext\tcount\toffset\tfile"_s);
        QVERIFY(lines[1].startsWith(u"error\tbroken\tSomething failed: 1\t1\t2\t"_s));
    }

    void severalFilesAreToldApart()
    {
        TraceFixture first;
        first.op(first.lane("1", "1"), "aten::mm", 0, 100, 1);
        first.info.path = "a.json";
        TraceFixture second(first.pool());
        second.unfinished(second.lane("1", "1"), "cpu_op", "aten::open", 0);
        second.info.path = "b.json";
        Bench bench(TraceSnapshot::combine(first.pool(), {first.store(), second.store()}));
        QCOMPARE(bench.pane.report()->summary, u"All files were read completely: 2 slices, 0 damaged records"_s);
        bool isNamed = false;
        for (const HealthRow& row : bench.pane.report()->rows)
            isNamed = isNamed || (row.title == u"Unfinished"_s && row.file == u"b.json"_s && row.target.isValid());
        QVERIFY(isNamed);
    }

    void noTraceSaysSo()
    {
        Bench bench(goodTrace());
        bench.state.setTrace(nullptr);
        QVERIFY(bench.pane.findChild<EmptyPane*>()->isVisible());
        QVERIFY(bench.pane.table() == nullptr);
        QTRY_COMPARE(bench.titles().size(), 0);
    }

    void anySizeAndThemeIsSurvived()
    {
        Bench bench(badTrace());
        bench.themes.setMode(ThemeMode::Dark);
        for (const QSize size : {QSize(0, 0), QSize(20, 300), QSize(2000, 10), QSize(700, 300)}) {
            bench.pane.resize(size);
            bench.pane.grab();
        }
        QCOMPARE(bench.pane.grab().toImage().pixelColor(2, 298), Theme::dark().panel);
    }
};

QTEST_MAIN(TestHealthPane)
#include "tst_health_pane.moc"
