// The inner loops of pixel sums against the plain way: slice by slice, bucket by bucket.

#include "lod/pixel_sums.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::lod;

namespace {

constexpr int kWidth = 700;

struct Slices {
    std::vector<int64_t> starts;
    std::vector<int64_t> durations;
    std::vector<uint8_t> classes;

    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(starts.size()); }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return starts[k]; }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return durations[k]; }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return classes[k]; }
};

/// Slices that fill [fromNs, toNs) in part, of about meanNs; some last nothing.
Slices slicesIn(int64_t fromNs, int64_t toNs, int64_t meanNs, std::mt19937_64& random)
{
    const auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1)); };
    Slices slices;
    for (int64_t at = fromNs + upTo(meanNs); at < toNs; at += 1 + upTo(meanNs)) {
        const int64_t length
            = random() % 8 == 0 ? 0 : std::min(upTo(random() % 50 == 0 ? 40 * meanNs : 2 * meanNs), toNs - at);
        slices.starts.push_back(at);
        slices.durations.push_back(length);
        slices.classes.push_back(static_cast<uint8_t>(random() % 14));
        at += std::max<int64_t>(length, 1) - 1;
    }
    return slices;
}

std::vector<PixelCell> cellsOf(const PixelSums& sums, int width)
{
    std::vector<PixelCell> cells(static_cast<size_t>(width));
    sums.resolve(cells.data());
    return cells;
}

} // namespace

class TestPixelSums : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void positionsInViewEqualThoseOfTheScale();
    void innerSlicesEqualSlicesOneByOne();
    void bucketsEqualBucketsOneByOne();
    void sumsStayInBounds();
};

void TestPixelSums::positionsInViewEqualThoseOfTheScale()
{
    std::mt19937_64 random(2);
    for (int round = 0; round < 300; ++round) {
        // From a view of nanoseconds to one of a hundred years.
        const auto span = static_cast<int64_t>(random() >> (1 + random() % 60)) + 1;
        const auto begin = static_cast<int64_t>(random() >> 2) - (int64_t{1} << 61);
        const int width = 1 + static_cast<int>(random() % 4000);
        const PixelGrid grid(PixelScale({begin, addSaturated(begin, span)}, width), width);
        for (int i = 0; i < 200; ++i) {
            const auto at = grid.span().beginNs
                + static_cast<int64_t>(random() % static_cast<uint64_t>(std::max<int64_t>(grid.span().spanNs(), 1)));
            QCOMPARE(grid.viewPositions().of(at), grid.scale().position(at));
        }
    }
}

void TestPixelSums::innerSlicesEqualSlicesOneByOne()
{
    std::mt19937_64 random(4);
    PixelSums fast;
    PixelSums plain;
    for (int round = 0; round < 400; ++round) {
        const int64_t pixelNs = int64_t{1} << random() % 40;
        const auto begin = static_cast<int64_t>(random() >> 3) - (int64_t{1} << 59);
        const PixelGrid grid(
            PixelScale({begin, begin + kWidth * pixelNs + static_cast<int64_t>(random() % 97)}, kWidth), kWidth);
        const int x0 = static_cast<int>(random() % 3) * 50;
        const int x1 = kWidth - static_cast<int>(random() % 3) * 50;
        const int gap = static_cast<int>(random() % 3);
        for (PixelSums* sums : {&fast, &plain}) {
            sums->setGap(gap);
            sums->reset(grid, x0, x1);
        }
        const int64_t meanNs = std::max<int64_t>((pixelNs << random() % 6) >> random() % 6, 1);
        // One row after the other into the same sums.
        for (int row = 0; row < 2; ++row) {
            const Slices slices = slicesIn(grid.firstNs(x0), grid.firstNs(x1), meanNs, random);
            if (slices.size() == 0)
                continue;
            const uint32_t last = slices.size() - 1;
            QVERIFY(
                fast.isInner(slices.startNs(0), slices.startNs(last) + std::max<int64_t>(slices.durationNs(last), 1)));
            fast.addInner(slices, 0, slices.size());
            for (uint32_t k = 0; k < slices.size(); ++k)
                plain.addSlice(slices.startNs(k), slices.durationNs(k), slices.classIndex(k));
        }
        QCOMPARE(cellsOf(fast, x1 - x0), cellsOf(plain, x1 - x0));
    }
}

void TestPixelSums::bucketsEqualBucketsOneByOne()
{
    std::mt19937_64 random(6);
    PixelSums together;
    PixelSums single;
    for (int round = 0; round < 300; ++round) {
        const auto span = static_cast<int64_t>(kWidth * (1 + random() % 10'000));
        const auto begin = static_cast<int64_t>(random() >> 4) - (int64_t{1} << 58);
        const PixelGrid grid(PixelScale({begin, begin + span}, kWidth), kWidth);
        const int x0 = static_cast<int>(random() % 2) * 100;
        const int x1 = kWidth - static_cast<int>(random() % 2) * 100;
        const int64_t viewed = grid.firstBucket(kWidth) - grid.firstBucket(0);
        const int64_t low
            = grid.firstBucket(0) + static_cast<int64_t>(random() % static_cast<uint64_t>(viewed + 40)) - 20;
        std::vector<uint16_t> cells(1 + random() % static_cast<uint64_t>(viewed));
        for (uint16_t& cell : cells) {
            if (random() % 4 != 0)
                cell = static_cast<uint16_t>((1 + random() % 255) << 8 | random() % 14);
        }
        together.reset(grid, x0, x1);
        together.addBuckets({cells.data(), low, low + static_cast<int64_t>(cells.size()) - 1, grid.bucketShift()});
        single.reset(grid, x0, x1);
        for (size_t i = 0; i < cells.size(); ++i) {
            const int64_t bucket = low + static_cast<int64_t>(i);
            single.addBuckets({&cells[i], bucket, bucket, grid.bucketShift()});
        }
        const auto expected = cellsOf(single, x1 - x0);
        QCOMPARE(cellsOf(together, x1 - x0), expected);
        // What a bucket covers lies in the pixel in which it starts, and in the next one if it is solid.
        for (size_t i = 0; i < cells.size(); ++i) {
            const int pixel
                = grid.scale().pixelOf(PixelGrid::startNs(low + static_cast<int64_t>(i), grid.bucketShift()));
            if (cells[i] != 0 && pixel >= x0 && pixel < x1)
                QVERIFY(expected[static_cast<size_t>(pixel - x0)] != 0);
        }
    }
}

void TestPixelSums::sumsStayInBounds()
{
    // More than a pixel can hold, from many rows at once, is full and no more.
    const PixelGrid grid(PixelScale({0, 100'000}, 100), 100);
    PixelSums sums;
    sums.setGap(0);
    sums.reset(grid, 0, 100);
    Slices whole;
    whole.starts = {0};
    whole.durations = {100'000};
    whole.classes = {3};
    for (int i = 0; i < 3000; ++i)
        sums.addInner(whole, 0, 1);
    for (const PixelCell cell : cellsOf(sums, 100))
        QCOMPARE(cell, makeCell(kCoverageSteps, static_cast<WorkClass>(3)));
}

QTEST_GUILESS_MAIN(TestPixelSums)
#include "tst_pixel_sums.moc"
