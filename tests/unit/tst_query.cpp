#include "query/condition_text.h"
#include "query/query.h"
#include "trace_fixture.h"

#include <QtTest>

#include <algorithm>

using namespace torchline;

namespace {

QByteArray bytes(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

std::string_view view(const QByteArray& text)
{
    return {text.constData(), static_cast<size_t>(text.size())};
}

/// One host process with two threads, one GPU with two streams.
std::shared_ptr<const TraceSnapshot> sampleTrace()
{
    TraceFixture f;
    f.info.path = "runs/rank3.json";
    f.info.rank = 3;
    const uint32_t main = f.lane("100", "100");
    const uint32_t backward = f.lane("100", "200");
    const uint32_t stream7 = f.lane("0", "7");
    const uint32_t stream20 = f.lane("0", "20");
    f.builder.setProcessName(f.name("100"), f.name("python"));
    f.builder.setThreadName(f.name("100"), f.name("200"), f.name("autograd"));
    f.annotation(main, "ProfilerStep#1", 0, 1000'000);
    f.op(main, "aten::mm", 10'000, 100'000, 1).args({{"Input Dims", "[[2,3],[3,4]]"}, {"Process Group Name", "0"}});
    f.op(main, "aten::add", 20'000, 30'000, 2).args({{"Note", "fast path"}, {"ratio", "0.5"}});
    f.call(main, "cudaLaunchKernel", 60'000, 5'000, 77, 1);
    f.annotation(main, "ProfilerStep#2", 1000'000, 500'000);
    f.op(main, "nccl:all_reduce", 1100'000, 10'000, 3).args({{"Process Group Name", "7"}});
    f.op(backward, "AddmmBackward0 (slow)", 300'000, 50'000, 4);
    f.kernel(stream7, "void gemm<float, 4>(int)", 120'000, 200'000, 77, 1);
    f.work(stream20, "gpu_memcpy", "Memcpy HtoD", 500'000, 50'000, 78, 0, "0", 2 << 20);
    f.unfinished(main, "cpu_op", "hanging", 1600'000);
    return f.snapshot();
}

QByteArray namesOf(const TraceSnapshot& trace, const SliceMask& mask)
{
    QByteArrayList names;
    for (uint32_t lane = 0; lane < trace.lanes().size(); ++lane) {
        for (uint32_t i = 0; i < trace.lanes()[lane].size(); ++i) {
            if (mask.contains({LaneId(lane), i}))
                names.append(bytes(nameOf(trace, {LaneId(lane), i})));
        }
    }
    std::ranges::sort(names);
    return names.join('|');
}

} // namespace

class TestQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conditionsSelectSlices_data();
    void conditionsSelectSlices();
    void faultsSayWhere_data();
    void faultsSayWhere();
    void blankTextMatchesEverything();
    void argumentsAreReadOnlyWhereTheyDecide();
    void linkIdsBeyond32BitsAreReadFromTheFile();
    void mergedArgumentsOfPairsAreSearched();
    void timesAreExact_data();
    void timesAreExact();
    void bytesAreExact_data();
    void bytesAreExact();
    void rangesAreHalfOpen_data();
    void rangesAreHalfOpen();
    void aSearchShowsFirstHitsEarlyAndEndsAsTheFilter();
    void theConditionOfALaneHoldsForItAlone();
};

void TestQuery::aSearchShowsFirstHitsEarlyAndEndsAsTheFilter()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    constexpr int kSlices = 150'000;
    for (int i = 0; i < kSlices; ++i)
        f.op(main, i % 2 == 0 ? "aten::mm" : "aten::add", i * 10, 5);
    const auto trace = f.snapshot();
    for (const char* condition : {"mm", "not mm", "mm or dur > 1s", "name:add and dur < 6ns"}) {
        const auto query = Query::parse(condition);
        QVERIFY(query.has_value());
        uint64_t early = 0;
        const auto found = query->search(*trace, [&](const SliceMask& soFar) {
            if (early == 0)
                early = soFar.count();
        });
        QVERIFY(found && found->count() == kSlices / 2);
        QVERIFY2(early > 0 && early < kSlices / 2, condition);
        const auto all = query->evaluate(*trace);
        QVERIFY(all && std::ranges::equal(all->words(LaneId(0)), found->words(LaneId(0))));
    }
}

void TestQuery::theConditionOfALaneHoldsForItAlone()
{
    const auto pool = std::make_shared<StringPool>();
    std::vector<std::shared_ptr<const FileStore>> files;
    for (const char* path : {"a.json", "b.json"}) {
        TraceFixture f(pool);
        f.info.path = path;
        for (const auto& [pid, tid] : {std::pair("1", "1"), std::pair("1", "2"), std::pair("2", "1"),
                 std::pair("Spans", "say \"hi\" \\ there"), std::pair("0", "7")}) {
            const uint32_t lane = f.lane(pid, tid);
            f.op(lane, "aten::mm", 0, 10);
        }
        files.push_back(f.store());
    }
    const auto trace = TraceSnapshot::combine(pool, files);
    for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
        const auto query = Query::parse(laneCondition(*trace, LaneId(l)));
        QVERIFY2(query.has_value(), laneCondition(*trace, LaneId(l)).c_str());
        const auto mask = query->evaluate(*trace);
        QVERIFY(mask && mask->count() == trace->lane(LaneId(l)).size() && mask->contains({LaneId(l), 0}));
    }
}

