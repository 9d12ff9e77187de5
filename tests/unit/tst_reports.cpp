#include "analysis/name_totals.h"
#include "analysis/operators.h"
#include "export/analysis_tables.h"
#include "export/dump.h"
#include "export/info_report.h"
#include "export/slice_order.h"
#include "trace_fixture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <sstream>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

constexpr int64_t kOrigin = 1'719'234'567'890'125'065;

std::shared_ptr<const FileStore> makeStore(const std::shared_ptr<StringPool>& pool, const std::string& path, int64_t at)
{
    TraceFixture f(pool);
    f.info.path = path;
    f.info.baseTimeNs = 0;
    f.info.rank = 2;
    f.info.header = {{"schemaVersion", "1"}, {"deviceProperties", "[{\"id\":0}]"}};
    const uint32_t host = f.lane("11", "12");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "ProfilerStep#4", at, 1000);
    f.op(host, "outer", at + 10, 500, 1).args({{"Input Dims", "[[1]]"}});
    f.op(host, "inner", at + 10, 500, 2);
    f.call(host, "launch", at + 20, 5, 9);
    f.kernel(stream, "gemm", at + 100, 300, 9, 1);
    f.kernel(stream, "orphan", at + 700, 50, 0, 0, "1");
    f.begin(host, "cpu_op", "pair", at + 600).args({{"a", "1"}, {"b", "1"}});
    f.end(host, at + 650).args({{"b", "2"}, {"c", "3"}});
    f.unfinished(host, "cpu_op", "cut \"off\"", at + 900);
    f.arrow("ac2g", "9", host, at + 20, stream, at + 100);
    f.memory(at + 50, 64, 1, 0, 4096, 8192).args({{"Bytes", "64"}});
    f.instant(at + 40, "mark").args({{"k", "v"}});
    f.async(AsyncPhase::Begin, "net", "fetch", "0x9", at + 50).args({{"url", "x"}, {"n", "1"}});
    f.async(AsyncPhase::End, "net", "fetch", "0x9", at + 60).args({{"n", "2"}});
    f.builder.beginCounter(f.name("11"), f.name("load"), {}, at + 5);
    f.builder.addCounterValue(f.name("cpu"), 17293822569102704640.0, f.name("17293822569102704640"));
    f.builder.addCounterValue(f.name("gpu"), 0.5, f.name(".5"));
    f.builder.beginCounter(f.name("11"), f.name("load"), {}, at + 205);
    f.builder.addCounterValue(f.name("cpu"), -2.50, f.name("-2.50"));
    return f.store();
}

std::shared_ptr<const TraceSnapshot> oneFile()
{
    const auto pool = std::make_shared<StringPool>();
    return TraceSnapshot::combine(pool, {makeStore(pool, "one\xFF.json", kOrigin)});
}

std::shared_ptr<const TraceSnapshot> twoFiles()
{
    const auto pool = std::make_shared<StringPool>();
    auto first = makeStore(pool, "late.json", kOrigin + 500);
    auto second = makeStore(pool, "early.json", kOrigin);
    return TraceSnapshot::combine(pool, {first, second});
}

ResolvedScope scoped(const TraceSnapshot& trace, const std::string& filter, std::optional<TimeRange> range = {})
{
    Scope scope;
    scope.filter = filter;
    scope.range = range;
    auto resolved = resolveScope(trace, scope);
    return std::move(*resolved);
}

QByteArray dumpText(const TraceSnapshot& trace, const DumpOptions& options, const ResolvedScope* scope = nullptr)
{
    std::ostringstream out;
    const Status status = writeDump(trace, scope, options, out);
    return status ? QByteArray::fromStdString(out.str()) : QByteArray("fault");
}

