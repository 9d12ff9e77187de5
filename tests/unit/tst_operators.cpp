#include "analysis/operators.h"
#include "trace_fixture.h"

#include <QTest>

#include <algorithm>

using namespace torchline;

namespace {

using Keys = std::vector<GroupKey>;

OperatorTable tableOf(const TraceSnapshot& trace, OperatorTotals totals = OperatorTotals::Torch,
    const Keys& groupBy = {}, const SliceMask* scope = nullptr)
{
    OperatorOptions options;
    options.totals = totals;
    options.groupBy = groupBy;
    Result<OperatorTable> table = operatorTable(trace, options, scope);
    return table ? std::move(*table) : OperatorTable();
}

/// The row with this name and these keys; an empty row with -1 calls if there is none or more than one.
OperatorRow rowOf(const OperatorTable& table, std::string_view name, const std::vector<std::string>& keys = {})
{
    OperatorRow found;
    found.calls = -1;
    for (const OperatorRow& row : table.rows) {
        if (row.name != name || (!keys.empty() && row.keys != keys))
            continue;
        if (found.calls != -1)
            return OperatorRow();
        found = row;
    }
    return found;
}

/// calls, self CPU, CPU total, self CUDA, CUDA total.
std::vector<int64_t> figures(const OperatorRow& row)
{
    return {row.calls, row.selfCpuNs, row.cpuTotalNs, row.selfCudaNs, row.cudaTotalNs};
}

std::vector<std::string> names(const OperatorTable& table)
{
    std::vector<std::string> all;
    for (const OperatorRow& row : table.rows)
        all.push_back(row.name);
    return all;
}

SliceMask maskOf(const TraceSnapshot& trace, std::initializer_list<SliceRef> slices)
{
    SliceMask mask(trace);
    for (const SliceRef slice : slices)
        mask.insert(slice);
    return mask;
}

/// Every slice that a table counted is found again in its row, and the other way round.
bool rowsAndSlicesAgree(const TraceSnapshot& trace, const OperatorTable& table)
{
    std::vector<SliceMask> masks;
    for (size_t r = 0; r < table.rows.size(); ++r) {
        Result<SliceMask> mask = slicesOfOperatorRow(trace, table, r);
        if (!mask)
            return false;
        const bool hasSlices = table.rows[r].first.isValid(); // [memory] records are no slices
        if (hasSlices ? static_cast<int64_t>(mask->count()) < table.rows[r].calls : mask->count() != 0)
            return false;
        if (hasSlices && !mask->contains(table.rows[r].first))
            return false;
        masks.push_back(std::move(*mask));
    }
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
            const SliceRef slice{LaneId(l), i};
            const std::optional<size_t> row = operatorRowOfSlice(trace, table, slice);
            for (size_t r = 0; r < masks.size(); ++r) {
                if (masks[r].contains(slice) != (row == r))
                    return false;
            }
        }
    }
    return true;
}

} // namespace

class TestOperators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void selfTimeLeavesOutChildren();
    void pythonFramesTakeNoPart();
    void crossingSlicesAreNeighbours();
    void linkedCallsAreChildren();
    void callWithItsOwnCorrelationIsLinkedOnlyInsideTheOperator();
    void linkedCallOfAnotherLaneMovesToTheOperator();
    void deviceWorkGoesToOwnerAndAround();
    void onlyChildOfTheSameNameIsFolded();
    void chainOfTheSameNameIsFoldedOnce();
    void siblingsOfTheSameNameStay();
    void hiddenNamesAreLeftOutAndStepsShareARow();
    void deviceAnnotationsHaveRowsButNoWork();
    void memoryBelongsToAllOperatorsThatRun();
    void memoryOfFoldedSlicesIsSelfMemory();
    void memoryOutsideOperatorsHasItsOwnRow();
    void withoutMemoryRecordsMemoryIsNotKnown();
    void flopsFollowFromShapes();
    void flopsAreNotKnownWithoutShapes();
    void shapesAreAsWrittenAndEmptyOnesAlike();
    void backwardOperatorsShowTheForwardStack();
    void forwardThreadIsFoundByArrows();
    void stackDepthLimitsTheFrames();
    void lanesAndFilesCanBeKeys();
    void scopeCountsWholeSlices();
    void onceCountsRecursionOnce();
    void onceLetsOutermostMeanAmongWhatIsIn();
    void onceNeverGoesBelowZero();
    void foldedSlicesBelongToTheirRow();
    void deepNestingNeedsNoDeepStack();
    void rowsComeInOrderOfTime();
    void cancelledComputationIsAnError();
    void readingArgsCanBeCancelled();
    void unreadableArgsFailOnlyTablesThatNeedThem();
    void emptyTraceHasNoRows();
};

