// Ingest: what a recorded process tells becomes the store that a Kineto file of the same run would give.

#include "capture/ingest.h"
#include "capture/segment_reader.h"
#include "export/kineto_json.h"
#include "import/load.h"
#include "model/steps.h"
#include "recorded_program.h"
#include "store_text.h"
#include "trace_tables.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

using namespace torchline;
using torchline::test::kUserScope;
using torchline::test::memoryRecord;
using torchline::test::opRecord;
using torchline::test::Program;
using torchline::test::Recording;
using torchline::test::SegmentWriter;

namespace {

SliceRef sliceNamed(const TraceSnapshot& trace, std::string_view name)
{
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (trace.text(lane.name(i)) == name)
                return {LaneId(l), i};
        }
    }
    return {};
}

std::string argOf(const TraceSnapshot& trace, std::string_view slice, std::string_view key)
{
    const SliceRef ref = sliceNamed(trace, slice);
    if (!ref.isValid())
        return "no such slice";
    const Result<ArgList> args = trace.args(ref);
    if (!args)
        return args.error().message();
    const std::string* value = findArg(*args, key);
    return value ? *value : "none";
}

uint64_t noticed(const TraceSnapshot& trace, std::string_view code)
{
    for (const Notice& notice : trace.file(0).notices) {
        if (notice.code == code)
            return notice.count;
    }
    return 0;
}

} // namespace

class TestIngest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesProcessesThreadsAndCategories();
    void nestsOperatorsThatArriveInnermostFirst();
    void buildsArgsOnDemand();
    void backwardRowsHaveTheNumbersOfTheOperatorInside();
    void linksForwardAndBackward();
    void pairsFreesByAddress();
    void joinsOperatorsThatEndElsewhere();
    void stepsBecomeProfilerSteps();
    void aScopeThatIsAStepIsNotMarkedTwice();
    void whatRunsAtTheEndIsUnfinished();
    void lostRecordsLeaveAMarkAndANotice();
    void ticksBecomeNanoseconds();
    void theClockNeverRunsBackwards();
    void processesAreStoresOnOneAxis();
    void cutsDoNotMatter_data();
    void cutsDoNotMatter();
    void replayEqualsLive();
    void snapshotsDisturbNothing();
    void recordsBeforeTheClockWait();
    void theOldestRecordsMakeRoom();
    void savedAndOpenedItIsTheSame();
    void snapshotsAreReadWhileRecordingGoesOn();
};

void TestIngest::namesProcessesThreadsAndCategories()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(4711, 1, "python3");
    run.writer.put(slot, opRecord(run.writer.name("aten::add"), 100, 200, 0, 1));
    wire::OpRecord scope = opRecord(run.writer.name("forward"), 300, 450, 0, 2);
    scope.head.scope = kUserScope;
    run.writer.put(slot, scope);
    const auto trace = run.finish();
    QCOMPARE(trace->files().size(), size_t{1});
    const FileStore& store = trace->file(0);
    QCOMPARE(store.info.rank, std::optional<int64_t>(2));
    QCOMPARE(store.info.baseTimeNs, std::optional<int64_t>(1'700'000'000'000'000'000));
    QCOMPARE(store.info.path, std::string("run"));
    QCOMPARE(trace->groups()[0].label, std::string("python3.11"));
    QCOMPARE(trace->laneLabel(LaneId(0)), std::string("thread 4711 (python3)"));
    QCOMPARE(trace->lane(LaneId(0)).size(), 2u);
    const SliceRef add = sliceNamed(*trace, "aten::add");
    QCOMPARE(trace->kind(add), SliceKind::CpuOp);
    QCOMPARE(trace->durationNs(add), int64_t{100});
    const SliceRef forward = sliceNamed(*trace, "forward");
    QCOMPARE(trace->kind(forward), SliceKind::UserAnnotation);
    QCOMPARE(trace->startNs(forward) - trace->startNs(add), int64_t{200});
    QCOMPARE(findArg(store.info.header, "distributedInfo") ? *findArg(store.info.header, "distributedInfo") : "",
        std::string(R"({"rank":2,"world_size":4})"));
    QVERIFY(store.notices.empty());
}

