// What the timeline is drawn from: rows, folded frames, busy time, neighbours, devices, memory, marks.

#include "analysis/memory.h"
#include "lod/mark_index.h"
#include "lod/timeline_index.h"
#include "trace_fixture.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::lod;

namespace {

std::shared_ptr<const TimelineIndex> indexOf(const std::shared_ptr<const TraceSnapshot>& trace)
{
    return TimelineIndex::build(trace, WorkClasses(*trace));
}

QByteArray namesOfRow(const TimelineIndex& index, LaneId lane, Frames frames, uint16_t row)
{
    QByteArray names;
    const SliceRow slices = index.row(lane, frames, row).slices;
    for (uint32_t k = 0; k < slices.size(); ++k) {
        const std::string_view name = index.trace().text(index.trace().lane(lane).name(slices.laneIndex(k)));
        names += (k > 0 ? " " : "") + QByteArray(name.data(), static_cast<qsizetype>(name.size()));
    }
    return names;
}

/// A Python stack around operators: run > module > inner > ops; a call below the second one.
struct PythonTrace {
    TraceFixture f;
    std::shared_ptr<const TraceSnapshot> trace;
    LaneId lane;

    PythonTrace()
    {
        const uint32_t main = f.lane("100", "100");
        f.python(main, "a.py(1): run", 0, 1000);
        f.python(main, "nn.Module: Net_0", 10, 900);
        f.python(main, "a.py(9): inner", 20, 800);
        f.op(main, "aten::mm", 30, 100);
        f.op(main, "aten::add", 200, 100);
        f.call(main, "cudaLaunchKernel", 210, 20, 7);
        f.op(main, "aten::sum", 950, 40);
        trace = f.snapshot();
        lane = sliceNamed(*trace, "aten::mm").lane;
    }
};

} // namespace

class TestTimelineIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldingKeepsModulesAndWork();
    void foldedRowsNeverOverlap();
    void framesAloneAreNotFolded();
    void busyTimeCountsWorkAndNotWhatSurroundsIt();
    void busyTimeOfALaneWithoutWorkCountsAll();
    void overlappingWorkCountsOnce();
    void annotationsOfADeviceLieApart();
    void aFlatLaneCostsLittle();
    void deviceIsBusyWhileAnyStreamIs();
    void coverageEqualsBruteForce();
    void gapsBetweenIntervals();
    void neighboursOfAnEmptyStretch();
    void outermostAtSkipsFrames();
    void memoryTracksAgreeWithTheTable();
    void memoryBelongsToItsDevice();
    void counterColumnsEqualBruteForce();
    void marksAreThoseOfTheMask();
    void marksAreWalkedInOrderOfTime();
    void aStopLeavesNothing();
};

void TestTimelineIndex::foldingKeepsModulesAndWork()
{
    const PythonTrace t;
    const auto index = indexOf(t.trace);
    QVERIFY(index->hasFrames(t.lane));
    QCOMPARE(index->rowCount(t.lane, Frames::Shown), uint16_t{5});
    QCOMPARE(index->rowCount(t.lane, Frames::Folded), uint16_t{3});
    QCOMPARE(namesOfRow(*index, t.lane, Frames::Folded, 0), "nn.Module: Net_0 aten::sum");
    QCOMPARE(namesOfRow(*index, t.lane, Frames::Folded, 1), "aten::mm aten::add");
    QCOMPARE(namesOfRow(*index, t.lane, Frames::Folded, 2), "cudaLaunchKernel");
    QVERIFY(!index->rowOf(sliceNamed(*t.trace, "a.py(9): inner"), Frames::Folded).has_value());
    QCOMPARE(*index->rowOf(sliceNamed(*t.trace, "aten::add"), Frames::Folded), uint16_t{1});
    QCOMPARE(*index->rowOf(sliceNamed(*t.trace, "aten::add"), Frames::Shown), uint16_t{3});
}

