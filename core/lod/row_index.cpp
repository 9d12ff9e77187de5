#include "lod/row_index.h"

#include "lod/busy_row.h"
#include "lod/interval_row.h"

#include <algorithm>

namespace torchline::lod {

namespace {

constexpr int kFraction = PixelScale::kFractionBits;
constexpr uint32_t kPixel = 1u << kFraction;
/// Narrower slices of a pyramid have no gap of their own: coverage decides.
constexpr int kNarrowestCutPixels = 16;

template <typename Source> int64_t endOf(const Source& row, uint32_t k)
{
    return addSaturated(row.startNs(k), std::max<int64_t>(row.durationNs(k), 1));
}

template <typename Before> uint32_t partitionPoint(uint32_t begin, uint32_t end, Before before)
{
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (before(middle))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/// Coverage from which on a bucket lies in the pixels that it covers, not in the one in which it starts.
constexpr uint32_t kSolid = 128;

/// What a bucket, or a part of it so wide, covers; never nothing.
uint32_t shareOf(uint32_t coverage, int64_t width)
{
    return std::max(static_cast<uint32_t>(static_cast<uint64_t>(width) * coverage / 255), 1u);
}

/// A cell from its coverage of 0 to 255 and a length << 8 | 255 - class.
uint16_t packed(uint32_t covered, uint64_t longest)
{
    return static_cast<uint16_t>(covered << 8 | (255 - static_cast<uint32_t>(longest & 255)));
}

} // namespace

// PixelSums

void PixelSums::reset(const PixelGrid& grid, int x0, int x1)
{
    m_grid = &grid;
    m_x0 = std::clamp(x0, 0, grid.width());
    m_x1 = std::clamp(x1, m_x0, grid.width());
    m_unit = grid.scale().unitWidth();
    m_lastOffset = grid.bucketShift() < 0 ? m_unit - 1 : 0;
    m_sums.assign(static_cast<size_t>(m_x1 - m_x0) + 1, Sum{0, 0});
}

void PixelSums::resolve(PixelCell* out) const
{
    constexpr uint32_t k10 = kPixel / 10;
    constexpr uint32_t k30 = kPixel / 10 * 3;
    constexpr uint32_t k55 = kPixel / 20 * 11;
    constexpr uint32_t k80 = kPixel / 5 * 4;
    const size_t width = m_sums.size() - 1;
    for (size_t x = 0; x < width; ++x) {
        const Sum& sum = m_sums[x];
        const uint32_t c = sum.covered;
        const uint32_t step = uint32_t{c > 0} + (c > k10) + (c > k30) + (c > k55) + (c > k80);
        const uint32_t cls = 255 - (sum.best & 255);
        out[x] = static_cast<PixelCell>(c == 0 ? 0 : step << 4 | (cls & 15));
    }
}

void PixelSums::add(Sum& sum, uint32_t covered, uint8_t cls)
{
    constexpr uint32_t kMost = 1u << 30;
    sum.covered = std::min(sum.covered + covered, kMost);
    sum.best = std::max(sum.best, covered << 8 | (255u - cls));
}

PixelSums::Extent PixelSums::extentOf(int64_t startNs, int64_t durationNs) const
{
    const PixelScale& scale = m_grid->scale();
    const int64_t lastNs = addSaturated(startNs, durationNs - (durationNs > 0));
    const int64_t begin = scale.position(startNs);
    const int64_t last = scale.position(lastNs);
    return {begin, last + m_lastOffset, last + m_unit};
}

void PixelSums::addPiece(int64_t startNs, int64_t durationNs, uint8_t cls)
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
        add(sumAt(first), static_cast<uint32_t>(std::max<int64_t>(extent.end - begin, 1)), cls);
        return;
    }
    add(sumAt(first), static_cast<uint32_t>(((first + 1) << kFraction) - begin), cls);
    for (int64_t x = first + 1; x < std::min<int64_t>(last, m_x1); ++x)
        add(sumAt(x), kPixel, cls);
    if (last < m_x1)
        add(sumAt(last), static_cast<uint32_t>(std::max<int64_t>(extent.end - (last << kFraction), 1)), cls);
}

