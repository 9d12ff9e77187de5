#include "model/slice_mask.h"
#include "model/snapshot_order.h"
#include "model/steps.h"
#include "trace_fixture.h"

#include <QtTest>

using namespace torchline;

namespace {

using Texts = std::vector<std::string>;

Texts groupLabels(const TraceSnapshot& trace)
{
    Texts labels;
    for (const ProcessGroup& group : trace.groups())
        labels.push_back(group.label);
    return labels;
}

Texts laneLabels(const TraceSnapshot& trace)
{
    Texts labels;
    for (const LaneId lane : trace.laneOrder())
        labels.push_back(trace.laneLabel(lane));
    return labels;
}

void describe(TraceFixture& f, const char* pid, const char* name, std::optional<int64_t> index)
{
    f.builder.setProcessName(f.name(pid), f.name(name));
    if (index)
        f.builder.setProcessSortIndex(f.name(pid), *index);
}

std::shared_ptr<const TraceSnapshot> combined(std::vector<TraceFixture*> fixtures)
{
    std::vector<std::shared_ptr<const FileStore>> files;
    for (TraceFixture* f : fixtures)
        files.push_back(f->store());
    return TraceSnapshot::combine(fixtures.front()->pool(), files, 7);
}

} // namespace

class TestTraceSnapshot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timesCountFromTheFirstSliceOfAllFiles();
    void ranksMeetByTheirBaseTime();
    void oldAbsoluteTimesAreUnixTime();
    void fileWithoutTimeBaseStartsAtZeroAndThatIsSaid();
    void oneFileWithoutTimeBaseIsNoMatter();
    void fileWithoutSlicesTakesNoPartInTheAxis();
    void nothingIsMixedBetweenFiles();
    void processesFollowTheirSortIndex();
    void threadsFollowTheirSortIndex();
    void withoutIndexHostsComeBeforeDevicesAndSpansLast();
    void mainThreadComesFirst();
    void threadWithTheStepsComesFirst();
    void streamsAreInTheOrderOfTheirNumbers();
    void numbersInTextsCountAsNumbers();
    void labelIsTheNameElseTheId();
    void noteHasLabelsAndRank();
    void laneIdsLeadToStoreLanesAndBack();
    void argsOfAPairAreThoseOfBothEvents();
    void argsWithoutSourceAreEmpty();
    void deviceIsTheArgElseTheProcess();
    void stepsAreHostMarksInOrder();
    void stepNumberMayBeMissing();
    void maskHoldsBitsOfAllLanes();
    void memoryIsCounted();
};

void TestTraceSnapshot::timesCountFromTheFirstSliceOfAllFiles()
{
    TraceFixture f;
    f.instant(90, "marker").op(f.lane("1", "1"), "second", 150, 10).op(f.lane("1", "2"), "first", 100, 10);
    const auto trace = f.snapshot(5);
    QCOMPARE(trace->startNs(sliceNamed(*trace, "first")), int64_t{0});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "second")), int64_t{50});
    QCOMPARE(trace->endNs(sliceNamed(*trace, "second")), int64_t{60});
    QCOMPARE(trace->span(), (TimeRange{0, 60}));
    QCOMPARE(trace->fitSpan(), (TimeRange{0, 60}));
    QCOMPARE(trace->file(0).instants[0].timeNs + trace->fileOffsetNs(0), int64_t{-10});
    QCOMPARE(trace->generation(), uint64_t{5});
}

void TestTraceSnapshot::ranksMeetByTheirBaseTime()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    a.info.baseTimeNs = 1'700'000'000'000'000'000;
    b.info.baseTimeNs = 1'700'000'000'002'000'000;
    a.op(a.lane("1", "1"), "of a", 5'000'000, 10);
    b.op(b.lane("1", "1"), "of b", 5'900'000, 10);
    const auto trace = combined({&b, &a});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of a")), int64_t{0});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of b")), int64_t{2'900'000});
    QCOMPARE(trace->span(), (TimeRange{0, 2'900'010}));
    QVERIFY(trace->notices().empty());
    QCOMPARE(trace->sliceCount(), uint64_t{2});
}

