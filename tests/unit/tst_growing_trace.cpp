// Pictures of a trace that grows: each takes over from the last what did not change, and is what it would be if it were
// made from nothing; what readers hold never changes.

#include "growing_writer.h"

#include "base/string_pool.h"
#include "lod/overview.h"
#include "lod/timeline_index.h"
#include "model/same_slice.h"
#include "model/snapshot_delta.h"
#include "model/steps.h"
#include "store_text.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::lod;
using namespace torchline::test;

namespace {

template <typename Row> std::vector<PixelCell> cellsOf(const Row& row, const RowIndex& index, const PixelGrid& grid)
{
    PixelSums sums;
    sums.reset(grid, 0, grid.width());
    index.query(row, sums);
    std::vector<PixelCell> cells(static_cast<size_t>(grid.width()));
    sums.resolve(cells.data());
    return cells;
}

bool operator==(const CounterPyramid::Column& a, const CounterPyramid::Column& b)
{
    return a.low == b.low && a.high == b.high && a.last == b.last && a.isKnown == b.isKnown;
}

int64_t fileStartNs(const TraceSnapshot& trace, SliceRef slice)
{
    return trace.startNs(slice) - trace.lane(slice.lane).offsetNs() + trace.file(0).info.originNs;
}

#define EQUAL(a, b)                                                                                                    \
    do {                                                                                                               \
        if (!((a) == (b)))                                                                                             \
            return #a;                                                                                                 \
    } while (false)

/// Empty, or what differs.
std::string differenceOf(const TimelineIndex& a, const TimelineIndex& b, std::mt19937& random)
{
    const TraceSnapshot& trace = a.trace();
    std::vector<PixelGrid> grids;
    for (int i = 0; i < 12; ++i) {
        const auto spanNs = std::max<int64_t>(trace.span().endNs >> random() % 20, 100);
        const auto beginNs = static_cast<int64_t>(random() % static_cast<uint64_t>(trace.span().endNs));
        grids.emplace_back(PixelScale({i == 0 ? 0 : beginNs, (i == 0 ? 0 : beginNs) + spanNs}, 300), 300);
    }
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const LaneId lane(l);
        EQUAL(a.kinds(lane), b.kinds(lane));
        EQUAL(a.rowCount(lane, Frames::Shown), b.rowCount(lane, Frames::Shown));
        for (uint32_t i = 0; i < trace.lane(lane).size(); ++i)
            EQUAL(a.classOf({lane, i}), b.classOf({lane, i}));
        for (uint16_t r = 0; r < a.rowCount(lane, Frames::Shown); ++r) {
            const RowView rowA = a.row(lane, Frames::Shown, r);
            const RowView rowB = b.row(lane, Frames::Shown, r);
            EQUAL(rowA.slices.size(), rowB.slices.size());
            for (const PixelGrid& grid : grids)
                EQUAL(cellsOf(rowA.slices, *rowA.index, grid), cellsOf(rowB.slices, *rowB.index, grid));
            const auto at = static_cast<uint32_t>(random() % rowA.slices.size());
            EQUAL(rowA.index->longestOf(rowA.slices, at, rowA.slices.size()),
                rowB.index->longestOf(rowB.slices, at, rowB.slices.size()));
        }
        const BusyRow& busyA = a.busy(lane);
        const BusyRow& busyB = b.busy(lane);
        EQUAL(busyA.size(), busyB.size());
        for (uint32_t k = 0; k < busyA.size(); ++k) {
            EQUAL(busyA.startNs(k), busyB.startNs(k));
            EQUAL(busyA.durationNs(k), busyB.durationNs(k));
            EQUAL(busyA.classIndex(k), busyB.classIndex(k));
        }
        for (const PixelGrid& grid : grids) {
            EQUAL(cellsOf(busyA, busyA.index(), grid), cellsOf(busyB, busyB.index(), grid));
            const TimeRange range{grid.firstNs(0), grid.firstNs(grid.width())};
            EQUAL(busyA.coveredNs(range), busyB.coveredNs(range));
        }
    }
    EQUAL(a.memory().size(), b.memory().size());
    for (size_t t = 0; t < a.memory().size(); ++t) {
        const MemoryTrack& trackA = a.memory()[t];
        const MemoryTrack& trackB = b.memory()[t];
        EQUAL(trackA.lowestBytes, trackB.lowestBytes);
        EQUAL(trackA.peakBytes, trackB.peakBytes);
        EQUAL(trackA.peakAtNs, trackB.peakAtNs);
        EQUAL(trackA.reservedPeakBytes, trackB.reservedPeakBytes);
        EQUAL(trackA.exceedsReserved, trackB.exceedsReserved);
        EQUAL(trackA.allocated.highest(), trackB.allocated.highest());
        for (const PixelGrid& grid : grids) {
            for (const auto& [pyramidA, pyramidB] :
                {std::pair(&trackA.allocated, &trackB.allocated), std::pair(&trackA.reserved, &trackB.reserved)}) {
                std::vector<CounterPyramid::Column> columnsA;
                std::vector<CounterPyramid::Column> columnsB;
                pyramidA->columns(grid, 0, grid.width(), columnsA);
                pyramidB->columns(grid, 0, grid.width(), columnsB);
                EQUAL(columnsA.size(), columnsB.size());
                for (size_t x = 0; x < columnsA.size(); ++x)
                    EQUAL(columnsA[x], columnsB[x]);
            }
        }
    }
    return {};
}

