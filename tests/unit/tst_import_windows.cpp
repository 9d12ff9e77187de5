// What a text gives does not depend on how it is cut into windows, how it is packed, or where it ends.
#include "gzipped.h"
#include "import/load.h"
#include "store_text.h"

#include <QtTest>

#include <random>

#include <zstd.h>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

QStringList caseFiles()
{
    const QDir dir(QStringLiteral(TORCHLINE_TEST_DATA "/cases"));
    QStringList files;
    for (const QString& name : dir.entryList(QDir::Files, QDir::Name)) {
        if (!name.endsWith(u".expect.json"_s) && !name.endsWith(u".md"_s))
            files.append(dir.filePath(name));
    }
    return files;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The store as text, or the refusal without the path.
std::string loadedText(const QString& path, size_t chunkBytes)
{
    LoadOptions options;
    options.chunkBytes = chunkBytes;
    const auto trace = loadTraces({path.toStdString()}, options);
    if (!trace)
        return "refused" + trace.error().message().substr(path.toStdString().size());
    return storeText(**trace);
}

/// Without the lines that name what is around the text.
std::string withoutPacking(const std::string& text)
{
    std::string kept;
    for (const QString& line : QString::fromStdString(text).split(u'\n')) {
        if (!line.contains(u"gzip"_s))
            kept += line.toStdString() + '\n';
    }
    return kept;
}

/// A file that is written again and again: in memory where there is such a folder, a disk would wait each time.
class Scratch {
public:
    Scratch()
        : m_dir(QFileInfo(u"/dev/shm"_s).isWritable() ? u"/dev/shm/torchline-XXXXXX"_s
                                                      : QDir::tempPath() + u"/torchline-XXXXXX"_s)
    {
    }
    QString write(const QByteArray& bytes)
    {
        QFile file(m_dir.filePath(u"text.json"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName();
    }

private:
    QTemporaryDir m_dir;
};

QByteArray zstded(const QByteArray& bytes)
{
    QByteArray out(static_cast<qsizetype>(ZSTD_compressBound(static_cast<size_t>(bytes.size()))), '\0');
    const size_t size = ZSTD_compress(
        out.data(), static_cast<size_t>(out.size()), bytes.data(), static_cast<size_t>(bytes.size()), 3);
    out.resize(static_cast<qsizetype>(size));
    return out;
}

/// Names, starts and offsets of all slices, in file order.
QStringList slicesOf(const TraceSnapshot& trace)
{
    std::vector<std::pair<uint64_t, QString>> slices;
    for (const Lane& lane : trace.lanes()) {
        for (uint32_t i = 0; i < lane.size(); ++i)
            slices.emplace_back(lane.eventOffset(i),
                QString::number(lane.eventOffset(i)) + u' '
                    + QString::fromStdString(std::string(trace.text(lane.name(i)))));
    }
    std::sort(slices.begin(), slices.end());
    QStringList list;
    for (const auto& [offset, text] : slices)
        list.append(text);
    return list;
}

} // namespace

class TestImportWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyWindowGivesTheSameStore_data();
    void anyWindowGivesTheSameStore();
    void anyPackingGivesTheSameStore();
    void aCutFileGivesThePrefix_data();
    void aCutFileGivesThePrefix();
    void aDamagedByteCostsLittle_data();
    void aDamagedByteCostsLittle();
};

void TestImportWindows::anyWindowGivesTheSameStore_data()
{
    QTest::addColumn<QString>("path");
    for (const QString& path : caseFiles())
        QTest::newRow(qPrintable(QFileInfo(path).fileName())) << path;
}

void TestImportWindows::anyWindowGivesTheSameStore()
{
    QFETCH(QString, path);
    const std::string whole = loadedText(path, size_t{1} << 20);
    QVERIFY(!whole.empty());
    for (const size_t chunk : {1, 2, 3, 5, 17, 64, 100, 333, 1000, 4096, 10000})
        QCOMPARE(QString::fromStdString(loadedText(path, chunk)), QString::fromStdString(whole));
}

void TestImportWindows::anyPackingGivesTheSameStore()
{
    Scratch scratch;
    for (const QString& path : caseFiles()) {
        if (!path.endsWith(u".json"_s) || path.contains(u"gzip"_s))
            continue;
        const QByteArray bytes = contentOf(path);
        const std::string plain = loadedText(scratch.write(bytes), 0);
        if (bytes.isEmpty() || plain.starts_with("refused"))
            continue;
        QCOMPARE(QString::fromStdString(loadedText(scratch.write(gzipped(bytes)), 0)), QString::fromStdString(plain));
        QCOMPARE(QString::fromStdString(loadedText(scratch.write(zstded(bytes)), 0)), QString::fromStdString(plain));
        const QByteArray members = gzipped(bytes.left(bytes.size() / 3)) + gzipped(bytes.mid(bytes.size() / 3));
        QCOMPARE(QString::fromStdString(loadedText(scratch.write(members), 0)), QString::fromStdString(plain));
        const QByteArray twice = gzipped(gzipped(bytes));
        QCOMPARE(QString::fromStdString(loadedText(scratch.write(twice), 0)), QString::fromStdString(plain));
        const QByteArray damaged = gzipped(bytes).chopped(8) + QByteArray(8, 'x');
        QCOMPARE(QString::fromStdString(withoutPacking(loadedText(scratch.write(damaged), 0))),
            QString::fromStdString(withoutPacking(plain)));
    }
}

void TestImportWindows::aCutFileGivesThePrefix_data()
{
    QTest::addColumn<QString>("name");
    // Each in another layout, small enough for every length.
    for (const char* name : {"begin-end-unbalanced.json", "counters.json", "legacy-bare-array.json",
             "valid-escapes.json", "args-of-any-shape.json", "flows-to-nowhere.json", "async-overlapping.json",
             "unsorted-events.json", "huge-thread-ids.json", "collective-metadata.json"})
        QTest::newRow(name) << QString::fromUtf8(name);
}

void TestImportWindows::aCutFileGivesThePrefix()
{
    QFETCH(QString, name);
    const QByteArray bytes = contentOf(QStringLiteral(TORCHLINE_TEST_DATA "/cases/") + name);
    QVERIFY(!bytes.isEmpty());
    Scratch scratch;
    const auto whole = loadTraces({scratch.write(bytes).toStdString()});
    QVERIFY(whole);
    const QStringList all = slicesOf(**whole);
    qsizetype most = 0;
    for (qsizetype length = 0; length < bytes.size(); ++length) {
        const auto cut = loadTraces({scratch.write(bytes.left(length)).toStdString()});
        if (!cut)
            continue;
        // E events may be gone, but a slice that began is there.
        const QStringList some = slicesOf(**cut);
        QCOMPARE(some, all.first(some.size()));
        QVERIFY2(some.size() >= most, qPrintable(QString::number(length)));
        most = some.size();
        for (const QString& slice : some)
            QVERIFY(slice.section(u' ', 0, 0).toLongLong() < length);
        const auto offset = some.isEmpty() ? 0 : some.last().section(u' ', 0, 0).toULongLong();
        if (!some.isEmpty())
            QVERIFY((*cut)->file(0).source->args(offset));
    }
    QCOMPARE(most, all.size());
}

void TestImportWindows::aDamagedByteCostsLittle_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 4; ++seed) {
        for (const char* name :
            {"healthy-train-step.json", "minified-any-key-order.json", "legacy-category-names.json"})
            QTest::addRow("%s %d", name, seed) << QString::fromUtf8(name) << seed;
    }
}