void TestTimelineIndex::foldedRowsNeverOverlap()
{
    std::mt19937_64 random(17);
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 3000; ++i) {
        const auto start = static_cast<int64_t>(random() % 20'000);
        const auto length = static_cast<int64_t>(random() % (random() % 8 == 0 ? 4000 : 60));
        if (random() % 3 == 0)
            f.python(main, random() % 4 == 0 ? "nn.Module: M_1" : "x.py(1): f", start, length);
        else
            f.op(main, "aten::mm", start, length);
    }
    const auto trace = f.snapshot();
    const auto index = indexOf(trace);
    const LaneId lane(0);
    QVERIFY(index->hasFrames(lane));
    uint32_t shown = 0;
    for (uint16_t row = 0; row < index->rowCount(lane, Frames::Folded); ++row) {
        const SliceRow slices = index->row(lane, Frames::Folded, row).slices;
        shown += slices.size();
        for (uint32_t k = 0; k < slices.size(); ++k) {
            QCOMPARE(*index->rowOf({lane, slices.laneIndex(k)}, Frames::Folded), row);
            QVERIFY(k == 0 || slices.startNs(k) >= slices.startNs(k - 1) + slices.durationNs(k - 1));
        }
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < trace->lane(lane).size(); ++i)
        expected += trace->text(trace->lane(lane).name(i)) != "x.py(1): f";
    QCOMPARE(shown, expected);
}

void TestTimelineIndex::framesAloneAreNotFolded()
{
    TraceFixture f;
    f.python(f.lane("1", "1"), "x.py(1): f", 0, 10);
    const auto index = indexOf(f.snapshot());
    QVERIFY(!index->hasFrames(LaneId(0)));
    QCOMPARE(index->rowCount(LaneId(0), Frames::Folded), uint16_t{1});
}

void TestTimelineIndex::busyTimeCountsWorkAndNotWhatSurroundsIt()
{
    const PythonTrace t;
    const auto index = indexOf(t.trace);
    QCOMPARE(index->busy(t.lane).coveredNs({0, 1000}), int64_t{240});
    QCOMPARE(index->busy(t.lane).coveredNs({80, 250}), int64_t{50 + 50});
    QCOMPARE(index->busy(t.lane).coveredNs({400, 900}), int64_t{0});
}