void TestIngest::nestsOperatorsThatArriveInnermostFirst()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 1);
    run.writer.put(slot, opRecord(run.writer.name("c"), 120, 130, 2, 3));
    run.writer.put(slot, opRecord(run.writer.name("b"), 110, 140, 1, 2));
    run.drain();
    run.writer.put(slot, opRecord(run.writer.name("d"), 150, 160, 1, 4));
    run.writer.put(slot, opRecord(run.writer.name("a"), 100, 200, 0, 1));
    const auto trace = run.finish();
    const Lane& lane = trace->lane(LaneId(0));
    QCOMPARE(lane.size(), 4u);
    std::string names;
    for (uint32_t i = 0; i < 4; ++i)
        names += std::string(trace->text(lane.name(i))) + std::to_string(lane.depth(i));
    QCOMPARE(names, std::string("a1b2c3d2"));
}

void TestIngest::buildsArgsOnDemand()
{
    Recording run;
    run.writer.takeSlot(1, 1);
    const uint32_t slot = run.writer.takeSlot(2, 2);
    wire::OpRecord op = opRecord(run.writer.name("aten::mm"), 100, 200, 0, 5);
    op.shapes = run.writer.shapes({{{8, 3}}, {{}, 4}, {{}, wire::kNoDtype, 5}, {{}, wire::kNoDtype, 0}});
    op.sequence = 17;
    run.writer.put(slot, op);
    run.writer.put(slot, opRecord(run.writer.name("plain"), 300, 400, 0, 6));
    const auto trace = run.finish();
    QCOMPARE(argOf(*trace, "aten::mm", "Input Dims"), std::string("[[8,3],[],[],[]]"));
    QCOMPARE(argOf(*trace, "aten::mm", "Input type"), std::string(R"(["float","long int","Scalar",""])"));
    QCOMPARE(argOf(*trace, "aten::mm", "Sequence number"), std::string("17"));
    QCOMPARE(argOf(*trace, "aten::mm", "Fwd thread id"), std::string("0"));
    QCOMPARE(argOf(*trace, "aten::mm", "External id"), std::to_string(5 * 64 + 1 + 1));
    QCOMPARE(argOf(*trace, "aten::mm", "Record function id"), std::string("0"));
    QCOMPARE(argOf(*trace, "plain", "Input Dims"), std::string("none"));
    QCOMPARE(argOf(*trace, "plain", "Sequence number"), std::string("none"));
    QCOMPARE(trace->lane(LaneId(0)).externalId(0), 5u * 64 + 2);
    const FileStore& store = trace->file(0);
    const Result<std::string> text = store.source->text(trace->lane(LaneId(0)).eventOffset(1));
    QCOMPARE(text ? *text : text.error().message(),
        std::string(R"({"args": {"External id": 386, "Record function id": 0}})"));
    QVERIFY(!store.source->args(12345678));
}

void TestIngest::backwardRowsHaveTheNumbersOfTheOperatorInside()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 7);
    const uint32_t inner = run.writer.name("MulBackward0");
    const uint32_t outer = run.writer.name("autograd::engine::evaluate_function: MulBackward0");
    wire::OpRecord op = opRecord(inner, 110, 120, 1, 2);
    op.sequence = 33;
    op.forwardThread = 4;
    run.writer.put(slot, op);
    run.drain();
    run.writer.put(slot, opRecord(outer, 100, 130, 0, 1));
    const uint32_t accumulate = run.writer.name("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
    run.writer.put(slot, opRecord(run.writer.name("torch::autograd::AccumulateGrad"), 210, 220, 1, 4));
    run.writer.put(slot, opRecord(accumulate, 200, 230, 0, 3));
    const auto trace = run.finish();
    const std::string name = "autograd::engine::evaluate_function: MulBackward0";
    QCOMPARE(argOf(*trace, name, "Sequence number"), std::string("33"));
    QCOMPARE(argOf(*trace, name, "Fwd thread id"), std::string("4"));
    QCOMPARE(argOf(*trace, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "Sequence number"),
        std::string("none"));
}