QJsonObject dumpJson(const TraceSnapshot& trace, const ResolvedScope* scope = nullptr)
{
    QJsonParseError error;
    const auto document = QJsonDocument::fromJson(dumpText(trace, {}, scope), &error);
    return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

QString namesOf(const QJsonObject& dump, const QString& list)
{
    QStringList names;
    for (const QJsonValue& entry : dump[list].toArray())
        names << entry.toObject()[u"name"_s].toString();
    return names.join(u'|');
}

QJsonObject entryNamed(const QJsonObject& dump, const QString& list, const QString& name)
{
    for (const QJsonValue& entry : dump[list].toArray()) {
        if (entry.toObject()[u"name"_s].toString() == name)
            return entry.toObject();
    }
    return {};
}

} // namespace

class TestReports : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesComeInOneOrder();
    void dumpHoldsEverything();
    void dumpMergesArgumentsOfPairs();
    void dumpKeepsDigitsOfCounters();
    void dumpAsLinesHasTheSameObjects();
    void dumpOfAPartKeepsIds();
    void dumpWritesManyBatches();
    void infoCountsWhatDumpLists();
    void infoKeepsNanosecondsOfTheFilesAxis();
    void infoOfAPartCountsThePart();
    void infoWritesStrictJson();
    void infoTextIsReadable();
    void operatorTableHasAllColumns();
    void emptyTraceHasAnswers();
    void lostFileIsNamed();
    void tablesSayWhatIsReadSoFar();
    void memoryFollowsTheScope();
};

namespace {

class LostSource : public MemoryEventSource {
public:
    Status argsOfMany(std::span<const uint64_t>, const std::function<void(size_t, ArgList&&)>&) const override
    {
        return Error(ErrorCode::Io, "cannot be read");
    }
};

} // namespace

void TestReports::slicesComeInOneOrder()
{
    const auto trace = twoFiles();
    SliceOrder order(*trace);
    const SliceIds ids(*trace);
    std::optional<SliceRef> last;
    uint32_t count = 0;
    while (const auto slice = order.next()) {
        QCOMPARE(ids.of(*slice), count++);
        if (last) {
            const bool startsLater = trace->startNs(*last) < trace->startNs(*slice);
            const bool isAsEarly = trace->startNs(*last) == trace->startNs(*slice);
            QVERIFY(startsLater || (isAsEarly && trace->durationNs(*last) >= trace->durationNs(*slice)));
        }
        last = slice;
    }
    QCOMPARE(uint64_t{count}, trace->sliceCount());
}

void TestReports::dumpHoldsEverything()
{
    const QJsonObject dump = dumpJson(*oneFile());
    QCOMPARE(dump.keys(), (QStringList{u"async_slices"_s, u"counters"_s, u"flows"_s, u"instants"_s, u"slices"_s}));
    QCOMPARE(namesOf(dump, u"slices"_s), u"ProfilerStep#4|outer|inner|launch|gemm|pair|orphan|cut \"off\""_s);
    QCOMPARE(namesOf(dump, u"instants"_s), u"mark|[memory]"_s);
    const QJsonObject gemm = entryNamed(dump, u"slices"_s, u"gemm"_s);
    QCOMPARE(gemm[u"id"_s].toInt(), 4);
    QCOMPARE(gemm[u"owner"_s].toString(), u"outer"_s);
    QCOMPARE(gemm[u"owner_id"_s].toInt(), 1);
    QVERIFY(gemm[u"parent"_s].isNull() && gemm[u"parent_id"_s].isNull());
    QCOMPARE(gemm[u"process"_s].toString(), u"0"_s);
    QCOMPARE(gemm[u"thread"_s].toString(), u"7"_s);
    const QJsonObject inner = entryNamed(dump, u"slices"_s, u"inner"_s);
    QCOMPARE(inner[u"parent"_s].toString(), u"outer"_s);
    QCOMPARE(inner[u"parent_id"_s].toInt(), 1);
    QCOMPARE(inner[u"depth"_s].toInt(), 3);
    QCOMPARE(inner[u"category"_s].toString(), u"cpu_op"_s);
    QVERIFY(entryNamed(dump, u"slices"_s, u"orphan"_s)[u"owner"_s].isNull());
    QVERIFY(entryNamed(dump, u"slices"_s, u"cut \"off\""_s)[u"unfinished"_s].toBool());
    const QJsonObject flow = dump[u"flows"_s].toArray().first().toObject();
    QCOMPARE(flow[u"from_id"_s].toInt(), 3);
    QCOMPARE(flow[u"to_id"_s].toInt(), 4);
    QCOMPARE(flow[u"id"_s].toString(), u"9"_s);
    QCOMPARE(flow[u"to_us"_s].toDouble(), 0.1);
    const QJsonObject memory = entryNamed(dump, u"instants"_s, u"[memory]"_s);
    QCOMPARE(memory[u"at_us"_s].toDouble(), 0.05);
    QCOMPARE(memory[u"args"_s].toObject()[u"Bytes"_s].toString(), u"64"_s);
}

