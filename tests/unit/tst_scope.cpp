#include "query/scope.h"
#include "trace_fixture.h"

#include <QtTest>

#include <algorithm>

using namespace torchline;

namespace {

QByteArray namesIn(const TraceSnapshot& trace, const SliceMask& mask)
{
    QByteArrayList names;
    for (uint32_t lane = 0; lane < trace.lanes().size(); ++lane) {
        for (uint32_t i = 0; i < trace.lanes()[lane].size(); ++i) {
            if (mask.contains({LaneId(lane), i}))
                names.append(QByteArray::fromStdString(nameOf(trace, {LaneId(lane), i})));
        }
    }
    std::ranges::sort(names);
    return names.join('|');
}

std::shared_ptr<const FileStore> stepFile(
    const std::shared_ptr<StringPool>& pool, std::optional<int64_t> rank, const std::string& suffix)
{
    TraceFixture f(pool);
    f.info.path = "file" + suffix;
    f.info.rank = rank;
    f.info.baseTimeNs = 1'700'000'000'000'000'000;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "ProfilerStep#1", 0, 100);
    f.op(host, "early" + suffix, 10, 20, 1);
    f.call(host, "launch" + suffix, 90, 5, 5);
    f.annotation(host, "ProfilerStep#2", 100, 100);
    f.op(host, "late" + suffix, 110, 20, 2);
    f.kernel(stream, "kernel" + suffix, 150, 20, 5);
    f.kernel(stream, "lonely" + suffix, 180, 10, 0);
    f.memory(15, 64, 1, 0, 64);
    f.memory(115, 64, 1, 0, 128);
    f.instant(120, "mark" + suffix).args({{"why", "test"}});
    f.async(AsyncPhase::Begin, "net", "fetch" + suffix, "9", 50).args({{"url", "x"}});
    f.async(AsyncPhase::End, "net", "fetch" + suffix, "9", 60);
    f.builder.beginCounter(f.name("1"), f.name("load" + suffix), {}, 130);
    f.builder.addCounterValue(f.name("v"), 1, f.name("1"));
    return f.store();
}

std::shared_ptr<const TraceSnapshot> twoRanks()
{
    const auto pool = std::make_shared<StringPool>();
    auto a = stepFile(pool, 0, "A");
    auto b = stepFile(pool, 1, "B");
    return TraceSnapshot::combine(pool, {a, b});
}

qsizetype setFlags(const std::vector<bool>& flags)
{
    return std::ranges::count(flags, true);
}

} // namespace

class TestScope : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesAreInByTheirOwnStart();
    void deviceWorkIsInWithItsLaunchCall();
    void stepsTakeWhatStartsInsideTheirMark();
    void annotationsTakeWhatStartsInsideAnyOfTheName();
    void filesAndRanksNarrow();
    void filterNarrowsBoth();
    void unknownNumbersAreWrongUsage_data();
    void unknownNumbersAreWrongUsage();
    void markersFollowTimeAndFilter();
};

void TestScope::slicesAreInByTheirOwnStart()
{
    const auto trace = twoRanks();
    Scope scope;
    scope.range = TimeRange{10, 100};
    const auto resolved = resolveScope(*trace, scope);
    QVERIFY(resolved);
    QCOMPARE(namesIn(*trace, resolved->slices), QByteArray("earlyA|earlyB|launchA|launchB"));
    scope.range = TimeRange{kMinNs, kMaxNs};
    QCOMPARE(resolveScope(*trace, scope)->slices.count(), trace->sliceCount());
}

void TestScope::deviceWorkIsInWithItsLaunchCall()
{
    const auto trace = twoRanks();
    Scope scope;
    scope.range = TimeRange{0, 100};
    QCOMPARE(namesIn(*trace, resolveScope(*trace, scope)->deviceWork), QByteArray("kernelA|kernelB"));
    scope.range = TimeRange{150, 200}; // the kernels start here, their launches do not
    QCOMPARE(namesIn(*trace, resolveScope(*trace, scope)->deviceWork), QByteArray("lonelyA|lonelyB"));
}

