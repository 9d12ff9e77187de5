// Operator tables of a trace that grows: each is what it would be if it were summed from nothing, and costs what came.

#include "growing_writer.h"

#include "analysis/growing_operators.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::test;

namespace {

/// Arguments that follow from the place of the event; counts how many were read.
class MadeUpArgs : public EventSource {
public:
    mutable uint64_t reads = 0;

    [[nodiscard]] Result<ArgList> args(uint64_t eventOffset) const override
    {
        ++reads;
        const std::string rows = std::to_string(2 + eventOffset % 3);
        return eventOffset % 7 == 0 ? ArgList() : ArgList{{"Input Dims", "[[" + rows + ",4],[4,5]]"}};
    }
    [[nodiscard]] Result<std::string> text(uint64_t) const override { return std::string("{}"); }
    [[nodiscard]] Status argsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const override
    {
        for (size_t i = 0; i < eventOffsets.size(); ++i)
            done(i, *args(eventOffsets[i]));
        return {};
    }
};

std::shared_ptr<const TraceSnapshot> snapshotWith(const std::shared_ptr<StringPool>& pool, TraceBuilder builder,
    const std::shared_ptr<const EventSource>& source, bool saysShapes = true)
{
    FileInfo info;
    if (saysShapes)
        info.header = {{"record_shapes", "1"}};
    return TraceSnapshot::combine(pool, {builder.finish(std::move(info), source)}, 1);
}

#define EQUAL(a, b)                                                                                                    \
    do {                                                                                                               \
        if (!((a) == (b)))                                                                                             \
            return #a;                                                                                                 \
    } while (false)

std::string differenceOf(const OperatorRow& a, const OperatorRow& b)
{
    EQUAL(a.name, b.name);
    EQUAL(a.keys, b.keys);
    EQUAL(a.kind, b.kind);
    EQUAL(a.first, b.first);
    EQUAL(a.calls, b.calls);
    EQUAL(a.selfCpuNs, b.selfCpuNs);
    EQUAL(a.cpuTotalNs, b.cpuTotalNs);
    EQUAL(a.selfCudaNs, b.selfCudaNs);
    EQUAL(a.cudaTotalNs, b.cudaTotalNs);
    EQUAL(a.cpuMemBytes, b.cpuMemBytes);
    EQUAL(a.selfCpuMemBytes, b.selfCpuMemBytes);
    EQUAL(a.cudaMemBytes, b.cudaMemBytes);
    EQUAL(a.selfCudaMemBytes, b.selfCudaMemBytes);
    EQUAL(a.flops, b.flops);
    return {};
}

/// Empty, or what differs.
std::string differenceOf(const TraceSnapshot& trace, const OperatorTable& a, const OperatorTable& b)
{
    EQUAL(a.rows.size(), b.rows.size());
    EQUAL(a.selfCpuTotalNs, b.selfCpuTotalNs);
    EQUAL(a.selfCudaTotalNs, b.selfCudaTotalNs);
    for (size_t r = 0; r < a.rows.size(); ++r) {
        if (const std::string difference = differenceOf(a.rows[r], b.rows[r]); !difference.empty())
            return a.rows[r].name + ": " + difference;
    }
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lane(LaneId(l)).size(); ++i)
            EQUAL(operatorRowOfSlice(trace, a, {LaneId(l), i}), operatorRowOfSlice(trace, b, {LaneId(l), i}));
    }
    return {};
}

/// A thread, steps of 10 ms with an operator a millisecond and memory in it.
struct Steps {
    std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
    std::shared_ptr<MadeUpArgs> source = std::make_shared<MadeUpArgs>();
    TraceBuilder builder{pool};
    uint64_t place = 0;
    int64_t nowNs = 1'000'000;

