#include "trace_fixture.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>

using namespace torchline;

namespace {

// Everything of a store that a reader can see, as text.
std::string textOf(const FileStore& store, const StringPool& pool)
{
    std::string out;
    const auto add = [&out](auto... values) { ((out += std::to_string(values) + ' '), ...); };
    const auto addRef = [&](StoreRef ref) { add(ref.lane, ref.index); };
    for (const LaneStore& lane : store.lanes) {
        out += "\nlane " + std::string(pool.text(lane.tid)) + ' ' + std::string(pool.text(lane.name)) + ' ';
        add(lane.process, int{lane.isDevice}, lane.size, lane.nesting.rowCount, lane.nesting.maxDepth);
        for (const auto& block : lane.blocks) {
            for (size_t i = 0; i < block->size(); ++i) {
                add(block->startNs[i], block->durationNs[i], block->name[i].value(), static_cast<int>(block->kind[i]),
                    int{block->flags[i]}, block->category[i].value(), block->externalId[i], block->correlation[i],
                    block->eventOffset[i]);
            }
        }
        for (uint32_t i = 0; i < lane.size; ++i)
            add(lane.nesting.parent[i], lane.nesting.depth[i], lane.nesting.rowOf(i));
    }
    out += "\nlinks ";
    for (const DeviceLink& link : store.links.device) {
        addRef(link.work);
        addRef(link.call);
        addRef(link.owner);
    }
    for (const StoreArrow& arrow : store.links.arrows) {
        addRef(arrow.from);
        addRef(arrow.to);
        add(arrow.fromNs, arrow.toNs, static_cast<int64_t>(arrow.id.sortKey()));
    }
    for (const auto& [begin, end] : store.pairEnds)
        add(begin, end);
    for (const AsyncSlice& slice : store.asyncSlices)
        add(slice.startNs, slice.durationNs, slice.id.value(), slice.eventOffset, slice.endOffset);
    for (const MemorySample& sample : store.memory)
        add(sample.timeNs, sample.bytes, sample.eventOffset);
    for (const Instant& instant : store.instants)
        add(instant.timeNs, instant.eventOffset);
    for (const DeviceWork& work : store.deviceWork)
        add(work.eventOffset, store.devicePlaces[work.place].device.value());
    for (const Notice& notice : store.notices)
        out += notice.code + ' ' + std::to_string(notice.count) + ' ';
    add(store.sliceCount, store.firstNs, store.lastNs, store.fitNs.beginNs, store.fitNs.endNs);
    return out;
}

SliceRecord recordOf(TraceBuilder& builder, std::string_view category, std::string_view name, int64_t startNs,
    int64_t durationNs, uint64_t offset)
{
    SliceRecord record;
    record.startNs = startNs;
    record.durationNs = durationNs;
    record.name = builder.pool().intern(name);
    record.category = builder.category(category);
    record.kind = builder.kindOf(record.category);
    record.eventOffset = offset;
    return record;
}

} // namespace

class TestTraceBuilder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void categoriesOfAllGenerationsHaveTheirKind();
    void columnsCountFromTheFirstRecordWithATime();
    void anyArrivalOrderAndThreadsGiveTheSameStore();
    void blocksAreFullExceptTheLast();
    void clonesGiveWhatABuilderGivesThatBeginsAnew_data();
    void clonesGiveWhatABuilderGivesThatBeginsAnew();
    void clonesStayAsTheyAre();
    void negativeDurationBecomesZeroAndIsCounted();
    void sliceWithoutDurationEndsWithTheRecording();
    void unbalancedBeginsAndEndsAreCounted();
    void crossingOnAThreadIsANotice();
    void overlapOnAStreamIsANoticeOnlyIfItContradicts();
    void numberSharedByHostAndDeviceGivesTwoLanesAndTwoProcesses();
    void otherSlicesStayOnTheStreamTheyAreOn();
    void emptyLanesAndUnusedProcessesAreLeftOut();
    void markersAreInTimeOrder();
    void asyncPointsBecomeMarkers();
    void countersKeepSeriesAndRecords();
    void slicesAtTimeZeroAreOutliersAndKept();
    void farOffEndDoesNotWidenTheFirstView();
    void spreadOutWindowsAreNoOutliers();
    void impossibleTimesAreClippedAndCounted();
    void tooManyCategoriesAreCounted();
    void healthyRecordingHasNoNotices();
    void noticeKeepsTheFirstPlacesAndTheWholeCount();
    void builderIsEmptyAfterFinish();
    void emptyFileGivesAnEmptyStore();
    void sliceTakesAtMostSixtyBytes();
};