void TestQuery::conditionsSelectSlices_data()
{
    QTest::addColumn<QByteArray>("filter");
    QTest::addColumn<QByteArray>("names");
    const auto row = [](const char* filter, const char* names) {
        QTest::newRow(filter) << QByteArray(filter) << QByteArray(names);
    };
    row("aten", "aten::add|aten::mm");
    row("ATEN::MM", "aten::mm");
    row("gemm<float, 4>", "void gemm<float, 4>(int)");
    row("nccl:all_reduce", "nccl:all_reduce");
    row("AddmmBackward0 (slow)", "AddmmBackward0 (slow)");
    row("(AddmmBackward0 or mm) and not name:back", "aten::mm|void gemm<float, 4>(int)");
    row("\"gemm<float, 4>\"", "void gemm<float, 4>(int)");
    row("name = aten::mm", "aten::mm");
    row("name = ATEN::MM", "");
    row("name != aten::mm and name:aten", "aten::add");
    row("dur > 100us", "ProfilerStep#1|ProfilerStep#2|void gemm<float, 4>(int)");
    row("dur >= 0.1ms and dur <= 200 us", "aten::mm|void gemm<float, 4>(int)");
    row("dur = 5", "cudaLaunchKernel");
    row("dur != 5 and cat:runtime", "");
    row("cat:KERNEL", "void gemm<float, 4>(int)");
    row("category = gpu_memcpy", "Memcpy HtoD");
    row("kind:memcpy or kind = runtime", "Memcpy HtoD|cudaLaunchKernel");
    row("stream = 7", "void gemm<float, 4>(int)");
    row("stream != 7", "Memcpy HtoD");
    row("not stream = 7 and cat:gpu", "Memcpy HtoD");
    row("stream > 7", "Memcpy HtoD");
    row("device = 0", "Memcpy HtoD|void gemm<float, 4>(int)");
    row("pid = 100 and tid = 200", "AddmmBackward0 (slow)");
    row("process:PYTHON thread:autograd", "AddmmBackward0 (slow)");
    row("bytes >= 1MB", "Memcpy HtoD");
    row("bytes = 2MiB", "Memcpy HtoD");
    row("bytes < 2 MB", "");
    row("depth = 3", "aten::add|cudaLaunchKernel");
    row("self = 65us", "aten::mm");
    row("start >= 1ms and start < 1.1ms", "ProfilerStep#2");
    row("ts = 1100", "nccl:all_reduce");
    row("end = 1110us", "nccl:all_reduce");
    row("corr = 77", "cudaLaunchKernel|void gemm<float, 4>(int)");
    row("external id = 1", "aten::mm|cudaLaunchKernel|void gemm<float, 4>(int)");
    row("external = 2", "aten::add");
    row("step = 2", "ProfilerStep#2|nccl:all_reduce");
    row("step > 1 and not Profiler", "nccl:all_reduce");
    row("file = 0 and name:add", "AddmmBackward0 (slow)|aten::add");
    row("file:rank3 name:add", "AddmmBackward0 (slow)|aten::add");
    row("file = 1", "");
    row("rank = 3 and depth = 2 and dur < 20us", "nccl:all_reduce");
    row("rank = 4", "");
    row("unfinished = yes", "hanging");
    row("arg:\"Process Group Name\"=0", "aten::mm");
    row("arg:\"Process Group Name\" > 3", "nccl:all_reduce");
    row("arg:\"Process Group Name\"", "aten::mm|nccl:all_reduce");
    row("arg:Note:FAST", "aten::add");
    row("arg:ratio = 0.50", "aten::add");
    row("arg:ratio < 0.4", "");
    row("not arg:Note and name:aten", "aten::mm");
    row("arg:Nothing = 1 or cat:kernel", "void gemm<float, 4>(int)");
    row("mm dur < 150us", "AddmmBackward0 (slow)|aten::mm");
}