std::string differenceOf(const Overview& a, const Overview& b)
{
    EQUAL(a.range(), b.range());
    EQUAL(a.columnNs(), b.columnNs());
    EQUAL(a.medianStepNs(), b.medianStepNs());
    EQUAL(a.steps().size(), b.steps().size());
    EQUAL(a.bands().size(), b.bands().size());
    for (size_t i = 0; i < a.bands().size(); ++i) {
        EQUAL(a.bands()[i].sources, b.bands()[i].sources);
        EQUAL(a.bands()[i].busyNs, b.bands()[i].busyNs);
        EQUAL(a.bands()[i].columns.size(), b.bands()[i].columns.size());
        for (size_t c = 0; c < a.bands()[i].columns.size(); ++c) {
            EQUAL(a.bands()[i].columns[c].share, b.bands()[i].columns[c].share);
            EQUAL(a.bands()[i].columns[c].cls, b.bands()[i].columns[c].cls);
        }
    }
    return {};
}

std::string differenceOf(const std::vector<StepMark>& a, const std::vector<StepMark>& b)
{
    EQUAL(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        EQUAL(a[i].slice, b[i].slice);
        EQUAL(a[i].number, b[i].number);
        EQUAL(a[i].range, b[i].range);
    }
    return {};
}

} // namespace

class TestGrowingTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPictureIsWhatItWouldBeFromNothing_data();
    void aPictureIsWhatItWouldBeFromNothing();
    void whatReadersHoldStays();
    void markedSlicesAreFoundAgain();
    void unchangedBlocksAreShared();
};

void TestGrowingTrace::aPictureIsWhatItWouldBeFromNothing_data()
{
    QTest::addColumn<uint32_t>("seed");
    QTest::addColumn<int>("records");
    QTest::addColumn<int>("mostAtOnce");
    QTest::addColumn<bool>("forgets"); // what is oldest, now and then, as at the cap of memory
    QTest::newRow("few") << 1u << 3000 << 300 << false;
    QTest::newRow("beyond a section") << 2u << 30'000 << 5000 << false;
    QTest::newRow("beyond a block") << 3u << 200'000 << 40'000 << false;
    QTest::newRow("beyond the cap") << 4u << 400'000 << 80'000 << true;
}

void TestGrowingTrace::aPictureIsWhatItWouldBeFromNothing()
{
    QFETCH(uint32_t, seed);
    QFETCH(int, records);
    QFETCH(int, mostAtOnce);
    QFETCH(bool, forgets);
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder growing(pool);
    TraceBuilder anew(pool);
    GrowingWriter writer(growing, *pool, seed);
    GrowingWriter again(anew, *pool, seed);
    std::mt19937 random(seed);
    std::shared_ptr<const TraceSnapshot> before;
    std::shared_ptr<const TimelineIndex> index;
    std::shared_ptr<const Overview> overview;
    WorkClasses classes;
    std::vector<StepMark> steps;
    uint64_t forgotten = 0;
    for (int written = 0; written < records;) {
        const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(mostAtOnce));
        written += count;
        writer.write(count);
        again.write(count);
        if (forgets && random() % 2 == 0) {
            const int64_t timeNs = writer.nowNs() / 10 * 9;
            const uint64_t gone = growing.forgetSlicesBefore(timeNs);
            QCOMPARE(gone, anew.forgetSlicesBefore(timeNs));
            for (TraceBuilder* builder : {&growing, &anew}) {
                builder->sortMemory();
                builder->forgetMemoryBefore(timeNs);
            }
            forgotten += gone;
        }
        growing.settle();
        growing.sortMemory();
        TraceBuilder clone = growing.clone();
        TraceBuilder whole = anew.clone();
        if (random() % 2 == 0) {
            writer.writeOpen(clone);
            again.writeOpen(whole);
        }
        const auto trace = snapshotOf(pool, std::move(clone));
        QVERIFY(storeText(*trace) == storeText(*snapshotOf(pool, std::move(whole))));

        const SnapshotDelta delta(before ? *before : *trace, *trace);
        classes = before ? WorkClasses(*trace, classes, delta) : WorkClasses(*trace);
        steps = before ? profilerSteps(*trace, steps, delta) : profilerSteps(*trace);
        QCOMPARE(differenceOf(steps, profilerSteps(*trace)), std::string());
        index = TimelineIndex::grown(trace, classes, index.get(), delta);
        const SnapshotDelta none(*trace, *trace);
        const auto expected = TimelineIndex::grown(trace, WorkClasses(*trace), nullptr, none);
        QCOMPARE(differenceOf(*index, *expected, random), std::string());
        overview = Overview::grown(*index, steps, overview.get(), delta);
        QCOMPARE(differenceOf(*overview, *Overview::grown(*expected, steps, nullptr, none)), std::string());
        before = trace;
    }
    QCOMPARE(forgotten > 0, forgets);
}