void TestReports::dumpMergesArgumentsOfPairs()
{
    const QJsonObject dump = dumpJson(*oneFile());
    QCOMPARE(entryNamed(dump, u"slices"_s, u"pair"_s)[u"args"_s].toObject(),
        (QJsonObject{{u"a"_s, u"1"_s}, {u"b"_s, u"2"_s}, {u"c"_s, u"3"_s}}));
    const QJsonObject fetch = entryNamed(dump, u"async_slices"_s, u"fetch"_s);
    QCOMPARE(fetch[u"args"_s].toObject(), (QJsonObject{{u"url"_s, u"x"_s}, {u"n"_s, u"2"_s}}));
    QCOMPARE(fetch[u"dur_us"_s].toDouble(), 0.01);
    QCOMPARE(fetch[u"id"_s].toString(), u"0x9"_s);
}

void TestReports::dumpKeepsDigitsOfCounters()
{
    const QByteArray text = dumpText(*oneFile(), {false, true});
    QVERIFY2(text.contains("\"samples\": 2, \"min\": -2.50, \"max\": 17293822569102704640, \"series\": ["),
        text.constData());
    QVERIFY(text.contains("\"points\": [[0.005, 17293822569102704640], [0.205, -2.50]]"));
    QVERIFY(text.contains("\"points\": [[0.005, 0.5]]")); // ".5" is no JSON number
    QVERIFY(!dumpText(*oneFile(), {}).contains("points"));
}

void TestReports::dumpAsLinesHasTheSameObjects()
{
    const auto trace = twoFiles();
    const QJsonObject dump = dumpJson(*trace);
    QMap<QString, QJsonArray> lists;
    const QMap<QString, QString> listOfType{{u"slice"_s, u"slices"_s}, {u"flow"_s, u"flows"_s},
        {u"instant"_s, u"instants"_s}, {u"async_slice"_s, u"async_slices"_s}, {u"counter"_s, u"counters"_s}};
    QByteArrayList lines = dumpText(*trace, {true, false}).split('\n');
    QVERIFY(lines.takeLast().isEmpty());
    for (const QByteArray& line : lines) {
        QVERIFY(line.startsWith("{\"type\":\""));
        QJsonObject entry = QJsonDocument::fromJson(line).object();
        lists[listOfType[entry.take(u"type"_s).toString()]].append(entry);
    }
    for (const QString& list : listOfType)
        QCOMPARE(lists[list], dump[list].toArray());
}

void TestReports::dumpOfAPartKeepsIds()
{
    const auto trace = oneFile();
    const ResolvedScope kernels = scoped(*trace, "cat:kernel");
    const QJsonObject dump = dumpJson(*trace, &kernels);
    QCOMPARE(namesOf(dump, u"slices"_s), u"gemm|orphan"_s);
    QCOMPARE(entryNamed(dump, u"slices"_s, u"gemm"_s)[u"id"_s].toInt(), 4);
    QCOMPARE(entryNamed(dump, u"slices"_s, u"gemm"_s)[u"owner_id"_s].toInt(), 1);
    for (const QString& list : {u"flows"_s, u"instants"_s, u"async_slices"_s, u"counters"_s})
        QVERIFY(dump[list].toArray().isEmpty());

    const ResolvedScope early = scoped(*trace, {}, TimeRange{0, 200});
    const QJsonObject part = dumpJson(*trace, &early);
    QCOMPARE(namesOf(part, u"slices"_s), u"ProfilerStep#4|outer|inner|launch|gemm"_s);
    QCOMPARE(part[u"flows"_s].toArray().size(), 1);
    const QJsonObject load = entryNamed(part, u"counters"_s, u"load"_s);
    QCOMPARE(load[u"samples"_s].toInt(), 1);
    QCOMPARE(load[u"min"_s].toDouble(), 0.5);
}