void TestOperators::selfTimeLeavesOutChildren()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "a", 0, 100).op(main, "b", 10, 40).op(main, "c", 20, 10).op(main, "b", 60, 5);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(figures(rowOf(table, "a")), (std::vector<int64_t>{1, 55, 100, 0, 0}));
    QCOMPARE(figures(rowOf(table, "b")), (std::vector<int64_t>{2, 35, 45, 0, 0}));
    QCOMPARE(figures(rowOf(table, "c")), (std::vector<int64_t>{1, 10, 10, 0, 0}));
    QCOMPARE(table.selfCpuTotalNs, 100);
    QCOMPARE(table.selfCudaTotalNs, 0);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
}

void TestOperators::pythonFramesTakeNoPart()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "a", 0, 100).python(main, "frame", 5, 90).op(main, "b", 10, 40);
    const auto trace = f.snapshot();
    for (const OperatorTotals totals : {OperatorTotals::Torch, OperatorTotals::Once}) {
        const OperatorTable table = tableOf(*trace, totals);
        QCOMPARE(names(table), (std::vector<std::string>{"a", "b"}));
        QCOMPARE(rowOf(table, "a").selfCpuNs, 60);
    }
}

void TestOperators::crossingSlicesAreNeighbours()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    // b outlives a: it closes it, so that c lies in b alone.
    f.op(main, "a", 0, 50).op(main, "b", 20, 60).op(main, "c", 30, 10).op(main, "d", 45, 10);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "a").selfCpuNs, 50);
    QCOMPARE(rowOf(table, "b").selfCpuNs, 40);
}

void TestOperators::linkedCallsAreChildren()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "a", 0, 100, 7);
    f.call(main, "linked", 10, 5, 1, 7);
    f.call(main, "unlinked", 20, 6, 2);
    f.call(main, "nowhere", 30, 7, 3, 99);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(figures(rowOf(table, "a")), (std::vector<int64_t>{1, 95, 100, 0, 0}));
    QCOMPARE(figures(rowOf(table, "linked")), (std::vector<int64_t>{1, 5, 5, 0, 0}));
    QCOMPARE(figures(rowOf(table, "unlinked")), (std::vector<int64_t>{1, 6, 6, 0, 0}));
    QCOMPARE(rowOf(table, "nowhere").kind, RowKind::Runtime);
    QCOMPARE(rowOf(tableOf(*trace, OperatorTotals::Once), "a").selfCpuNs, 82);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
}

void TestOperators::callWithItsOwnCorrelationIsLinkedOnlyInsideTheOperator()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    f.op(main, "inside", 0, 100, 7).call(main, "call", 10, 5, 7, 7);
    f.op(other, "far", 0, 100, 8).call(main, "stray", 50, 9, 8, 8);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "inside").selfCpuNs, 95);
    QCOMPARE(rowOf(table, "far").selfCpuNs, 100);
    QCOMPARE(rowOf(table, "stray").selfCpuNs, 9);
}

void TestOperators::linkedCallOfAnotherLaneMovesToTheOperator()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t calls = f.lane("1", "calls");
    f.op(main, "first", 0, 50, 7).op(main, "second", 60, 40, 7);
    f.op(calls, "around", 0, 200);
    f.call(calls, "call", 70, 10, 1, 7);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "first").selfCpuNs, 50);
    QCOMPARE(rowOf(table, "second").selfCpuNs, 30);
    QCOMPARE(rowOf(table, "around").selfCpuNs, 200);
    QCOMPARE(figures(rowOf(table, "call")), (std::vector<int64_t>{1, 10, 10, 0, 0}));
    QVERIFY(rowsAndSlicesAgree(*trace, table));
}

void TestOperators::deviceWorkGoesToOwnerAndAround()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "step", 0, 100, 1).op(main, "a", 10, 50, 2).op(main, "b", 20, 20, 3);
    f.call(main, "launch", 22, 2, 101, 3).call(main, "launch", 50, 2, 102, 2);
    f.kernel(stream, "k", 1000, 30, 101, 3).kernel(stream, "k", 1010, 12, 102, 2);
    f.kernel(stream, "orphan", 2000, 4, 0);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(figures(rowOf(table, "b")), (std::vector<int64_t>{1, 18, 20, 30, 30}));
    QCOMPARE(figures(rowOf(table, "a")), (std::vector<int64_t>{1, 28, 50, 12, 42}));
    QCOMPARE(figures(rowOf(table, "step")), (std::vector<int64_t>{1, 50, 100, 0, 42}));
    QCOMPARE(figures(rowOf(table, "launch")), (std::vector<int64_t>{2, 4, 4, 0, 0}));
    QCOMPARE(figures(rowOf(table, "k")), (std::vector<int64_t>{2, 0, 0, 42, 42}));
    QCOMPARE(rowOf(table, "k").kind, RowKind::Device);
    QCOMPARE(table.selfCudaTotalNs, 46);
    QCOMPARE(table.selfCpuTotalNs, 100);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    const OperatorTable once = tableOf(*trace, OperatorTotals::Once);
    QCOMPARE(figures(rowOf(once, "a")), (std::vector<int64_t>{1, 28, 50, 12, 42}));
    QCOMPARE(once.rows.size(), 3u);
    QCOMPARE(once.selfCudaTotalNs, 42);
    QVERIFY(rowsAndSlicesAgree(*trace, once));
}