void TestIngest::linksForwardAndBackward()
{
    Recording run;
    const uint32_t main = run.writer.takeSlot(1, 5);
    const uint32_t autograd = run.writer.takeSlot(2, 6);
    const auto put = [&](uint32_t slot, std::string_view name, uint64_t start, int64_t sequence, uint32_t forward) {
        wire::OpRecord op = opRecord(run.writer.name(name), start, start + 10, 0, static_cast<uint32_t>(start));
        op.sequence = sequence;
        op.forwardThread = forward;
        run.writer.put(slot, op);
    };
    put(main, "early", 100, 3, 0);
    put(main, "late", 200, 3, 0);
    put(main, "unused", 300, 4, 0);
    put(autograd, "backward", 400, 3, 5);
    put(autograd, "again", 500, 3, 5);
    put(autograd, "other thread", 600, 4, 9);
    const auto trace = run.finish();
    QCOMPARE(trace->file(0).links.arrows.size(), size_t{1});
    const std::vector<Arrow> arrows = trace->arrowsFrom(sliceNamed(*trace, "late"));
    QCOMPARE(arrows.size(), size_t{1});
    QCOMPARE(arrows[0].to, sliceNamed(*trace, "backward"));
    QCOMPARE(std::string(arrows[0].category), std::string("fwdbwd"));
}

void TestIngest::pairsFreesByAddress()
{
    Recording run;
    const uint32_t a = run.writer.takeSlot(1, 1);
    const uint32_t b = run.writer.takeSlot(2, 2);
    // The reader sees all of a, then all of b: frees come before allocations and after them.
    run.writer.put(a, memoryRecord(100, 64, 1000));
    run.writer.put(a, memoryRecord(150, 256, 0)); // of 140 on the other thread
    run.writer.put(a, memoryRecord(300, 64, 30)); // the address again
    run.writer.put(a, memoryRecord(310, 64, 0));
    run.writer.put(a, memoryRecord(320, 512, 0)); // nobody's
    run.writer.put(b, memoryRecord(140, 256, 7));
    run.writer.put(b, memoryRecord(200, 64, 0)); // of 100
    run.writer.put(a, opRecord(run.writer.name("op"), 90, 400, 0, 1));
    const auto trace = run.finish();
    std::string text;
    for (const MemorySample& m : trace->file(0).memory)
        text += std::to_string(m.bytes) + ":" + std::to_string(m.totalAllocated) + " ";
    QCOMPARE(text, std::string("1000:1000 7:1007 -7:1000 -1000:0 30:30 -30:0 "));
    QCOMPARE(noticed(*trace, "freed-before"), uint64_t{1});
}

void TestIngest::joinsOperatorsThatEndElsewhere()
{
    Recording run;
    const uint32_t a = run.writer.takeSlot(1, 1);
    const uint32_t b = run.writer.takeSlot(2, 2);
    const auto half = [&](wire::RecordType type, std::string_view name, uint64_t key, uint64_t time) {
        wire::AsyncRecord record{};
        record.head = {0, type, 0, run.writer.name(name)};
        record.key = key;
        record.time = time;
        record.sequence = type == wire::RecordType::AsyncOpen ? 8 : -1;
        return record;
    };
    run.writer.put(b, half(wire::RecordType::AsyncEnd, "first", 77, 250));
    run.writer.put(b, half(wire::RecordType::AsyncEnd, "second", 77, 450));
    run.writer.put(b, half(wire::RecordType::AsyncEnd, "stray", 99, 460));
    run.drain();
    run.writer.put(a, half(wire::RecordType::AsyncOpen, "first", 77, 200));
    run.writer.put(a, half(wire::RecordType::AsyncOpen, "second", 77, 400));
    run.writer.put(a, half(wire::RecordType::AsyncOpen, "never", 78, 300));
    const auto trace = run.finish();
    QCOMPARE(trace->lanes().size(), size_t{1});
    QCOMPARE(trace->durationNs(sliceNamed(*trace, "first")), int64_t{50});
    QCOMPARE(trace->durationNs(sliceNamed(*trace, "second")), int64_t{50});
    QCOMPARE(argOf(*trace, "first", "Sequence number"), std::string("8"));
    const SliceRef never = sliceNamed(*trace, "never");
    QVERIFY((trace->lane(never.lane).flags(never.index) & SliceUnfinished) != 0);
    QCOMPARE(noticed(*trace, "async-end-without-begin"), uint64_t{1});
}