void TestTraceSnapshot::oldAbsoluteTimesAreUnixTime()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    a.info.baseTimeNs = 1'700'000'000'000'000'000;
    a.op(a.lane("1", "1"), "of a", 5'000, 10);
    for (int64_t i = 0; i < 20; ++i)
        b.op(b.lane("1", "1"), i == 0 ? "of b" : "more", 1'700'000'000'000'000'000 + 8'000 + i, 0);
    b.kernel(b.lane("0", "7"), "lost", 0, 0, 0);
    const auto trace = combined({&a, &b});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of b")) - trace->startNs(sliceNamed(*trace, "of a")), int64_t{3'000});
    QVERIFY(trace->notices().empty());
}

void TestTraceSnapshot::fileWithoutTimeBaseStartsAtZeroAndThatIsSaid()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    a.info.baseTimeNs = 1'700'000'000'000'000'000;
    b.info.path = "b.json";
    a.op(a.lane("1", "1"), "of a", 5'000, 10);
    b.op(b.lane("1", "1"), "of b", 77'000, 10);
    const auto trace = combined({&a, &b});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of a")), int64_t{0});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of b")), int64_t{0});
    QCOMPARE(trace->notices().size(), size_t{1});
    QCOMPARE(trace->notices()[0].count, uint64_t{1});
    QCOMPARE(trace->notices()[0].places[0].text, "b.json");
}

void TestTraceSnapshot::oneFileWithoutTimeBaseIsNoMatter()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "op", 77'000, 10);
    const auto trace = f.snapshot();
    QVERIFY(trace->notices().empty());
}

void TestTraceSnapshot::fileWithoutSlicesTakesNoPartInTheAxis()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    a.info.baseTimeNs = 1'700'000'000'000'000'000;
    a.instant(0, "marker");
    b.info.baseTimeNs = 1'700'000'000'000'000'000;
    b.op(b.lane("1", "1"), "of b", 50, 10);
    const auto trace = combined({&a, &b});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "of b")), int64_t{0});
    QCOMPARE(trace->file(0).instants[0].timeNs + trace->fileOffsetNs(0), int64_t{-50});
    QVERIFY(trace->notices().empty());
}

void TestTraceSnapshot::nothingIsMixedBetweenFiles()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    for (TraceFixture* f : {&a, &b}) {
        f->info.baseTimeNs = 0;
        const uint32_t host = f->lane("1", "1");
        const uint32_t stream = f->lane("0", "7");
        f->op(host, "op", 0, 50, 1).call(host, "launch", 10, 5, 9, 1).kernel(stream, "kernel", 30, 5, 9, 1);
        f->arrow("ac2g", "9", host, 10, stream, 30);
    }
    const auto trace = combined({&a, &b});
    QCOMPARE(trace->lanes().size(), size_t{4});
    QCOMPARE(trace->groups().size(), size_t{4});
    for (uint32_t l = 0; l < 4; ++l) {
        for (uint32_t i = 0; i < trace->lanes()[l].size(); ++i) {
            const SliceRef slice{LaneId(l), i};
            const uint32_t file = trace->lanes()[l].fileIndex();
            if (!isDeviceWork(trace->kind(slice)))
                continue;
            QCOMPARE(trace->lane(trace->ownerOf(slice).lane).fileIndex(), file);
            QCOMPARE(trace->lane(trace->callOf(slice).lane).fileIndex(), file);
            QCOMPARE(trace->arrowsTo(slice).size(), size_t{1});
            QCOMPARE(trace->lane(trace->arrowsTo(slice)[0].from.lane).fileIndex(), file);
            QCOMPARE(trace->workOfCall(trace->callOf(slice)), std::vector<SliceRef>{slice});
        }
    }
}

void TestTraceSnapshot::processesFollowTheirSortIndex()
{
    TraceFixture f;
    describe(f, "10", "bravo", 2);
    describe(f, "11", "alpha", 1);
    describe(f, "12", "delta", 30);
    describe(f, "13", "charlie", 3);
    for (const char* pid : {"10", "11", "12", "13"})
        f.op(f.lane(pid, "1"), "op", 0, 5);
    QCOMPARE(groupLabels(*f.snapshot()), (Texts{"alpha", "bravo", "charlie", "delta"}));
}

