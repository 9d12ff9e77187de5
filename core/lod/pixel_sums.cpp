#include "lod/pixel_sums.h"

#include <array>

namespace torchline::lod {

namespace {

/// Narrower slices of a pyramid have no gap of their own: coverage decides.
constexpr int kNarrowestCutPixels = 16;

/// By coverage of a solid bucket, times 2^32 and rounded up: with widths of a pixel at most, the product's upper half
/// is width * coverage / 255 rounded down. 0 for others.
constexpr std::array<uint64_t, 256> kSolidShare = [] {
    std::array<uint64_t, 256> shares{};
    for (uint64_t coverage = PixelGrid::kSolid; coverage < 256; ++coverage)
        shares[coverage] = ((coverage << 32) + 254) / 255;
    return shares;
}();

uint32_t solidShare(uint16_t cell, uint32_t width)
{
    return static_cast<uint32_t>(kSolidShare[cell >> 8] * width >> 32);
}

} // namespace

/// Adds the buckets that start in one pixel after the other to its sums. No branch depends on the data.
class PixelSums::BucketAdder {
public:
    explicit BucketAdder(PixelSums& sums)
        : m_shares(&sums.m_grid->shares())
        , m_bucketWidth(sums.m_grid->bucketWidth())
        , m_covered(sums.m_covered.data())
        , m_best(sums.m_best.data())
    {
    }