void TestScope::stepsTakeWhatStartsInsideTheirMark()
{
    const auto trace = twoRanks();
    Scope scope;
    scope.step = 1;
    scope.files = {1};
    const auto resolved = resolveScope(*trace, scope);
    QVERIFY(resolved);
    QCOMPARE(namesIn(*trace, resolved->slices), QByteArray("ProfilerStep#1|earlyB|launchB"));
    QCOMPARE(namesIn(*trace, resolved->deviceWork), QByteArray("kernelB"));
    scope.range = TimeRange{20, 95};
    QCOMPARE(namesIn(*trace, resolveScope(*trace, scope)->slices), QByteArray("launchB"));
}

/// "work" recurs on two threads, overlaps itself and is mirrored on the GPU; "empty" has no length.
std::shared_ptr<const FileStore> annotatedFile(const std::shared_ptr<StringPool>& pool, int64_t shiftNs)
{
    TraceFixture f(pool);
    f.info.path = "annotated";
    f.info.baseTimeNs = 1'700'000'000'000'000'000;
    const uint32_t main = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "work", shiftNs, 100);
    f.op(main, "in", shiftNs + 10, 20, 1);
    f.annotation(main, "work", shiftNs + 40, 20); // inside itself
    f.call(main, "launch", shiftNs + 90, 5, 5);
    f.op(main, "between", shiftNs + 120, 20, 2);
    f.annotation(other, "work", shiftNs + 200, 50);
    f.op(main, "other_thread", shiftNs + 240, 100, 3);
    f.op(main, "at_the_end", shiftNs + 250, 10, 4);
    f.annotation(main, "empty", shiftNs + 300, 0);
    f.kernel(stream, "kernel", shiftNs + 500, 20, 5);
    f.kernel(stream, "lonely", shiftNs + 245, 20, 0);
    f.slice(stream, "gpu_user_annotation", "work", shiftNs + 500, 100);
    f.slice(stream, "gpu_user_annotation", "mirrored", shiftNs + 700, 100);
    f.op(main, "work", shiftNs + 900, 50, 6); // an operator of that name is no annotation
    f.op(main, "in_operator", shiftNs + 910, 10, 7);
    return f.store();
}

void TestScope::annotationsTakeWhatStartsInsideAnyOfTheName()
{
    const auto pool = std::make_shared<StringPool>();
    const auto one = TraceSnapshot::combine(pool, {annotatedFile(pool, 0)});
    Scope scope;
    scope.annotation = "work";
    const auto resolved = resolveScope(*one, scope);
    QVERIFY(resolved);
    QCOMPARE(namesIn(*one, resolved->slices), QByteArray("in|launch|lonely|other_thread|work|work|work"));
    QCOMPARE(namesIn(*one, resolved->deviceWork), QByteArray("kernel|lonely"));
    QCOMPARE(resolved->ranges, (std::vector<std::vector<TimeRange>>{{{0, 100}, {200, 250}}}));
    scope.range = TimeRange{20, 220};
    QCOMPARE(resolveScope(*one, scope)->ranges, (std::vector<std::vector<TimeRange>>{{{20, 100}, {200, 220}}}));
    scope = {};
    scope.annotation = "empty";
    QCOMPARE(resolveScope(*one, scope)->slices.count(), uint64_t{0});

    // Each file by its own annotations.
    const auto two = TraceSnapshot::combine(pool, {annotatedFile(pool, 0), annotatedFile(pool, 100)});
    scope.annotation = "work";
    QCOMPARE(resolveScope(*two, scope)->ranges,
        (std::vector<std::vector<TimeRange>>{{{0, 100}, {200, 250}}, {{100, 200}, {300, 350}}}));
    scope.files = {1};
    QCOMPARE(resolveScope(*two, scope)->ranges, (std::vector<std::vector<TimeRange>>{{}, {{100, 200}, {300, 350}}}));

    const auto stepped = twoRanks();
    scope = {};
    scope.annotation = "ProfilerStep#2";
    Scope step;
    step.step = 2;
    QCOMPARE(namesIn(*stepped, resolveScope(*stepped, scope)->slices),
        namesIn(*stepped, resolveScope(*stepped, step)->slices));
    scope.step = 1; // no time is in both
    QCOMPARE(resolveScope(*stepped, scope)->slices.count(), uint64_t{0});
}