void TestTraceSnapshot::threadsFollowTheirSortIndex()
{
    TraceFixture f;
    const std::pair<const char*, int64_t> threads[]{{"1", 9}, {"2", 5}, {"10", 7}};
    for (const auto& [tid, index] : threads) {
        f.builder.setThreadSortIndex(f.name("10"), f.name(tid), index);
        f.op(f.lane("10", tid), "op", 0, 5);
    }
    QCOMPARE(laneLabels(*f.snapshot()), (Texts{"2", "10", "1"}));
}

void TestTraceSnapshot::withoutIndexHostsComeBeforeDevicesAndSpansLast()
{
    TraceFixture f;
    f.slice(f.lane("Traces", "t"), "Trace", "x", 0, 5).slice(f.lane("Spans", "s"), "Trace", "x", 0, 5);
    f.kernel(f.lane("10", "7"), "k", 0, 5, 0).kernel(f.lane("2", "7"), "k", 0, 5, 0);
    f.slice(f.lane("-1", "0"), "overhead", "x", 0, 5)
        .op(f.lane("900", "1"), "op", 0, 5)
        .op(f.lane("80", "1"), "op", 0, 5);
    f.op(f.lane("text", "1"), "op", 0, 5);
    QCOMPARE(groupLabels(*f.snapshot()), (Texts{"80", "900", "text", "2", "10", "-1", "Traces", "Spans"}));
}

void TestTraceSnapshot::mainThreadComesFirst()
{
    TraceFixture f;
    for (const char* tid : {"90", "100", "9"}) {
        f.builder.setThreadSortIndex(f.name("100"), f.name(tid), std::stoll(tid));
        f.op(f.lane("100", tid), "op", 0, 5);
    }
    QCOMPARE(laneLabels(*f.snapshot()), (Texts{"100", "9", "90"}));

    TraceFixture same;
    for (const char* tid : {"90", "100", "-1220540864", "9"}) {
        same.builder.setThreadSortIndex(same.name("100"), same.name(tid), 0);
        same.op(same.lane("100", tid), "op", 0, 5);
    }
    QCOMPARE(laneLabels(*same.snapshot()), (Texts{"100", "-1220540864", "9", "90"}));

    TraceFixture none;
    for (const char* tid : {"90", "-1220540864", "9", "x"})
        none.op(none.lane("100", tid), "op", 0, 5);
    QCOMPARE(laneLabels(*none.snapshot()), (Texts{"9", "90", "-1220540864", "x"}));
}

void TestTraceSnapshot::threadWithTheStepsComesFirst()
{
    TraceFixture f;
    f.op(f.lane("100", "5"), "op", 0, 5)
        .annotation(f.lane("100", "70"), "ProfilerStep#1", 0, 5)
        .op(f.lane("100", "6"), "op", 0, 5);
    QCOMPARE(laneLabels(*f.snapshot()), (Texts{"70", "5", "6"}));
}

void TestTraceSnapshot::streamsAreInTheOrderOfTheirNumbers()
{
    TraceFixture f;
    for (const char* tid : {"20", "7", "stream 20", "stream 7", "1000007"})
        f.kernel(f.lane("0", tid), "kernel", 0, 5, 0);
    QCOMPARE(laneLabels(*f.snapshot()), (Texts{"7", "20", "1000007", "stream 7", "stream 20"}));
}

void TestTraceSnapshot::numbersInTextsCountAsNumbers()
{
    QVERIFY(isNaturallyBefore("stream 7", "stream 20"));
    QVERIFY(!isNaturallyBefore("stream 20", "stream 7"));
    QVERIFY(isNaturallyBefore("a", "b"));
    QVERIFY(isNaturallyBefore("a", "a1"));
    QVERIFY(isNaturallyBefore("a01", "a1b"));
    QVERIFY(isNaturallyBefore("99999999999999999999998", "99999999999999999999999"));
    QVERIFY(!isNaturallyBefore("a", "a"));
    const Texts texts{"", "a", "a1", "a01", "a1b", "a2", "a10", "b", "10", "9", "09", "stream 7", "stream 07"};
    for (const std::string& a : texts) {
        for (const std::string& b : texts)
            QVERIFY2(a == b || isNaturallyBefore(a, b) != isNaturallyBefore(b, a), (a + " and " + b).c_str());
    }
}

