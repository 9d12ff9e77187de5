// What core promises to several threads at once. Runs in every build; ThreadSanitizer makes it bite.

#include "analysis/kernels.h"
#include "analysis/operators.h"
#include "analysis/step_breakdown.h"
#include "base/string_pool.h"
#include "generate_trace.h"
#include "gzipped.h"
#include "import/load.h"
#include "lod/timeline_index.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

using namespace torchline;

namespace {

constexpr int kThreads = 4;

/// Starts body(i) on kThreads threads at one moment and waits for all of them.
template <typename Body> void together(Body&& body)
{
    std::latch start(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            body(i);
        });
    }
}

/// All figures and some arguments of a snapshot, as one text to compare.
std::string figuresOf(const std::shared_ptr<const TraceSnapshot>& trace)
{
    std::string text;
    const auto add = [&text](auto... numbers) { ((text += std::to_string(numbers) + ' '), ...); };
    OperatorOptions options;
    options.groupBy = {GroupKey::Shape};
    const auto operators = operatorTable(*trace, options);
    if (!operators)
        return operators.error().message();
    for (const OperatorRow& row : operators->rows)
        add(row.calls, row.selfCpuNs, row.cudaTotalNs, row.cudaMemBytes.value_or(-1));
    const auto kernels = kernelTable(*trace);
    if (!kernels)
        return kernels.error().message();
    for (const KernelRow& row : kernels->rows)
        add(row.calls, row.totalNs);
    for (const StepRow& row : stepBreakdown(*trace))
        add(row.costNs[0], row.costNs.back());
    const auto index = lod::TimelineIndex::build(trace, WorkClasses(*trace));
    for (const Lane& lane : trace->lanes()) {
        const LaneId id(static_cast<uint32_t>(&lane - trace->lanes().data()));
        const SliceRef last{id, lane.size() - 1};
        const auto args = trace->args(last);
        if (!args)
            return args.error().message();
        add(index->rowCount(id, lod::Frames::Folded), trace->arrowsFrom(last).size(), args->size());
        text += trace->text(lane.name(last.index));
    }
    return text;
}

} // namespace

