// What a load hands out before all is read: the same as the text read so far gives when it is loaded by itself.
#include "generate_trace.h"
#include "gzipped.h"
#include "import/load.h"
#include "import/part_schedule.h"
#include "store_text.h"

#include <QtTest>

using namespace torchline;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

struct Part {
    uint64_t generation;
    uint64_t bytes;
    uint64_t slices;
    std::string text;
};

/// What a store says of not being whole is another thing for a part than for a file that was cut.
std::string withoutTheCut(const std::string& text)
{
    QStringList lines = QString::fromStdString(text).split(u'\n');
    lines.removeIf([](const QString& line) {
        return line.startsWith(u"notice truncated-input "_s) || line.startsWith(u"notice partial-trace "_s);
    });
    return lines.join(u'\n').toStdString();
}

QByteArray generated()
{
    test::TraceOptions options;
    options.steps = 3;
    options.layers = 3;
    QByteArray bytes;
    test::generateTrace(
        options, [&](std::string_view text) { bytes.append(text.data(), static_cast<qsizetype>(text.size())); });
    return bytes;
}

std::shared_ptr<const TraceSnapshot> loaded(const QString& path, const LoadOptions& options)
{
    const auto trace = loadTraces({path.toStdString()}, options);
    return trace ? *trace : nullptr;
}

} // namespace

class TestLoadParts : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString written(const QString& name, const QByteArray& bytes)
    {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }

private Q_SLOTS:
    void eachIsWhatItsTextGives_data()
    {
        QTest::addColumn<int>("threads");
        QTest::addColumn<bool>("isPacked");
        QTest::newRow("one thread") << 1 << false;
        QTest::newRow("three threads") << 3 << false;
        QTest::newRow("packed") << 2 << true;
    }

    void eachIsWhatItsTextGives()
    {
        QFETCH(const int, threads);
        QFETCH(const bool, isPacked);
        const QByteArray bytes = generated();
        const QString path = written(u"whole"_s, isPacked ? gzipped(bytes) : bytes);
        std::vector<Part> parts;
        LoadOptions options;
        options.threads = static_cast<size_t>(threads);
        options.chunkBytes = 16 * 1024;
        options.partEveryBytes = static_cast<uint64_t>(bytes.size()) / 7;
        options.generation = 40;
        options.partial = [&](const std::shared_ptr<const TraceSnapshot>& part) {
            QVERIFY(part->isPartial());
            parts.push_back(
                {part->generation(), part->file(0).info.partBytes.value_or(0), part->sliceCount(), storeText(*part)});
        };
        const auto whole = loaded(path, options);
        QVERIFY(whole != nullptr);
        QVERIFY(!whole->isPartial());
        QVERIFY2(parts.size() >= 4, qPrintable(QString::number(parts.size())));
        uint64_t generation = options.generation;
        uint64_t slices = 0;
        for (const Part& part : parts) {
            QCOMPARE(part.generation, generation++);
            QVERIFY(part.slices > slices);
            slices = part.slices;
            const auto cut = loaded(written(u"cut.json"_s, bytes.left(static_cast<qsizetype>(part.bytes))), {});
            QVERIFY(cut != nullptr);
            QCOMPARE(withoutTheCut(part.text), withoutTheCut(storeText(*cut)));
        }
        QCOMPARE(whole->generation(), generation);
        QVERIFY(whole->sliceCount() > slices);
        // Nothing is left of having shown parts.
        options.partial = nullptr;
        QCOMPARE(storeText(*whole), storeText(*loaded(path, options)));
    }

    void aPartStaysAsItWasWhileTheRestIsRead()
    {
        const QByteArray bytes = generated();
        std::vector<std::shared_ptr<const TraceSnapshot>> parts;
        std::vector<std::string> texts;
        LoadOptions options;
        options.chunkBytes = 32 * 1024;
        options.partEveryBytes = static_cast<uint64_t>(bytes.size()) / 5;
        options.partial = [&](std::shared_ptr<const TraceSnapshot> part) {
            texts.push_back(storeText(*part));
            parts.push_back(std::move(part));
        };
        QVERIFY(loaded(written(u"whole"_s, bytes), options) != nullptr);
        QVERIFY(!parts.empty());
        for (size_t i = 0; i < parts.size(); ++i) {
            QCOMPARE(storeText(*parts[i]), texts[i]);
            const auto args = parts[i]->args({LaneId(0), 0});
            QVERIFY(args.has_value());
            QVERIFY(!args->empty());
        }
    }

    void severalFilesAreShownAsTheyCome()
    {
        const QByteArray bytes = generated();
        const std::string first = written(u"first"_s, bytes).toStdString();
        const std::string second = written(u"second"_s, bytes).toStdString();
        std::vector<size_t> files;
        LoadOptions options;
        options.chunkBytes = 32 * 1024;
        options.partEveryBytes = static_cast<uint64_t>(bytes.size()) / 3;
        options.partial = [&](const std::shared_ptr<const TraceSnapshot>& part) {
            files.push_back(part->files().size());
            QVERIFY(part->files().back()->info.partBytes.has_value());
            QVERIFY(part->files().size() == 1 || !part->file(0).info.partBytes.has_value());
        };
        QVERIFY(loadTraces({first, second}, options).has_value());
        QVERIFY(std::is_sorted(files.begin(), files.end()));
        QCOMPARE(files.front(), 1u);
        QCOMPARE(files.back(), 2u);
    }

    void partsComeAsLongAsTheyCostLittle()
    {
        const auto begin = PartSchedule::Clock::now();
        PartSchedule schedule(begin);
        QVERIFY(!schedule.isDue(0.001, begin + 10ms));
        QVERIFY(!schedule.isDue(0.25, begin + 30ms)); // all is there in a moment
        QVERIFY(!schedule.isDue(0.5, begin + 600ms));
        QVERIFY(schedule.isDue(0.01, begin + 30ms)); // three seconds
        schedule.made(begin + 30ms, begin + 36ms);
        QVERIFY(!schedule.isDue(0.02, begin + 60ms));
        QVERIFY(schedule.isDue(0.03, begin + 90ms));
        // A fifth of the time that passed, each time: 6, 18, 54, 162 ms are more than a twentieth of three seconds.
        schedule.made(begin + 90ms, begin + 108ms);
        QVERIFY(schedule.isDue(0.09, begin + 270ms));
        schedule.made(begin + 270ms, begin + 324ms);
        QVERIFY(!schedule.isDue(0.27, begin + 810ms));
    }
};

QTEST_GUILESS_MAIN(TestLoadParts)
#include "tst_load_parts.moc"
