// The pixel query against brute force, and what must never happen: a slice that vanishes, a lane that looks full.

#include "lod/interval_row.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace torchline;
using namespace torchline::lod;

namespace {

struct Piece {
    int64_t startNs;
    int64_t durationNs;
    uint8_t cls;
};
using Pieces = std::vector<Piece>;

IntervalRow rowOf(const Pieces& pieces)
{
    IntervalRow row;
    for (const Piece& piece : pieces)
        row.append(piece.startNs, addSaturated(piece.startNs, piece.durationNs), static_cast<WorkClass>(piece.cls));
    row.finish();
    return row;
}

/// Slices of 1 to some thousand ns with gaps of all sizes, as operators and kernels have them.
Pieces denseRow(size_t count, uint64_t seed, int64_t fromNs = 0)
{
    std::mt19937_64 random(seed);
    Pieces pieces;
    int64_t at = fromNs;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t x = random();
        int64_t length = 1 + static_cast<int64_t>((x & 0xff) * (x >> 8 & 0xff) >> (x >> 16 & 7)) * 3;
        if ((x >> 20 & 1023) == 0)
            length *= 60;
        pieces.push_back({at, length, static_cast<uint8_t>((x >> 50) % 14)});
        at += length + static_cast<int64_t>(x >> 32 & 63) * ((x >> 40 & 15) == 0 ? 400 : 2);
    }
    return pieces;
}

std::vector<PixelCell> query(const IntervalRow& row, const PixelGrid& grid, int gap, int x0 = 0, int x1 = -1)
{
    PixelSums sums;
    sums.setGap(gap);
    sums.reset(grid, x0, x1 < 0 ? grid.width() : x1);
    row.index().query(row, sums);
    std::vector<PixelCell> cells(static_cast<size_t>((x1 < 0 ? grid.width() : x1) - x0));
    sums.resolve(cells.data());
    return cells;
}

/// Exact coverage and class of the longest piece of each pixel, without gaps between slices.
std::vector<PixelCell> bruteForce(const Pieces& pieces, const PixelGrid& grid, double pixelNs)
{
    std::vector<PixelCell> cells;
    size_t first = 0;
    for (int x = 0; x < grid.width(); ++x) {
        const int64_t from = grid.firstNs(x);
        const int64_t to = grid.firstNs(x + 1);
        const auto endOf = [](const Piece& p) { return p.startNs + std::max<int64_t>(p.durationNs, 1); };
        while (first < pieces.size() && endOf(pieces[first]) <= from)
            ++first;
        int64_t covered = 0;
        int64_t longest = 0;
        uint8_t cls = 0;
        for (size_t i = first; i < pieces.size() && pieces[i].startNs < to; ++i) {
            const int64_t part = std::min(to, endOf(pieces[i])) - std::max(from, pieces[i].startNs);
            if (part <= 0)
                continue;
            covered += part;
            if (part > longest || (part == longest && pieces[i].cls < cls)) {
                longest = part;
                cls = pieces[i].cls;
            }
        }
        const double share = static_cast<double>(covered) / pixelNs;
        const int step = (covered > 0) + (share > 0.1) + (share > 0.3) + (share > 0.55) + (share > 0.8);
        cells.push_back(covered == 0 ? PixelCell{0} : makeCell(step, static_cast<WorkClass>(cls)));
    }
    return cells;
}

PixelGrid gridOf(int64_t beginNs, int64_t spanNs, int width)
{
    return PixelGrid(PixelScale({beginNs, beginNs + spanNs}, width), width);
}

} // namespace

class TestRowIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void walkedPixelsEqualBruteForce_data();
    void walkedPixelsEqualBruteForce();
    void bucketPixelsAreNearBruteForce_data();
    void bucketPixelsAreNearBruteForce();
    void everySliceHasInkWithinAPixelOfItsStart();
    void aLaneThreePercentBusyNeverLooksFull();
    void loneZeroLengthSliceIsOnePixelAtEachZoom();
    void aSolidRowIsSolidAtEachZoom();
    void panEqualsFreshDraw();
    void neighboursAreSetApartByAGap();
    void farOutlierCostsNoInk();
    void pixelsFinerThanANanosecond();
    void negativeAndHugeTimes();
    void nextOfLengthEqualsBruteForce();
    void memoryStaysSmall();
};

void TestRowIndex::walkedPixelsEqualBruteForce_data()
{
    QTest::addColumn<qint64>("span");
    QTest::newRow("1 ns a pixel") << qint64{1700};
    QTest::newRow("few slices") << qint64{60'000};
    QTest::newRow("a slice a pixel") << qint64{500'000};
}

void TestRowIndex::walkedPixelsEqualBruteForce()
{
    QFETCH(qint64, span);
    const Pieces pieces = denseRow(20'000, 11);
    const IntervalRow row = rowOf(pieces);
    size_t wrong = 0;
    size_t all = 0;
    for (int i = 0; i < 30; ++i) {
        const int64_t begin = pieces[static_cast<size_t>(i) * 600].startNs + i;
        const PixelGrid grid = gridOf(begin, span, 1700);
        const auto expected = bruteForce(pieces, grid, static_cast<double>(span) / 1700);
        const auto cells = query(row, grid, 0);
        for (size_t x = 0; x < cells.size(); ++x) {
            ++all;
            if (cells[x] == expected[x])
                continue;
            ++wrong;
            // Only at the edge of a step: sums of rounded parts.
            QVERIFY(std::abs(stepOf(cells[x]) - stepOf(expected[x])) <= 1);
            QCOMPARE(cells[x] == 0, expected[x] == 0);
        }
    }
    QVERIFY2(wrong * 1000 <= all, qPrintable(QString::number(wrong)));
}

void TestRowIndex::bucketPixelsAreNearBruteForce_data()
{
    QTest::addColumn<double>("slicesAPixel");
    for (const double slices : {1.5, 3.0, 4.7, 8.0, 20.0, 47.0})
        QTest::newRow(qPrintable(QString::number(slices))) << slices;
}

void TestRowIndex::bucketPixelsAreNearBruteForce()
{
    QFETCH(double, slicesAPixel);
    const Pieces pieces = denseRow(60'000, 7);
    const IntervalRow row = rowOf(pieces);
    const int64_t whole = pieces.back().startNs;
    const int width = 1200;
    const auto span
        = static_cast<int64_t>(static_cast<double>(whole) / static_cast<double>(pieces.size()) * slicesAPixel * width);
    size_t used = 0;
    size_t lost = 0;
    size_t far = 0;
    for (int i = 0; i < 10; ++i) {
        const PixelGrid grid = gridOf((whole - span) / 11 * i, span, width);
        const auto expected = bruteForce(pieces, grid, static_cast<double>(span) / width);
        const auto cells = query(row, grid, 0);
        for (size_t x = 0; x < cells.size(); ++x) {
            used += expected[x] != 0;
            lost += expected[x] != 0 && cells[x] == 0;
            far += std::abs(stepOf(cells[x]) - stepOf(expected[x])) > 1;
        }
    }
    QVERIFY2(lost * 100 <= used, qPrintable(QStringLiteral("%1 of %2 lost").arg(lost).arg(used)));
    QVERIFY2(far * 50 <= used, qPrintable(QStringLiteral("%1 of %2 over one step").arg(far).arg(used)));
}

void TestRowIndex::everySliceHasInkWithinAPixelOfItsStart()
{
    const Pieces pieces = denseRow(100'000, 23);
    const IntervalRow row = rowOf(pieces);
    const int64_t whole = pieces.back().startNs + pieces.back().durationNs;
    const int width = 1000;
    for (const double zoom : {1.0, 1.4, 4.0, 5.82, 11.7, 23.3, 100.0, 2000.0}) {
        const auto span = static_cast<int64_t>(static_cast<double>(whole) / zoom);
        const PixelGrid grid = gridOf((whole - span) / 3, span, width);
        const auto cells = query(row, grid, 1);
        for (const Piece& piece : pieces) {
            const int x = grid.scale().pixelOf(piece.startNs);
            if (x < 1 || x >= width - 1)
                continue;
            const auto at = static_cast<size_t>(x);
            QVERIFY2((cells[at - 1] | cells[at] | cells[at + 1]) != 0, qPrintable(QString::number(zoom)));
        }
    }
}

void TestRowIndex::aLaneThreePercentBusyNeverLooksFull()
{
    Pieces pieces;
    for (int i = 0; i < 50'000; ++i)
        pieces.push_back({i * int64_t{10'000}, 300, 1});
    const IntervalRow row = rowOf(pieces);
    for (double zoom = 1; zoom < 40; zoom *= 1.07) {
        const auto span = static_cast<int64_t>(500e6 / zoom);
        const PixelGrid grid = gridOf(0, span, 1000);
        double ink = 0;
        for (const PixelCell cell : query(row, grid, 1)) {
            // A pixel narrower than the spacing may hold a slice that fills much of it; a wider one may not.
            if (static_cast<double>(span) / 1000 > 10'000)
                QVERIFY(stepOf(cell) <= 2);
            static constexpr double kInk[] = {0, 0.22, 0.40, 0.60, 0.80, 1.0};
            ink += kInk[stepOf(cell)];
        }
        QVERIFY2(ink / 1000 < 0.25, qPrintable(QString::number(ink)));
    }
}

void TestRowIndex::loneZeroLengthSliceIsOnePixelAtEachZoom()
{
    Pieces pieces;
    for (int k = 1; k < 100; ++k)
        pieces.push_back({k * int64_t{5'000'000} + k * 977, 0, 2});
    const IntervalRow row = rowOf(pieces);
    for (double zoom = 1; zoom < 20'000; zoom *= 1.07) {
        const auto span = static_cast<int64_t>(505e6 / zoom);
        for (int pan = 0; pan < 3; ++pan) {
            const PixelGrid grid = gridOf((505'000'000 - span) / 3 * pan, span, 1000);
            const auto cells = query(row, grid, 1);
            size_t expected = 0;
            for (const Piece& piece : pieces) {
                const int x = grid.scale().pixelOf(piece.startNs);
                expected += x >= 0 && x < 1000;
            }
            const auto drawn = std::ranges::count_if(cells, [](PixelCell cell) { return cell != 0; });
            // Buckets may begin a pixel before the slice: at the edges one may come or go.
            QVERIFY2(std::abs(drawn - static_cast<std::ptrdiff_t>(expected)) <= 1, qPrintable(QString::number(zoom)));
            for (size_t x = 0; x + 1 < cells.size(); ++x)
                QVERIFY(cells[x] == 0 || cells[x + 1] == 0 || expected > 90);
        }
    }
}

void TestRowIndex::aSolidRowIsSolidAtEachZoom()
{
    Pieces pieces;
    for (int i = 0; i < 30'000; ++i)
        pieces.push_back({i * int64_t{1000}, 1000, static_cast<uint8_t>(i % 14)});
    const IntervalRow row = rowOf(pieces);
    for (double zoom = 1; zoom < 500; zoom *= 1.13) {
        const PixelGrid grid = gridOf(0, static_cast<int64_t>(30e6 / zoom), 1000);
        const auto cells = query(row, grid, 0);
        for (size_t x = 1; x + 1 < cells.size(); ++x)
            QVERIFY2(stepOf(cells[x]) == kCoverageSteps, qPrintable(QStringLiteral("%1 at %2").arg(zoom).arg(x)));
    }
}

void TestRowIndex::panEqualsFreshDraw()
{
    const Pieces pieces = denseRow(40'000, 31, -3'000'000);
    const IntervalRow row = rowOf(pieces);
    const int64_t whole = pieces.back().startNs;
    std::mt19937_64 random(1);
    for (const double zoom : {1.0, 3.0, 7.7, 20.0, 150.0, 9000.0}) {
        const auto span = static_cast<int64_t>(static_cast<double>(whole) / zoom);
        const int width = 900;
        const PixelGrid before = gridOf(whole / 5, span, width);
        const auto old = query(row, before, 1);
        for (int i = 0; i < 20; ++i) {
            const auto moveNs = static_cast<int64_t>(random() % static_cast<uint64_t>(span)) - span / 2;
            const PixelGrid after = gridOf(whole / 5 + moveNs, span, width);
            const auto shift = static_cast<int>(after.scale().pixelsFrom(before.scale()));
            auto fresh = query(row, after, 1);
            std::vector<PixelCell> panned(fresh.size());
            for (int x = 0; x < width; ++x) {
                if (x + shift >= 0 && x + shift < width)
                    panned[static_cast<size_t>(x)] = old[static_cast<size_t>(x + shift)];
            }
            const int x0 = shift > 0 ? width - shift : 0;
            const int x1 = shift > 0 ? width : -shift;
            const auto columns = query(row, after, 1, x0, x1);
            std::ranges::copy(columns, panned.begin() + x0);
            QCOMPARE(panned, fresh);
        }
    }
}

void TestRowIndex::neighboursAreSetApartByAGap()
{
    Pieces pieces;
    for (int i = 0; i < 20'000; ++i)
        pieces.push_back({i * int64_t{1000}, 1000, 3});
    // One long slice right before another, among many short ones: read from buckets when zoomed out.
    Pieces mixed = denseRow(100'000, 3);
    const int64_t tail = mixed.back().startNs + mixed.back().durationNs;
    mixed.push_back({tail, 20'000'000, 3});
    mixed.push_back({tail + 20'000'000, 20'000'000, 3});
    const auto lightest = [](const std::vector<PixelCell>& cells, int from, int to) {
        int step = kCoverageSteps;
        for (int x = from; x <= to; ++x)
            step = std::min(step, stepOf(cells[static_cast<size_t>(x)]));
        return step;
    };
    const IntervalRow row = rowOf(pieces);
    for (const int64_t span : {100'000, 47'111, 20'000, 5'003}) {
        const PixelGrid grid = gridOf(3'000'017, span, 1000);
        const auto cells = query(row, grid, 1);
        for (int64_t edge = 3'001'000; edge < 3'000'000 + span; edge += 1000) {
            const int x = grid.scale().pixelOf(edge);
            if (x >= 2 && x < 999)
                QVERIFY(lightest(cells, x - 1, x) <= 3);
        }
    }
    const IntervalRow mixedRow = rowOf(mixed);
    const PixelGrid grid = gridOf(tail - 10'000'000, 60'000'000, 1000);
    QVERIFY(grid.bucketShift() >= 15);
    const int x = grid.scale().pixelOf(tail + 20'000'000);
    QVERIFY(lightest(query(mixedRow, grid, 1), x - 1, x) <= 3);
}

void TestRowIndex::farOutlierCostsNoInk()
{
    Pieces pieces = denseRow(30'000, 9, 1'700'000'000'000'000'000);
    pieces.insert(pieces.begin(), {0, 5, 1});
    const IntervalRow row = rowOf(pieces);
    const int64_t span = pieces.back().startNs - pieces[1].startNs;
    const PixelGrid near = gridOf(pieces[1].startNs, span, 800);
    const auto expected = bruteForce(pieces, near, static_cast<double>(span) / 800);
    const auto cells = query(row, near, 0);
    size_t far = 0;
    for (size_t x = 0; x < cells.size(); ++x)
        far += std::abs(stepOf(cells[x]) - stepOf(expected[x])) > 1;
    QVERIFY2(far <= 16, qPrintable(QString::number(far)));
    // Buckets may begin a pixel before what they hold: a view of everything has a margin.
    const PixelGrid whole = gridOf(-pieces.back().startNs / 100, pieces.back().startNs / 100 * 102, 800);
    const auto all = query(row, whole, 1);
    for (const int64_t at : {int64_t{0}, pieces.back().startNs}) {
        const auto x = static_cast<size_t>(whole.scale().pixelOf(at));
        QVERIFY((all[x - 1] | all[x] | all[x + 1]) != 0);
    }
}

void TestRowIndex::pixelsFinerThanANanosecond()
{
    const IntervalRow row = rowOf({{100, 1, 4}, {105, 0, 5}, {110, 7, 6}});
    const PixelGrid grid = gridOf(100, 20, 1000);
    const auto cells = query(row, grid, 1);
    const auto classAt = [&](size_t x) { return cells[x] == 0 ? -1 : static_cast<int>(lod::classOf(cells[x])); };
    QCOMPARE(classAt(0), 4);
    QCOMPARE(classAt(48), 4);
    QCOMPARE(classAt(49), -1); // the gap
    QCOMPARE(classAt(60), -1);
    QCOMPARE(classAt(255), 5);
    QCOMPARE(classAt(300), -1);
    QCOMPARE(classAt(500), 6);
    QCOMPARE(classAt(848), 6);
    QCOMPARE(classAt(851), -1);
    // A view that begins inside a nanosecond still shows what began before its edge.
    const auto shifted = query(row, grid, 1, 10, 40);
    QCOMPARE(shifted, std::vector<PixelCell>(cells.begin() + 10, cells.begin() + 40));
}

void TestRowIndex::negativeAndHugeTimes()
{
    const int64_t huge = int64_t{1} << 61;
    const IntervalRow row = rowOf({{-huge, 10, 1}, {-5, 4, 2}, {-1, 0, 3}, {3, huge, 4}, {huge + 10, 1, 5}});
    for (const int64_t span : {20, 1000, 1'000'000}) {
        const PixelGrid grid = gridOf(-10, span, 500);
        const auto cells = query(row, grid, 1);
        QVERIFY(cells[static_cast<size_t>(grid.scale().pixelOf(-5))] != 0);
        QCOMPARE(stepOf(cells[499]), kCoverageSteps);
        QVERIFY(lod::classOf(cells[499]) == WorkClass::Attention);
    }
    const PixelGrid all = gridOf(-huge, kMaxNs / 2, 500);
    QVERIFY(query(row, all, 1).front() != 0);
    QCOMPARE(query(IntervalRow(), all, 1), std::vector<PixelCell>(500, 0));
}

void TestRowIndex::nextOfLengthEqualsBruteForce()
{
    const Pieces pieces = denseRow(30'000, 77);
    const IntervalRow row = rowOf(pieces);
    for (const int64_t length : {1, 100, 5000, 100'000, 10'000'000}) {
        uint32_t k = 13;
        for (uint32_t i = 13; i < 29'000; ++i) {
            if (row.durationNs(i) < length)
                continue;
            k = row.index().nextOfLength(row, k, 29'000, length);
            QCOMPARE(k, i);
            ++k;
        }
        QCOMPARE(row.index().nextOfLength(row, k, 29'000, length), 29'000u);
    }
    uint32_t longest = 50;
    for (uint32_t i = 50; i < 20'000; ++i)
        longest = row.durationNs(i) > row.durationNs(longest) ? i : longest;
    QCOMPARE(row.index().longestOf(row, 50, 20'000), longest);
}

void TestRowIndex::memoryStaysSmall()
{
    const IntervalRow row = rowOf(denseRow(200'000, 5));
    const double bytes = static_cast<double>(row.index().memoryUsage()) / row.size();
    QVERIFY2(bytes < 5.0, qPrintable(QString::number(bytes)));
}

QTEST_GUILESS_MAIN(TestRowIndex)
#include "tst_row_index.moc"