// For slices that lie in [m_x0, m_x1) whole. The first pixel is always added to, the last one or the spare sum, and
// whole pixels in between wait in a list: without branches that cannot be foretold this is nearly twice as fast.
void PixelSums::addInnerPiece(int64_t startNs, int64_t durationNs, uint8_t cls, size_t& wholes)
{
    Extent extent = extentOf(startNs, durationNs);
    const int64_t gap = int64_t{m_gap} << kFraction;
    const bool isWide = gap > 0 && extent.end - extent.begin >= 3 * gap;
    extent.end -= isWide ? gap : 0;
    extent.last = isWide ? extent.end - 1 : extent.last;
    const int64_t first = extent.begin >> kFraction;
    const int64_t last = extent.last >> kFraction;
    const int64_t head = std::min(extent.end, (first + 1) << kFraction) - extent.begin;
    const int64_t tail = extent.end - (last << kFraction);
    add(sumAt(first), static_cast<uint32_t>(head), cls);
    add(sumAt(last > first ? last : m_x1), static_cast<uint32_t>(tail), cls);
    m_wholes[wholes] = {first + 1, last, cls};
    wholes += last > first + 1;
}

void PixelSums::addWholes(size_t wholes)
{
    for (size_t i = 0; i < wholes; ++i) {
        for (int64_t x = m_wholes[i].begin; x < m_wholes[i].end; ++x)
            add(sumAt(x), kPixel, m_wholes[i].cls);
    }
}

void PixelSums::addBucket(int pixel, uint16_t cell, uint32_t weight)
{
    const uint32_t covered = std::max((cell >> 8) * weight >> 8, 1u);
    add(sumAt(pixel), covered, static_cast<uint8_t>(cell));
}

// A bucket that starts in a pixel, so far from its left edge, in 2^-22 pixels. What reaches into the pixel after the
// last one goes to the spare sum.
void PixelSums::addStarting(int pixel, uint16_t cell, int64_t offset, int64_t width, bool sharesPixel)
{
    constexpr uint32_t kFull = (1u << 30) / 255 + 1;
    constexpr uint32_t kHalf = (1u << 29) / 255 + 1;
    if (cell == 0)
        return;
    const uint32_t coverage = cell >> 8;
    if (coverage < kSolid) {
        addBucket(pixel, cell, sharesPixel ? kHalf : kFull);
        return;
    }
    const int64_t spill = std::max<int64_t>(offset + width - int64_t{kPixel}, 0);
    Sum* sum = &sumAt(pixel);
    const auto cls = static_cast<uint8_t>(cell);
    add(sum[0], shareOf(coverage, width - spill), cls);
    if (spill > 0)
        add(sum[1], shareOf(coverage, spill), cls);
}

/// A bucket that starts before the first pixel and ends so far behind its left edge.
void PixelSums::addSpill(uint16_t cell, int64_t end)
{
    if (cell >> 8 >= kSolid && end > 0)
        add(sumAt(m_x0), shareOf(cell >> 8, end), static_cast<uint8_t>(cell));
}

void PixelSums::cutGap(int64_t startNs, int64_t durationNs, uint8_t cls)
{
    const Extent extent = extentOf(startNs, durationNs);
    const int64_t last = (extent.end - 1) >> kFraction;
    const auto rest = static_cast<uint32_t>(extent.end - (last << kFraction));
    for (int64_t x = last - m_gap; x < last; ++x) {
        if (x < m_x0 || x >= m_x1)
            continue;
        sumAt(x) = {0, 0};
        if (x == last - m_gap)
            add(sumAt(x), rest, cls);
    }
    if (last >= m_x0 && last < m_x1) {
        uint32_t& covered = sumAt(last).covered;
        covered = covered > rest ? covered - rest : std::min(covered, 1u);
    }
}

// RowIndex: building

struct RowIndex::Scratch {
    std::vector<uint64_t> covered;
    std::vector<uint64_t> piece; ///< longest part inside the bucket << 8 | 255 - class
    std::vector<uint64_t> whole; ///< the same by the slices' whole lengths
};