void TestIngest::stepsBecomeProfilerSteps()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 1);
    const uint32_t op = run.writer.name("op");
    const auto step = [&](uint64_t time, uint64_t number) {
        run.writer.put(slot, wire::StepRecord{{0, wire::RecordType::Step, 0, op}, time, number});
    };
    run.writer.put(slot, opRecord(op, 100, 150, 0, 1));
    step(150, 1);
    run.writer.put(slot, opRecord(op, 160, 190, 0, 2));
    step(200, 2);
    step(300, 7); // a schedule waited
    run.writer.put(slot, opRecord(op, 310, 320, 0, 3));
    step(330, 8);
    const auto trace = run.finish();
    std::string text;
    for (const StepMark& mark : profilerSteps(*trace))
        text += std::to_string(*mark.number) + "[" + std::to_string(mark.range.beginNs) + ","
            + std::to_string(mark.range.endNs) + ") ";
    QCOMPARE(text, std::string("0[0,50) 1[50,100) 7[200,230) "));
}

void TestIngest::aScopeThatIsAStepIsNotMarkedTwice()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 1);
    wire::OpRecord scope = opRecord(run.writer.name("ProfilerStep#4"), 100, 150, 0, 1);
    scope.head.scope = kUserScope;
    run.writer.put(slot, scope);
    run.writer.put(slot, wire::StepRecord{{0, wire::RecordType::Step, 0, scope.head.name}, 150, 1});
    const auto trace = run.finish();
    QCOMPARE(profilerSteps(*trace).size(), size_t{1});
    QCOMPARE(trace->sliceCount(), uint64_t{1});
}

void TestIngest::whatRunsAtTheEndIsUnfinished()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 1);
    run.writer.pushOpen(slot, {1, 100, -1, run.writer.name("outer"), kUserScope, 0, wire::OpenKept, 0, 1, 0, 0});
    run.writer.pushOpen(slot, {2, 150, 9, run.writer.name("inner"), 0, 0, wire::OpenKept, 0, 2, 0, 0});
    run.drain();
    run.drain();
    run.writer.put(slot, opRecord(run.writer.name("leaf"), 160, 500, 2, 3));
    run.writer.put(slot, opRecord(run.writer.name("inner"), 150, 510, 1, 2));
    run.writer.popOpen(slot);
    run.drain();
    run.writer.pushOpen(slot, {3, 520, -1, run.writer.name("crashed"), 0, 0, wire::OpenKept, 0, 4, 0, 0});
    run.writer.pushOpen(slot, {4, 530, -1, run.writer.name("begun while paused"), 0, 0, 0, 0, 5, 0, 0});
    const auto trace = run.finish();
    QCOMPARE(trace->sliceCount(), uint64_t{4});
    const auto isUnfinished = [&](std::string_view name) {
        const SliceRef s = sliceNamed(*trace, name);
        return (trace->lane(s.lane).flags(s.index) & SliceUnfinished) != 0;
    };
    QVERIFY(isUnfinished("outer") && isUnfinished("crashed") && !isUnfinished("inner") && !isUnfinished("leaf"));
    QCOMPARE(trace->parent(sliceNamed(*trace, "inner")), sliceNamed(*trace, "outer"));
    QCOMPARE(argOf(*trace, "crashed", "External id"), std::to_string(4 * 64 + 1));
    QCOMPARE(noticed(*trace, "unfinished"), uint64_t{2});
}