void TestOperators::onlyChildOfTheSameNameIsFolded()
{
    TraceFixture f;
    const uint32_t main = f.lane("61", "61");
    const uint32_t stream = f.lane("0", "7");
    f.op(main, "norm", 0, 100, 1).op(main, "norm", 10, 80, 2).call(main, "launch", 30, 5, 101, 2);
    f.call(main, "launch", 95, 1, 102);
    f.kernel(stream, "k", 60, 25, 101, 2).kernel(stream, "k", 90, 3, 102, 1);
    f.op(main, "norm", 200, 50, 3);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    // The kernels of the child replace those of the parent.
    QCOMPARE(figures(rowOf(table, "norm")), (std::vector<int64_t>{2, 145, 150, 25, 25}));
    QCOMPARE(
        figures(rowOf(tableOf(*trace, OperatorTotals::Once), "norm")), (std::vector<int64_t>{3, 144, 150, 28, 28}));
}

void TestOperators::chainOfTheSameNameIsFoldedOnce()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "x", 0, 100).op(main, "x", 10, 80).op(main, "x", 20, 60).op(main, "y", 30, 10).op(main, "x", 50, 5);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    // Three fold into one, which gets the children y and x; x has a sibling and stays.
    QCOMPARE(figures(rowOf(table, "x")), (std::vector<int64_t>{2, 90, 105, 0, 0}));
    QCOMPARE(figures(rowOf(table, "y")), (std::vector<int64_t>{1, 10, 10, 0, 0}));
    QVERIFY(rowsAndSlicesAgree(*trace, table));
}

void TestOperators::siblingsOfTheSameNameStay()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "x", 0, 100, 1).op(main, "x", 10, 20).call(main, "launch", 40, 5, 9, 1);
    f.op(main, "p", 200, 100).op(main, "x", 210, 10).op(main, "x", 230, 10);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(figures(rowOf(table, "x")), (std::vector<int64_t>{4, 75 + 20 + 20, 140, 0, 0}));
    QCOMPARE(figures(rowOf(table, "p")), (std::vector<int64_t>{1, 80, 100, 0, 0}));
}

void TestOperators::hiddenNamesAreLeftOutAndStepsShareARow()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.annotation(main, "ProfilerStep#1", 0, 100).op(main, "aten::is_leaf", 10, 20).op(main, "a", 12, 5);
    f.annotation(main, "ProfilerStep#2", 100, 50);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(names(table), (std::vector<std::string>{"ProfilerStep*", "a"}));
    QCOMPARE(figures(rowOf(table, "ProfilerStep*")), (std::vector<int64_t>{2, 145, 150, 0, 0}));
    QCOMPARE(rowOf(table, "ProfilerStep*").kind, RowKind::Annotation);
    const OperatorTable once = tableOf(*trace, OperatorTotals::Once);
    QCOMPARE(names(once), (std::vector<std::string>{"ProfilerStep#1", "aten::is_leaf", "a", "ProfilerStep#2"}));
}

void TestOperators::deviceAnnotationsHaveRowsButNoWork()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(main, "region", 0, 100, 1).op(main, "a", 10, 50, 2).call(main, "launch", 20, 2, 101, 2);
    f.slice(stream, "gpu_user_annotation", "region", 500, 300, 1);
    f.kernel(stream, "k", 600, 30, 101, 2);
    f.slice(stream, "cuda_sync", "Stream Sync", 700, 20, 2);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(table.selfCudaTotalNs, 30);
    QCOMPARE(names(table), (std::vector<std::string>{"region", "a", "launch", "region", "k"}));
    QCOMPARE(table.rows[0].kind, RowKind::Annotation);
    QCOMPARE(figures(table.rows[0]), (std::vector<int64_t>{1, 50, 100, 0, 30}));
    QCOMPARE(table.rows[3].kind, RowKind::DeviceAnnotation);
    QCOMPARE(figures(table.rows[3]), (std::vector<int64_t>{1, 0, 0, 300, 300}));
}

