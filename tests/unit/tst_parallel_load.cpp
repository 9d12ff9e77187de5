// What is loaded does not depend on how many threads scan, in parts of which size, packed or not: every column, id,
// link, notice and header line. TORCHLINE_ALL_COMBINATIONS=1 tries all combinations of these, else some of them.
#include "generate_trace.h"
#include "gzipped.h"
#include "import/load.h"
#include "store_text.h"

#include <QtTest>

#include <random>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

constexpr size_t kWhole = size_t{64} << 20; ///< one window holds all of a text here

/// The store as text, or the refusal without the path; the format of the packing is no part of it.
std::string loadedText(const QString& path, size_t threads, size_t chunkBytes, LoadStatistics* statistics = nullptr)
{
    LoadOptions options;
    options.threads = threads;
    options.chunkBytes = chunkBytes;
    options.statistics = statistics;
    const auto trace = loadTraces({path.toStdString()}, options);
    if (!trace)
        return "refused" + trace.error().message().substr(path.toStdString().size());
    return storeText(**trace) + "texts " + std::to_string((*trace)->strings().size());
}

QString firstDifference(const std::string& a, const std::string& b)
{
    const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto from = std::max<std::ptrdiff_t>(0, left - a.begin() - 100);
    const auto at = static_cast<size_t>(from);
    return QString::fromStdString(
        a.substr(std::min(at, a.size()), 200) + "\n----\n" + b.substr(std::min(at, b.size()), 200));
}

struct Combination {
    size_t threads;
    size_t chunkBytes;
};

bool allAreWanted()
{
    return qEnvironmentVariableIsSet("TORCHLINE_ALL_COMBINATIONS");
}

std::vector<Combination> combinations()
{
    if (!allAreWanted())
        return {{2, 4096}, {3, 40'000}, {8, 4096}, {1, 16'384}, {2, 262'144}};
    std::vector<Combination> all;
    for (const size_t threads : {1, 2, 3, 8}) {
        for (const size_t chunk : {4096, 5000, 16'384, 40'000, 65'536, 262'144, 1'048'576})
            all.push_back({threads, chunk});
    }
    return all;
}

QByteArray generated(uint64_t steps)
{
    test::TraceOptions options;
    options.steps = steps;
    options.layers = 2;
    QByteArray bytes;
    test::generateTrace(
        options, [&](std::string_view text) { bytes.append(text.data(), static_cast<qsizetype>(text.size())); });
    return bytes;
}

QByteArray slice(int number, const QByteArray& args)
{
    const QByteArray n = QByteArray::number(number);
    return R"({"ph": "X", "cat": "cpu_op", "name": "op )" + QByteArray::number(number % 700) + R"(", "pid": )"
        + QByteArray::number(number % 3) + R"(, "tid": 7, "ts": )" + n + R"(.125, "dur": 0.5, "args": {"External id": )"
        + n + args + "}}";
}

QByteArray document(const QByteArray& events)
{
    return R"({"schemaVersion": 1, "traceEvents": [)" + events + R"(], "baseTimeNanoseconds": 0, "traceName": "x"})";
}

/// Each n-th event has `bytes` of what looks like events in its arguments.
QByteArray withDecoys(int events, int each, qsizetype bytes)
{
    QByteArray decoys;
    for (int i = 0; decoys.size() < bytes; ++i)
        decoys += R"({"ph": "X", "name": "decoy )" + QByteArray::number(i)
            + R"(", "ts": 1, "dur": 1, "pid": 9, "tid": 9},)" + "\n ";
    decoys.chop(3);
    QByteArray text;
    for (int i = 0; i < events; ++i)
        text += (i > 0 ? ",\n" : "") + slice(i, i % each == 0 ? R"(, "list": [)" + decoys + "]" : QByteArray());
    return document(text);
}

/// The same as text: nothing of it looks like events, as quotes in texts are escaped.
QByteArray withQuotedDecoys(int events)
{
    QByteArray decoys;
    for (int i = 0; i < 200; ++i)
        decoys += R"(}, {\"ph\": \"X\", \"name\": \"decoy\"}, {)";
    QByteArray text;
    for (int i = 0; i < events; ++i)
        text += (i > 0 ? ", " : "") + slice(i, R"(, "text": ")" + decoys + '"');
    return document(text);
}