void TestIngest::lostRecordsLeaveAMarkAndANotice()
{
    Recording run;
    const uint32_t slot = run.writer.takeSlot(1, 1);
    run.writer.put(slot, opRecord(run.writer.name("op"), 100, 150, 0, 1));
    run.writer.put(slot, wire::DroppedRecord{{0, wire::RecordType::Dropped, 0, 0}, 200, 1234});
    run.writer.put(slot, opRecord(run.writer.name("op"), 300, 350, 0, 2));
    const auto trace = run.finish();
    const std::vector<Instant>& marks = trace->file(0).instants;
    QCOMPARE(marks.size(), size_t{1});
    QCOMPARE(std::string(trace->text(marks[0].name)), std::string("1234 records lost"));
    QCOMPARE(marks[0].timeNs, int64_t{100});
    QCOMPARE(std::string(trace->text(marks[0].tid)), std::string("1"));
    QCOMPARE(noticed(*trace, "records-lost"), uint64_t{1234});
    QCOMPARE(run.ingest.counters().dropped, uint64_t{1234});
}

void TestIngest::ticksBecomeNanoseconds()
{
    Recording run({.clock = wire::ClockKind::Tsc});
    constexpr uint64_t kFirst = 987'654'321'000;
    constexpr uint64_t kTicks = 2'100'123'456; // a second and a bit
    constexpr uint64_t kNs = 1'000'058'789;
    run.writer.setClock(kFirst, 5'000'000'000'000, kFirst + kTicks, 5'000'000'000'000 + kNs, 1'700'000'000'000'000'000);
    const uint32_t slot = run.writer.takeSlot(1, 1);
    const uint32_t name = run.writer.name("op");
    std::mt19937_64 random(3);
    std::vector<uint64_t> starts;
    for (uint32_t i = 0; i < 500; ++i) {
        starts.push_back(kFirst - 1'000'000 + random() % (100 * kTicks));
        run.writer.put(slot, opRecord(name, starts.back(), starts.back(), 0, i));
    }
    std::sort(starts.begin(), starts.end());
    const auto trace = run.finish();
    const Lane& lane = trace->lane(LaneId(0));
    QCOMPARE(lane.size(), 500u);
    for (uint32_t i = 0; i < 500; ++i) {
        const long double exact = 5e12L + (static_cast<long double>(starts[i]) - kFirst) * kNs / kTicks;
        const int64_t fileNs = lane.startNs(i) - lane.offsetNs() + trace->file(0).info.originNs;
        QVERIFY(std::abs(static_cast<long double>(fileNs) - exact) <= 1.0L);
    }
}

