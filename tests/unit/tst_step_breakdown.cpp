#include "analysis/interval_set.h"
#include "analysis/step_breakdown.h"
#include "trace_fixture.h"

#include <QTest>

#include <random>

using namespace torchline;

namespace {

/// Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CpuExec, Other.
std::vector<int64_t> costs(const StepRow& row)
{
    return {row.costNs.begin(), row.costNs.end()};
}

using Costs = std::vector<int64_t>;

} // namespace

class TestStepBreakdown : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hostTimeIsSplitByRank();
    void deviceComesBeforeTheHost();
    void stepLastsUntilItsWorkHasEnded();
    void workBeforeTheFirstStepDelaysIt();
    void collectivesAreKnownByOwnerAndByName();
    void mirroredStepsAndFramesAreNoHostWork();
    void oldPythonCategoryIsHostWork();
    void scopeOnlyPicksMarks();
    void filesHaveTheirOwnSteps();
    void processesOfOneFileHaveTheirOwnSteps();
    void withoutMarksThereAreNoRows();
    void setsAgreeWithCountingEachNanosecond();
};

void TestStepBreakdown::hostTimeIsSplitByRank()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t loader = f.lane("1", "2");
    f.annotation(main, "ProfilerStep#4", 0, 100);
    f.annotation(main, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 20);
    f.op(main, "a", 10, 20).call(main, "launch", 12, 6, 1);
    f.op(loader, "b", 25, 15).annotation(main, "nccl:all_reduce", 50, 10).op(main, "c", 55, 15);
    const auto trace = f.snapshot();
    const std::vector<StepRow> rows = stepBreakdown(*trace);
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(rows[0].name, std::string("ProfilerStep#4"));
    QCOMPARE(rows[0].mark.number, 4);
    // Runtime 12..18; data loader the rest of 0..20; CPU 20..40 and 60..70; collective 50..60.
    QCOMPARE(costs(rows[0]), (Costs{0, 0, 0, 10, 6, 14, 30, 40}));
}

void TestStepBreakdown::deviceComesBeforeTheHost()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    const uint32_t copies = f.lane("0", "8");
    f.annotation(main, "ProfilerStep#1", 0, 100, 1).op(main, "a", 0, 60, 2);
    f.call(main, "launch", 5, 5, 11, 2).call(main, "launch", 15, 5, 12, 2).call(main, "launch", 25, 5, 13, 2);
    f.kernel(stream, "k", 10, 30, 11, 2);
    f.work(copies, "gpu_memcpy", "copy", 30, 20, 12, 2).work(copies, "gpu_memset", "set", 45, 10, 13, 2);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    // Kernel 10..40, copy 40..50, set 50..55, calls 5..10, operator 0..5 and 55..60.
    QCOMPARE(costs(rows.at(0)), (Costs{30, 10, 5, 0, 5, 0, 10, 40}));
}

void TestStepBreakdown::stepLastsUntilItsWorkHasEnded()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "ProfilerStep#1", 0, 100).annotation(main, "ProfilerStep#2", 100, 100);
    f.call(main, "launch", 80, 10, 11).call(main, "launch", 150, 10, 12).call(main, "launch", 195, 10, 13);
    f.kernel(stream, "k", 90, 60, 11).kernel(stream, "k", 160, 20, 12).kernel(stream, "k", 210, 40, 13);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    QCOMPARE(rows.size(), 2u);
    // Step 1 is charged with 0..150: kernel 90..150, call 80..90. Step 2 with 150..200: kernel 160..180, calls 150..160
    // and 195..200; the call that ends after it does not make it longer.
    QCOMPARE(costs(rows[0]), (Costs{60, 0, 0, 0, 10, 0, 0, 80}));
    QCOMPARE(costs(rows[1]), (Costs{20, 0, 0, 0, 15, 0, 0, 15}));
    QCOMPARE(rows[0].mark.range.spanNs(), 100);
}

void TestStepBreakdown::workBeforeTheFirstStepDelaysIt()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(main, "launch", 0, 10, 10).annotation(main, "ProfilerStep#1", 20, 100).call(main, "launch", 50, 10, 11);
    f.kernel(stream, "early", 15, 30, 10).kernel(stream, "k", 60, 10, 11);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    QCOMPARE(costs(rows.at(0)), (Costs{10, 0, 0, 0, 10, 0, 0, 55}));
}

void TestStepBreakdown::collectivesAreKnownByOwnerAndByName()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "ProfilerStep#1", 0, 100).op(main, "gloo:broadcast", 0, 10, 2);
    f.call(main, "launch", 2, 2, 11, 2).call(main, "launch", 4, 2, 12).call(main, "launch", 6, 2, 13);
    f.kernel(stream, "copy_rows", 10, 5, 11, 2).kernel(stream, "ncclDevKernel_AllReduce", 20, 7, 12);
    f.kernel(stream, "RCCL_generic", 30, 11, 13).kernel(stream, "gemm", 50, 13, 0);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    // The collective's own operator counts too: 0..10.
    QCOMPARE(costs(rows.at(0)), (Costs{13, 0, 0, 33, 0, 0, 0, 54}));
}