void TestReports::dumpWritesManyBatches()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    constexpr int kSlices = 5000;
    for (int i = 0; i < kSlices; ++i)
        f.op(lane, "op", i * 10, 5)
            .args({{"i", std::to_string(i)}, {"pad", std::string(static_cast<size_t>(i % 3000), 'x')}});
    const auto trace = f.snapshot();
    const QJsonArray slices = dumpJson(*trace)[u"slices"_s].toArray();
    QCOMPARE(slices.size(), kSlices);
    for (int i = 0; i < kSlices; ++i) {
        const QJsonObject args = slices[i].toObject()[u"args"_s].toObject();
        QCOMPARE(args[u"i"_s].toString(), QString::number(i));
        QCOMPARE(args[u"pad"_s].toString().size(), i % 3000);
    }
}

void TestReports::infoCountsWhatDumpLists()
{
    const auto trace = twoFiles();
    const auto info = infoReport(*trace);
    QVERIFY(info);
    const QJsonObject dump = dumpJson(*trace);
    QCOMPARE(qsizetype(info->counts.events), dump[u"slices"_s].toArray().size());
    QCOMPARE(qsizetype(info->counts.flows), dump[u"flows"_s].toArray().size());
    QCOMPARE(qsizetype(info->counts.instants), dump[u"instants"_s].toArray().size());
    QCOMPARE(qsizetype(info->counts.asyncSlices), dump[u"async_slices"_s].toArray().size());
    QCOMPARE(info->counts.threads, uint64_t{4});
    QCOMPARE(info->counts.processes, uint64_t{4});
    QCOMPARE(info->lanes.size(), size_t{4});
    QCOMPARE(info->distinctNames, uint64_t{8});
    QCOMPARE(info->counters, uint64_t{1});
    QCOMPARE(info->maxDepth, uint64_t{4});
    QCOMPARE(info->stepNs, (std::vector<int64_t>{1000, 1000}));
    QCOMPARE(info->workSumNs, int64_t{700});
    QCOMPARE(info->unattributedNs, int64_t{100});
    QCOMPARE(info->busy, (BusyTimes{{"0/0", 300}, {"0/1", 50}, {"1/0", 300}, {"1/1", 50}}));
    QCOMPARE(info->files[0].busy, (BusyTimes{{"0", 300}, {"1", 50}}));
}

void TestReports::infoKeepsNanosecondsOfTheFilesAxis()
{
    const auto trace = twoFiles();
    const auto info = infoReport(*trace);
    QVERIFY(info);
    QCOMPARE(info->files[0].firstNs, std::optional(kOrigin + 500));
    QCOMPARE(info->files[1].firstNs, std::optional(kOrigin));
    QCOMPARE(info->files[1].lastNs, std::optional(kOrigin + 1000));
    QCOMPARE(info->files[0].offsetNs, std::optional(int64_t{500}));
    QCOMPARE(info->files[1].offsetNs, std::optional(int64_t{0}));
    QCOMPARE(info->spanNs, int64_t{1500});
    std::ostringstream out;
    writeInfoJson(*info, out);
    QVERIFY(QByteArray::fromStdString(out.str()).contains("\"first_us\": \"1719234567890125.065\""));
}

