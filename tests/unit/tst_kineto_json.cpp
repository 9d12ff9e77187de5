// Kineto JSON: what is saved and read again gives the same tables, number for number; files are whole or untouched.

#include "export/kineto_json.h"
#include "import/load.h"
#include "trace_tables.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <set>
#include <sys/resource.h>

using namespace torchline;
using test::difference;
using test::dumpOf;
using test::infoOf;
using test::tablesOf;
using namespace Qt::Literals::StringLiterals;

namespace {

QStringList caseFiles()
{
    QStringList paths;
    for (const char* folder : {TORCHLINE_TEST_DATA "/cases", TORCHLINE_SHARED_DIR "/oracle/torch-2.11.0"}) {
        const QDir dir(QString::fromUtf8(folder));
        for (const QString& name : dir.entryList(QDir::Files, QDir::Name)) {
            if (name.endsWith(u".trace.json.gz")
                || (folder == std::string_view(TORCHLINE_TEST_DATA "/cases") && !name.endsWith(u".expect.json")
                    && !name.endsWith(u".md")))
                paths.append(dir.filePath(name));
        }
    }
    return paths;
}

std::shared_ptr<const TraceSnapshot> loaded(const std::string& path)
{
    const auto trace = loadTraces({path});
    return trace ? *trace : nullptr;
}

QString firstDifference(const std::string& a, const std::string& b)
{
    return QString::fromStdString(difference(a, b));
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestKinetoJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readAgainItIsTheSame_data();
    void readAgainItIsTheSame();
    void isStrictJsonWithTheKeysOfTorch();
    void severalFilesAreSavedOneByOne();
    void aFullDiskLeavesTheOldFile();
    void canBeCancelled();
};

void TestKinetoJson::readAgainItIsTheSame_data()
{
    QTest::addColumn<QString>("path");
    for (const QString& path : caseFiles())
        QTest::newRow(qPrintable(QFileInfo(path).fileName())) << path;
}

void TestKinetoJson::readAgainItIsTheSame()
{
    QFETCH(QString, path);
    const auto trace = loaded(path.toStdString());
    if (!trace)
        return; // a case of a file that is refused
    const QTemporaryDir folder;
    const QString saved = folder.filePath(QTest::currentDataTag()[0] < 'n' ? u"saved.json"_s : u"saved.json.gz"_s);
    const auto count = static_cast<uint32_t>(trace->files().size());
    for (uint32_t f = 0; f < count; ++f) {
        // Of several members of an archive each is a file of its own.
        const auto one = count == 1
            ? trace
            : TraceSnapshot::combine(std::shared_ptr<const StringPool>(trace, &trace->strings()), {trace->files()[f]});
        const Status status = writeKinetoJson(*one, 0, saved.toStdString());
        QVERIFY2(status, status ? "" : status.error().message().c_str());
        const auto again = loaded(saved.toStdString());
        QVERIFY(again);
        QCOMPARE(firstDifference(tablesOf(*one), tablesOf(*again)), QString());
        QCOMPARE(firstDifference(infoOf(*one), infoOf(*again)), QString());
        QCOMPARE(firstDifference(dumpOf(*one), dumpOf(*again)), QString());
    }
}

void TestKinetoJson::isStrictJsonWithTheKeysOfTorch()
{
    const QString path = QString::fromUtf8(TORCHLINE_SHARED_DIR "/oracle/torch-2.11.0/conv.trace.json.gz");
    if (!QFile::exists(path))
        QSKIP("the shared folder is not there");
    const auto trace = loaded(path.toStdString());
    QVERIFY(trace);
    const QTemporaryDir folder;
    const QString saved = folder.filePath(u"saved.json"_s);
    QVERIFY(writeKinetoJson(*trace, 0, saved.toStdString()));
    const QByteArray bytes = contentOf(saved);
    const nlohmann::json document = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
    QVERIFY(document.is_object());
    for (const char* key :
        {"schemaVersion", "deviceProperties", "displayTimeUnit", "baseTimeNanoseconds", "traceEvents"})
        QVERIFY2(document.contains(key), key);
    std::set<std::string> kinds;
    for (const nlohmann::json& event : document["traceEvents"]) {
        const auto phase = event["ph"].get<std::string>();
        kinds.insert(phase + event.value("cat", ""));
        const bool isGlobal = event.value("s", "") == "g";
        for (const char* key : {"name", "ts", "pid", "tid"})
            QVERIFY2(event.contains(key) || isGlobal, event.dump().c_str());
        if (phase == "X")
            QVERIFY(event["dur"].is_number());
        if (event.value("cat", "") == "cpu_op")
            QVERIFY(event["args"].contains("External id") && event["pid"].is_number());
        if (event["name"] == "[memory]")
            QVERIFY(event["args"].contains("Addr") && event["args"].contains("Total Allocated"));
    }
    for (const char* kind : {"Xcpu_op", "Xuser_annotation", "icpu_instant_event", "sfwdbwd", "ffwdbwd", "M"})
        QVERIFY2(kinds.contains(kind), kind);
}

void TestKinetoJson::severalFilesAreSavedOneByOne()
{
    const QTemporaryDir folder;
    std::vector<std::string> inputs;
    for (const int rank : {0, 1}) {
        const QString path = folder.filePath(QStringLiteral("in%1.json").arg(rank));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QStringLiteral(R"({"distributedInfo": {"rank": %1}, "baseTimeNanoseconds": 1700000000000000000,
            "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op%1", "pid": %2, "tid": 1, "ts": 1%1, "dur": 2}]})")
                       .arg(rank)
                       .arg(100 + rank)
                       .toUtf8());
        inputs.push_back(path.toStdString());
    }
    const auto trace = loadTraces(inputs);
    QVERIFY(trace);
    const std::string out = folder.path().toStdString() + "/run.json.gz";
    const Result<std::vector<std::string>> written = saveKinetoJson(**trace, out);
    QVERIFY(written);
    const std::string stem = folder.path().toStdString() + "/run";
    QCOMPARE(*written, (std::vector<std::string>{stem + ".rank0.json.gz", stem + ".rank1.json.gz"}));
    const auto again = loadTraces(*written);
    QVERIFY(again);
    QCOMPARE(firstDifference(tablesOf(**trace), tablesOf(**again)), QString());
    QCOMPARE(firstDifference(infoOf(**trace), infoOf(**again)), QString());
    QVERIFY(contentOf(QString::fromStdString(stem + ".rank0.json.gz")).startsWith("\x1f\x8b"));
}