void TestOperators::memoryBelongsToAllOperatorsThatRun()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    f.op(main, "a", 0, 100).op(main, "b", 10, 30).op(other, "early", 0, 12).op(other, "c", 50, 20);
    f.memory(0, 1, 0, -1).memory(10, 20, 0, -1).memory(40, 300, 1, 0).memory(41, -4, 1, 0).memory(60, 5000, 0, -1);
    f.memory(100, 60000, 0, -1);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    const OperatorRow a = rowOf(table, "a");
    QCOMPARE(a.cpuMemBytes, 65021);
    QCOMPARE(a.selfCpuMemBytes, 65001);
    QCOMPARE(a.cudaMemBytes, 296);
    QCOMPARE(a.selfCudaMemBytes, -4);
    QCOMPARE(rowOf(table, "b").cpuMemBytes, 20);
    QCOMPARE(rowOf(table, "b").cudaMemBytes, 300);
    QCOMPARE(rowOf(table, "early").cpuMemBytes, 21);
    QCOMPARE(rowOf(table, "c").selfCpuMemBytes, 5000);
    QCOMPARE(rowOf(table, "[memory]").calls, -1);
}

void TestOperators::memoryOfFoldedSlicesIsSelfMemory()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "x", 0, 100).op(main, "x", 10, 80).op(main, "y", 20, 10);
    f.memory(5, 1, 0, -1).memory(15, 20, 0, -1).memory(25, 300, 0, -1);
    const OperatorTable table = tableOf(*f.snapshot());
    QCOMPARE(rowOf(table, "x").cpuMemBytes, 321);
    QCOMPARE(rowOf(table, "x").selfCpuMemBytes, 21);
}

void TestOperators::memoryOutsideOperatorsHasItsOwnRow()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "a", 0, 100).python(main, "frame", 200, 100);
    f.memory(50, 1, 0, -1).memory(250, 20, 0, -1).memory(251, -300, 1, 0).memory(400, 8, 0, -1);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    const OperatorRow outside = rowOf(table, "[memory]");
    QCOMPARE(figures(outside), (std::vector<int64_t>{3, 0, 0, 0, 0}));
    QCOMPARE(outside.cpuMemBytes, 28);
    QCOMPARE(outside.selfCpuMemBytes, 28);
    QCOMPARE(outside.cudaMemBytes, -300);
    QVERIFY(!outside.first.isValid());
    QCOMPARE(outside.kind, RowKind::Op);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    const SliceMask one = maskOf(*trace, {sliceNamed(*trace, "a")});
    QCOMPARE(names(tableOf(*trace, OperatorTotals::Torch, {}, &one)), (std::vector<std::string>{"a"}));
    const SliceMask all(*trace, true);
    QCOMPARE(rowOf(tableOf(*trace, OperatorTotals::Torch, {}, &all), "[memory]").calls, 3);
}

void TestOperators::withoutMemoryRecordsMemoryIsNotKnown()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture with(pool);
    with.info.path = "with.json";
    with.op(with.lane("1", "1"), "a", 0, 100).memory(10, 5, 0, -1);
    TraceFixture without(pool);
    without.info.path = "without.json";
    without.op(without.lane("1", "1"), "a", 0, 100).op(without.lane("1", "1"), "b", 10, 5);
    const auto trace = TraceSnapshot::combine(pool, {with.store(), without.store()});
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "a").cpuMemBytes, 5);
    QVERIFY(!rowOf(table, "b").cpuMemBytes.has_value());
    QVERIFY(!rowOf(table, "b").selfCudaMemBytes.has_value());
    const OperatorTable byFile = tableOf(*trace, OperatorTotals::Torch, {GroupKey::File});
    QCOMPARE(rowOf(byFile, "a", {"with.json"}).cudaMemBytes, 0);
    QVERIFY(!rowOf(byFile, "a", {"without.json"}).cudaMemBytes.has_value());
}

void TestOperators::flopsFollowFromShapes()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "aten::linear", 0, 100).args({{"Input Dims", "[[4,8],[16,8],[16]]"}});
    f.op(main, "aten::addmm", 10, 50).args({{"Input Dims", "[[16],[4,8],[8,16],[],[]]"}});
    f.op(main, "aten::addmm", 200, 50).args({{"Input Dims", "[[1],[2,3],[3,5],[],[]]"}});
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "aten::addmm").flops, 2 * 4 * 8 * 16 + 2 * 2 * 3 * 5);
    QCOMPARE(rowOf(table, "aten::linear").flops, 0);
    OperatorOptions options;
    options.withFlops = false;
    const Result<OperatorTable> without = operatorTable(*trace, options);
    QVERIFY(without);
    QVERIFY(!rowOf(*without, "aten::addmm").flops.has_value());
    QVERIFY(!rowOf(*without, "aten::linear").flops.has_value());
}