void TestReports::infoOfAPartCountsThePart()
{
    const auto trace = twoFiles();
    const ResolvedScope scope = scoped(*trace, "cat:kernel and file = 1");
    const auto info = infoReport(*trace, &scope);
    QVERIFY(info);
    QCOMPARE(info->counts.events, uint64_t{2});
    QCOMPARE(info->counts.threads, uint64_t{1});
    QCOMPARE(info->counts.processes, uint64_t{1});
    QCOMPARE(info->counts.flows, uint64_t{0});
    QCOMPARE(info->counts.instants, uint64_t{0});
    QCOMPARE(info->files.size(), size_t{2});
    QCOMPARE(info->files[0].counts.events, uint64_t{0});
    QCOMPARE(info->files[0].firstNs, std::optional<int64_t>());
    QCOMPARE(info->files[1].firstNs, std::optional(kOrigin + 100));
    QCOMPARE(info->workSumNs, int64_t{350});
    QVERIFY(info->stepNs.empty());
}

void TestReports::infoWritesStrictJson()
{
    const auto trace = oneFile();
    std::ostringstream out;
    writeInfoJson(*infoReport(*trace), out);
    QJsonParseError error;
    const QJsonObject info = QJsonDocument::fromJson(QByteArray::fromStdString(out.str()), &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    const QJsonObject file = info[u"files"_s].toArray().first().toObject();
    QCOMPARE(file[u"path"_s].toString(), QString(u"one\uFFFD.json"_s));
    QVERIFY(file[u"member"_s].isNull());
    QCOMPARE(file[u"rank"_s].toInt(), 2);
    QCOMPARE(file[u"header"_s].toObject()[u"deviceProperties"_s].toString(), u"[{\"id\":0}]"_s);
    QCOMPARE(info[u"gpu_busy_us"_s].toObject().keys(), (QStringList{u"0"_s, u"1"_s}));
    QCOMPARE(info[u"steps"_s].toInt(), 1);
    QCOMPARE(info[u"program"_s].toString(), u"torchline-cli"_s);
    for (const QJsonValue& warning : info[u"warnings"_s].toArray())
        QVERIFY(warning.toObject()[u"count"_s].toInt() > 0);
}

void TestReports::infoTextIsReadable()
{
    std::ostringstream out;
    writeInfoText(*infoReport(*oneFile()), out);
    const QByteArray text = QByteArray::fromStdString(out.str());
    QVERIFY(text.contains("8 slices on 2 threads of 2 processes, 1 arrow, 2 instants, 1 async slice"));
    QVERIFY(text.contains("device 0 is busy for 0.300us"));
    for (const char c : text)
        QVERIFY(c == '\n' || static_cast<uint8_t>(c) >= 0x20);
}

void TestReports::operatorTableHasAllColumns()
{
    const auto trace = oneFile();
    const auto operators = operatorTable(*trace, {OperatorTotals::Once, {GroupKey::Rank, GroupKey::File}, 5});
    QVERIFY(operators);
    const Table table = makeTable(*trace, *operators);
    QByteArrayList keys;
    for (const Column& column : table.columns)
        keys << QByteArray::fromStdString(column.key);
    QCOMPARE(keys.join(' '),
        QByteArray("name rank file kind calls self_cpu_us self_cpu_percent cpu_total_us cpu_total_percent cpu_avg_us "
                   "self_cuda_us self_cuda_percent cuda_total_us cuda_avg_us cpu_mem_bytes self_cpu_mem_bytes "
                   "cuda_mem_bytes self_cuda_mem_bytes flops"));
    QCOMPARE(table.columns[*table.columnOf("calls")].title, std::string("Calls"));
    QVERIFY(!table.rows.empty());
    for (const auto& row : table.rows) {
        QCOMPARE(row.size(), table.columns.size());
        QCOMPARE(row[1], Cell(int64_t{2}));
        QCOMPARE(row[2], Cell(std::string("one\xEF\xBF\xBD.json")));
    }
    const Table frame = operatorTableFrame(operators->options);
    QCOMPARE(frame.columns.size(), table.columns.size());
}

void TestReports::emptyTraceHasAnswers()
{
    TraceFixture f;
    const auto trace = f.snapshot();
    QCOMPARE(dumpText(*trace, {true, true}), QByteArray());
    QCOMPARE(dumpJson(*trace)[u"slices"_s].toArray().size(), 0);
    const auto info = infoReport(*trace);
    QVERIFY(info);
    QCOMPARE(info->spanNs, int64_t{0});
    QCOMPARE(info->files[0].firstNs, std::optional<int64_t>());
    const auto operators = operatorTable(*trace, {});
    QVERIFY(operators);
    std::ostringstream out;
    writeTable(makeTable(*trace, *operators), TableFormat::Text, out);
    QVERIFY(QByteArray::fromStdString(out.str()).contains("(no rows)"));
}

void TestReports::tablesSayWhatIsReadSoFar()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture whole(pool);
    whole.info.path = "whole.json";
    whole.op(whole.lane("1", "1"), "aten::mm", 0, 100);
    TraceFixture part(pool);
    part.info.path = "part.json";
    part.info.partBytes = 1000;
    part.op(part.lane("1", "1"), "aten::mm", 0, 100);
    const auto wholeStore = whole.store();
    const auto tableOf = [&](std::vector<std::shared_ptr<const FileStore>> stores) {
        const auto trace = TraceSnapshot::combine(pool, std::move(stores));
        return makeTable(*trace, nameTotals(*trace));
    };
    QCOMPARE(tableOf({wholeStore}).readSoFar, std::string());
    const Table table = tableOf({wholeStore, part.store()});
    QCOMPARE(table.files, (std::vector<std::string>{"whole.json", "part.json"}));
    QCOMPARE(table.readSoFar, std::string("only the first 1000 bytes of the text of part.json are read so far"));
}