void TestTraceSnapshot::labelIsTheNameElseTheId()
{
    TraceFixture f;
    describe(f, "1", "python", {});
    f.builder.setThreadName(f.name("1"), f.name("1"), f.name("main"));
    f.op(f.lane("1", "1"), "op", 0, 5).op(f.lane("1", "2"), "op", 0, 5).op(f.lane("2", "3"), "op", 0, 5);
    const auto trace = f.snapshot();
    QCOMPARE(groupLabels(*trace), (Texts{"python", "2"}));
    QCOMPARE(laneLabels(*trace), (Texts{"main", "2", "3"}));
    QCOMPARE(trace->pid(trace->laneOrder()[2]), "2");
    QCOMPARE(trace->tid(trace->laneOrder()[2]), "3");
    QCOMPARE(trace->groupOf(trace->laneOrder()[2]).label, "2");
}

void TestTraceSnapshot::noteHasLabelsAndRank()
{
    TraceFixture f;
    f.builder.setProcessLabels(f.name("1"), f.name("CPU"));
    f.info.rank = 3;
    f.info.header.emplace_back("distributedInfo", R"({"backend":"nccl","rank":3,"world_size":16})");
    f.op(f.lane("1", "1"), "op", 0, 5).op(f.lane("2", "2"), "op", 0, 5);
    const auto trace = f.snapshot();
    QCOMPARE(trace->groups()[0].note, "CPU, rank 3 of 16");
    QCOMPARE(trace->groups()[1].note, "rank 3 of 16");

    TraceFixture g;
    g.info.rank = 0;
    g.op(g.lane("1", "1"), "op", 0, 5);
    QCOMPARE(g.snapshot()->groups()[0].note, "rank 0");
}

void TestTraceSnapshot::laneIdsLeadToStoreLanesAndBack()
{
    TraceFixture a;
    TraceFixture b(a.pool());
    a.op(a.lane("1", "1"), "op", 0, 5).op(a.lane("1", "2"), "op", 0, 5);
    b.op(b.lane("1", "1"), "op", 0, 5).op(b.lane("1", "2"), "of b", 0, 5);
    const auto trace = combined({&a, &b});
    const SliceRef slice = sliceNamed(*trace, "of b");
    QCOMPARE(slice.lane, trace->laneId(1, 1));
    QCOMPARE(trace->toStore(slice), (StoreRef{1, 0}));
    QCOMPARE(trace->toGlobal(1, StoreRef{1, 0}), slice);
    QVERIFY(!trace->toGlobal(1, StoreRef()).isValid());
    QVERIFY(!trace->toStore(SliceRef()).isValid());
    QVERIFY(!trace->parent(slice).isValid());
}

void TestTraceSnapshot::argsOfAPairAreThoseOfBothEvents()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.op(lane, "plain", 0, 1).args({{"a", "0"}});
    f.begin(lane, "cpu_op", "pair", 5).args({{"a", "1"}, {"b", "2"}});
    f.end(lane, 9).args({{"b", "3"}, {"c", "4"}});
    const auto trace = f.snapshot();
    const Result<ArgList> args = trace->args(sliceNamed(*trace, "pair"));
    QVERIFY(args.has_value());
    QCOMPARE(*args, (ArgList{{"a", "1"}, {"b", "3"}, {"c", "4"}}));
    QCOMPARE(*trace->args(sliceNamed(*trace, "plain")), (ArgList{{"a", "0"}}));
}

void TestTraceSnapshot::argsWithoutSourceAreEmpty()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "op", 0, 5);
    const auto trace = TraceSnapshot::combine(f.pool(), {f.builder.finish({}, nullptr)});
    QVERIFY(trace->args(sliceNamed(*trace, "op")).value().empty());
}