void TestGrowingTrace::whatReadersHoldStays()
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder growing(pool);
    GrowingWriter writer(growing, *pool, 9);
    std::vector<std::pair<std::shared_ptr<const TraceSnapshot>, std::string>> held;
    for (int i = 0; i < 30; ++i) {
        writer.write(2000);
        growing.settle();
        growing.sortMemory();
        TraceBuilder clone = growing.clone();
        writer.writeOpen(clone);
        const auto trace = snapshotOf(pool, std::move(clone));
        held.emplace_back(trace, storeText(*trace));
    }
    for (const auto& [trace, text] : held)
        QVERIFY(storeText(*trace) == text);
}

void TestGrowingTrace::markedSlicesAreFoundAgain()
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder growing(pool);
    GrowingWriter writer(growing, *pool, 11);
    std::mt19937 random(11);
    std::shared_ptr<const TraceSnapshot> before;
    std::optional<SliceMask> marked;
    for (int i = 0; i < 20; ++i) {
        writer.write(3000);
        growing.settle();
        growing.sortMemory();
        const auto trace = snapshotOf(pool, growing.clone());
        if (before) {
            const SliceMask again = sameSlices(*before, *marked, *trace);
            const LaneMatch match(*before, *trace);
            QCOMPARE(again.generation(), trace->generation());
            for (uint32_t l = 0; l < before->lanes().size(); ++l) {
                for (uint32_t k = 0; k < before->lane(LaneId(l)).size(); ++k) {
                    const SliceRef old{LaneId(l), k};
                    if (!marked->contains(old))
                        continue;
                    SliceRef now = sameSlice(match, old);
                    QVERIFY(now.isValid());
                    QCOMPARE(fileStartNs(*trace, now), fileStartNs(*before, old));
                    QCOMPARE(trace->name(now), before->name(old));
                    // Of those of one name that begin together, one.
                    while (!again.contains(now) && now.index + 1 < trace->lane(now.lane).size()
                        && fileStartNs(*trace, {now.lane, now.index + 1}) == fileStartNs(*before, old))
                        ++now.index;
                    QVERIFY(again.contains(now));
                    QCOMPARE(trace->name(now), before->name(old));
                }
            }
            QVERIFY(again.count() <= marked->count());
            QVERIFY(again.count() + 20 > marked->count()); // few are of one name and begin together
        }
        marked.emplace(*trace);
        for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
            for (uint32_t k = 0; k < trace->lane(LaneId(l)).size(); ++k) {
                if (random() % 10 == 0)
                    marked->insert({LaneId(l), k});
            }
        }
        before = trace;
    }
}

/// Or a picture would cost what is there, not what is new.
void TestGrowingTrace::unchangedBlocksAreShared()
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder growing(pool);
    GrowingWriter writer(growing, *pool, 5);
    writer.write(1'000'000);
    growing.settle();
    growing.sortMemory();
    const auto before = snapshotOf(pool, growing.clone());
    writer.write(1000);
    growing.settle();
    growing.sortMemory();
    const auto now = snapshotOf(pool, growing.clone());
    for (uint32_t l = 0; l < 2; ++l) {
        const LaneStore& a = before->lane(LaneId(l)).store();
        const LaneStore& b = now->lane(LaneId(l)).store();
        QVERIFY(a.blocks.size() >= 7);
        for (size_t k = 0; k + 3 < a.blocks.size(); ++k) {
            QCOMPARE(a.blocks[k].get(), b.blocks[k].get());
            QVERIFY(a.nesting.parent.sharesBlock(b.nesting.parent, k));
            QVERIFY(a.nesting.depth.sharesBlock(b.nesting.depth, k));
            QVERIFY(a.nesting.row.sharesBlock(b.nesting.row, k));
        }
        size_t shared = 0;
        for (size_t r = 0; r < a.nesting.rows.size(); ++r) {
            for (size_t k = 0; k < a.nesting.rows[r].blockCount(); ++k)
                shared += a.nesting.rows[r].sharesBlock(b.nesting.rows[r], k) ? SliceList::kBlock : 0;
        }
        QVERIFY(shared > a.size - 2 * SliceBlock::kRows);
    }
    for (size_t k = 0; k < 40; ++k)
        QVERIFY(before->file(0).memory.sharesBlock(now->file(0).memory, k));
}

QTEST_GUILESS_MAIN(TestGrowingTrace)
#include "tst_growing_trace.moc"