void TestTraceBuilder::categoriesOfAllGenerationsHaveTheirKind()
{
    using K = SliceKind;
    const std::pair<std::string_view, K> spellings[]{{"cpu_op", K::CpuOp}, {"CPU_OP", K::CpuOp}, {"Operator", K::CpuOp},
        {"user_annotation", K::UserAnnotation}, {"python_function", K::PythonFunction}, {"cuda_runtime", K::Runtime},
        {"Runtime", K::Runtime}, {"xpu_runtime", K::Runtime}, {"mtia_runtime", K::Runtime},
        {"mtia_ccp_events", K::Kernel}, {"hpu_op", K::Kernel}, {"privateuse1_runtime", K::Runtime},
        {"cuda_driver", K::Driver}, {"kernel", K::Kernel}, {"Kernel", K::Kernel}, {"gpu_memcpy", K::Memcpy},
        {"Memcpy", K::Memcpy}, {"gpu_memset", K::Memset}, {"Memset", K::Memset}, {"cuda_sync", K::DeviceSync},
        {"gpu_user_annotation", K::DeviceAnnotation}, {"overhead", K::Overhead}, {"Trace", K::Other}, {"", K::Other},
        {"kernels", K::Other}, {"cpu_instant_event", K::Other}};
    for (const auto& [text, kind] : spellings)
        QVERIFY2(sliceKindOf(text) == kind, std::string(text).c_str());
    QCOMPARE(sliceKindOf(std::string(100'000, 'k')), K::Other);
}

void TestTraceBuilder::columnsCountFromTheFirstRecordWithATime()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    Instant timeless;
    timeless.hasTime = false;
    f.builder.addInstant(timeless);
    f.instant(1'719'234'567'890'123'000, "start").op(lane, "op", 1'719'234'567'890'123'751, 64);
    f.op(lane, "before", 1'719'234'567'890'122'000, 5);
    const auto store = f.store();
    QCOMPARE(store->info.originNs, int64_t{1'719'234'567'890'123'000});
    const SliceBlock& block = *store->lanes[0].blocks[0];
    QVERIFY(std::ranges::equal(block.values(block.startNs), std::array<int64_t, 2>{-1000, 751}));
    QCOMPARE(store->firstNs, int64_t{-1000});
    QCOMPARE(store->lastNs, int64_t{815});
    QCOMPARE(store->instants[0].hasTime, false);
    QCOMPARE(store->instants[1].timeNs, int64_t{0});
}

void TestTraceBuilder::anyArrivalOrderAndThreadsGiveTheSameStore()
{
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
        const uint32_t seed = static_cast<uint32_t>(random());
        std::string reference;
        for (int order = 0; order < 4; ++order) {
            std::mt19937 content(seed);
            const auto number
                = [&content](int64_t below) { return static_cast<int64_t>(content() % static_cast<uint64_t>(below)); };
            const auto pool = std::make_shared<StringPool>();
            TraceBuilder builder(pool);
            constexpr std::string_view kCategories[]
                = {"cpu_op", "python_function", "cuda_runtime", "kernel", "gpu_memcpy", "overhead"};
            for (const std::string_view category : kCategories)
                builder.category(category);
            for (const char* text : {"a", "b", "c", "d", "1", "2", "7", "8", "9", "ac2g"})
                pool->intern(text);
            std::vector<uint32_t> lanes;
            for (const char* tid : {"1", "2", "7"})
                lanes.push_back(builder.lane(pool->intern("1"), pool->intern(tid)));
            Instant first;
            first.timeNs = 5000;
            builder.addInstant(first);
            std::vector<std::function<void()>> arrivals;
            constexpr std::string_view kNames[] = {"a", "b", "c", "d"};
            for (uint64_t i = 1; i <= 300; ++i) {
                const uint32_t lane = lanes[static_cast<size_t>(number(3))];
                SliceRecord record
                    = recordOf(builder, kCategories[number(6)], kNames[number(4)], number(2000), number(100), i);
                record.externalId = static_cast<uint32_t>(number(50));
                record.correlation = static_cast<uint32_t>(number(50));
                record.hasDuration = number(30) != 0;
                const int64_t choice = number(10);
                const NameId id = pool->intern(kNames[number(4)]);
                if (choice < 5) {
                    arrivals.push_back([&builder, lane, record] {
                        builder.addSlice(lane, record);
                        if (isDeviceWork(record.kind)) {
                            DeviceWork work;
                            work.eventOffset = record.eventOffset;
                            builder.addDeviceWork(work, {});
                        }
                    });
                } else if (choice == 5) {
                    arrivals.push_back([&builder, lane, record] { builder.addBegin(lane, record); });
                } else if (choice == 6) {
                    arrivals.push_back(
                        [&builder, lane, record, i] { builder.addEnd(lane, record.startNs, record.name, i); });
                } else if (choice == 7) {
                    FlowRecord flow;
                    flow.phase = number(2) == 0 ? FlowPhase::Start : FlowPhase::Finish;
                    flow.timeNs = record.startNs;
                    flow.id = FlowId::ofText(id, *pool);
                    flow.name = pool->intern("ac2g");
                    flow.eventOffset = i;
                    arrivals.push_back([&builder, lane, flow] { builder.addFlow(lane, flow); });
                } else if (choice == 8) {
                    AsyncRecord async;
                    async.phase = number(2) == 0 ? AsyncPhase::Begin : AsyncPhase::End;
                    async.timeNs = record.startNs;
                    async.id = id;
                    async.eventOffset = i;
                    arrivals.push_back([&builder, async] { builder.addAsync(async); });
                } else {
                    MemorySample sample;
                    sample.timeNs = record.startNs;
                    sample.bytes = number(100);
                    sample.eventOffset = i;
                    arrivals.push_back([&builder, sample] { builder.addMemory(sample, {}); });
                }
            }
            std::mt19937 shuffler(static_cast<uint32_t>(order));
            if (order > 0)
                std::shuffle(arrivals.begin(), arrivals.end(), shuffler);
            for (const auto& arrive : arrivals)
                arrive();
            const std::string text = textOf(*builder.finish({}, nullptr, static_cast<size_t>(order + 1)), *pool);
            if (order == 0)
                reference = text;
            QCOMPARE(text, reference);
        }
    }
}

void TestTraceBuilder::blocksAreFullExceptTheLast()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    constexpr uint32_t kSlices = SliceBlock::kRows * 2 + 5;
    for (uint32_t i = kSlices; i > 0; --i)
        f.op(lane, "op", 10 * int64_t{i}, 5);
    const auto trace = f.snapshot();
    const LaneStore& store = trace->lanes()[0].store();
    QCOMPARE(store.blocks.size(), size_t{3});
    QCOMPARE(store.blocks[0]->size(), size_t{SliceBlock::kRows});
    QCOMPARE(store.blocks[1]->size(), size_t{SliceBlock::kRows});
    QCOMPARE(store.blocks[2]->size(), size_t{5});
    const Lane& l = trace->lanes()[0];
    for (uint32_t i = 0; i < kSlices; ++i) {
        if (l.startNs(i) != 10 * int64_t{i})
            QFAIL("not in order");
    }
    QCOMPARE(l.lowerBound(0), 0u);
    QCOMPARE(l.lowerBound(10 * SliceBlock::kRows), SliceBlock::kRows);
    QCOMPARE(l.lowerBound(10 * SliceBlock::kRows + 1), SliceBlock::kRows + 1);
    QCOMPARE(l.lowerBound(kMaxNs), kSlices);
}