void TestImportWindows::aDamagedByteCostsLittle()
{
    QFETCH(QString, name);
    QFETCH(int, seed);
    const QByteArray bytes = contentOf(QStringLiteral(TORCHLINE_TEST_DATA "/cases/") + name);
    Scratch scratch;
    const auto whole = loadTraces({scratch.write(bytes).toStdString()});
    QVERIFY(whole);
    const auto events = static_cast<int64_t>((*whole)->sliceCount());
    std::mt19937 random(static_cast<uint32_t>(seed));
    constexpr std::string_view kBytes = "\"\\{}[]:,0aN\n\0\xff-";
    const qsizetype first = bytes.indexOf("traceEvents") + 16;
    for (int round = 0; round < 400; ++round) {
        QByteArray damaged = bytes;
        const qsizetype at = first + static_cast<qsizetype>(random() % static_cast<uint64_t>(bytes.size() - first));
        damaged[at] = kBytes[random() % kBytes.size()];
        const QString path = scratch.write(damaged);
        const auto trace = loadTraces({path.toStdString()});
        QVERIFY2(trace, qPrintable(u"byte %1 of %2"_s.arg(at).arg(name)));
        const auto lost = events - static_cast<int64_t>((*trace)->sliceCount());
        QVERIFY2(lost <= 1 && lost >= -1,
            qPrintable(u"byte %1 became %2: %3 slices lost"_s.arg(at).arg(int{damaged[at]}).arg(lost)));
        const std::string text = loadedText(path, 1 + random() % 300);
        QCOMPARE(QString::fromStdString(text), QString::fromStdString(storeText(**trace)));
    }
}

QTEST_GUILESS_MAIN(TestImportWindows)
#include "tst_import_windows.moc"