QByteArray damaged(QByteArray bytes, int places, unsigned seed)
{
    constexpr std::string_view kBytes = "\"\\{}[]:,0aN\n\xff-";
    std::mt19937 random(seed);
    for (int i = 0; i < places; ++i)
        bytes[static_cast<qsizetype>(random() % static_cast<uint64_t>(bytes.size()))]
            = kBytes[random() % kBytes.size()];
    return bytes;
}

/// Everything that can stand around and between events.
QByteArray oddities()
{
    QByteArray text;
    for (int i = 0; i < 3000; ++i) {
        text += slice(i, i % 5 == 0 ? R"(, "x": NaN)" : R"(, "device": 1, "stream": 7)");
        text += i % 97 == 0 ? " null, "
            : i % 31 == 0   ? ",,\n"
            : i % 29 == 0   ? "\n"
            : i % 211 == 0  ? "},"
            : i % 301 == 0  ? ", ["
                            : ", ";
        if (i % 301 == 5)
            text += "]";
        if (i % 50 == 0)
            text += R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": )" + QByteArray::number(i)
                + R"(, "args": {"name": "t)" + QByteArray::number(i) + R"("}},)";
        if (i % 50 == 1)
            text += R"({"ph": "C", "name": "c", "pid": 1, "ts": )" + QByteArray::number(i) + R"(, "args": {"a": )"
                + QByteArray::number(i) + R"(}},)";
        if (i % 50 == 2)
            text += R"({"ph": "s", "cat": "ac2g", "name": "x", "id": )" + QByteArray::number(i)
                + R"(, "pid": 1, "tid": 7, "ts": )" + QByteArray::number(i) + R"(},)";
    }
    return document(text) + "\n" + document(text).replace("traceName", "traceEvents");
}

/// One event is longer than several chunks with what is read beyond them.
QByteArray withLongEvents()
{
    QByteArray text;
    for (int i = 0; i < 400; ++i)
        text += (i > 0 ? ",\n" : "")
            + slice(i, i % 100 == 50 ? QByteArray(R"(, "long": ")" + QByteArray(300'000, 'x') + '"') : QByteArray());
    return document(text);
}

} // namespace

class TestParallelLoad : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void everyCombinationGivesTheSame_data();
    void everyCombinationGivesTheSame();
    void guessedBeginningsAreProved();
    void wrongGuessesAreScannedAgain();
    void guessingEndsWhenItFails();
    void textsOfWrongGuessesGetNoId();
    void casesLoadTheSame_data();
    void casesLoadTheSame();
    void anyCutGivesTheSame();