void TestOperators::flopsAreNotKnownWithoutShapes()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "aten::mm", 0, 100).args({{"External id", "1"}}).op(main, "aten::relu", 200, 10);
    QVERIFY(!rowOf(tableOf(*f.snapshot()), "aten::relu").flops.has_value());

    TraceFixture stated;
    stated.info.header = {{"record_shapes", "1"}};
    const uint32_t lane = stated.lane("1", "1");
    stated.op(lane, "aten::relu", 0, 10).op(lane, "aten::mm", 20, 10);
    const OperatorTable table = tableOf(*stated.snapshot());
    QCOMPARE(rowOf(table, "aten::relu").flops, 0);
    QVERIFY(!rowOf(table, "aten::mm").flops.has_value());
}

void TestOperators::shapesAreAsWrittenAndEmptyOnesAlike()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "cat", 0, 10).args({{"Input Dims", "[[[2,3],[4,3]],[]]"}});
    f.op(main, "cat", 20, 10).args({{"Input dims", "[[[2,3],[4,3]],[]]"}});
    f.op(main, "cat", 40, 10).args({{"Input Dims", "[]"}}).op(main, "cat", 60, 10);
    f.call(main, "launch", 80, 5, 1);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace, OperatorTotals::Torch, {GroupKey::Shape});
    QCOMPARE(rowOf(table, "cat", {"[[[2,3],[4,3]],[]]"}).calls, 2);
    QCOMPARE(rowOf(table, "cat", {"[]"}).calls, 2);
    QCOMPARE(rowOf(table, "launch", {""}).calls, 1);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
}

void TestOperators::backwardOperatorsShowTheForwardStack()
{
    TraceFixture f;
    f.info.header = {{"record_shapes", "0"}};
    const uint32_t main = f.lane("1", "1");
    const uint32_t engine = f.lane("1", "2");
    f.op(main, "aten::mul", 0, 10)
        .args({{"Sequence number", "5"}, {"Fwd thread id", "0"}, {"Call stack", "model.py(1): f;main.py(2): g;"}});
    f.op(main, "aten::other", 20, 10).args({{"Sequence number", "5"}, {"Call stack", "late.py(1): h;"}});
    const std::string around = "autograd::engine::evaluate_function: MulBackward0";
    f.op(engine, around, 100, 50)
        .args({{"Sequence number", "5"}, {"Fwd thread id", "1"}, {"Call stack", "engine.py(1): run;"}});
    f.op(engine, "MulBackward0", 110, 30)
        .args({{"Sequence number", "5"}, {"Fwd thread id", "1"}, {"Call stack", "engine.py(1): run;"}});
    f.op(engine, "aten::mm", 115, 10).args({{"Call stack", "engine.py(1): run;"}});
    const std::string accumulate = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
    f.op(engine, accumulate, 200, 50).args({{"Call stack", "engine.py(1): run;"}});
    f.op(engine, "torch::autograd::AccumulateGrad", 210, 30).args({{"Call stack", "engine.py(1): run;"}});
    f.op(engine, "aten::detach", 220, 5).args({{"Call stack", "engine.py(1): run;"}});
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace, OperatorTotals::Torch, {GroupKey::Stack});
    const auto stackOf = [&](std::string_view name) { return rowOf(table, name).keys; };
    const std::vector<std::string> forward{"model.py(1): f;main.py(2): g"};
    QCOMPARE(stackOf("aten::mul"), forward);
    QCOMPARE(stackOf(around), std::vector<std::string>{"engine.py(1): run"});
    QCOMPARE(stackOf("MulBackward0"), forward);
    QCOMPARE(stackOf("aten::mm"), forward);
    QCOMPARE(stackOf(accumulate), std::vector<std::string>{"engine.py(1): run"});
    QCOMPARE(stackOf("torch::autograd::AccumulateGrad"), std::vector<std::string>{""});
    QCOMPARE(stackOf("aten::detach"), std::vector<std::string>{""});
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    // A scope does not change what is known of the operators that are in.
    const SliceMask mm = maskOf(*trace, {sliceNamed(*trace, "aten::mm")});
    QCOMPARE(rowOf(tableOf(*trace, OperatorTotals::Torch, {GroupKey::Stack}, &mm), "aten::mm").keys, forward);
}