template <typename Source> RowIndex::RowIndex(const Source& row)
{
    const uint32_t n = row.size();
    if (n == 0)
        return;
    Scratch scratch;
    m_row = build(row, 0, n, std::max(n / kRowBucket, 1u), scratch);
    m_stretches.reserve((n + kStretch - 1) / kStretch);
    for (uint32_t begin = 0; begin < n; begin += kStretch) {
        const uint32_t end = std::min(begin + kStretch, n);
        m_stretches.push_back({row.startNs(begin), endOf(row, end - 1), build(row, begin, end, end - begin, scratch)});
    }
    m_cells.shrink_to_fit();
    m_longest = LongestBlocks(n, [&](uint32_t k) { return row.durationNs(k); });
}

template <typename Source>
RowIndex::Pyramid RowIndex::build(const Source& row, uint32_t begin, uint32_t end, uint64_t buckets, Scratch& scratch)
{
    Pyramid pyramid;
    const int64_t firstNs = row.startNs(begin);
    const int64_t lastNs = std::max(endOf(row, end - 1) - 1, firstNs);
    const uint64_t span = static_cast<uint64_t>(lastNs) - static_cast<uint64_t>(firstNs) + 1;
    int shift = 0;
    while (span >> shift > buckets)
        ++shift;
    pyramid.baseShift = static_cast<int8_t>(shift);
    pyramid.firstBucket = firstNs >> shift;
    pyramid.lastBucket = lastNs >> shift;
    pyramid.cellsAt = m_cells.size();

    const int64_t base = pyramid.firstBucket;
    size_t count = static_cast<size_t>(pyramid.lastBucket - base) + 1;
    scratch.covered.assign(count, 0);
    scratch.piece.assign(count, 0);
    scratch.whole.assign(count, 0);
    constexpr uint64_t kLongest = (uint64_t{1} << 55) - 1;
    for (uint32_t k = begin; k < end; ++k) {
        const int64_t from = row.startNs(k);
        const int64_t to = std::min(endOf(row, k) - 1, lastNs); ///< last ns
        const uint64_t mark = 255u - row.classIndex(k);
        const uint64_t whole
            = std::min(static_cast<uint64_t>(to) - static_cast<uint64_t>(from) + 1, kLongest) << 8 | mark;
        for (int64_t b = from >> shift; b <= to >> shift; ++b) {
            const auto at = static_cast<size_t>(b - base);
            const uint64_t left = b == from >> shift ? static_cast<uint64_t>(from) : static_cast<uint64_t>(b) << shift;
            const uint64_t right
                = b == to >> shift ? static_cast<uint64_t>(to) + 1 : (static_cast<uint64_t>(b) + 1) << shift;
            scratch.covered[at] += right - left;
            scratch.piece[at] = std::max(scratch.piece[at], std::min(right - left, kLongest) << 8 | mark);
            scratch.whole[at] = std::max(scratch.whole[at], whole);
        }
    }
    // Coverages are rounded up at every level, so that nothing ever becomes nothing.
    for (size_t i = 0; i < count; ++i) {
        if (scratch.covered[i] == 0) {
            m_cells.push_back(0);
            continue;
        }
        const Int128 width = Int128{1} << shift;
        const auto covered
            = static_cast<uint16_t>(std::min<Int128>(255, (Int128{scratch.covered[i]} * 255 + width - 1) >> shift));
        m_cells.push_back(packed(covered, scratch.piece[i]));
    }
    int64_t low = base;
    int64_t high = pyramid.lastBucket;
    pyramid.levels = 1;
    size_t finer = pyramid.cellsAt;
    while (high - low >= 2) {
        const int64_t lowUp = low >> 1;
        const int64_t highUp = high >> 1;
        const size_t here = m_cells.size();
        for (int64_t b = lowUp; b <= highUp; ++b) {
            uint32_t sum = 0;
            uint64_t longest = 0;
            for (int64_t child = std::max(2 * b, low); child <= std::min(2 * b + 1, high); ++child) {
                const auto at = static_cast<size_t>(child - low);
                sum += m_cells[finer + at] >> 8;
                longest = std::max(longest, scratch.whole[at]);
            }
            scratch.whole[static_cast<size_t>(b - lowUp)] = longest;
            m_cells.push_back(sum == 0 ? uint16_t{0} : packed((sum + 1) / 2, longest));
        }
        finer = here;
        low = lowUp;
        high = highUp;
        ++pyramid.levels;
    }
    return pyramid;
}

// RowIndex: asking