private:
    QString write(const QByteArray& bytes)
    {
        QFile file(m_folder.filePath(u"text.json"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

void TestParallelLoad::everyCombinationGivesTheSame_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("generated") << generated(2);
    QTest::newRow("decoys at every border") << withDecoys(300, 1, 6000);
    QTest::newRow("decoys at some borders") << withDecoys(6000, 40, 3000);
    QTest::newRow("quoted decoys") << withQuotedDecoys(150);
    QTest::newRow("oddities") << oddities();
    QTest::newRow("long events") << withLongEvents();
    QTest::newRow("cut") << withDecoys(3000, 50, 3000).chopped(5000);
    QTest::newRow("bare array") << "[" + withDecoys(2000, 50, 3000).mid(36);
    QTest::newRow("little damage") << damaged(withDecoys(3000, 50, 3000), 10, 1);
    QTest::newRow("much damage") << damaged(withDecoys(3000, 50, 3000), 300, 2);
    QTest::newRow("damage everywhere") << damaged(oddities(), 5000, 3);
}

void TestParallelLoad::everyCombinationGivesTheSame()
{
    QFETCH(QByteArray, bytes);
    const QString plain = write(bytes);
    const QString packed = m_folder.filePath(u"packed.json"_s);
    QFile file(packed);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(gzipped(bytes, 1)) > 0);
    file.close();
    const std::string expected = loadedText(plain, 1, kWhole);
    QVERIFY(!expected.starts_with("refused"));
    const std::vector<Combination> all = combinations();
    for (size_t i = 0; i < all.size(); ++i) {
        for (const bool isPacked : {false, true}) {
            if (!allAreWanted() && isPacked != (i % 2 == 1))
                continue;
            const std::string text = loadedText(isPacked ? packed : plain, all[i].threads, all[i].chunkBytes);
            QVERIFY2(text == expected,
                qPrintable(u"%1 threads, %2 bytes%3\n"_s.arg(all[i].threads)
                               .arg(all[i].chunkBytes)
                               .arg(isPacked ? u", packed"_s : QString())
                    + firstDifference(text, expected)));
        }
    }
}

void TestParallelLoad::guessedBeginningsAreProved()
{
    const QByteArray bytes = generated(2);
    LoadStatistics statistics;
    (void)loadedText(write(bytes), 3, 16'384, &statistics);
    const auto chunks = static_cast<uint64_t>(bytes.size()) / 16'384;
    QVERIFY2(statistics.jointsProved > chunks * 9 / 10, qPrintable(QString::number(statistics.jointsProved)));
    QCOMPARE(statistics.jointsFailed, 0u);

    LoadStatistics alone;
    (void)loadedText(write(bytes), 1, 16'384, &alone);
    QCOMPARE(alone.jointsProved + alone.jointsFailed, 0u);
}

void TestParallelLoad::wrongGuessesAreScannedAgain()
{
    LoadStatistics statistics;
    (void)loadedText(write(withDecoys(6000, 40, 3000)), 2, 4096, &statistics);
    QVERIFY2(statistics.jointsFailed >= 20, qPrintable(QString::number(statistics.jointsFailed)));
    QVERIFY2(statistics.jointsProved > statistics.jointsFailed, qPrintable(QString::number(statistics.jointsProved)));
}

void TestParallelLoad::guessingEndsWhenItFails()
{
    LoadStatistics statistics;
    (void)loadedText(write(withDecoys(300, 1, 40'000)), 2, 4096, &statistics);
    QCOMPARE(statistics.jointsFailed, 4u);
}

void TestParallelLoad::textsOfWrongGuessesGetNoId()
{
    LoadOptions options;
    options.threads = 2;
    options.chunkBytes = 4096;
    const auto trace = loadTraces({write(withDecoys(6000, 40, 3000)).toStdString()}, options);
    QVERIFY(trace);
    QCOMPARE((*trace)->sliceCount(), 6000u);
    QVERIFY((*trace)->strings().find("op 1"));
    QVERIFY(!(*trace)->strings().find("decoy 1"));
}

void TestParallelLoad::casesLoadTheSame_data()
{
    QTest::addColumn<QString>("path");
    QSet<QString> seen;
    for (const char* folder : {TORCHLINE_TEST_DATA "/cases", TORCHLINE_SHARED_DIR "/cases"}) {
        QDirIterator files(QString::fromUtf8(folder), QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QFileInfo file(files.next());
            const QString name = QDir(QString::fromUtf8(folder)).relativeFilePath(file.filePath());
            if (name.endsWith(u".expect.json"_s) || name.endsWith(u".md"_s) || name.endsWith(u".py"_s)
                || seen.contains(name))
                continue;
            seen.insert(name);
            QTest::newRow(qPrintable(name)) << file.filePath();
        }
    }
}

void TestParallelLoad::casesLoadTheSame()
{
    QFETCH(QString, path);
    const std::string expected = loadedText(path, 1, kWhole);
    for (const size_t chunk : {64, 300, 1024, 4096})
        QVERIFY2(loadedText(path, 3, chunk) == expected, qPrintable(QString::number(chunk)));
}

void TestParallelLoad::anyCutGivesTheSame()
{
    const QByteArray bytes = withDecoys(40, 7, 600);
    for (qsizetype length = 30; length < bytes.size(); length += allAreWanted() ? 1 : 37) {
        const QString path = write(bytes.left(length));
        QCOMPARE(loadedText(path, 2, 500), loadedText(path, 1, kWhole));
    }
}

QTEST_GUILESS_MAIN(TestParallelLoad)
#include "tst_parallel_load.moc"