void TestOperators::forwardThreadIsFoundByArrows()
{
    TraceFixture f;
    const uint32_t first = f.lane("1", "1");
    const uint32_t second = f.lane("1", "2");
    const uint32_t engine = f.lane("1", "3");
    // Both forward threads count their own sequence numbers.
    f.op(first, "a", 0, 10).args({{"Sequence number", "5"}, {"Call stack", "one.py(1): f;"}});
    f.op(second, "b", 1, 10).args({{"Sequence number", "5"}, {"Call stack", "two.py(1): f;"}});
    f.op(second, "c", 20, 10).args({{"Sequence number", "6"}, {"Call stack", "two.py(2): f;"}});
    f.op(engine, "CBackward", 100, 10).args({{"Sequence number", "6"}, {"Fwd thread id", "2"}});
    f.op(engine, "BBackward", 120, 10).args({{"Sequence number", "5"}, {"Fwd thread id", "2"}});
    f.op(engine, "GoneBackward", 140, 10).args({{"Sequence number", "7"}, {"Fwd thread id", "2"}});
    f.arrow("fwdbwd", "1", second, 20, engine, 100);
    const OperatorTable table = tableOf(*f.snapshot(), OperatorTotals::Torch, {GroupKey::Stack});
    QCOMPARE(rowOf(table, "BBackward").keys, std::vector<std::string>{"two.py(1): f"});
    QCOMPARE(rowOf(table, "CBackward").keys, std::vector<std::string>{"two.py(2): f"});
    QCOMPARE(rowOf(table, "GoneBackward").keys, std::vector<std::string>{""});
}

void TestOperators::stackDepthLimitsTheFrames()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "a", 0, 10)
        .args({{"Call stack", "x.py(1): f;torch/autograd/__init__.py(9): backward;x.py(2): g;x.py(3): h;"}});
    const auto trace = f.snapshot();
    OperatorOptions options;
    options.groupBy = {GroupKey::Stack};
    const auto stackAt = [&](uint32_t depth) {
        options.stackDepth = depth;
        Result<OperatorTable> table = operatorTable(*trace, options);
        return table ? table->rows.at(0).keys.at(0) : std::string("failed");
    };
    QCOMPARE(stackAt(0), std::string());
    QCOMPARE(stackAt(1), std::string("x.py(1): f"));
    QCOMPARE(stackAt(2), std::string("x.py(1): f;x.py(2): g"));
    QCOMPARE(stackAt(9), std::string("x.py(1): f;x.py(2): g;x.py(3): h"));
}

void TestOperators::lanesAndFilesCanBeKeys()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture first(pool);
    first.info.path = "first.json";
    first.info.rank = 3;
    first.op(first.lane("10", "11"), "a", 0, 5).op(first.lane("10", "12"), "a", 0, 7);
    TraceFixture second(pool);
    second.info.path = "second.json";
    second.op(second.lane("20", "11"), "a", 0, 9);
    const auto trace = TraceSnapshot::combine(pool, {first.store(), second.store()});
    const auto totalOf = [&](const Keys& by, const std::vector<std::string>& keys) {
        return rowOf(tableOf(*trace, OperatorTotals::Torch, by), "a", keys).cpuTotalNs;
    };
    QCOMPARE(totalOf({}, {}), 21);
    QCOMPARE(totalOf({GroupKey::Thread}, {"11"}), 14);
    QCOMPARE(totalOf({GroupKey::Process}, {"10"}), 12);
    QCOMPARE(totalOf({GroupKey::Process, GroupKey::Thread}, {"10", "12"}), 7);
    QCOMPARE(totalOf({GroupKey::File}, {"second.json"}), 9);
    QCOMPARE(totalOf({GroupKey::Rank}, {"3"}), 12);
    QCOMPARE(totalOf({GroupKey::Rank}, {""}), 9);
    QCOMPARE(totalOf({GroupKey::Overload, GroupKey::Node}, {"", ""}), 21);
    QVERIFY(rowsAndSlicesAgree(*trace, tableOf(*trace, OperatorTotals::Once, {GroupKey::Thread, GroupKey::File})));
}