void TestReports::lostFileIsNamed()
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder builder(pool);
    SliceRecord slice;
    slice.name = pool->intern("op");
    slice.category = builder.category("cpu_op");
    slice.kind = SliceKind::CpuOp;
    builder.addSlice(builder.lane(pool->intern("1"), pool->intern("1")), slice);
    FileInfo info;
    info.path = "lost\n.json";
    const auto trace = TraceSnapshot::combine(pool, {builder.finish(info, std::make_shared<LostSource>())});
    std::ostringstream out;
    const Status dump = writeDump(*trace, nullptr, {}, out);
    QVERIFY(!dump);
    QCOMPARE(dump.error().message(), std::string("lost\\n.json: cannot be read"));
    const auto table = operatorTable(*trace, {OperatorTotals::Torch, {GroupKey::Shape}, 5});
    QVERIFY(!table);
    QCOMPARE(table.error().message(), std::string("lost\\n.json: cannot be read"));
    const auto query = Query::parse("arg:a");
    QVERIFY(query);
    QVERIFY(!query->evaluate(*trace));
}

void TestReports::memoryFollowsTheScope()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "op", 0, 100);
    f.memory(10, 64, 1, 0, 1000);
    f.memory(20, 4096, 1, 0, 5000, 9000);
    f.memory(30, -64, 0, -1, 64);
    const auto trace = f.snapshot();
    const auto samples = [&](const ResolvedScope* scope) {
        const auto series = memoryInScope(*trace, scope);
        QStringList out;
        for (const auto& row : makeTable(*trace, *series).rows) {
            QStringList cells;
            for (const Cell& cell : row)
                cells << QString::fromStdString(cellText(cell));
            out << cells.join(u' ');
        }
        return out;
    };
    QCOMPARE(
        samples(nullptr), (QStringList{u"0:-1 CPU 1 64 64 64 0.030 "_s, u"1:0 CUDA 0 2 1000 5000 5000 0.020 9000"_s}));
    const ResolvedScope early = scoped(*trace, {}, TimeRange{0, 20});
    QCOMPARE(samples(&early), (QStringList{u"1:0 CUDA 0 1 1000 1000 1000 0.010 "_s}));
    const ResolvedScope large = scoped(*trace, "bytes > 1KB");
    QCOMPARE(samples(&large), (QStringList{u"1:0 CUDA 0 1 5000 5000 5000 0.020 9000"_s}));
}

QTEST_GUILESS_MAIN(TestReports)
#include "tst_reports.moc"