void TestStepBreakdown::mirroredStepsAndFramesAreNoHostWork()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "ProfilerStep#1", 0, 100).python(main, "train.py(1): step", 0, 90);
    f.slice(stream, "gpu_user_annotation", "ProfilerStep#1", 10, 80);
    f.slice(stream, "gpu_user_annotation", "forward", 10, 70).slice(stream, "cuda_sync", "Stream Sync", 20, 9);
    f.slice(main, "overhead", "Activity Buffer Request", 30, 20);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(costs(rows[0]), (Costs{0, 0, 0, 0, 0, 0, 0, 100}));
}

void TestStepBreakdown::oldPythonCategoryIsHostWork()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.slice(main, "Operator", "ProfilerStep#1", 0, 100).slice(main, "Python", "forward", 10, 30);
    QCOMPARE(costs(stepBreakdown(*f.snapshot()).at(0)), (Costs{0, 0, 0, 0, 0, 0, 30, 70}));
}

void TestStepBreakdown::scopeOnlyPicksMarks()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.annotation(main, "ProfilerStep#1", 0, 100).op(main, "a", 10, 20).annotation(main, "ProfilerStep#2", 100, 50);
    f.op(main, "a", 110, 30);
    const auto trace = f.snapshot();
    SliceMask scope(*trace);
    scope.insert(sliceNamed(*trace, "ProfilerStep#2"));
    const std::vector<StepRow> rows = stepBreakdown(*trace, &scope);
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(rows[0].mark.number, 2);
    QCOMPARE(costs(rows[0]), (Costs{0, 0, 0, 0, 0, 0, 30, 20}));
}

void TestStepBreakdown::filesHaveTheirOwnSteps()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture first(pool);
    first.annotation(first.lane("1", "1"), "ProfilerStep#1", 0, 100).op(first.lane("1", "1"), "a", 10, 20);
    TraceFixture second(pool);
    second.annotation(second.lane("1", "1"), "ProfilerStep#1", 0, 60).op(second.lane("1", "1"), "a", 10, 45);
    const auto trace = TraceSnapshot::combine(pool, {first.store(), second.store()});
    const std::vector<StepRow> rows = stepBreakdown(*trace);
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(costs(rows[0]), (Costs{0, 0, 0, 0, 0, 0, 20, 80}));
    QCOMPARE(costs(rows[1]), (Costs{0, 0, 0, 0, 0, 0, 45, 15}));
}

void TestStepBreakdown::processesOfOneFileHaveTheirOwnSteps()
{
    TraceFixture f;
    const uint32_t first = f.lane("1", "1");
    const uint32_t second = f.lane("2", "2");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(first, "ProfilerStep#1", 0, 100).op(first, "a", 0, 30).call(first, "launch", 40, 10, 11);
    f.annotation(second, "ProfilerStep#1", 5, 100).op(second, "a", 5, 50);
    f.kernel(stream, "k", 60, 100, 11);
    const std::vector<StepRow> rows = stepBreakdown(*f.snapshot());
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(costs(rows[0]), (Costs{100, 0, 0, 0, 10, 0, 30, 20}));
    QCOMPARE(costs(rows[1]), (Costs{45, 0, 0, 0, 0, 0, 50, 5}));
}

void TestStepBreakdown::withoutMarksThereAreNoRows()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "a", 0, 100);
    QVERIFY(stepBreakdown(*f.snapshot()).empty());
}

void TestStepBreakdown::setsAgreeWithCountingEachNanosecond()
{
    constexpr int64_t kEndNs = 200;
    for (uint32_t seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
        std::array<IntervalSet, 2> sets;
        std::array<std::vector<bool>, 2> held{std::vector<bool>(kEndNs), std::vector<bool>(kEndNs)};
        for (size_t s = 0; s < 2; ++s) {
            for (int64_t i = below(12); i > 0; --i) {
                const int64_t beginNs = below(kEndNs);
                const int64_t endNs = std::min<int64_t>(kEndNs, beginNs + below(40));
                sets[s].add(beginNs, endNs);
                std::fill(held[s].begin() + beginNs, held[s].begin() + endNs, true);
            }
            sets[s].normalise();
        }
        const IntervalSet rest = sets[0].without(sets[1]);
        const Coverage coverage(rest);
        const int64_t beginNs = below(kEndNs);
        const TimeRange window{beginNs, beginNs + below(80)};
        int64_t wantedNs = 0;
        int64_t withinNs = 0;
        for (int64_t t = 0; t < kEndNs; ++t) {
            const bool isIn = held[0][static_cast<size_t>(t)] && !held[1][static_cast<size_t>(t)];
            wantedNs += isIn ? 1 : 0;
            withinNs += isIn && window.contains(t) ? 1 : 0;
        }
        QCOMPARE(rest.lengthNs(), wantedNs);
        QCOMPARE(coverage.withinNs(window), withinNs);
    }
}

QTEST_GUILESS_MAIN(TestStepBreakdown)
#include "tst_step_breakdown.moc"
