// The mapping between times and pixels, and the ticks of the ruler.

#include "lod/pixel_scale.h"
#include "lod/ruler.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::lod;

class TestPixelScale : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstNsOfAPixelIsItsFirst_data();
    void firstNsOfAPixelIsItsFirst();
    void everyTimeKeepsItsPixelWhilePanning();
    void widestBucketIsNotWiderThanAPixel();
    void oneOrTwoBucketsStartInAPixel();
    void extremeTimesAreHeld();
    void ticksAreRoundAndFarEnoughApart_data();
    void ticksAreRoundAndFarEnoughApart();
    void baseOfTheRulerStaysForFiveTicks();
};

void TestPixelScale::firstNsOfAPixelIsItsFirst_data()
{
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("span");
    QTest::addColumn<int>("width");
    QTest::newRow("one ns a pixel") << qint64{0} << qint64{1920} << 1920;
    QTest::newRow("finer than a ns") << qint64{7} << qint64{20} << 3840;
    QTest::newRow("one ns wide") << qint64{-1} << qint64{1} << 100;
    QTest::newRow("odd") << qint64{123'456'789} << qint64{1'000'003} << 1671;
    QTest::newRow("negative") << qint64{-987'654'321} << qint64{777'777} << 800;
    QTest::newRow("Unix time") << qint64{1'700'000'000'000'000'000} << qint64{3'000'017} << 1672;
    QTest::newRow("years") << qint64{-1} << qint64{1'700'000'000'000'000'000} << 1672;
    QTest::newRow("one pixel") << qint64{0} << qint64{1000} << 1;
}

void TestPixelScale::firstNsOfAPixelIsItsFirst()
{
    QFETCH(qint64, begin);
    QFETCH(qint64, span);
    QFETCH(int, width);
    const PixelScale scale({begin, begin + span}, width);
    QCOMPARE(scale.pixelOf(begin), 0);
    // The pitch is rounded to 62 bits: the end may fall a pixel early, never far off.
    QVERIFY(std::abs(scale.pixelOf(begin + span) - width) <= 1);
    const PixelGrid grid(scale, width);
    for (int x = 0; x <= width; ++x) {
        const int64_t first = grid.firstNs(x);
        QCOMPARE(first, scale.firstNsOf(x));
        QVERIFY(scale.pixelOf(first) >= x);
        QVERIFY(scale.pixelOf(first - 1) < x);
    }
}

void TestPixelScale::everyTimeKeepsItsPixelWhilePanning()
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
        const auto span = static_cast<int64_t>(20 + random() % 5'000'000'000ull);
        const int width = 200 + static_cast<int>(random() % 3000);
        const auto begin = static_cast<int64_t>(random() % 1'000'000'000'000ull) - 500'000'000'000;
        const PixelScale one({begin, begin + span}, width);
        const auto moved = begin + static_cast<int64_t>(random() % static_cast<uint64_t>(span));
        const PixelScale two({moved, moved + span}, width);
        QVERIFY(one.hasSamePitch(two));
        const int64_t shift = two.pixelsFrom(one);
        for (int i = 0; i < 50; ++i) {
            const auto at = begin + static_cast<int64_t>(random() % static_cast<uint64_t>(2 * span));
            QCOMPARE(one.pixelOf(at) - shift, int64_t{two.pixelOf(at)});
            QCOMPARE(one.position(at) - (shift << PixelScale::kFractionBits), two.position(at));
        }
    }
}

void TestPixelScale::widestBucketIsNotWiderThanAPixel()
{
    for (const int64_t span : {64, 1920, 1921, 3840, 5000, 1'000'000, 1'234'567'891}) {
        const PixelScale scale({0, span}, 1920);
        const double pixel = static_cast<double>(span) / 1920;
        const int shift = scale.bucketShift();
        QVERIFY(std::ldexp(1.0, shift) <= pixel * (1 + 1e-12));
        QVERIFY(std::ldexp(1.0, shift + 1) > pixel * (1 - 1e-12));
    }
}

void TestPixelScale::oneOrTwoBucketsStartInAPixel()
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 300; ++round) {
        const auto span = static_cast<int64_t>(1700 + random() % 3'000'000'000ull);
        const auto begin = static_cast<int64_t>(random() % 1'000'000'000'000ull) - 500'000'000'000;
        const PixelGrid grid(PixelScale({begin, begin + span}, 1700), 1700);
        QVERIFY(grid.bucketShift() >= 0);
        for (int x = 0; x < grid.width(); ++x) {
            const int64_t buckets = grid.firstBucket(x + 1) - grid.firstBucket(x);
            QVERIFY(buckets == 1 || buckets == 2);
        }
    }
}

void TestPixelScale::extremeTimesAreHeld()
{
    const PixelScale scale({0, 1000}, 1000);
    QVERIFY(scale.pixelOf(kMaxNs) > 1000);
    QVERIFY(scale.pixelOf(kMinNs) < 0);
    const PixelScale wide({kMinNs, kMaxNs}, 1000);
    QVERIFY(std::abs(wide.pixelOf(0) - 1000) <= 1);
    QCOMPARE(PixelScale({5, 5}, 0).pixelOf(5), 0);
}

void TestPixelScale::ticksAreRoundAndFarEnoughApart_data()
{
    QTest::addColumn<qint64>("span");
    QTest::addColumn<qint64>("major");
    QTest::newRow("20 ns") << qint64{20} << qint64{2};
    QTest::newRow("3 ms") << qint64{3'000'000} << qint64{200'000};
    QTest::newRow("1.27 s") << qint64{1'270'000'000} << qint64{100'000'000};
    QTest::newRow("an hour") << qint64{3'600'000'000'000} << qint64{500'000'000'000};
}

void TestPixelScale::ticksAreRoundAndFarEnoughApart()
{
    QFETCH(qint64, span);
    QFETCH(qint64, major);
    const PixelScale scale({625'170'000, 625'170'000 + span}, 1672);
    const Ruler ruler = Ruler::forView(scale, 1672, 110);
    QCOMPARE(ruler.majorNs, major);
    QCOMPARE(ruler.majorNs % ruler.minorNs, int64_t{0});
    for (const int64_t at : ruler.majors)
        QCOMPARE(at % ruler.majorNs, int64_t{0});
    QVERIFY(ruler.majors.front() <= scale.firstNsOf(0));
    QVERIFY(ruler.majors.back() >= scale.firstNsOf(1672));
}

void TestPixelScale::baseOfTheRulerStaysForFiveTicks()
{
    int changes = 0;
    int64_t base = -1;
    for (int64_t begin = 0; begin < 10'000'000; begin += 10'000) {
        const PixelScale scale({begin, begin + 3'000'000}, 1672);
        const Ruler ruler = Ruler::forView(scale, 1672, 110);
        QVERIFY(ruler.baseNs <= begin && scale.firstNsOf(0) - ruler.baseNs < 5 * ruler.majorNs);
        changes += ruler.baseNs != base ? 1 : 0;
        base = ruler.baseNs;
    }
    QCOMPARE(changes, 10);
    // The margin before the first slice does not make all labels count from far below 0.
    QCOMPARE(Ruler::forView(PixelScale({-30'000, 2'970'000}, 1672), 1672, 110).baseNs, int64_t{0});
    QCOMPARE(Ruler::forView(PixelScale({-3'900'000, -900'000}, 1672), 1672, 110).baseNs, int64_t{-4'000'000});
}

QTEST_GUILESS_MAIN(TestPixelScale)
#include "tst_pixel_scale.moc"