void TestOperators::scopeCountsWholeSlices()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(main, "a", 0, 100, 1).op(main, "b", 10, 20, 2).call(main, "launch", 12, 2, 101, 2);
    f.kernel(stream, "k", 500, 30, 101, 2);
    const auto trace = f.snapshot();
    const SliceMask onlyA = maskOf(*trace, {sliceNamed(*trace, "a")});
    const OperatorTable table = tableOf(*trace, OperatorTotals::Torch, {}, &onlyA);
    QCOMPARE(names(table), (std::vector<std::string>{"a"}));
    QCOMPARE(figures(table.rows[0]), (std::vector<int64_t>{1, 80, 100, 0, 30}));
    QCOMPARE(table.selfCpuTotalNs, 80);
    QCOMPARE(table.selfCudaTotalNs, 0);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    QVERIFY(!operatorRowOfSlice(*trace, table, sliceNamed(*trace, "b")).has_value());
    const SliceMask onlyK = maskOf(*trace, {sliceNamed(*trace, "k")});
    const OperatorTable device = tableOf(*trace, OperatorTotals::Torch, {}, &onlyK);
    QCOMPARE(names(device), (std::vector<std::string>{"k"}));
    QCOMPARE(device.selfCudaTotalNs, 30);
}

void TestOperators::onceCountsRecursionOnce()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    const uint32_t stream = f.lane("0", "7");
    f.op(main, "f", 0, 100, 1).op(main, "g", 10, 80, 2).op(main, "f", 20, 30, 3).op(main, "f", 60, 20, 4);
    f.op(other, "f", 0, 7);
    f.call(main, "launch", 25, 2, 101, 3).call(main, "launch", 65, 2, 102, 4);
    f.kernel(stream, "k", 200, 5, 101, 3).kernel(stream, "k", 300, 6, 102, 4);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace, OperatorTotals::Once);
    QCOMPARE(figures(rowOf(table, "f")), (std::vector<int64_t>{4, 20 + 28 + 18 + 7, 107, 11, 11}));
    QCOMPARE(figures(rowOf(table, "g")), (std::vector<int64_t>{1, 30, 80, 0, 11}));
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    // Torch adds up: recursion through another operator is counted twice.
    QCOMPARE(rowOf(tableOf(*trace), "f").cpuTotalNs, 157);
}

void TestOperators::onceLetsOutermostMeanAmongWhatIsIn()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "f", 0, 100).op(main, "f", 10, 60).op(main, "f", 20, 30);
    const auto trace = f.snapshot();
    const LaneId lane = sliceNamed(*trace, "f").lane;
    const SliceMask inner = maskOf(*trace, {{lane, 1}, {lane, 2}});
    QCOMPARE(figures(tableOf(*trace, OperatorTotals::Once, {}, &inner).rows.at(0)),
        (std::vector<int64_t>{2, 30 + 30, 60, 0, 0}));
    const SliceMask ends = maskOf(*trace, {{lane, 0}, {lane, 2}});
    QCOMPARE(figures(tableOf(*trace, OperatorTotals::Once, {}, &ends).rows.at(0)),
        (std::vector<int64_t>{2, 40 + 30, 100, 0, 0}));
}

void TestOperators::onceNeverGoesBelowZero()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    // Children that overlap: 45 + 45 of the 60 that passed.
    f.op(main, "p", 0, 60).op(main, "x", 0, 45).op(main, "y", 10, 45);
    const auto trace = f.snapshot();
    QCOMPARE(rowOf(tableOf(*trace, OperatorTotals::Once), "p").selfCpuNs, 0);
    QCOMPARE(rowOf(tableOf(*trace), "p").selfCpuNs, -30);
}

void TestOperators::foldedSlicesBelongToTheirRow()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "x", 0, 100).args({{"Input Dims", "[[1]]"}});
    f.op(main, "x", 10, 80).args({{"Input Dims", "[[2]]"}});
    f.op(main, "x", 20, 10).args({{"Input Dims", "[[3]]"}});
    f.op(main, "y", 0 + 200, 10).args({{"Input Dims", "[[2]]"}});
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace, OperatorTotals::Torch, {GroupKey::Shape});
    QCOMPARE(table.rows.size(), 2u);
    QCOMPARE(table.rows[0].keys, std::vector<std::string>{"[[1]]"});
    const Result<SliceMask> slices = slicesOfOperatorRow(*trace, table, 0);
    QVERIFY(slices);
    QCOMPARE(slices->count(), 3u);
    QVERIFY(rowsAndSlicesAgree(*trace, table));
    const SliceMask some = maskOf(*trace, {{sliceNamed(*trace, "x").lane, 2}, {sliceNamed(*trace, "x").lane, 3}});
    const Result<SliceMask> narrowed = slicesOfOperatorRow(*trace, table, 0, &some);
    QVERIFY(narrowed);
    QCOMPARE(narrowed->count(), 1u);
}