template <typename Source> void RowIndex::query(const Source& row, PixelSums& sums) const
{
    if (m_stretches.empty() || sums.m_x0 >= sums.m_x1)
        return;
    const PixelGrid& grid = *sums.m_grid;
    const int64_t fromNs = grid.firstNs(sums.m_x0);
    // A pixel finer than 1 ns can hold no first ns; what began before it may still cover it.
    const int64_t toNs = std::max(grid.firstNs(sums.m_x1), addSaturated(fromNs, 1));
    const int shift = grid.bucketShift();
    if (m_row.baseShift <= shift) {
        queryPyramid(m_row, sums);
        const uint32_t begin = firstEndingAfter(row, fromNs);
        cutGaps(row, begin, std::max(begin, firstStartingAt(row, toNs)), sums);
        return;
    }
    const auto count = static_cast<uint32_t>(m_stretches.size());
    // One before: with pixels finer than 1 ns the left edge lies inside the ns before.
    const int64_t reachNs = subSaturated(fromNs, 1);
    for (uint32_t i = partitionPoint(0, count, [&](uint32_t k) { return m_stretches[k].endNs <= reachNs; });
         i < count && m_stretches[i].beginNs < toNs; ++i) {
        const uint32_t begin = i * kStretch;
        const uint32_t end = std::min(begin + kStretch, row.size());
        if (m_stretches[i].pyramid.baseShift <= shift) {
            queryPyramid(m_stretches[i].pyramid, sums);
            cutGaps(row, begin, end, sums);
        } else {
            walk(row, begin, end, sums);
        }
    }
}

void RowIndex::queryPyramid(const Pyramid& pyramid, PixelSums& sums) const
{
    const PixelGrid& grid = *sums.m_grid;
    const int shift = grid.bucketShift();
    const int level = std::min(shift - pyramid.baseShift, pyramid.levels - 1);
    const uint16_t* cells = m_cells.data() + pyramid.cellsAt;
    for (int l = 0; l < level; ++l)
        cells += (pyramid.lastBucket >> l) - (pyramid.firstBucket >> l) + 1;
    const int64_t low = pyramid.firstBucket >> level;
    const int64_t high = pyramid.lastBucket >> level;
    const int levelShift = pyramid.baseShift + level;
    const auto startOf
        = [levelShift](int64_t bucket) { return static_cast<int64_t>(static_cast<uint64_t>(bucket) << levelShift); };
    if (levelShift < shift) {
        const uint32_t weight = grid.scale().bucketWeight(levelShift);
        for (int64_t b = low; b <= high; ++b) {
            const int pixel = grid.scale().pixelOf(startOf(b));
            if (cells[b - low] != 0 && pixel >= sums.m_x0 && pixel < sums.m_x1)
                sums.addBucket(pixel, cells[b - low], weight);
        }
        return;
    }
    // A bucket belongs to the pixel in which it starts, and a pixel stands for the one or two buckets that start in it.
    // Only what is solid spills into the next pixel by what it covers there, so that edges lie where they are.
    const int64_t width = int64_t{grid.scale().bucketWeight(levelShift)} * 255 >> (30 - kFraction);
    const int64_t left = grid.firstBucket(sums.m_x0);
    if (low < left && left - 1 <= high) {
        const int64_t begin = grid.scale().position(startOf(left - 1)) - (int64_t{sums.m_x0} << kFraction);
        sums.addSpill(cells[left - 1 - low], begin + width);
    }
    const int first = low <= left ? sums.m_x0 : std::clamp(grid.scale().pixelOf(startOf(low)), sums.m_x0, sums.m_x1);
    const int last = high >= grid.firstBucket(sums.m_x1)
        ? sums.m_x1 - 1
        : std::clamp(grid.scale().pixelOf(startOf(high)), sums.m_x0 - 1, sums.m_x1 - 1);
    for (int pixel = first; pixel <= last; ++pixel) {
        const int64_t begin = grid.firstBucket(pixel);
        const int64_t end = grid.firstBucket(pixel + 1);
        int64_t offset = grid.bucketOffset(pixel) + (begin < low ? width : 0);
        for (int64_t b = std::max(begin, low); b < std::min(end, high + 1); ++b, offset += width)
            sums.addStarting(pixel, cells[b - low], offset, width, end - begin > 1);
    }
}