void TestKinetoJson::aFullDiskLeavesTheOldFile()
{
    const auto trace = loaded(TORCHLINE_TEST_DATA "/cases/absolute-time-nanosecond-digits.json");
    QVERIFY(trace);
    const QTemporaryDir folder;
    for (const QString& name : {u"saved.json"_s, u"saved.json.gz"_s}) {
        const QString path = folder.filePath(name);
        QFile old(path);
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        const rlimit small{64, before.rlim_max};
        const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        const Status status = writeKinetoJson(*trace, 0, path.toStdString());
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, oldHandler);
        QVERIFY(!status);
        QVERIFY(status.error().message().find(path.toStdString() + ": cannot be written") == 0);
        QCOMPARE(contentOf(path), QByteArray("old"));
    }
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), qsizetype{2});
    QVERIFY(!writeKinetoJson(*trace, 0, folder.path().toStdString() + "/none/x.json"));
}

void TestKinetoJson::canBeCancelled()
{
    const auto trace = loaded(TORCHLINE_TEST_DATA "/cases/absolute-time-nanosecond-digits.json");
    QVERIFY(trace);
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"saved.json"_s);
    KinetoJsonOptions options;
    options.progress = [](double) { return false; };
    const Status status = writeKinetoJson(*trace, 0, path.toStdString(), options);
    QVERIFY(!status && status.error().code() == ErrorCode::Cancelled);
    QVERIFY(!QFile::exists(path));
}

QTEST_GUILESS_MAIN(TestKinetoJson)
#include "tst_kineto_json.moc"
