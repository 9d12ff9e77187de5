// What a load holds against what a plain reader computes from the same text, for every well-formed file there is.
#include "generate_trace.h"
#include "import/load.h"
#include "plain_reader.h"

#include <QtTest>

#include <zlib.h>

#include <set>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

std::string unpacked(const QString& path)
{
    std::string text;
    const gzFile file = gzopen(qPrintable(path), "rb"); // plain files as they are
    if (file == nullptr)
        return text;
    std::string block(1 << 20, '\0');
    for (int got = 0; (got = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
        text.append(block, 0, static_cast<size_t>(got));
    int error = 0;
    gzerror(file, &error);
    gzclose(file);
    return error == Z_OK ? text : std::string();
}

/// The load in the plain reader's terms. Host and device slices of a (pid, tid) meet in one lane again.
PlainTrace inPlainTerms(const TraceSnapshot& trace)
{
    PlainTrace plain;
    const FileStore& store = trace.file(0);
    const int64_t origin = store.info.originNs - trace.fileOffsetNs(0);
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const LaneId id(l);
        const Lane& lane = trace.lane(id);
        auto& slices = plain.lanes[{std::string(trace.pid(id)), std::string(trace.tid(id))}];
        for (uint32_t i = 0; i < lane.size(); ++i)
            slices.push_back({lane.startNs(i) + origin, lane.endNs(i) + origin, std::string(trace.text(lane.name(i))),
                std::string(trace.categoryText(0, lane.category(i)))});
    }
    for (auto& [lane, slices] : plain.lanes)
        std::sort(slices.begin(), slices.end());
    for (const MemorySample& sample : store.memory) {
        const MemoryOrigin& common = store.memoryOrigins[sample.origin];
        plain.memory.emplace_back(sample.timeNs + store.info.originNs, sample.bytes, sample.address,
            sample.totalAllocated, common.deviceType, common.deviceId);
    }
    std::sort(plain.memory.begin(), plain.memory.end());
    for (const Counter& counter : store.counters) {
        for (const CounterSeries& series : counter.series) {
            for (const CounterSample& sample : series.samples)
                plain.samples.emplace_back(trace.text(counter.name), trace.text(series.name),
                    sample.timeNs + store.info.originNs, trace.text(sample.text));
        }
    }
    std::sort(plain.samples.begin(), plain.samples.end());
    for (const StoreArrow& arrow : store.links.arrows)
        plain.arrows.emplace_back(trace.categoryText(0, arrow.category), trace.text(arrow.name), arrow.id.text(trace.strings()),
            arrow.fromNs + store.info.originNs, arrow.toNs + store.info.originNs);
    std::sort(plain.arrows.begin(), plain.arrows.end());
    plain.instants = store.instants.size();
    return plain;
}

template <typename T> void compareLists(const std::vector<T>& loaded, const std::vector<T>& expected)
{
    QCOMPARE(loaded.size(), expected.size());
    const auto [a, b] = std::mismatch(loaded.begin(), loaded.end(), expected.begin());
    QVERIFY2(a == loaded.end(), qPrintable(u"differ at %1"_s.arg(a - loaded.begin())));
}

void compareTraces(const PlainTrace& loaded, const PlainTrace& expected)
{
    QCOMPARE(loaded.lanes.size(), expected.lanes.size());
    for (const auto& [lane, slices] : expected.lanes) {
        const auto found = loaded.lanes.find(lane);
        QVERIFY2(found != loaded.lanes.end(), lane.second.c_str());
        for (size_t i = 0; i < std::min(slices.size(), found->second.size()); ++i) {
            const PlainSlice& a = found->second[i];
            const PlainSlice& b = slices[i];
            QVERIFY2(a == b,
                qPrintable(u"%1 %2 [%3, %4) is %5 %6 [%7, %8)"_s
                               .arg(QString::fromStdString(b.category), QString::fromStdString(b.name))
                               .arg(b.startNs)
                               .arg(b.endNs)
                               .arg(QString::fromStdString(a.category), QString::fromStdString(a.name))
                               .arg(a.startNs)
                               .arg(a.endNs)));
        }
        QCOMPARE(found->second.size(), slices.size());
    }
    compareLists(loaded.memory, expected.memory);
    compareLists(loaded.samples, expected.samples);
    compareLists(loaded.arrows, expected.arrows);
    QCOMPARE(loaded.instants, expected.instants);
}

/// False: the plain reader has no rule for it.
bool compareFile(const QString& path, const LoadOptions& options = {})
{
    const PlainTrace expected = readPlainly(unpacked(path));
    if (!expected.oddity.empty())
        return false;
    const auto trace = loadTraces({path.toStdString()}, options);
    if (!trace) {
        QTest::qFail(trace.error().message().c_str(), __FILE__, __LINE__);
        return true;
    }
    compareTraces(inPlainTerms(**trace), expected);
    return true;
}

/// Those that a sanitizer gets through too.
QStringList filesOf(const QString& folder)
{
    constexpr qint64 kMostPacked = 300'000;
    constexpr qint64 kMost = 2'000'000;
    QStringList files;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files, QDir::Name)) {
        const QString name = file.fileName();
        if ((name.endsWith(u".json"_s) && !name.endsWith(u".expect.json"_s) && file.size() <= kMost)
            || (name.endsWith(u".gz"_s) && file.size() <= kMostPacked))
            files.append(file.filePath());
    }
    return files;
}

} // namespace