void TestQuery::conditionsSelectSlices()
{
    QFETCH(QByteArray, filter);
    QFETCH(QByteArray, names);
    const auto trace = sampleTrace();
    const auto query = Query::parse(view(filter));
    QVERIFY2(query, query ? "" : query.error().message.c_str());
    const auto mask = query->evaluate(*trace);
    QVERIFY(mask);
    QCOMPARE(namesOf(*trace, *mask), names);
}

void TestQuery::faultsSayWhere_data()
{
    QTest::addColumn<QByteArray>("filter");
    QTest::addColumn<int>("begin");
    QTest::addColumn<int>("end");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* filter, int begin, int end, const char* words) {
        QTest::newRow(filter) << QByteArray(filter) << begin << end << QByteArray(words);
    };
    row("dur >", 4, 5, "missing after '>'");
    row("dur > and cat:kernel", 6, 9, "no time");
    row("dur > fast", 6, 10, "no time");
    row("dur > 0.0001us", 6, 14, "nothing finer");
    row("dur > 99999999999999999999s", 6, 27, "no time");
    row("bytes > 3 parsecs", 8, 9, ""); // "parsecs" is a plain word
    row("stream > main", 9, 13, "no whole number");
    row("cat > kernel", 4, 5, ": = and !=");
    row("kind:elephant", 5, 13, "no kind");
    row("colour = red", 0, 6, "no field");
    row("p99 > 5", 0, 3, "'p99' is no field");
    row("aten and colour != red", 9, 15, "no field");
    row("(aten", 0, 1, "not closed");
    row("aten)", 4, 5, "no parenthesis that this one closes");
    row("\"aten", 0, 5, "not closed");
    row("aten and", 8, 8, "missing at the end");
    row("or aten", 0, 2, "missing before 'or'");
    row("()", 1, 2, "missing before the parenthesis");
    row("not", 3, 3, "missing at the end");
    row("arg:=3", 3, 4, "name of an argument");
    row("arg:Note <", 9, 10, "missing after '<'");
    row("arg:Note < fast", 11, 15, "no number");
    row("unfinished = maybe", 13, 18, "true, false");
    row("depth = 1.5", 8, 11, "no whole number");
}

void TestQuery::faultsSayWhere()
{
    QFETCH(QByteArray, filter);
    QFETCH(int, begin);
    QFETCH(int, end);
    QFETCH(QByteArray, words);
    const auto query = Query::parse(view(filter));
    if (words.isEmpty()) {
        QVERIFY(query);
        return;
    }
    QVERIFY(!query);
    QVERIFY2(bytes(query.error().message).contains(words), query.error().message.c_str());
    QCOMPARE(static_cast<int>(query.error().begin), begin);
    QCOMPARE(static_cast<int>(query.error().end), end);
}

