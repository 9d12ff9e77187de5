// Pictures of a trace that grows are read on other threads while it grows. Runs in every build; ThreadSanitizer makes
// it bite.

#include "growing_writer.h"

#include "lod/overview.h"
#include "lod/timeline_index.h"
#include "model/same_slice.h"
#include "model/steps.h"

#include <QTest>

#include <atomic>
#include <mutex>
#include <thread>

using namespace torchline;
using namespace torchline::lod;
using namespace torchline::test;

namespace {

struct Picture {
    std::shared_ptr<const TraceSnapshot> trace;
    std::shared_ptr<const TimelineIndex> index;
    std::shared_ptr<const Overview> overview;
    int64_t durationNs = 0; ///< of all slices, as the writer has summed it up
};

int64_t durationOf(const TraceSnapshot& trace)
{
    int64_t sumNs = 0;
    for (const Lane& lane : trace.lanes()) {
        for (uint32_t i = 0; i < lane.size(); ++i)
            sumNs += lane.durationNs(i) + lane.depth(i);
    }
    for (const MemorySample& sample : trace.file(0).memory)
        sumNs += sample.totalAllocated;
    return sumNs;
}

/// Whatever it shows.
uint64_t drawn(const Picture& picture)
{
    const PixelGrid grid(PixelScale(picture.trace->span(), 300), 300);
    PixelSums sums;
    std::vector<PixelCell> cells(300);
    uint64_t sum = picture.overview->steps().size();
    for (uint32_t l = 0; l < picture.trace->lanes().size(); ++l) {
        const LaneId lane(l);
        for (uint16_t r = 0; r < picture.index->rowCount(lane, Frames::Shown); ++r) {
            const RowView row = picture.index->row(lane, Frames::Shown, r);
            sums.reset(grid, 0, grid.width());
            row.index->query(row.slices, sums);
            sums.resolve(cells.data());
            for (const PixelCell cell : cells)
                sum += cell;
        }
        sum += picture.index->busy(lane).size();
    }
    for (const MemoryTrack& track : picture.index->memory())
        sum += static_cast<uint64_t>(track.allocated.highest());
    return sum;
}

} // namespace

class TestGrowingReaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void picturesAreReadWhileTheNextIsMade();
};

void TestGrowingReaders::picturesAreReadWhileTheNextIsMade()
{
    constexpr int kPictures = 40;
    std::mutex mutex;
    Picture newest;
    std::atomic<bool> isDone = false;
    std::atomic<int> read = 0;
    std::atomic<int> wrong = 0;
    const auto readAll = [&] {
        uint64_t sum = 0;
        do {
            Picture picture;
            {
                const std::scoped_lock lock(mutex);
                picture = newest;
            }
            if (!picture.trace)
                continue;
            sum += drawn(picture);
            wrong += durationOf(*picture.trace) != picture.durationNs ? 1 : 0;
            ++read;
        } while (!isDone);
        return sum;
    };
    std::thread first(readAll);
    std::thread second(readAll);
    {
        const auto pool = std::make_shared<StringPool>();
        TraceBuilder builder(pool);
        GrowingWriter writer(builder, *pool, 3);
        Picture before;
        WorkClasses classes;
        std::vector<StepMark> steps;
        for (int i = 0; i < kPictures; ++i) {
            writer.write(2000);
            builder.settle();
            builder.sortMemory();
            TraceBuilder clone = builder.clone();
            writer.writeOpen(clone);
            Picture now;
            now.trace = snapshotOf(pool, std::move(clone));
            now.durationNs = durationOf(*now.trace);
            const SnapshotDelta delta(before.trace ? *before.trace : *now.trace, *now.trace);
            classes = before.trace ? WorkClasses(*now.trace, classes, delta) : WorkClasses(*now.trace);
            steps = before.trace ? profilerSteps(*now.trace, steps, delta) : profilerSteps(*now.trace);
            now.index = TimelineIndex::grown(now.trace, classes, before.index.get(), delta);
            now.overview = Overview::grown(*now.index, steps, before.overview.get(), delta);
            before = now;
            const std::scoped_lock lock(mutex);
            newest = now;
        }
    }
    isDone = true;
    first.join();
    second.join();
    QVERIFY(read > 0);
    QCOMPARE(wrong.load(), 0);
}

QTEST_GUILESS_MAIN(TestGrowingReaders)
#include "tst_growing_readers.moc"