template <typename Source> void RowIndex::walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
{
    const PixelGrid& grid = *sums.m_grid;
    const int64_t fromNs = subSaturated(grid.firstNs(sums.m_x0), 1);
    const int64_t toNs = addSaturated(grid.firstNs(sums.m_x1), 1);
    uint32_t k = partitionPoint(begin, end, [&](uint32_t i) { return endOf(row, i) <= fromNs; });
    uint32_t last = partitionPoint(k, end, [&](uint32_t i) { return row.startNs(i) < toNs; });
    const auto addOuter = [&](uint32_t i) { sums.addPiece(row.startNs(i), row.durationNs(i), row.classIndex(i)); };
    // Those at the edges may stick out; a slice of the ns beside the edge is one that may.
    for (int i = 0; i < 2 && k < last; ++i)
        addOuter(k++);
    for (int i = 0; i < 2 && k < last; ++i)
        addOuter(--last);
    const auto isInner = [&](uint32_t i) {
        return row.startNs(i) >= grid.firstNs(sums.m_x0) && endOf(row, i) <= grid.firstNs(sums.m_x1);
    };
    if (k >= last || grid.bucketShift() < 0 || !isInner(k) || !isInner(last - 1)) {
        for (; k < last; ++k)
            addOuter(k);
        return;
    }
    if (sums.m_wholes.size() < last - k)
        sums.m_wholes.resize(last - k);
    size_t wholes = 0;
    for (; k < last; ++k)
        sums.addInnerPiece(row.startNs(k), row.durationNs(k), row.classIndex(k), wholes);
    sums.addWholes(wholes);
}

template <typename Source>
void RowIndex::cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
{
    if (sums.m_gap == 0)
        return;
    const int64_t atLeastNs = std::max<int64_t>(sums.m_grid->scale().nsOfPixels(kNarrowestCutPixels * sums.m_gap), 1);
    for (uint32_t k = nextOfLength(row, begin, end, atLeastNs); k < end; k = nextOfLength(row, k + 1, end, atLeastNs))
        sums.cutGap(row.startNs(k), row.durationNs(k), row.classIndex(k));
}

template <typename Source> uint32_t RowIndex::firstEndingAfter(const Source& row, int64_t timeNs)
{
    return partitionPoint(0, row.size(), [&](uint32_t k) { return endOf(row, k) <= timeNs; });
}

template <typename Source> uint32_t RowIndex::firstStartingAt(const Source& row, int64_t timeNs)
{
    return partitionPoint(0, row.size(), [&](uint32_t k) { return row.startNs(k) < timeNs; });
}

template <typename Source>
uint32_t RowIndex::nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const
{
    return m_longest.next(begin, end, atLeastNs, [&](uint32_t k) { return row.durationNs(k); });
}

template <typename Source> uint32_t RowIndex::longestOf(const Source& row, uint32_t begin, uint32_t end) const
{
    uint32_t best = begin;
    int64_t longest = row.durationNs(begin);
    for (uint32_t k = begin + 1; k < end;) {
        const uint32_t found = nextOfLength(row, k, end, addSaturated(longest, 1));
        if (found >= end)
            break;
        best = found;
        longest = row.durationNs(found);
        k = found + 1;
    }
    return best;
}

size_t RowIndex::memoryUsage() const
{
    return m_stretches.capacity() * sizeof(Stretch) + m_cells.capacity() * sizeof(uint16_t) + m_longest.memoryUsage();
}

#define TORCHLINE_ROW_INDEX(Source)                                                                                    \
    template RowIndex::RowIndex(const Source&);                                                                        \
    template void RowIndex::query(const Source&, PixelSums&) const;                                                    \
    template uint32_t RowIndex::firstEndingAfter(const Source&, int64_t);                                              \
    template uint32_t RowIndex::firstStartingAt(const Source&, int64_t);                                               \
    template uint32_t RowIndex::nextOfLength(const Source&, uint32_t, uint32_t, int64_t) const;                        \
    template uint32_t RowIndex::longestOf(const Source&, uint32_t, uint32_t) const;

TORCHLINE_ROW_INDEX(SliceRow)
TORCHLINE_ROW_INDEX(IntervalRow)
TORCHLINE_ROW_INDEX(BusyRow)

#undef TORCHLINE_ROW_INDEX

} // namespace torchline::lod