void TestScope::filesAndRanksNarrow()
{
    const auto trace = twoRanks();
    Scope scope;
    scope.ranks = {1};
    scope.filter = "name:early";
    QCOMPARE(namesIn(*trace, resolveScope(*trace, scope)->slices), QByteArray("earlyB"));
    scope.files = {0};
    QCOMPARE(resolveScope(*trace, scope)->slices.count(), uint64_t{0});
    scope.files = {0, 1};
    scope.ranks = {0, 1};
    QCOMPARE(namesIn(*trace, resolveScope(*trace, scope)->slices), QByteArray("earlyA|earlyB"));
}

void TestScope::filterNarrowsBoth()
{
    const auto trace = twoRanks();
    Scope scope;
    scope.filter = "kernelA or launchB";
    const auto resolved = resolveScope(*trace, scope);
    QVERIFY(resolved);
    QCOMPARE(namesIn(*trace, resolved->slices), QByteArray("kernelA|launchB"));
    QCOMPARE(namesIn(*trace, resolved->deviceWork), QByteArray("kernelA"));
}

void TestScope::unknownNumbersAreWrongUsage_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("file") << QByteArray("file") << QByteArray("there is no file 2 in the input (there are 0 to 1)");
    QTest::newRow("rank") << QByteArray("rank") << QByteArray("there is no rank 7 in the input (there are 0, 1)");
    QTest::newRow("step") << QByteArray("step") << QByteArray("there is no step 3 in the input (there are 1 to 2)");
    QTest::newRow("annotation") << QByteArray("annotation")
                                << QByteArray("there is no annotation 'earlyA' in the input");
    QTest::newRow("filter") << QByteArray("filter") << QByteArray("the filter is wrong at byte 5");
}

void TestScope::unknownNumbersAreWrongUsage()
{
    QFETCH(QByteArray, what);
    QFETCH(QByteArray, words);
    Scope scope;
    if (what == "file")
        scope.files = {2};
    else if (what == "rank")
        scope.ranks = {7};
    else if (what == "step")
        scope.step = 3;
    else if (what == "annotation")
        scope.annotation = "earlyA"; // an operator
    else
        scope.filter = "dur >";
    const auto trace = twoRanks();
    const auto resolved = resolveScope(*trace, scope);
    QVERIFY(!resolved);
    QCOMPARE(resolved.error().code(), ErrorCode::Usage);
    QVERIFY2(QByteArray::fromStdString(resolved.error().message()).contains(words), resolved.error().message().c_str());
}

void TestScope::markersFollowTimeAndFilter()
{
    const auto trace = twoRanks();
    const auto counts = [&](const Scope& scope, uint32_t file) {
        const auto resolved = resolveScope(*trace, scope);
        const auto markers = resolveMarkers(*trace, *resolved, file);
        return QList<qsizetype>{setFlags(markers->memory), setFlags(markers->instants), setFlags(markers->asyncSlices),
            setFlags(markers->counters)};
    };
    Scope scope;
    scope.range = TimeRange{0, 100};
    QCOMPARE(counts(scope, 0), (QList<qsizetype>{1, 0, 1, 1}));
    scope.range.reset();
    scope.files = {1};
    QCOMPARE(counts(scope, 0), (QList<qsizetype>{0, 0, 0, 0}));
    QCOMPARE(counts(scope, 1), (QList<qsizetype>{2, 1, 1, 1}));
    scope.filter = "mark or bytes = 64";
    QCOMPARE(counts(scope, 1), (QList<qsizetype>{2, 1, 0, 0}));
    scope.filter = "arg:why = test or arg:url = x";
    QCOMPARE(counts(scope, 1), (QList<qsizetype>{0, 1, 1, 0}));
    scope.filter = "load";
    QCOMPARE(counts(scope, 1), (QList<qsizetype>{0, 0, 0, 1}));
}

QTEST_GUILESS_MAIN(TestScope)
#include "tst_scope.moc"