void TestOperators::deepNestingNeedsNoDeepStack()
{
    constexpr int64_t kDepth = 100000;
    TraceFixture same;
    TraceFixture different;
    for (int64_t i = 0; i < kDepth; ++i) {
        same.op(same.lane("1", "1"), "f", i, 2 * kDepth - 2 * i);
        different.op(different.lane("1", "1"), i % 2 == 0 ? "f" : "g", i, 2 * kDepth - 2 * i);
    }
    const auto folded = same.snapshot();
    const OperatorTable one = tableOf(*folded);
    QCOMPARE(figures(one.rows.at(0)), (std::vector<int64_t>{1, 2 * kDepth, 2 * kDepth, 0, 0}));
    const Result<SliceMask> slices = slicesOfOperatorRow(*folded, one, 0);
    QVERIFY(slices);
    QCOMPARE(static_cast<int64_t>(slices->count()), kDepth);
    const auto trace = different.snapshot();
    QCOMPARE(figures(rowOf(tableOf(*trace, OperatorTotals::Once), "g")),
        (std::vector<int64_t>{kDepth / 2, kDepth, 2 * kDepth - 2, 0, 0}));
    QCOMPARE(rowOf(tableOf(*trace), "f").calls, kDepth / 2);
}

void TestOperators::rowsComeInOrderOfTime()
{
    TraceFixture f;
    const uint32_t late = f.lane("1", "2");
    const uint32_t early = f.lane("1", "1");
    f.op(late, "third", 50, 10).op(early, "first", 0, 100).op(early, "second", 10, 10).op(late, "second", 80, 5);
    const auto trace = f.snapshot();
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(names(table), (std::vector<std::string>{"first", "second", "third"}));
    QCOMPARE(trace->startNs(table.rows[1].first), 10);
}

void TestOperators::cancelledComputationIsAnError()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "a", 0, 100);
    const auto trace = f.snapshot();
    std::stop_source stop;
    stop.request_stop();
    const Result<OperatorTable> table = operatorTable(*trace, {}, nullptr, stop.get_token());
    QVERIFY(!table);
    QCOMPARE(table.error().code(), ErrorCode::Cancelled);
}

namespace {

class BrokenSource : public EventSource {
public:
    Result<ArgList> args(uint64_t) const override { return Error(ErrorCode::Io, "gone"); }
    Result<std::string> text(uint64_t) const override { return Error(ErrorCode::Io, "gone"); }
    Status argsOfMany(std::span<const uint64_t>, const std::function<void(size_t, ArgList&&)>&) const override
    {
        return Error(ErrorCode::Io, "gone");
    }
};

} // namespace

void TestOperators::readingArgsCanBeCancelled()
{
    class StoppingSource : public MemoryEventSource {
    public:
        std::stop_source stop;
        mutable size_t reads = 0;
        Status argsOfMany(
            std::span<const uint64_t> offsets, const std::function<void(size_t, ArgList&&)>& done) const override
        {
            reads += offsets.size();
            std::stop_source(stop).request_stop();
            return MemoryEventSource::argsOfMany(offsets, done);
        }
    };
    TraceFixture f;
    constexpr size_t kSlices = 20000;
    for (size_t i = 0; i < kSlices; ++i)
        f.op(f.lane("1", "1"), "a", static_cast<int64_t>(i), 1);
    const auto source = std::make_shared<StoppingSource>();
    const auto trace = TraceSnapshot::combine(f.pool(), {f.builder.finish({}, source)});
    OperatorOptions byShape;
    byShape.groupBy = {GroupKey::Shape};
    const Result<OperatorTable> table = operatorTable(*trace, byShape, nullptr, source->stop.get_token());
    QVERIFY(!table);
    QCOMPARE(table.error().code(), ErrorCode::Cancelled);
    QVERIFY(source->reads < kSlices);
}

void TestOperators::unreadableArgsFailOnlyTablesThatNeedThem()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::mm", 0, 100);
    const auto trace = TraceSnapshot::combine(f.pool(), {f.builder.finish({}, std::make_shared<BrokenSource>())});
    const OperatorTable table = tableOf(*trace);
    QCOMPARE(rowOf(table, "aten::mm").cpuTotalNs, 100);
    QVERIFY(!rowOf(table, "aten::mm").flops.has_value());
    OperatorOptions byShape;
    byShape.groupBy = {GroupKey::Shape};
    const Result<OperatorTable> failed = operatorTable(*trace, byShape);
    QVERIFY(!failed);
    QCOMPARE(failed.error().code(), ErrorCode::Io);
}

void TestOperators::emptyTraceHasNoRows()
{
    const auto trace = TraceSnapshot::combine(std::make_shared<StringPool>(), {});
    QVERIFY(tableOf(*trace).rows.empty());
    QVERIFY(tableOf(*trace, OperatorTotals::Once, {GroupKey::Shape, GroupKey::Stack}).rows.empty());
}

QTEST_GUILESS_MAIN(TestOperators)
#include "tst_operators.moc"