/// Kernels of one stream may overlap; a piece that others make longer still counts once.
void TestTimelineIndex::overlappingWorkCountsOnce()
{
    std::mt19937_64 random(12);
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    std::vector<bool> busy(40'000, false);
    for (int i = 0; i < 1500; ++i) {
        const auto start = static_cast<int64_t>(random() % 30'000);
        const auto length = static_cast<int64_t>(random() % 40);
        f.kernel(stream, "k", start, length, static_cast<uint32_t>(i + 1));
        for (int64_t t = start; t < start + length; ++t)
            busy[static_cast<size_t>(t)] = true;
    }
    f.slice(stream, "gpu_user_annotation", "region", 0, 40'000);
    const auto index = indexOf(f.snapshot());
    for (int i = 0; i < 300; ++i) {
        const auto begin = static_cast<int64_t>(random() % 30'000);
        const int64_t end = begin + static_cast<int64_t>(random() % 3000);
        QCOMPARE(
            index->busy(LaneId(0)).coveredNs({begin, end}), std::count(busy.begin() + begin, busy.begin() + end, true));
        QCOMPARE(index->devices()[0].busy.coveredNs({begin, end}),
            std::count(busy.begin() + begin, busy.begin() + end, true));
    }
}

/// Kernels lie in the same row whether an annotation is around them or not.
void TestTimelineIndex::annotationsOfADeviceLieApart()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.kernel(stream, "before", 0, 10, 1);
    f.slice(stream, "gpu_user_annotation", "step", 100, 1000);
    f.kernel(stream, "first", 110, 10, 2);
    f.slice(stream, "gpu_user_annotation", "forward", 200, 300);
    f.kernel(stream, "second", 210, 50, 3);
    f.kernel(stream, "overlapping", 220, 50, 4);
    f.slice(stream, "gpu_user_annotation", "inside a kernel", 1210, 10);
    f.kernel(stream, "after", 1200, 100, 5);
    const auto trace = f.snapshot();
    const Lane& lane = trace->lane(LaneId(0));
    const auto rowOf = [&](std::string_view name) { return lane.row(sliceNamed(*trace, name).index); };
    QCOMPARE(rowOf("step"), uint16_t{0});
    QCOMPARE(rowOf("forward"), uint16_t{1});
    QCOMPARE(rowOf("inside a kernel"), uint16_t{0});
    for (const char* name : {"before", "first", "second", "after"})
        QCOMPARE(rowOf(name), uint16_t{2});
    QCOMPARE(rowOf("overlapping"), uint16_t{3});
    QCOMPARE(lane.rowCount(), uint16_t{4});
    const auto index = indexOf(trace);
    QVERIFY(!index->rowHasDeviceWork(LaneId(0), 1) && index->rowHasDeviceWork(LaneId(0), 2));
}

/// Of a lane without nesting the busy row is the lane's only row: kept once.
void TestTimelineIndex::aFlatLaneCostsLittle()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 50'000; ++i)
        f.op(main, "aten::mm", i * 100, 60);
    const auto index = indexOf(f.snapshot());
    const double bytes = static_cast<double>(index->memoryUsage()) / 50'000;
    QVERIFY2(bytes < 6, qPrintable(QString::number(bytes)));
}

void TestTimelineIndex::busyTimeOfALaneWithoutWorkCountsAll()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.annotation(main, "ProfilerStep#1", 0, 100);
    f.annotation(main, "ProfilerStep#2", 150, 50);
    const auto index = indexOf(f.snapshot());
    QCOMPARE(index->busy(LaneId(0)).coveredNs({0, 200}), int64_t{150});
}

void TestTimelineIndex::deviceIsBusyWhileAnyStreamIs()
{
    TraceFixture f;
    f.kernel(f.lane("0", "7"), "a", 0, 100, 1);
    f.kernel(f.lane("0", "7"), "b", 200, 100, 2);
    f.kernel(f.lane("0", "20"), "c", 50, 100, 3);
    f.slice(f.lane("0", "20"), "gpu_user_annotation", "ProfilerStep#1", 0, 1000);
    f.kernel(f.lane("1", "7"), "d", 0, 10, 4, 0, "1");
    const auto index = indexOf(f.snapshot());
    QCOMPARE(index->devices().size(), size_t{2});
    QCOMPARE(index->devices()[0].device, std::string("0"));
    QCOMPARE(index->devices()[0].busy.coveredNs({0, 1000}), int64_t{250});
    QCOMPARE(index->devices()[1].busy.coveredNs({0, 1000}), int64_t{10});
}

void TestTimelineIndex::coverageEqualsBruteForce()
{
    std::mt19937_64 random(3);
    IntervalRow row;
    std::vector<bool> covered(30'000, false);
    int64_t at = -1000;
    for (int i = 0; i < 900; ++i) {
        at += static_cast<int64_t>(random() % 40);
        const auto length = static_cast<int64_t>(random() % 25);
        row.append(at, at + length, WorkClass::Op);
        for (int64_t t = at; t < at + length; ++t)
            covered[static_cast<size_t>(t + 2000)] = true;
    }
    row.finish();
    for (int i = 0; i < 500; ++i) {
        const auto begin = static_cast<int64_t>(random() % 25'000) - 2000;
        const int64_t end = begin + static_cast<int64_t>(random() % 2500);
        const auto from = covered.begin() + begin + 2000;
        QCOMPARE(row.coveredNs({begin, end}), std::count(from, from + (end - begin), true));
    }
    QCOMPARE(row.coveredNs({100, 100}), int64_t{0});
    QCOMPARE(IntervalRow().coveredNs({0, 100}), int64_t{0});
}

void TestTimelineIndex::gapsBetweenIntervals()
{
    IntervalRow row;
    for (const auto& [begin, end] : {std::pair{0, 10}, {12, 20}, {100, 110}, {110, 120}, {500, 510}})
        row.append(begin, end, WorkClass::Op);
    row.finish();
    const auto all = row.gaps({-50, 1000}, 1, 100);
    QCOMPARE(all.size(), size_t{3});
    QCOMPARE(all[0], (TimeRange{10, 12}));
    QCOMPARE(row.gaps({-50, 1000}, 50, 100).size(), size_t{2});
    QCOMPARE(row.gaps({-50, 1000}, 1, 2).size(), size_t{2});
    const auto inside = row.gaps({200, 300}, 50, 100);
    QCOMPARE(inside.size(), size_t{1});
    QCOMPARE(inside[0], (TimeRange{120, 500}));
    QVERIFY(IntervalRow().gaps({0, 10}, 1, 10).empty());
}

void TestTimelineIndex::neighboursOfAnEmptyStretch()
{
    const PythonTrace t;
    const auto index = indexOf(t.trace);
    QVERIFY(!index->neighbours(t.lane, Frames::Shown, {400, 500}).has_value());
    const auto folded = index->neighbours(t.lane, Frames::Folded, {920, 940});
    QVERIFY(folded.has_value());
    QCOMPARE(nameOf(*t.trace, folded->before), std::string("nn.Module: Net_0"));
    QCOMPARE(nameOf(*t.trace, folded->after), std::string("aten::sum"));
    const auto before = index->neighbours(t.lane, Frames::Shown, {-100, -50});
    QVERIFY(before.has_value() && !before->before.isValid());
    QCOMPARE(nameOf(*t.trace, before->after), std::string("a.py(1): run"));
    const auto after = index->neighbours(t.lane, Frames::Shown, {2000, 3000});
    QVERIFY(after.has_value() && !after->after.isValid());
    QCOMPARE(nameOf(*t.trace, after->before), std::string("a.py(1): run"));
}

void TestTimelineIndex::outermostAtSkipsFrames()
{
    const PythonTrace t;
    const auto index = indexOf(t.trace);
    QCOMPARE(nameOf(*t.trace, index->outermostAt(t.lane, 215)), std::string("aten::add"));
    QCOMPARE(nameOf(*t.trace, index->outermostAt(t.lane, 500)), std::string("a.py(1): run"));
    QVERIFY(!index->outermostAt(t.lane, 5000).isValid());
}

void TestTimelineIndex::memoryTracksAgreeWithTheTable()
{
    std::mt19937_64 random(8);
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::empty", 0, 10'000);
    int64_t total = 0;
    for (int i = 0; i < 5000; ++i) {
        const auto bytes = static_cast<int64_t>(random() % 4096) - 2000;
        total += bytes;
        f.memory(i * 2, bytes, 1, 0, total, 1 << 20);
        f.memory(i * 2 + 1, bytes, 0, -1, random() % 5 == 0 ? kNoValue : total / 2);
    }
    const auto trace = f.snapshot();
    const auto tracks = memoryTracks(*trace);
    const auto series = memorySeries(*trace);
    QCOMPARE(tracks.size(), series.size());
    for (size_t i = 0; i < tracks.size(); ++i) {
        QCOMPARE(tracks[i].deviceType, series[i].deviceType);
        QCOMPARE(tracks[i].peakBytes, series[i].maxBytes);
        QCOMPARE(tracks[i].peakAtNs, series[i].peakAtNs);
        QCOMPARE(tracks[i].allocated.highest(), series[i].maxBytes);
        int64_t last = 0;
        QVERIFY(tracks[i].allocated.valueAt(kMaxNs, last));
        QCOMPARE(last, series[i].lastBytes);
    }
}

void TestTimelineIndex::memoryBelongsToItsDevice()
{
    TraceFixture f;
    f.op(f.lane("100", "100"), "aten::empty", 0, 10);
    f.kernel(f.lane("2", "7"), "k", 0, 10, 1, 0, "2");
    f.memory(1, 64, 1, 0, 64, 128);
    f.memory(2, 64, 0, -1, 64);
    const auto trace = f.snapshot();
    const auto index = indexOf(trace);
    QCOMPARE(index->memory().size(), size_t{2});
    QVERIFY(!index->groupOf(index->memory()[0]).has_value());
    // One device on each side: the same, however the two recorders number it.
    QVERIFY(index->groupOf(index->memory()[1]).has_value());
    QVERIFY(trace->groups()[*index->groupOf(index->memory()[1])].isDevice);
}

void TestTimelineIndex::counterColumnsEqualBruteForce()
{
    std::mt19937_64 random(4);
    std::vector<int64_t> times;
    std::vector<int64_t> values;
    int64_t at = -300;
    for (int i = 0; i < 20'000; ++i) {
        at += static_cast<int64_t>(random() % 7) * static_cast<int64_t>(random() % 3);
        times.push_back(at);
        values.push_back(static_cast<int64_t>(random() % 1'000'000) - 1000);
    }
    const auto samplesOf = [](const std::vector<int64_t>& list) {
        CounterPyramid::Samples samples;
        for (const int64_t value : list)
            samples.push_back(value);
        return samples;
    };
    const CounterPyramid pyramid(std::make_shared<const CounterPyramid::Samples>(samplesOf(times)), samplesOf(values));
    QCOMPARE(pyramid.highest(), *std::ranges::max_element(values));
    for (const int64_t span : {90, 400, 5000, 60'000, 200'000}) {
        const PixelGrid grid(PixelScale({100, 100 + span}, 300), 300);
        std::vector<CounterPyramid::Column> columns;
        pyramid.columns(grid, 20, 300, columns);
        for (int x = 20; x < 300; ++x) {
            int64_t low = kMaxNs;
            int64_t high = kMinNs;
            int64_t last = 0;
            bool known = false;
            for (size_t i = 0; i < times.size() && times[i] < grid.firstNs(x + 1); ++i) {
                // In effect somewhere in the pixel: until the next sample begins.
                const bool reaches = i + 1 == times.size() || times[i + 1] > grid.firstNs(x);
                if (!reaches && times[i] < grid.firstNs(x))
                    continue;
                known = true;
                low = std::min(low, values[i]);
                high = std::max(high, values[i]);
                last = values[i];
            }
            const auto& column = columns[static_cast<size_t>(x - 20)];
            // A pixel finer than 1 ns may hold none.
            if (grid.firstNs(x + 1) == grid.firstNs(x))
                continue;
            QCOMPARE(column.isKnown, known);
            if (known) {
                QCOMPARE(column.low, low);
                QCOMPARE(column.high, high);
                QCOMPARE(column.last, last);
            }
        }
    }
    int64_t value = 0;
    QVERIFY(!pyramid.valueAt(times.front() - 1, value));
    QVERIFY(CounterPyramid().isEmpty());
}

void TestTimelineIndex::marksAreThoseOfTheMask()
{
    const PythonTrace t;
    const auto index = indexOf(t.trace);
    SliceMask mask(*t.trace);
    mask.insert(sliceNamed(*t.trace, "aten::add"));
    mask.insert(sliceNamed(*t.trace, "a.py(9): inner"));
    mask.insert(sliceNamed(*t.trace, "aten::sum"));
    const auto marks = MarkIndex::build(index, mask);
    QCOMPARE(marks->count(), uint64_t{3});
    QCOMPARE(marks->countOf(t.lane), uint64_t{3});
    QCOMPARE(marks->starts().size(), 3u);
    QCOMPARE(marks->row(t.lane, Frames::Shown, 2).slices.size(), 1u);
    QCOMPARE(marks->row(t.lane, Frames::Shown, 3).slices.size(), 1u);
    QCOMPARE(marks->row(t.lane, Frames::Shown, 3).slices.startNs(0), int64_t{200});
    // Folded: the frame has no place, the operators have theirs.
    QCOMPARE(marks->row(t.lane, Frames::Folded, 0).slices.size(), 1u);
    QCOMPARE(marks->row(t.lane, Frames::Folded, 1).slices.size(), 1u);
}

void TestTimelineIndex::marksAreWalkedInOrderOfTime()
{
    std::mt19937 random(7);
    TraceFixture f;
    const std::array lanes{f.lane("1", "1"), f.lane("1", "2"), f.lane("0", "7"), f.lane("1", "9")};
    for (int i = 0; i < 400; ++i)
        f.op(lanes[random() % 3], "aten::mm", static_cast<int64_t>(random() % 300),
            1 + static_cast<int64_t>(random() % 9));
    f.op(lanes[3], "aten::add", 0, 1);
    const auto trace = f.snapshot();
    const auto index = indexOf(trace);
    SliceMask mask(*trace);
    std::vector<std::tuple<int64_t, uint32_t, uint32_t>> expected;
    for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace->lane(LaneId(l)).size(); ++i) {
            if (random() % 3 != 0)
                continue;
            mask.insert({LaneId(l), i});
            expected.emplace_back(trace->lane(LaneId(l)).startNs(i), l, i);
        }
    }
    std::ranges::sort(expected);
    const auto marks = MarkIndex::build(index, mask);
    QCOMPARE(marks->count(), expected.size());
    QCOMPARE(marks->starts().size() > 0, true);
    SliceRef at = marks->first();
    for (size_t n = 0; n < expected.size(); ++n) {
        const SliceRef wanted{LaneId(std::get<1>(expected[n])), std::get<2>(expected[n])};
        QVERIFY(at == wanted);
        QVERIFY(marks->contains(at));
        QCOMPARE(marks->rank(at), n);
        at = marks->next(at, true);
    }
    QVERIFY(!at.isValid());
    at = marks->last();
    for (size_t n = expected.size(); n > 0; --n) {
        QVERIFY(at == (SliceRef{LaneId(std::get<1>(expected[n - 1])), std::get<2>(expected[n - 1])}));
        at = marks->next(at, false);
    }
    QVERIFY(!at.isValid());
    // From a time, and from slices that are not marked.
    for (int64_t time = -1; time < 302; ++time) {
        const auto next = std::ranges::lower_bound(expected, std::tuple(time, 0u, 0u));
        const SliceRef found = marks->firstFrom(time);
        QCOMPARE(found.isValid(), next != expected.end());
        if (found.isValid())
            QCOMPARE(trace->startNs(found), std::get<0>(*next));
    }
    for (uint32_t i = 0; i < trace->lane(LaneId(0)).size(); ++i) {
        const SliceRef from{LaneId(0), i};
        const auto after = std::ranges::upper_bound(expected, std::tuple(trace->startNs(from), 0u, i));
        const SliceRef found = marks->next(from, true);
        QCOMPARE(found.isValid(), after != expected.end());
        if (found.isValid())
            QVERIFY(found == (SliceRef{LaneId(std::get<1>(*after)), std::get<2>(*after)}));
    }
}

void TestTimelineIndex::aStopLeavesNothing()
{
    const PythonTrace t;
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!TimelineIndex::build(t.trace, WorkClasses(*t.trace), stop.get_token()));
    QVERIFY(!MarkIndex::build(indexOf(t.trace), SliceMask(*t.trace), stop.get_token()));
}

QTEST_GUILESS_MAIN(TestTimelineIndex)
#include "tst_timeline_index.moc"