    void add(uint32_t lane, std::string_view category, std::string_view name, int64_t startNs, int64_t durationNs)
    {
        SliceRecord slice;
        slice.startNs = startNs;
        slice.durationNs = durationNs;
        slice.name = pool->intern(name);
        slice.category = builder.category(category);
        slice.kind = builder.kindOf(slice.category);
        slice.eventOffset = ++place;
        builder.addSlice(lane, slice);
    }
    void addMemory(int64_t timeNs, int64_t bytes)
    {
        MemorySample sample;
        sample.timeNs = timeNs;
        sample.bytes = bytes;
        sample.eventOffset = ++place;
        MemoryOrigin origin;
        origin.name = pool->intern("[memory]");
        builder.addMemory(sample, origin);
    }
    void write(int steps)
    {
        const uint32_t lane = builder.lane(pool->intern("7"), pool->intern("7"));
        for (int i = 0; i < steps; ++i) {
            for (int op = 0; op < 9; ++op) {
                add(lane, "cpu_op", "aten::mm", nowNs + op * 1'000'000, 900'000);
                addMemory(nowNs + op * 1'000'000 + 10, 64);
                addMemory(nowNs + op * 1'000'000 + 950'000, -64);
            }
            add(lane, "user_annotation", "step", nowNs, 9'500'000);
            addMemory(nowNs + 9'800'000, 8);
            nowNs += 10'000'000;
        }
    }
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> snapshot()
    {
        builder.settle();
        builder.sortMemory();
        return snapshotWith(pool, builder.clone(), source);
    }
    /// Reads of the args that a table took, which is compared to one from nothing.
    uint64_t readsOf(GrowingOperators& growing)
    {
        const auto trace = snapshot();
        const uint64_t before = source->reads;
        const auto table = growing.table(trace);
        const uint64_t reads = source->reads - before;
        const std::string difference = table
            ? differenceOf(*trace, *table, *operatorTable(*trace, growing.options()))
            : table.error().message();
        return difference.empty() ? reads : ~uint64_t{0};
    }
};

} // namespace

class TestGrowingOperators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTableIsWhatItWouldBeFromNothing_data()
    {
        QTest::addColumn<uint32_t>("seed");
        QTest::addColumn<bool>("forgets");
        for (uint32_t seed = 1; seed <= 6; ++seed)
            QTest::addRow("seed %u", seed) << seed << (seed % 3 == 0);
    }
    void aTableIsWhatItWouldBeFromNothing()
    {
        QFETCH(uint32_t, seed);
        QFETCH(bool, forgets);
        std::vector<std::unique_ptr<GrowingOperators>> tables;
        for (const OperatorTotals totals : {OperatorTotals::Torch, OperatorTotals::Once}) {
            for (const std::vector<GroupKey>& keys : std::vector<std::vector<GroupKey>>{
                     {}, {GroupKey::Shape}, {GroupKey::Thread, GroupKey::Shape}, {GroupKey::Stack}})
                tables.push_back(std::make_unique<GrowingOperators>(OperatorOptions{.totals = totals, .groupBy = keys}));
        }
        const auto pool = std::make_shared<StringPool>();
        const auto source = std::make_shared<MadeUpArgs>();
        TraceBuilder growing(pool);
        GrowingWriter writer(growing, *pool, seed, GrowingWriter::Names::Known);
        std::mt19937 random(seed);
        for (int i = 0; i < 60; ++i) {
            writer.write(1 + static_cast<int>(random() % 400));
            if (forgets && i % 20 == 19)
                growing.forgetSlicesBefore(writer.nowNs() / 2);
            growing.settle();
            growing.sortMemory();
            TraceBuilder clone = growing.clone();
            if (random() % 2 == 0)
                writer.writeOpen(clone);
            const auto trace = snapshotWith(pool, std::move(clone), source, i > 5);
            for (const auto& table : tables) {
                if (random() % 4 == 0)
                    continue; // a view that is behind
                const auto grown = table->table(trace);
                const auto anew = operatorTable(*trace, table->options());
                QVERIFY(grown && anew);
                const std::string difference = differenceOf(*trace, *grown, *anew);
                QVERIFY2(difference.empty(), difference.c_str());
            }
        }
    }

    void whatIsOverIsNotReadAgain()
    {
        Steps steps;
        GrowingOperators growing({.groupBy = {GroupKey::Shape}});
        steps.write(1000);
        QCOMPARE(steps.readsOf(growing), uint64_t{10'000});
        for (int i = 0; i < 10; ++i) {
            steps.write(5);
            const uint64_t reads = steps.readsOf(growing);
            QVERIFY2(reads <= 310, qPrintable(QString::number(reads))); // 26 steps that are not over, 5 that now are
        }
    }

    void whatComesLateIsThere()
    {
        Steps steps;
        GrowingOperators growing({.groupBy = {GroupKey::Shape}});
        steps.write(1000);
        QVERIFY(steps.readsOf(growing) < ~uint64_t{0});
        const uint32_t lane = steps.builder.lane(steps.pool->intern("7"), steps.pool->intern("7"));
        const uint32_t other = steps.builder.lane(steps.pool->intern("7"), steps.pool->intern("8"));
        // Around all, in one that is summed, of another thread, and memory by itself.
        for (const auto& late : std::vector<std::function<void()>>{
                 [&] { steps.add(lane, "user_annotation", "epoch", 500'000, 900'000'000); },
                 [&] { steps.add(lane, "cpu_op", "aten::add", 3'100'000, 100); },
                 [&] { steps.add(other, "cpu_op", "aten::add", 3'100'000, 10'000'000'000); },
                 [&] { steps.add(other, "cpu_op", "aten::sub", 15'000'000'000, 1'000); },
                 [&] { steps.add(lane, "cpu_op", "aten::sub", steps.nowNs - 400'000, 1'000); },
                 [&] { steps.addMemory(3'100'000, 4096); }, [&] { steps.addMemory(10'850'000, 4096); },
                 [&] { steps.add(other, "cuda_runtime", "cudaLaunchKernel", 20'000'000'000, 1'000); }}) {
            late();
            QVERIFY(steps.readsOf(growing) < ~uint64_t{0});
            steps.write(60);
            QVERIFY(steps.readsOf(growing) < ~uint64_t{0});
        }
    }

    void aLateChildOfTheLastIsInsideIt()
    {
        Steps steps;
        GrowingOperators growing({});
        const uint32_t lane = steps.builder.lane(steps.pool->intern("7"), steps.pool->intern("7"));
        const uint32_t other = steps.builder.lane(steps.pool->intern("7"), steps.pool->intern("8"));
        steps.add(lane, "cpu_op", "outer", 0, 1'000'000);
        steps.add(other, "cpu_op", "far", 2'000'000'000, 1'000);
        QVERIFY(steps.readsOf(growing) < ~uint64_t{0});
        steps.add(lane, "cpu_op", "inner", 500'000, 1'000);
        QVERIFY(steps.readsOf(growing) < ~uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestGrowingOperators)
#include "tst_growing_operators.moc"