    /// With the last bucket of the pixel before.
    void begin(uint16_t last, PixelGrid::Starting before)
    {
        m_spilled = solidShare(last, before.spill);
        m_spilledRank = rank(m_spilled, static_cast<uint8_t>(last));
    }
    void add(int x, PixelGrid::Starting here, uint16_t first, uint16_t last)
    {
        const uint32_t firstShare = m_shares->first[here.isTwo()][first >> 8];
        const uint32_t lastShare
            = m_shares->faint[here.isTwo()][last >> 8] + solidShare(last, m_bucketWidth - here.spill);
        const uint32_t firstRank = rank(firstShare, static_cast<uint8_t>(first));
        const uint32_t lastRank = rank(lastShare, static_cast<uint8_t>(last));
        m_covered[x] = smaller(m_covered[x] + m_spilled + firstShare + lastShare, kMostCovered);
        m_best[x] = larger(larger(m_best[x], m_spilledRank), larger(firstRank, lastRank));
        begin(last, here);
    }
    /// Of pixels [x, end); cells[0] is bucket `low` from the grid's origin on.
    void addAll(int x, int end, const PixelGrid::Starting* starting, const uint16_t* cells, int64_t low)
    {
        BucketAdder local = *this;
        for (; x < end; ++x)
            local.add(x, starting[x], cells[starting[x].first() - low], cells[starting[x].last() - low]);
        *this = local;
    }
    void end(int x) { add(x, {}, 0, 0); }

private:
    const PixelGrid::Shares* m_shares;
    uint32_t m_bucketWidth;
    uint32_t* m_covered;
    uint32_t* m_best;
    uint32_t m_spilled = 0;
    uint32_t m_spilledRank = 0;
};

void PixelSums::reset(const PixelGrid& grid, int x0, int x1)
{
    m_grid = &grid;
    m_x0 = std::clamp(x0, 0, grid.width());
    m_x1 = std::clamp(x1, m_x0, grid.width());
    m_unit = grid.scale().unitWidth();
    m_lastOffset = grid.bucketShift() < 0 ? m_unit - 1 : 0;
    m_leastCutNs = m_gap == 0 ? 0 : std::max<int64_t>(grid.scale().nsOfPixels(kNarrowestCutPixels * m_gap), 1);
    const auto count = static_cast<size_t>(m_x1 - m_x0) + 1;
    m_covered.assign(count, 0);
    m_best.assign(count, 0);
}

void PixelSums::resolve(PixelCell* out) const
{
    constexpr auto kWhole = static_cast<int32_t>(kPixel);
    constexpr int32_t k10 = kWhole / 10;
    constexpr int32_t k30 = kWhole / 10 * 3;
    constexpr int32_t k55 = kWhole / 20 * 11;
    constexpr int32_t k80 = kWhole / 5 * 4;
    const auto width = m_covered.size() - 1;
    const uint32_t* covered = m_covered.data();
    const uint32_t* best = m_best.data();
    for (size_t x = 0; x < width; ++x) {
        const auto c = static_cast<int32_t>(covered[x]);
        const int32_t step = (c > 0) + (c > k10) + (c > k30) + (c > k55) + (c > k80);
        const uint32_t cls = ~best[x] & 15;
        out[x] = static_cast<PixelCell>(c > 0 ? static_cast<uint32_t>(step) << 4 | cls : 0);
    }
}

// Slices

PixelSums::Extent PixelSums::extentOf(int64_t startNs, int64_t durationNs) const
{
    const PixelScale& scale = m_grid->scale();
    const int64_t lastNs = addSaturated(startNs, durationNs - (durationNs > 0));
    const int64_t begin = scale.position(startNs);
    const int64_t last = scale.position(lastNs);
    return {begin, last + m_lastOffset, last + m_unit};
}

void PixelSums::addSlice(int64_t startNs, int64_t durationNs, uint8_t cls)
{
    Extent extent = extentOf(startNs, durationNs);
    const int64_t gap = int64_t{m_gap} << kFraction;
    if (gap > 0 && extent.end - extent.begin >= 3 * gap) {
        extent.end -= gap;
        extent.last = extent.end - 1;
    }
    const int64_t left = int64_t{m_x0} << kFraction;
    if (extent.last < left || extent.begin >= int64_t{m_x1} << kFraction)
        return;
    const int64_t begin = std::max(extent.begin, left);
    const int64_t first = begin >> kFraction;
    const int64_t last = extent.last >> kFraction;
    if (first == last) {
        add(first, static_cast<uint32_t>(std::max<int64_t>(extent.end - begin, 1)), cls);
        return;
    }
    add(first, static_cast<uint32_t>(((first + 1) << kFraction) - begin), cls);
    for (int64_t x = first + 1; x < std::min<int64_t>(last, m_x1); ++x)
        add(x, kPixel, cls);
    if (last < m_x1)
        add(last, static_cast<uint32_t>(std::max<int64_t>(extent.end - (last << kFraction), 1)), cls);
}

// The sums of the pixel last added to are held, so that no slice waits for what the one before has written. Nothing in
// the first loop is a branch that cannot be foretold: the last pixel is written even where it is the first, and whole
// pixels in between wait in a list.
void PixelSums::addInner(const Inner* slices, uint32_t count)
{
    std::array<uint32_t, kInnerAtOnce> wholes;
    uint32_t wholeCount = 0;
    uint32_t* covered = m_covered.data();
    uint32_t* best = m_best.data();
    const int32_t spare = m_x1 - m_x0;
    int32_t held = spare;
    uint32_t heldCovered = 0;
    uint32_t heldBest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const Inner slice = slices[i];
        const uint32_t ifHeld = 0u - uint32_t{slice.first == held};
        const int32_t fresh = (spare & static_cast<int32_t>(ifHeld)) | (slice.first & ~static_cast<int32_t>(ifHeld));
        const uint32_t lastCovered = smaller(covered[slice.last], kMostCovered) + slice.tail;
        const uint32_t lastBest = larger(best[slice.last], rank(slice.tail, slice.cls));
        heldCovered = ((heldCovered & ifHeld) | (smaller(covered[fresh], kMostCovered) & ~ifHeld)) + slice.head;
        heldBest = larger((heldBest & ifHeld) | (best[fresh] & ~ifHeld), rank(slice.head, slice.cls));
        covered[slice.first] = heldCovered;
        best[slice.first] = heldBest;
        const uint32_t ifFurther = 0u - uint32_t{slice.last > slice.first};
        heldCovered = (lastCovered & ifFurther) | (heldCovered & ~ifFurther);
        heldBest = (lastBest & ifFurther) | (heldBest & ~ifFurther);
        covered[slice.last] = heldCovered;
        best[slice.last] = heldBest;
        held = slice.last;
        wholes[wholeCount] = i;
        wholeCount += slice.last > slice.first + 1;
    }
    for (uint32_t i = 0; i < wholeCount; ++i) {
        const Inner& slice = slices[wholes[i]];
        const uint32_t mark = rank(kPixel, slice.cls);
        for (int32_t x = slice.first + 1; x < slice.last; ++x) {
            covered[x] = smaller(covered[x] + kPixel, kMostCovered);
            best[x] = larger(best[x], mark);
        }
    }
}