void TestQuery::blankTextMatchesEverything()
{
    const auto trace = sampleTrace();
    for (const char* text : {"", "  ", "\t\n"}) {
        const auto query = Query::parse(text);
        QVERIFY(query && query->matchesAll());
        QCOMPARE(query->evaluate(*trace)->count(), trace->sliceCount());
    }
    std::string deep;
    for (int i = 0; i < 100'000; ++i)
        deep += "not (";
    QVERIFY(!Query::parse(deep));
}

namespace {

class CountingSource : public MemoryEventSource {
public:
    Status argsOfMany(
        std::span<const uint64_t> offsets, const std::function<void(size_t, ArgList&&)>& done) const override
    {
        read += offsets.size();
        return MemoryEventSource::argsOfMany(offsets, done);
    }
    mutable size_t read = 0;
};

} // namespace

void TestQuery::argumentsAreReadOnlyWhereTheyDecide()
{
    const auto pool = std::make_shared<StringPool>();
    const auto source = std::make_shared<CountingSource>();
    TraceBuilder builder(pool);
    const uint32_t lane = builder.lane(pool->intern("1"), pool->intern("1"));
    const CategoryId op = builder.category("cpu_op");
    for (uint64_t i = 0; i < 100; ++i) {
        SliceRecord slice;
        slice.startNs = static_cast<int64_t>(i) * 10;
        slice.durationNs = static_cast<int64_t>(i);
        slice.name = pool->intern("op");
        slice.category = op;
        slice.kind = SliceKind::CpuOp;
        slice.eventOffset = i;
        builder.addSlice(lane, slice);
        source->events[i] = {{"Seq", std::to_string(i % 2)}};
    }
    const auto trace = TraceSnapshot::combine(pool, {builder.finish({}, source)});
    const auto query = Query::parse("dur >= 90ns and arg:Seq = 1");
    QVERIFY(query);
    const auto mask = query->evaluate(*trace);
    QVERIFY(mask);
    QCOMPARE(mask->count(), uint64_t{5});
    QCOMPARE(source->read, size_t{10});
}

void TestQuery::linkIdsBeyond32BitsAreReadFromTheFile()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.op(lane, "big", 0, 10, f.builder.linkId(uint64_t{123456789012345})).args({{"External id", "123456789012345"}});
    f.op(lane, "small", 20, 10, f.builder.linkId(uint64_t{5})).args({{"External id", "5"}});
    const auto trace = f.snapshot();
    const auto big = Query::parse("external = 123456789012345");
    QVERIFY(big);
    QCOMPARE(namesOf(*trace, *big->evaluate(*trace)), QByteArray("big"));
    const auto any = Query::parse("external > 4");
    QVERIFY(any);
    QCOMPARE(namesOf(*trace, *any->evaluate(*trace)), QByteArray("big|small"));
}

void TestQuery::mergedArgumentsOfPairsAreSearched()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    f.begin(lane, "cpu_op", "pair", 0).args({{"a", "1"}, {"b", "1"}});
    f.end(lane, 10).args({{"b", "2"}});
    const auto trace = f.snapshot();
    for (const auto& [filter, count] :
        {std::pair("arg:a = 1", 1), std::pair("arg:b = 2", 1), std::pair("arg:b = 1", 0)}) {
        const auto query = Query::parse(filter);
        QVERIFY(query);
        QCOMPARE(query->evaluate(*trace)->count(), static_cast<uint64_t>(count));
    }
}