void TestTraceBuilder::clonesGiveWhatABuilderGivesThatBeginsAnew_data()
{
    QTest::addColumn<uint32_t>("seed");
    for (uint32_t seed = 0; seed < 8; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

// Innermost first, as a recording has them; now and then one that began long ago, or that crosses others. More than a
// block, so that full ones are shared and written to again.
void TestTraceBuilder::clonesGiveWhatABuilderGivesThatBeginsAnew()
{
    QFETCH(uint32_t, seed);
    std::mt19937 random(seed);
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder growing(pool);
    const auto add = [](TraceBuilder& builder, const SliceRecord& record) {
        const SliceRecord slice
            = recordOf(builder, "cpu_op", "op", record.startNs, record.durationNs, record.eventOffset);
        builder.addSlice(builder.lane(builder.pool().intern("1"), builder.pool().intern("1")), slice);
    };
    std::vector<SliceRecord> records(1);
    add(growing, records[0]);
    const uint32_t count = seed < 2 ? 150'000 : 20'000;
    int64_t nowNs = 100;
    while (records.size() < count) {
        SliceRecord record;
        const auto dice = static_cast<uint32_t>(random() % 1000);
        nowNs += random() % 20;
        const int64_t backNs = dice == 0 ? 100'000 : dice < 10 ? 2000 : dice < 300 ? 30 : 5;
        record.startNs = std::max<int64_t>(0, nowNs - static_cast<int64_t>(random() % static_cast<uint32_t>(backNs)));
        record.durationNs = dice % 7 == 6 ? static_cast<int64_t>(random() % 50) : nowNs - record.startNs;
        record.eventOffset = records.size();
        records.push_back(record);
        add(growing, record);
        if (random() % 5000 == 0)
            growing.settle();
        if (random() % (count / 4) != 0)
            continue;
        TraceBuilder clone = growing.clone();
        TraceBuilder anew(pool);
        for (const SliceRecord& one : records)
            add(anew, one);
        QVERIFY(textOf(*clone.finish({}, nullptr), *pool) == textOf(*anew.finish({}, nullptr), *pool));
    }
    growing.settle();
    TraceBuilder anew(pool);
    for (const SliceRecord& one : records)
        add(anew, one);
    QVERIFY(textOf(*growing.clone().finish({}, nullptr), *pool) == textOf(*anew.finish({}, nullptr), *pool));
}

void TestTraceBuilder::clonesStayAsTheyAre()
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder builder(pool);
    const uint32_t lane = builder.lane(pool->intern("1"), pool->intern("1"));
    for (int64_t i = 0; i < SliceBlock::kRows + 10; ++i)
        builder.addSlice(lane, recordOf(builder, "cpu_op", "op", 10 + i * 10, 5, static_cast<uint64_t>(i)));
    builder.settle();
    const auto store = builder.clone().finish({}, nullptr);
    const std::string before = textOf(*store, *pool);
    builder.addSlice(lane, recordOf(builder, "cpu_op", "around all", 1, 100'000'000, 900'000));
    builder.addSlice(lane, recordOf(builder, "cpu_op", "across", 12, 5, 900'001));
    builder.settle();
    const auto later = builder.clone().finish({}, nullptr);
    QVERIFY(textOf(*store, *pool) == before);
    QCOMPARE(later->sliceCount, store->sliceCount + 2);
    QCOMPARE(later->lanes[0].nesting.maxDepth, uint16_t{2});
}

void TestTraceBuilder::negativeDurationBecomesZeroAndIsCounted()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "op", 100, -50);
    const auto store = f.store();
    QCOMPARE(store->lanes[0].blocks[0]->durationNs[0], int64_t{0});
    QCOMPARE(int{store->lanes[0].blocks[0]->flags[0]}, int{SliceClampedDuration});
    QVERIFY(noticeOf(*store, "negative-duration")->text.find("negative duration") != std::string::npos);
    QCOMPARE(noticeOf(*store, "negative-duration")->count, uint64_t{1});
}

void TestTraceBuilder::sliceWithoutDurationEndsWithTheRecording()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.unfinished(lane, "cpu_op", "running", 100).op(lane, "inside", 110, 5).op(f.lane("1", "2"), "last", 150, 50);
    const auto trace = f.snapshot();
    const SliceRef running = sliceNamed(*trace, "running");
    QCOMPARE(trace->durationNs(running), int64_t{100});
    QCOMPARE(int{trace->lane(running.lane).flags(running.index)}, int{SliceUnfinished});
    QCOMPARE(nameOf(*trace, trace->parent(sliceNamed(*trace, "inside"))), "running");
    QCOMPARE(noticeOf(trace->file(0), "unfinished")->count, uint64_t{1});
}

void TestTraceBuilder::unbalancedBeginsAndEndsAreCounted()
{
    TraceFixture f;
    const uint32_t lane = f.lane("9", "9");
    f.begin(lane, "cpu_op", "outer", 200).begin(lane, "cpu_op", "inner", 201).end(lane, 204);
    f.op(lane, "plain", 205, 1).end(lane, 209).end(lane, 210);
    f.begin(lane, "cpu_op", "unfinished", 212).op(lane, "last", 213, 2);
    const auto trace = f.snapshot();
    QCOMPARE(trace->sliceCount(), uint64_t{5});
    QCOMPARE(trace->durationNs(sliceNamed(*trace, "outer")), int64_t{9});
    QCOMPARE(nameOf(*trace, trace->parent(sliceNamed(*trace, "plain"))), "outer");
    QCOMPARE(trace->durationNs(sliceNamed(*trace, "unfinished")), int64_t{3});
    QCOMPARE(nameOf(*trace, trace->parent(sliceNamed(*trace, "last"))), "unfinished");
    QCOMPARE(noticeOf(trace->file(0), "unfinished")->count, uint64_t{1});
    QVERIFY(noticeOf(trace->file(0), "end-without-begin")->text.find("without begin") != std::string::npos);
    QCOMPARE(trace->file(0).pairEnds, (std::vector<std::pair<uint64_t, uint64_t>>{{10, 50}, {20, 30}}));
}

void TestTraceBuilder::crossingOnAThreadIsANotice()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.op(lane, "conv", 0, 100).op(lane, "sticks out", 60, 41);
    const auto store = f.store();
    const Notice* notice = noticeOf(*store, "overlap");
    QVERIFY(notice);
    QCOMPARE(notice->count, uint64_t{1});
    QCOMPARE(notice->places[0].text, "sticks out");

    TraceFixture frames;
    const uint32_t thread = frames.lane("1", "1");
    frames.annotation(thread, "stage", 10, 100).python(thread, "__enter__", 5, 20).python(thread, "__exit__", 100, 30);
    const auto trace = frames.snapshot();
    QVERIFY(trace->file(0).notices.empty());
    const SliceRef exit = sliceNamed(*trace, "__exit__");
    QVERIFY((trace->lane(exit.lane).flags(exit.index) & SliceCrossing) != 0);

    TraceFixture guessed;
    guessed.op(guessed.lane("1", "1"), "closed", 0, 50).unfinished(guessed.lane("1", "1"), "cpu_op", "open", 10);
    guessed.op(guessed.lane("1", "2"), "last", 90, 10);
    const auto store2 = guessed.store();
    QVERIFY(noticeOf(*store2, "unfinished") && !noticeOf(*store2, "overlap"));
}

void TestTraceBuilder::overlapOnAStreamIsANoticeOnlyIfItContradicts()
{
    TraceFixture dependent;
    const uint32_t a = dependent.lane("0", "7");
    dependent.kernel(a, "primary", 10, 20, 1).kernel(a, "secondary", 24, 21, 2).kernel(a, "third", 60, 5, 3);
    QVERIFY(dependent.store()->notices.empty());

    TraceFixture impossible;
    const uint32_t b = impossible.lane("0", "7");
    impossible.kernel(b, "gelu", 5, 3400, 1).kernel(b, "x", 30, 45, 2).kernel(b, "y", 80, 45, 3);
    const auto store = impossible.store();
    const Notice* notice = noticeOf(*store, "stream-overlap");
    QVERIFY(notice);
    QCOMPARE(notice->places[0].text, "gelu");
    QVERIFY(notice->text.find("contradict") != std::string::npos);
}

void TestTraceBuilder::numberSharedByHostAndDeviceGivesTwoLanesAndTwoProcesses()
{
    TraceFixture f;
    const NameId zero = f.name("0");
    f.builder.setProcessName(zero, f.name("python"));
    f.builder.setProcessLabels(zero, f.name("CPU"));
    f.builder.setProcessSortIndex(zero, 0);
    f.builder.setProcessLabels(zero, f.name("GPU 0"));
    f.builder.setProcessSortIndex(zero, 5'000'000);
    f.kernel(f.lane("0", "7"), "kernel", 20, 15, 101)
        .op(f.lane("0", "0"), "mm", 0, 60)
        .op(f.lane("0", "7"), "add", 70, 10);
    const auto trace = f.snapshot();
    QCOMPARE(trace->lanes().size(), size_t{3});
    QCOMPARE(trace->groups().size(), size_t{2});
    QVERIFY(!trace->groups()[0].isDevice);
    QCOMPARE(trace->groups()[0].note, "CPU");
    QCOMPARE(trace->groups()[0].lanes.size(), size_t{2});
    QVERIFY(trace->groups()[1].isDevice);
    QCOMPARE(trace->groups()[1].note, "GPU 0");
    QCOMPARE(trace->groups()[1].lanes.size(), size_t{1});
    QVERIFY(sliceNamed(*trace, "kernel").lane != sliceNamed(*trace, "add").lane);
    for (uint32_t l = 0; l < 3; ++l)
        QCOMPARE(trace->pid(LaneId(l)), "0");

    TraceFixture hostOnly; // process 1 of a container; the recorder also names GPU 1
    hostOnly.builder.setProcessLabels(hostOnly.name("1"), hostOnly.name("CPU"));
    hostOnly.builder.setProcessLabels(hostOnly.name("1"), hostOnly.name("GPU 1"));
    hostOnly.op(hostOnly.lane("1", "1"), "mm", 0, 60);
    QCOMPARE(hostOnly.snapshot()->groups()[0].note, "CPU");
}

void TestTraceBuilder::otherSlicesStayOnTheStreamTheyAreOn()
{
    TraceFixture f;
    const uint32_t lane = f.lane("0", "7");
    f.kernel(lane, "kernel", 20, 15, 101).slice(lane, "something_new", "x", 50, 5);
    const auto store = f.store();
    QCOMPARE(store->lanes.size(), size_t{1});
    QVERIFY(store->lanes[0].isDevice);
}

void TestTraceBuilder::emptyLanesAndUnusedProcessesAreLeftOut()
{
    TraceFixture f;
    for (int gpu = 0; gpu < 16; ++gpu) {
        const NameId pid = f.name(std::to_string(gpu));
        f.builder.setProcessLabels(pid, f.name("GPU " + std::to_string(gpu)));
        f.builder.setThreadName(pid, f.name("7"), f.name("stream 7"));
    }
    f.kernel(f.lane("0", "7"), "kernel", 20, 15, 101);
    f.instant(30, "marker");
    const auto trace = f.snapshot();
    QCOMPARE(trace->lanes().size(), size_t{1});
    QCOMPARE(trace->groups().size(), size_t{1});
    QCOMPARE(trace->file(0).processes.size(), size_t{1});
    QCOMPARE(trace->laneLabel(LaneId(0)), "stream 7");
}

void TestTraceBuilder::markersAreInTimeOrder()
{
    TraceFixture f;
    f.memory(30, 512, 1, 0, 512).memory(10, 256, 1, 0, 256).memory(30, -512, 1, 0, 0).instant(9, "b").instant(5, "a");
    const auto store = f.store();
    QCOMPARE(store->memory.size(), size_t{3});
    QCOMPARE(store->memory[0].bytes, int64_t{256});
    QCOMPARE(store->memory[1].bytes, int64_t{512});
    QCOMPARE(store->memory[2].bytes, int64_t{-512});
    QCOMPARE(store->instants[0].name, f.name("a"));
    QCOMPARE(store->sliceCount, uint64_t{0});
}

void TestTraceBuilder::asyncPointsBecomeMarkers()
{
    TraceFixture f;
    f.async(AsyncPhase::Begin, "comm", "all_reduce", "1", 201).async(AsyncPhase::Point, "comm", "chunk", "1", 205);
    f.async(AsyncPhase::End, "comm", "all_reduce", "1", 208).async(AsyncPhase::Begin, "comm", "open", "2", 203);
    f.async(AsyncPhase::End, "comm", "stray", "3", 250);
    const auto store = f.store();
    QCOMPARE(store->asyncSlices.size(), size_t{2});
    QCOMPARE(store->asyncSlices[0].durationNs, int64_t{7});
    QCOMPARE(store->asyncSlices[1].durationNs, int64_t{47});
    QCOMPARE(store->instants.size(), size_t{1});
    QCOMPARE(noticeOf(*store, "async-unfinished")->count, uint64_t{1});
    QCOMPARE(noticeOf(*store, "async-end-without-begin")->count, uint64_t{1});
}

void TestTraceBuilder::countersKeepSeriesAndRecords()
{
    TraceFixture f;
    TraceBuilder& b = f.builder;
    const NameId none;
    for (int64_t i = 3; i >= 0; --i) {
        b.beginCounter(f.name("61"), f.name("mem"), none, 500 + 9 * i);
        b.addCounterValue(f.name("alloc"), 100.0 * static_cast<double>(i), f.name(std::to_string(100 * i)));
        b.addCounterValue(f.name("reserved"), 400, f.name("400"));
    }
    b.beginCounter(f.name("GPU"), f.name("mem"), none, 500);
    b.addCounterValue(f.name(""), 55.5, f.name("55.5"));
    b.beginCounter(f.name("61"), f.name("mem"), none, 900);
    const auto store = f.store();
    QCOMPARE(store->counters.size(), size_t{2});
    const Counter& mem = store->counters[0];
    QCOMPARE(mem.records, uint64_t{4});
    QCOMPARE(mem.series.size(), size_t{2});
    QCOMPARE(mem.series[0].samples.size(), size_t{4});
    QCOMPARE(mem.series[0].samples[0].value, 0.0);
    QCOMPARE(mem.series[0].samples[3].timeNs - mem.series[0].samples[0].timeNs, int64_t{27});
    QCOMPARE(store->counters[1].records, uint64_t{1});
}

void TestTraceBuilder::slicesAtTimeZeroAreOutliersAndKept()
{
    TraceFixture f;
    constexpr int64_t kNow = 1'615'207'264'000'000'000;
    const uint32_t stream = f.lane("0", "7");
    for (int64_t i = 0; i < 40; ++i)
        f.kernel(stream, "kernel", kNow + 100'000 * i, 50'000, 0);
    f.kernel(stream, "lost", 0, 0, 0).kernel(stream, "lost", 0, 0, 0);
    const auto trace = f.snapshot();
    QCOMPARE(trace->sliceCount(), uint64_t{42});
    const Notice* notice = noticeOf(trace->file(0), "outlier-time");
    QVERIFY(notice);
    QCOMPARE(notice->count, uint64_t{2});
    QCOMPARE(trace->span().endNs, kNow + 3'950'000);
    QCOMPARE(trace->fitSpan(), (TimeRange{kNow, kNow + 3'950'000}));

    TraceFixture relative;
    for (int64_t i = 0; i < 40; ++i)
        relative.op(relative.lane("1", "1"), "op", 7'200'000'000'000 + 1000 * i, 500);
    relative.op(relative.lane("1", "1"), "lost", 0, 0);
    const auto other = relative.snapshot();
    QCOMPARE(noticeOf(other->file(0), "outlier-time")->count, uint64_t{1});
    QCOMPARE(other->fitSpan().spanNs(), int64_t{39'500});
}

void TestTraceBuilder::farOffEndDoesNotWidenTheFirstView()
{
    TraceFixture f;
    for (int64_t i = 0; i < 40; ++i)
        f.op(f.lane("1", "1"), "op", 1000 * i, 500);
    f.op(f.lane("1", "2"), "endless", 3000, kMaxNs - 5000);
    const auto trace = f.snapshot();
    QCOMPARE(trace->span().endNs, kMaxNs - 2000);
    QCOMPARE(trace->fitSpan(), (TimeRange{0, 39'500}));
}

void TestTraceBuilder::spreadOutWindowsAreNoOutliers()
{
    constexpr int64_t kHour = 3'600'000'000'000;
    TraceFixture f;
    for (int64_t window = 0; window < 10; ++window) {
        for (int64_t i = 0; i < 20; ++i)
            f.op(f.lane("1", "1"), "op", 100 * kHour * window + 1000 * i, 500);
    }
    const auto many = f.snapshot();
    QVERIFY(many->file(0).notices.empty());
    QCOMPARE(many->fitSpan(), many->span());

    TraceFixture two;
    for (int64_t i = 0; i < 100; ++i)
        two.op(two.lane("1", "1"), "op", 5 + 1000 * i, 500);
    two.op(two.lane("1", "1"), "later", kHour, 500);
    QVERIFY(two.store()->notices.empty());

    TraceFixture uneven;
    for (int64_t i = 0; i < 100; ++i)
        uneven.op(uneven.lane("1", "1"), "op", 5 + 1000 * i + (i < 70 ? 0 : 240 * kHour), 500);
    QVERIFY(uneven.store()->notices.empty());

    TraceFixture startsAtZero;
    for (int64_t i = 0; i < 100; ++i)
        startsAtZero.op(startsAtZero.lane("1", "1"), "op", 1000 * i, 500);
    QVERIFY(startsAtZero.store()->notices.empty());
}

void TestTraceBuilder::impossibleTimesAreClippedAndCounted()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(lane, "op", kMinNs, 5).op(lane, "op", kMaxNs, kMaxNs).op(lane, "op", 0, kMaxNs).op(lane, "op", kMaxNs, kMinNs);
    f.kernel(stream, "kernel", kMaxNs, kMaxNs, 1).kernel(stream, "kernel", kMinNs, kMaxNs, 1);
    f.arrow("ac2g", "1", lane, kMaxNs, stream, kMaxNs).begin(lane, "cpu_op", "begin", kMaxNs).end(lane, kMinNs);
    f.unfinished(lane, "cpu_op", "running", kMinNs).memory(kMaxNs, 1, 0, 0).instant(kMinNs, "marker");
    f.async(AsyncPhase::Begin, "c", "n", "1", kMinNs).async(AsyncPhase::End, "c", "n", "1", kMaxNs);
    const auto trace = f.snapshot();
    QCOMPARE(trace->sliceCount(), uint64_t{8});
    QVERIFY(noticeOf(trace->file(0), "time-out-of-range")->count > 0);
    QVERIFY(trace->span().endNs >= 0);
    QVERIFY(trace->fitSpan().spanNs() >= 0);
    for (const Lane& l : trace->lanes()) {
        for (uint32_t i = 0; i < l.size(); ++i) {
            QVERIFY(l.durationNs(i) >= 0);
            QVERIFY(l.endNs(i) >= l.startNs(i));
        }
    }
}

void TestTraceBuilder::tooManyCategoriesAreCounted()
{
    TraceFixture f;
    for (int i = 0; i < 70'000; ++i)
        f.builder.category("c" + std::to_string(i));
    QVERIFY(!f.builder.category("one more").isValid());
    QVERIFY(f.builder.category("c5").isValid());
    QCOMPARE(f.builder.kindOf(CategoryId()), SliceKind::Other);
    const auto store = f.store();
    QCOMPARE(store->categories.size(), size_t{65534});
    QCOMPARE(noticeOf(*store, "too-many-categories")->count, uint64_t{70'001 - 65534});
}

void TestTraceBuilder::healthyRecordingHasNoNotices()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    for (uint32_t i = 0; i < 50; ++i) {
        const int64_t t = 1'000'000 + 1000 * int64_t{i};
        f.annotation(host, "ProfilerStep#" + std::to_string(i), t, 1000).op(host, "mm", t + 10, 100, i + 1);
        f.call(host, "launch", t + 20, 10, i + 1, i + 1).kernel(stream, "gemm", t + 200, 300, i + 1, i + 1);
        f.slice(stream, "gpu_user_annotation", "ProfilerStep", t + 199, 302).call(host, "sync", t + 900, 50, 1000 + i);
        f.arrow("ac2g", std::to_string(i + 1), host, t + 20, stream, t + 200).memory(t + 12, 512, 1, 0);
    }
    QVERIFY(f.store()->notices.empty());
}

void TestTraceBuilder::noticeKeepsTheFirstPlacesAndTheWholeCount()
{
    TraceFixture f;
    for (uint64_t i = 0; i < 20; ++i)
        f.builder.addNotice("odd", "%n odd things", i, "thing");
    f.builder.addNotice("odd", "another text", std::nullopt, {}, NoticeSeverity::Error, 5);
    const auto store = f.store();
    const Notice* notice = noticeOf(*store, "odd");
    QCOMPARE(notice->count, uint64_t{25});
    QCOMPARE(notice->text, "25 odd things");
    QCOMPARE(notice->severity, NoticeSeverity::Warning);
    QCOMPARE(notice->places.size(), Notice::kMostPlaces);
    QCOMPARE(notice->places[7].offset, std::optional<uint64_t>(7));
}

void TestTraceBuilder::builderIsEmptyAfterFinish()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "op", 5, 5);
    QCOMPARE(f.builder.sliceCount(), uint64_t{1});
    QCOMPARE(f.store()->sliceCount, uint64_t{1});
    QCOMPARE(f.builder.sliceCount(), uint64_t{0});
    f.op(f.lane("2", "2"), "other", 9, 5);
    const auto second = f.store();
    QCOMPARE(second->sliceCount, uint64_t{1});
    QCOMPARE(second->info.originNs, int64_t{9});
    QCOMPARE(second->lanes.size(), size_t{1});
}

void TestTraceBuilder::emptyFileGivesAnEmptyStore()
{
    TraceFixture f;
    const auto trace = f.snapshot();
    QCOMPARE(trace->sliceCount(), uint64_t{0});
    QVERIFY(trace->lanes().empty() && trace->groups().empty());
    QVERIFY(trace->span().isEmpty() && trace->fitSpan().isEmpty());
    QVERIFY(trace->file(0).notices.empty());
}

void TestTraceBuilder::sliceTakesAtMostSixtyBytes()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    uint32_t slices = 0;
    for (uint32_t i = 0; slices < 200'000; ++i, slices += 10) {
        const int64_t t = 1000 * int64_t{i};
        f.python(host, "frame", t, 900).op(host, "linear", t + 10, 500).op(host, "addmm", t + 20, 400, i + 1);
        for (int64_t k = 0; k < 6; ++k)
            f.op(host, "view", t + 600 + 40 * k, 30);
        f.slice(stream, "kernel", "gemm", t + 100, 300, 0, i + 1);
    }
    const auto store = f.store();
    QCOMPARE(store->sliceCount, uint64_t{slices});
    const double bytesPerSlice = static_cast<double>(store->memoryUsage()) / slices;
    QVERIFY2(bytesPerSlice <= 60, qPrintable(QString::number(bytesPerSlice)));
}

QTEST_GUILESS_MAIN(TestTraceBuilder)
#include "tst_trace_builder.moc"