void PixelSums::cutGap(int64_t startNs, int64_t durationNs, uint8_t cls)
{
    const Extent extent = extentOf(startNs, durationNs);
    const int64_t last = (extent.end - 1) >> kFraction;
    const auto rest = static_cast<uint32_t>(extent.end - (last << kFraction));
    for (int64_t x = last - m_gap; x < last; ++x) {
        if (x < m_x0 || x >= m_x1)
            continue;
        const auto at = static_cast<size_t>(x - m_x0);
        m_covered[at] = m_best[at] = 0;
        if (x == last - m_gap)
            add(x, rest, cls);
    }
    if (last >= m_x0 && last < m_x1) {
        uint32_t& covered = m_covered[static_cast<size_t>(last - m_x0)];
        covered = covered > rest ? covered - rest : std::min(covered, 1u);
    }
}

// Buckets

// A bucket belongs to the pixel in which it starts, and a pixel stands for the one or two buckets that start in it.
// Only what is solid spills into the next pixel by what it covers there, so that edges lie where they are.
void PixelSums::addBuckets(const BucketCells& buckets)
{
    const PixelGrid& grid = *m_grid;
    if (buckets.shift < grid.bucketShift()) {
        addNarrow(buckets);
        return;
    }
    const int width = m_x1 - m_x0;
    const auto pixelOf
        = [&](int64_t bucket) { return grid.scale().pixelOf(PixelGrid::startNs(bucket, buckets.shift)) - m_x0; };
    const int from = buckets.low <= grid.firstBucket(m_x0) ? 0 : std::clamp(pixelOf(buckets.low), 0, width);
    const int to = buckets.high >= grid.firstBucket(m_x1) ? width : std::clamp(pixelOf(buckets.high) + 1, from, width);

    // By pixel from m_x0 on.
    const PixelGrid::Starting* starting = grid.starting() + m_x0;
    const int64_t origin = grid.bucketOrigin();
    BucketAdder adder(*this);
    if (from == 0)
        adder.begin(buckets.at(origin + starting[-1].last()), starting[-1]);
    int x = from;
    const auto addChecked = [&] {
        const bool isAny = grid.firstBucket(m_x0 + x) < grid.firstBucket(m_x0 + x + 1);
        adder.add(x, starting[x], isAny ? buckets.at(origin + starting[x].first()) : uint16_t{0},
            isAny ? buckets.at(origin + starting[x].last()) : uint16_t{0});
        ++x;
    };
    // All pixels but the outermost two hold buckets of the level alone.
    const int inner = grid.isEven() ? to - 1 : 0;
    if (x < inner) {
        addChecked();
        adder.addAll(x, inner, starting, buckets.cells, buckets.low - origin);
        x = inner;
    }
    while (x < to)
        addChecked();
    adder.end(x);
}

void PixelSums::addNarrow(const BucketCells& buckets)
{
    const PixelScale& scale = m_grid->scale();
    const uint32_t weight = scale.bucketWeight(buckets.shift);
    for (int64_t b = buckets.low; b <= buckets.high; ++b) {
        const uint16_t cell = buckets.at(b);
        const int pixel = scale.pixelOf(PixelGrid::startNs(b, buckets.shift));
        if (cell != 0 && pixel >= m_x0 && pixel < m_x1)
            add(pixel, std::max((cell >> 8) * weight >> 8, 1u), static_cast<uint8_t>(cell));
    }
}

} // namespace torchline::lod