void TestQuery::timesAreExact_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("ok");
    QTest::addColumn<qint64>("ns");
    QTest::newRow("plain us") << QByteArray("50") << true << qint64{50'000};
    QTest::newRow("three decimals") << QByteArray("0.001") << true << qint64{1};
    QTest::newRow("zeros beyond") << QByteArray("1.500000") << true << qint64{1500};
    QTest::newRow("ms") << QByteArray("1.5ms") << true << qint64{1'500'000};
    QTest::newRow("blank before unit") << QByteArray("2 s") << true << qint64{2'000'000'000};
    QTest::newRow("minutes") << QByteArray("1m") << true << qint64{60'000'000'000};
    QTest::newRow("micro sign") << QByteArray("3\xC2\xB5s") << true << qint64{3000};
    QTest::newRow("upper case") << QByteArray("7NS") << true << qint64{7};
    QTest::newRow("no whole part") << QByteArray(".5us") << true << qint64{500};
    QTest::newRow("negative") << QByteArray("-1.25") << true << qint64{-1250};
    QTest::newRow("absolute") << QByteArray("1719234567890125.065") << true << qint64{1719234567890125065};
    QTest::newRow("largest") << QByteArray("9223372036854775807ns") << true << qint64{9223372036854775807};
    QTest::newRow("one too many") << QByteArray("9223372036854775808ns") << false << qint64{0};
    QTest::newRow("half a nanosecond") << QByteArray("0.5ns") << false << qint64{0};
    QTest::newRow("as the window shows it") << QByteArray("1.034\xE2\x80\x89"
                                                          "118\xC2\xA0ms")
                                            << true << qint64{1'034'118};
    QTest::newRow("thousands") << QByteArray("1\xE2\x80\x89"
                                             "234.5\xC2\xA0\xC2\xB5s")
                               << true << qint64{1'234'500};
    QTest::newRow("minus sign") << QByteArray("\xE2\x88\x92"
                                              "5\xC2\xA0ns")
                                << true << qint64{-5};
    QTest::newRow("a thin space at the end") << QByteArray("1\xE2\x80\x89ms") << false << qint64{0};
    QTest::newRow("unknown unit") << QByteArray("5h") << false << qint64{0};
    QTest::newRow("exponent") << QByteArray("1e3") << false << qint64{0};
    QTest::newRow("empty") << QByteArray("") << false << qint64{0};
    QTest::newRow("point") << QByteArray(".") << false << qint64{0};
    QTest::newRow("two signs") << QByteArray("--1") << false << qint64{0};
}

void TestQuery::timesAreExact()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, ok);
    QFETCH(qint64, ns);
    const auto value = parseTime(view(text));
    QCOMPARE(value.has_value(), ok);
    if (ok)
        QCOMPARE(qint64{*value}, ns);
}

void TestQuery::bytesAreExact_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("value"); // -1: no number
    QTest::newRow("plain") << QByteArray("4096") << qint64{4096};
    QTest::newRow("KB") << QByteArray("1KB") << qint64{1024};
    QTest::newRow("kib") << QByteArray("1kib") << qint64{1024};
    QTest::newRow("1.5 MB") << QByteArray("1.5 MB") << qint64{1572864};
    QTest::newRow("as the window shows it") << QByteArray("5.2\xC2\xA0MiB") << qint64{5452595};
    QTest::newRow("GB") << QByteArray("80GB") << qint64{85899345920};
    QTest::newRow("rounded") << QByteArray("0.3KB") << qint64{307};
    QTest::newRow("time unit") << QByteArray("3ms") << qint64{-1};
}

void TestQuery::bytesAreExact()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, value);
    QCOMPARE(qint64{parseBytes(view(text)).value_or(-1)}, value);
}

void TestQuery::rangesAreHalfOpen_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("ok");
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    QTest::newRow("plain us") << QByteArray("5..150") << true << qint64{5000} << qint64{150'000};
    QTest::newRow("units") << QByteArray("1.5ms..2ms") << true << qint64{1'500'000} << qint64{2'000'000};
    QTest::newRow("no begin") << QByteArray("..0.15ms") << true << qint64{kMinNs} << qint64{150'000};
    QTest::newRow("no end") << QByteArray("205us..") << true << qint64{205'000} << qint64{kMaxNs};
    QTest::newRow("negative") << QByteArray("-5..3") << true << qint64{-5000} << qint64{3000};
    QTest::newRow("empty") << QByteArray("7..7") << true << qint64{7000} << qint64{7000};
    QTest::newRow("backwards") << QByteArray("8..7") << false << qint64{0} << qint64{0};
    QTest::newRow("letters") << QByteArray("b..a") << false << qint64{0} << qint64{0};
    QTest::newRow("one end") << QByteArray("7") << false << qint64{0} << qint64{0};
}

void TestQuery::rangesAreHalfOpen()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, ok);
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    const auto range = parseTimeRange(view(text));
    QCOMPARE(range.has_value(), ok);
    if (!ok) {
        QCOMPARE(range.error().code(), ErrorCode::Usage);
        return;
    }
    QCOMPARE(qint64{range->beginNs}, begin);
    QCOMPARE(qint64{range->endNs}, end);
}

QTEST_GUILESS_MAIN(TestQuery)
#include "tst_query.moc"