class TestConcurrent : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        for (const int seed : {1, 2}) {
            test::TraceOptions options;
            options.steps = 3;
            options.layers = 2;
            options.seed = static_cast<uint64_t>(seed);
            m_paths.push_back(m_folder.filePath(QString::number(seed)).toStdString());
            QFile file(QString::fromStdString(m_paths.back()));
            QVERIFY(file.open(QIODevice::WriteOnly));
            test::generateTrace(
                options, [&file](std::string_view text) { file.write(text.data(), static_cast<qint64>(text.size())); });
        }
    }

    void threadsAgreeOnTheIdsOfTexts()
    {
        constexpr size_t kTexts = 6000; // several pages and rehashes
        StringPool pool;
        std::vector<std::vector<NameId>> ids(kThreads, std::vector<NameId>(kTexts));
        std::atomic<int> wrong = 0;
        together([&](int thread) {
            for (size_t i = 0; i < kTexts; ++i) {
                const size_t k = thread % 2 == 0 ? i : kTexts - 1 - i;
                const std::string text = "text " + std::to_string(k);
                ids[static_cast<size_t>(thread)][k] = pool.intern(text);
                const size_t known = thread % 2 == 0 ? i / 2 : kTexts - 1 - i / 2;
                if (pool.text(ids[static_cast<size_t>(thread)][known]) != "text " + std::to_string(known))
                    ++wrong;
                if (pool.find(text) != ids[static_cast<size_t>(thread)][k])
                    ++wrong;
            }
        });
        QCOMPARE(wrong.load(), 0);
        for (const auto& other : ids)
            QVERIFY(other == ids[0]);
        QCOMPARE(pool.size(), kTexts + 1); // and the empty text
    }

    void readersOfOneSnapshotDoNotDisturbEachOther()
    {
        const auto trace = loadTraces({m_paths[0]});
        QVERIFY(trace);
        const std::string alone = figuresOf(*trace);
        QVERIFY(alone.size() > 1000);
        std::vector<std::string> seen(kThreads);
        together([&](int thread) { seen[static_cast<size_t>(thread)] = figuresOf(*trace); });
        for (const std::string& text : seen)
            QVERIFY(text == alone);
    }

    void filesLoadWhileAnotherIsRead()
    {
        const auto open = loadTraces({m_paths[0]});
        QVERIFY(open);
        const std::string alone = figuresOf(*open);
        const auto both = loadTraces(m_paths);
        QVERIFY(both);
        const std::string together2 = figuresOf(*both);
        std::vector<std::string> seen(kThreads);
        together([&](int thread) {
            if (thread == 0) {
                seen[0] = figuresOf(*open);
                return;
            }
            const auto trace = loadTraces(m_paths);
            seen[static_cast<size_t>(thread)] = trace ? figuresOf(*trace) : trace.error().message();
        });
        QVERIFY(seen[0] == alone);
        for (size_t i = 1; i < seen.size(); ++i)
            QVERIFY(seen[i] == together2);
    }

    void threadsOfOneLoadScanTogether()
    {
        LoadOptions serial;
        serial.threads = 1;
        const auto one = loadTraces(m_paths, serial);
        QVERIFY(one);
        const std::string alone = figuresOf(*one);
        for (const size_t threads : {2, 4}) {
            LoadStatistics statistics;
            LoadOptions options;
            options.threads = threads;
            options.chunkBytes = 16 * 1024;
            options.statistics = &statistics;
            options.progress = [](const LoadProgress& progress) { QVERIFY(progress.memoryBytes > 0); };
            const auto trace = loadTraces(m_paths, options);
            QVERIFY(trace);
            QVERIFY(figuresOf(*trace) == alone);
            QVERIFY(statistics.jointsProved > 10);
        }
    }

    void packedTextIsUnpackedBesideTheScan()
    {
        const auto plain = loadTraces({m_paths[0]});
        QVERIFY(plain);
        const std::string expected = figuresOf(*plain);
        const QByteArray packed = gzipped(contentOf(m_paths[0]));
        const std::string path = written("packed", packed);
        LoadOptions options;
        options.chunkBytes = 16 * 1024;
        options.partEveryBytes = 100'000;
        for (const size_t threads : {2, 4}) {
            options.threads = threads;
            std::vector<std::jthread> readers; // of arguments, which are unpacked from the same file meanwhile
            std::atomic<int> unread = 0;
            options.partial = [&](const std::shared_ptr<const TraceSnapshot>& part) {
                readers.emplace_back([&unread, part] {
                    const LaneId lane(0);
                    for (uint32_t i = 0; i < part->lane(lane).size(); i += 50)
                        unread += part->args({lane, i}) ? 0 : 1;
                });
            };
            const auto trace = loadTraces({path}, options);
            QVERIFY(trace);
            QVERIFY(readers.size() > 1);
            readers.clear();
            QCOMPARE(unread.load(), 0);
            QVERIFY(figuresOf(*trace) == expected);
        }
    }

    void damagedPackedTextReadsAsFarOnAnyThreads()
    {
        const QByteArray packed = gzipped(contentOf(m_paths[0]));
        QByteArray checksum = packed;
        checksum[checksum.size() - 5] = static_cast<char>(~checksum[checksum.size() - 5]);
        for (const QByteArray& damaged : {packed.left(packed.size() / 2), checksum}) {
            const std::string path = written("damaged", damaged);
            LoadOptions options;
            options.chunkBytes = 16 * 1024;
            options.threads = 1;
            const auto serial = loadTraces({path}, options);
            QVERIFY(serial);
            options.threads = 3;
            const auto parallel = loadTraces({path}, options);
            QVERIFY(parallel);
            const auto codesOf = [](const TraceSnapshot& trace) {
                std::vector<std::string> codes;
                for (const Notice& notice : trace.file(0).notices)
                    codes.push_back(notice.code + ' ' + std::to_string(notice.places.front().offset.value_or(0)));
                return codes;
            };
            QVERIFY(!codesOf(**serial).empty());
            QCOMPARE(codesOf(**parallel), codesOf(**serial));
            QVERIFY(figuresOf(*parallel) == figuresOf(*serial));
        }
    }

    void aLoadCanBeStoppedFromAnotherThread()
    {
        std::stop_source stopped;
        stopped.request_stop();
        const auto never = loadTraces(m_paths, {}, stopped.get_token());
        QVERIFY(!never);
        QCOMPARE(never.error().code(), ErrorCode::Cancelled);

        LoadOptions options;
        options.threads = 3;
        options.chunkBytes = 16 * 1024;
        const std::string packed = written("packed", gzipped(contentOf(m_paths[1])));
        for (int delayUs = 0; delayUs < 20000; delayUs += 1500) {
            std::stop_source stop;
            std::jthread other([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delayUs));
                stop.request_stop();
            });
            for (const auto& paths : {m_paths, std::vector{packed}}) {
                const auto trace
                    = loadTraces(paths, options, stop.get_token()); // done in time, or cancelled: nothing else
                if (!trace)
                    QCOMPARE(trace.error().code(), ErrorCode::Cancelled);
            }
        }
    }

    void theLastOwnerOfASnapshotMayBeAnyThread()
    {
        auto loaded = loadTraces({m_paths[1]});
        QVERIFY(loaded);
        std::vector<std::shared_ptr<const TraceSnapshot>> owners(kThreads, *loaded);
        const std::weak_ptr<const TraceSnapshot> watch = *loaded;
        loaded = Error(ErrorCode::Cancelled, "given away");
        std::atomic<uint64_t> slices = 0;
        together([&](int thread) {
            auto mine = std::move(owners[static_cast<size_t>(thread)]);
            slices += mine->sliceCount();
        });
        QVERIFY(watch.expired());
        QVERIFY(slices % kThreads == 0 && slices > 0);
    }

private:
    static QByteArray contentOf(const std::string& path)
    {
        QFile file(QString::fromStdString(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    std::string written(const char* name, const QByteArray& bytes)
    {
        QFile file(m_folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName().toStdString();
    }

    QTemporaryDir m_folder;
    std::vector<std::string> m_paths;
};

QTEST_GUILESS_MAIN(TestConcurrent)
#include "tst_concurrent.moc"