class TestLoadOracle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generated_data();
    void generated();
    void readerIsExact();
    void cases();
    void sharedCases();
    void realTraces();

private:
    static void compareFolder(const QString& folder, int leastCompared);
};

void TestLoadOracle::generated_data()
{
    QTest::addColumn<bool>("withStacks");
    QTest::addColumn<qulonglong>("numberedNames");
    QTest::addColumn<qulonglong>("chunkBytes");
    QTest::addColumn<qulonglong>("threads");
    QTest::newRow("as the loader likes") << true << 0ULL << 0ULL << 0ULL;
    QTest::newRow("small chunks, three threads") << true << 0ULL << 8192ULL << 3ULL;
    QTest::newRow("many names") << false << 5000ULL << 0ULL << 2ULL;
}

void TestLoadOracle::generated()
{
    QFETCH(bool, withStacks);
    QFETCH(qulonglong, numberedNames);
    QFETCH(qulonglong, chunkBytes);
    QFETCH(qulonglong, threads);
    QTemporaryDir dir;
    QFile file(dir.filePath(u"trace.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    TraceOptions generate;
    generate.steps = 2;
    generate.withStacks = withStacks;
    generate.numberedNames = numberedNames;
    (void)generateTrace(generate, [&](std::string_view text) { file.write(text.data(), qsizetype(text.size())); });
    file.close();
    LoadOptions options;
    options.chunkBytes = chunkBytes;
    options.threads = threads;
    QVERIFY(compareFile(file.fileName(), options));
}

// The oracle itself, on figures worked out by hand.
void TestLoadOracle::readerIsExact()
{
    const PlainTrace trace = readPlainly(
        R"({"traceEvents": [{"ph": "X", "name": "a\u00e9", "cat": "c", "pid": 1, "tid": "t", "ts": 1719234567890125.0655,
        "dur": 0.0004}, {"ph": "X", "name": "b", "pid": -1, "tid": 2, "ts": -0.0015, "dur": 1}]})");
    QCOMPARE(trace.oddity, std::string());
    QCOMPARE(trace.lanes.size(), size_t{2});
    const PlainSlice& first = trace.lanes.at({"1", "t"}).front();
    QCOMPARE(first.startNs, 1719234567890125066);
    QCOMPARE(first.endNs, 1719234567890125066);
    QCOMPARE(first.name, std::string("a\u00e9"));
    const PlainSlice& second = trace.lanes.at({"-1", "2"}).front();
    QCOMPARE(second.startNs, -1);
    QCOMPARE(second.endNs, 999);
    QVERIFY(!readPlainly(R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": NaN}]})").oddity.empty());
    QVERIFY(!readPlainly(R"({"traceEvents": [{"ph": "X")").oddity.empty());
}

void TestLoadOracle::compareFolder(const QString& folder, int leastCompared)
{
    int compared = 0;
    for (const QString& path : filesOf(folder)) {
        const bool isCompared = compareFile(path);
        if (QTest::currentTestFailed()) {
            qWarning("%s", qPrintable(path));
            return;
        }
        compared += isCompared ? 1 : 0;
    }
    qInfo("%d files compared", compared);
    QVERIFY(compared >= leastCompared);
}

void TestLoadOracle::cases()
{
    compareFolder(QStringLiteral(TORCHLINE_TEST_DATA "/cases"), 30);
}

void TestLoadOracle::sharedCases()
{
    const QString folder = QStringLiteral(TORCHLINE_SHARED_DIR "/cases");
    if (!QFileInfo::exists(folder))
        QSKIP("no shared cases here");
    compareFolder(folder, 30);
}

void TestLoadOracle::realTraces()
{
    const QString folder = QStringLiteral(TORCHLINE_SHARED_DIR "/data");
    if (!QFileInfo::exists(folder))
        QSKIP("no shared traces here");
    compareFolder(folder, 10);
}

QTEST_GUILESS_MAIN(TestLoadOracle)
#include "tst_load_oracle.moc"