void TestIngest::theClockNeverRunsBackwards()
{
    Recording run({.clock = wire::ClockKind::Tsc});
    const uint32_t slot = run.writer.takeSlot(1, 1);
    const uint32_t name = run.writer.name("op");
    std::mt19937 random(11);
    uint64_t now = 1'000'000;
    std::vector<uint64_t> ticks;
    for (uint32_t round = 0; round < 30; ++round) {
        // Each look at the clocks is off by up to 200 ns.
        const uint64_t at = now + 1000;
        run.writer.setClock(1000, 500, at, at / 2 + random() % 200, 0);
        run.drain();
        // Operators that began before the look and end after it enclose what ended before.
        for (uint32_t i = 0; i < 20; ++i) {
            now += random() % 2'000'000;
            ticks.push_back(now);
            run.writer.put(slot, opRecord(name, now, now + 10, 0, i));
        }
    }
    run.writer.put(slot, opRecord(run.writer.name("all"), 1'000'000, now + 20, 0, 99));
    const auto trace = run.finish();
    const Lane& lane = trace->lane(LaneId(0));
    QCOMPARE(trace->text(lane.name(0)), std::string_view("all"));
    for (uint32_t i = 1; i < lane.size(); ++i) {
        QCOMPARE(lane.parent(i), 0u);
        QVERIFY(lane.startNs(i) >= lane.startNs(i - 1));
        const auto ideal = static_cast<int64_t>(ticks[i - 1] / 2 - ticks[0] / 2);
        QVERIFY(std::abs(lane.startNs(i) - lane.startNs(1) - ideal) < 20'000);
    }
    QCOMPARE(noticed(*trace, "crossing"), uint64_t{0});
}

void TestIngest::processesAreStoresOnOneAxis()
{
    Recording run;
    SegmentWriter second({.pid = 4800});
    sendText(*run.spool, FrameKind::Hello, 1, R"({"type":"hello","pid":4800,"exe":"worker"})");
    Result<SegmentReader> reader = SegmentReader::open(second.duplicate(), 1);
    QVERIFY(reader);
    const uint32_t a = run.writer.takeSlot(4711, 1);
    const uint32_t b = second.takeSlot(4800, 1);
    run.writer.put(a, opRecord(run.writer.name("parent"), 1000, 2000, 0, 1));
    second.put(b, opRecord(second.name("child"), 1500, 1600, 0, 1));
    second.setClock(1, 1, 1'000'000'001, 1'000'000'001, 1'700'000'000'000'005'000); // its real time was set
    reader->drain(*run.spool);
    const auto trace = run.finish();
    QCOMPARE(trace->files().size(), size_t{2});
    QCOMPARE(trace->groups().size(), size_t{2});
    QCOMPARE(trace->startNs(sliceNamed(*trace, "child")), int64_t{500});
    QVERIFY(trace->notices().empty());
}

void TestIngest::cutsDoNotMatter_data()
{
    QTest::addColumn<uint32_t>("seed");
    for (uint32_t seed = 0; seed < 12; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void TestIngest::cutsDoNotMatter()
{
    QFETCH(uint32_t, seed);
    const auto text = [seed](uint32_t one, uint32_t in) {
        Recording run({.ringBytes = 1u << 20});
        Program program(run.writer, seed);
        std::mt19937 random(seed + 100);
        program.run(8, [&] {
            if (in != 0 && random() % in < one)
                run.drain();
        });
        const auto trace = run.finish();
        // Places differ with the cuts, as the frames do; nothing else may.
        std::string figures;
        for (const Lane& lane : trace->lanes()) {
            for (uint32_t i = 0; i < lane.size(); ++i) {
                figures += std::string(trace->text(lane.name(i))) + " " + std::to_string(lane.startNs(i)) + " "
                    + std::to_string(lane.durationNs(i)) + " " + std::to_string(lane.depth(i)) + " ";
                const Result<ArgList> args = trace->file(0).source->args(lane.eventOffset(i));
                for (const auto& [key, value] : *args)
                    figures += key + "=" + value + " ";
                figures += "\n";
            }
        }
        for (const MemorySample& m : trace->file(0).memory)
            figures += std::to_string(m.timeNs) + " " + std::to_string(m.bytes) + " " + std::to_string(m.totalAllocated)
                + "\n";
        trace->forEachArrow(0, [&](const Arrow& arrow) {
            figures += std::to_string(arrow.fromNs) + " " + std::to_string(arrow.toNs) + " "
                + arrow.id.text(trace->strings()) + "\n";
        });
        return figures;
    };
    const std::string whole = text(0, 0);
    QVERIFY(whole.size() > 1000);
    QVERIFY(text(1, 1) == whole);
    QVERIFY(text(1, 3) == whole);
    QVERIFY(text(1, 40) == whole);
}

void TestIngest::replayEqualsLive()
{
    Recording run({.ringBytes = 1u << 20});
    Program program(run.writer, 5);
    int count = 0;
    program.run(10, [&] {
        if (++count % 7 == 0)
            run.drain();
    });
    run.writer.pushOpen(
        0, {1, 900, -1, run.writer.name("still running"), kUserScope, 0, wire::OpenKept, 0, 12345, 0, 0});
    const auto live = run.finish();
    const Result<SpoolFile> file = SpoolFile::open(run.spool->path());
    QVERIFY(file);
    const auto pool = std::make_shared<StringPool>();
    Ingest again(pool, {.path = "run"});
    again.setSpool(file->spool());
    QVERIFY(file->replay(again));
    const auto replayed = again.finish(1);
    QCOMPARE(QString::fromStdString(storeText(*replayed)), QString::fromStdString(storeText(*live)));
    QCOMPARE(argOf(*replayed, "aten::mm", "Input Dims"), std::string("[[8,3],[3,5],[]]"));
}

void TestIngest::snapshotsDisturbNothing()
{
    Recording plain({.ringBytes = 1u << 20});
    Recording looked({.ringBytes = 1u << 20});
    int count = 0;
    Program(plain.writer, 5).run(6, [&] {
        if (++count % 9 == 0)
            plain.drain();
    });
    uint64_t generation = 0;
    uint64_t slices = 0;
    count = 0;
    Program(looked.writer, 5).run(6, [&] {
        if (++count % 9 != 0)
            return;
        looked.drain();
        const auto trace = looked.ingest.snapshot(++generation);
        QVERIFY(trace->sliceCount() >= slices);
        QCOMPARE(trace->generation(), generation);
        slices = trace->sliceCount();
    });
    QVERIFY(slices > 50);
    // The ids of texts differ with the order in which they came.
    static const QRegularExpression ids(QStringLiteral("\\b[0-9]+="));
    const QString lookedAt = QString::fromStdString(storeText(*looked.finish())).remove(ids);
    const QString notLookedAt = QString::fromStdString(storeText(*plain.finish())).remove(ids);
    QCOMPARE(lookedAt, notLookedAt);
}

void TestIngest::recordsBeforeTheClockWait()
{
    Recording run({.clock = wire::ClockKind::Tsc});
    run.writer.setClock(0, 0, 0, 0, 0);
    const uint32_t slot = run.writer.takeSlot(1, 1);
    run.writer.put(slot, opRecord(run.writer.name("early"), 2000, 4000, 0, 1));
    run.drain();
    QCOMPARE(run.ingest.snapshot(1)->sliceCount(), uint64_t{0});
    run.writer.setClock(1000, 500, 2'000'001'000, 1'000'000'500, 0);
    const auto trace = run.finish();
    QCOMPARE(trace->sliceCount(), uint64_t{1});
    QCOMPARE(trace->durationNs(sliceNamed(*trace, "early")), int64_t{1000});
}

void TestIngest::theOldestRecordsMakeRoom()
{
    constexpr uint64_t kLimit = 24u << 20;
    constexpr uint32_t kSteps = 100'000;
    Recording run({.ringBytes = 1u << 20}, kLimit);
    const uint32_t slot = run.writer.takeSlot(1, 1);
    const uint32_t outer = run.writer.name("outer");
    const uint32_t inner = run.writer.name("inner");
    uint64_t now = 1000;
    uint32_t number = 0;
    for (uint32_t step = 0; step < kSteps; ++step) {
        const uint64_t begin = now;
        for (int i = 0; i < 7; ++i, now += 10)
            run.writer.put(slot, opRecord(inner, now, now + 8, 1, ++number));
        run.writer.put(slot, memoryRecord(now, 0x1000 + step * 64u, 100));
        run.writer.put(slot, opRecord(outer, begin, now++, 0, ++number));
        if (step % 1000 != 999)
            continue;
        run.drain();
        if (step % 9000 == 8999)
            static_cast<void>(run.ingest.snapshot(step));
        QVERIFY(run.ingest.memoryUsage() < kLimit + (4u << 20));
    }
    run.writer.put(slot, opRecord(run.writer.name("around all"), 500, now + 10, 0, ++number));
    const auto trace = run.finish();
    const Lane& lane = trace->lane(LaneId(0));
    const uint64_t forgotten = noticed(*trace, "records-forgotten");
    QVERIFY(forgotten > 0);
    QCOMPARE(forgotten, run.ingest.counters().forgotten);
    QCOMPARE(lane.size() + trace->file(0).memory.size() + forgotten, uint64_t{kSteps} * 9 + 1);
    QVERIFY(trace->sliceCount() > 100'000);
    QCOMPARE(trace->sliceCount(), uint64_t{lane.size()});
    QCOMPARE(lane.maxDepth(), uint16_t{3});
    QCOMPARE(trace->file(0).memory.back().totalAllocated, int64_t{kSteps} * 100);
    QCOMPARE(trace->file(0).memory.front().totalAllocated,
        static_cast<int64_t>((trace->file(0).memory.front().address - 0x1000) / 64 + 1) * 100);
    // Where the rest begins a step may be cut; everything else is nested as it was.
    for (uint32_t i = 0; i < lane.size(); ++i) {
        const bool isInner = trace->text(lane.name(i)) == "inner";
        const uint32_t parent = lane.parent(i);
        QVERIFY(parent == kNoSlice || (lane.startNs(parent) <= lane.startNs(i) && lane.endNs(parent) >= lane.endNs(i)));
        if (i > SliceBlock::kRows)
            QCOMPARE(lane.depth(i), uint16_t(isInner ? 3 : 2));
    }
    const std::vector<Instant>& marks = trace->file(0).instants;
    QCOMPARE(marks.size(), size_t{1});
    QCOMPARE(std::string(trace->text(marks[0].name)), std::to_string(forgotten) + " records forgotten before this");
}

void TestIngest::savedAndOpenedItIsTheSame()
{
    Recording run({.ringBytes = 1u << 20});
    Program program(run.writer, 17);
    int count = 0;
    program.run(12, [&] {
        if (++count % 5 == 0)
            run.drain();
    });
    run.writer.put(0, wire::DroppedRecord{{0, wire::RecordType::Dropped, 0, 0}, 2000, 12});
    run.writer.pushOpen(
        0, {1, 900, -1, run.writer.name("still running"), kUserScope, 0, wire::OpenKept, 0, 12345, 0, 0});
    const auto recorded = run.finish();
    const std::string path = run.folder.path().toStdString() + "/run.json.gz";
    const Result<std::vector<std::string>> written = saveKinetoJson(*recorded, path);
    QVERIFY2(written, written ? "" : written.error().message().c_str());
    QCOMPARE(*written, std::vector<std::string>{path});
    const auto opened = loadTraces({path});
    QVERIFY(opened);
    const auto difference
        = [](const std::string& a, const std::string& b) { return QString::fromStdString(test::difference(a, b)); };
    QCOMPARE(difference(test::tablesOf(*recorded), test::tablesOf(**opened)), QString());
    QCOMPARE(difference(test::infoOf(*recorded), test::infoOf(**opened)), QString());
    QVERIFY((*opened)->file(0).links.arrows.size() > 10);
    QVERIFY(!(*opened)->file(0).memory.empty());
    // The args of markers are told in full only by the file.
    const auto slicesAndArrows = [](const TraceSnapshot& trace) {
        std::istringstream lines(test::dumpOf(trace));
        std::string all;
        for (std::string line; std::getline(lines, line);) {
            if (line.find("\"type\":\"instant\"") == std::string::npos)
                all += line + '\n';
        }
        return all;
    };
    QCOMPARE(difference(slicesAndArrows(*recorded), slicesAndArrows(**opened)), QString());
}

void TestIngest::snapshotsAreReadWhileRecordingGoesOn()
{
    Recording run({.ringBytes = 1u << 20});
    Program program(run.writer, 3);
    std::mutex mutex;
    std::shared_ptr<const TraceSnapshot> shared;
    std::atomic<bool> isDone = false;
    std::atomic<uint64_t> looks = 0;
    std::thread view([&] {
        uint64_t generation = 0;
        while (!isDone) {
            std::shared_ptr<const TraceSnapshot> trace;
            {
                const std::lock_guard lock(mutex);
                trace = shared;
            }
            if (!trace || trace->generation() == generation)
                continue;
            generation = trace->generation();
            for (const Lane& lane : trace->lanes()) {
                for (uint32_t i = 0; i < lane.size(); ++i) {
                    const Result<ArgList> args = trace->args({trace->laneId(0, 0), 0});
                    if (!args || trace->text(lane.name(i)).empty() || lane.endNs(i) < lane.startNs(i))
                        qFatal("a snapshot is not whole");
                }
            }
            ++looks;
        }
    });
    int count = 0;
    uint64_t generation = 0;
    program.run(20, [&] {
        if (++count % 11 != 0)
            return;
        run.drain();
        auto trace = run.ingest.snapshot(++generation);
        const std::lock_guard lock(mutex);
        shared = std::move(trace);
    });
    while (looks == 0)
        std::this_thread::yield();
    isDone = true;
    view.join();
    QVERIFY(looks > 0);
}

QTEST_GUILESS_MAIN(TestIngest)
#include "tst_ingest.moc"