void TestTraceSnapshot::deviceIsTheArgElseTheProcess()
{
    TraceFixture f;
    f.kernel(f.lane("0", "7"), "stated", 0, 5, 0, 0, "2").kernel(f.lane("0", "7"), "silent", 10, 5, 0, 0, "");
    f.slice(f.lane("0", "7"), "gpu_user_annotation", "mirrored", 20, 5);
    f.work(f.lane("0", "7"), "gpu_memcpy", "copy", 30, 5, 0, 0, "2", 4096, 50);
    const auto trace = f.snapshot();
    QCOMPARE(trace->deviceOf(sliceNamed(*trace, "stated")), "2");
    QCOMPARE(trace->deviceOf(sliceNamed(*trace, "silent")), "0");
    QCOMPARE(trace->deviceOf(sliceNamed(*trace, "mirrored")), "0");
    QVERIFY(!trace->deviceWork(sliceNamed(*trace, "mirrored")));
    QCOMPARE(trace->deviceWork(sliceNamed(*trace, "copy"))->bytes, int64_t{4096});
    QCOMPARE(trace->deviceWork(sliceNamed(*trace, "stated"))->bytes, kNoValue);
}

void TestTraceSnapshot::stepsAreHostMarksInOrder()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "ProfilerStep#12", 250, 50).annotation(host, "ProfilerStep#10", 0, 100);
    f.slice(host, "Operator", "ProfilerStep#11", 100, 150).python(host, "ProfilerStep#13", 400, 5);
    f.slice(stream, "gpu_user_annotation", "ProfilerStep#10", 20, 90);
    const auto trace = f.snapshot();
    const std::vector<StepMark> steps = profilerSteps(*trace);
    QCOMPARE(steps.size(), size_t{3});
    for (size_t i = 0; i < steps.size(); ++i)
        QCOMPARE(steps[i].number, std::optional<int64_t>(10 + static_cast<int64_t>(i)));
    QCOMPARE(steps[1].range, (TimeRange{100, 250}));
    QCOMPARE(nameOf(*trace, steps[2].slice), "ProfilerStep#12");
}

void TestTraceSnapshot::stepNumberMayBeMissing()
{
    TraceFixture f;
    f.annotation(f.lane("1", "1"), "ProfilerStep#", 0, 5)
        .annotation(f.lane("1", "1"), "ProfilerStep#99999999999999999999", 10, 5);
    f.annotation(f.lane("1", "1"), "ProfilerStep", 20, 5);
    const std::vector<StepMark> steps = profilerSteps(*f.snapshot());
    QCOMPARE(steps.size(), size_t{2});
    QVERIFY(!steps[0].number && !steps[1].number);
}

void TestTraceSnapshot::maskHoldsBitsOfAllLanes()
{
    TraceFixture f;
    for (int64_t i = 0; i < 70; ++i)
        f.op(f.lane("1", "1"), "op", 10 * i, 5);
    f.op(f.lane("1", "2"), "op", 0, 5);
    const auto trace = f.snapshot(3);
    const SliceMask all(*trace, true);
    QCOMPARE(all.count(), uint64_t{71});
    SliceMask mask(*trace);
    QCOMPARE(mask.count(), uint64_t{0});
    mask.insert({LaneId(0), 69});
    mask.insert({LaneId(1), 0});
    QVERIFY(mask.contains({LaneId(0), 69}) && !mask.contains({LaneId(0), 68}));
    QCOMPARE(mask.words(LaneId(0)).size(), size_t{2});
    mask.erase({LaneId(1), 0});
    mask.intersect(all);
    QCOMPARE(mask.count(), uint64_t{1});
    QCOMPARE(mask.generation(), uint64_t{3});
}

void TestTraceSnapshot::memoryIsCounted()
{
    TraceFixture large;
    for (int64_t i = 0; i < 10'000; ++i)
        large.op(large.lane("1", "1"), "op", 10 * i, 5);
    QVERIFY(large.builder.memoryUsage() > 10'000 * 40);
    const auto trace = large.snapshot();
    QVERIFY(trace->memoryUsage() > trace->file(0).memoryUsage());
    QVERIFY(trace->file(0).memoryUsage() > 10'000 * 46);
}

QTEST_GUILESS_MAIN(TestTraceSnapshot)
#include "tst_trace_snapshot.moc"
