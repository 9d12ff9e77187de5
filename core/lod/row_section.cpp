#include "lod/row_section.h"

#include "lod/busy_row.h"
#include "lod/interval_row.h"

#include <algorithm>

namespace torchline::lod {

namespace {

/// Slices of a lane that lie side by side in its columns.
struct SliceColumns {
    const int64_t* startsNs;
    const int64_t* durationsNs;
    const uint8_t* classes;
    int64_t offsetNs;

    [[nodiscard]] int64_t startNs(uint32_t k) const { return addSaturated(startsNs[k], offsetNs); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return durationsNs[k]; }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return classes[k]; }
};

template <typename Source> void addInner(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums)
{
    sums.addInner(row, begin, end);
}

/// Slices of a lane that lie side by side in a list.
struct ListedSlices {
    const Lane* lane;
    const SliceClasses* classes;
    const uint32_t* order;

    [[nodiscard]] int64_t startNs(uint32_t k) const { return lane->startNs(order[k]); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return lane->durationNs(order[k]); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return (*classes)[order[k]]; }
};

// Without going through blocks for each of them.
void addInner(const SliceRow& row, uint32_t begin, uint32_t end, PixelSums& sums)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    const uint32_t blockSize = row.order != nullptr ? SliceList::kBlock : kRows;
    if (begin / blockSize != (end - 1) / blockSize) {
        sums.addInner(row, begin, end);
        return;
    }
    const uint32_t at = begin % blockSize;
    if (row.order != nullptr) {
        const ListedSlices slices{row.lane, row.classes, row.order->block(begin / blockSize).data() + at};
        sums.addInner(slices, 0, end - begin);
        return;
    }
    const SliceBlock& block = *row.lane->store().blocks[begin / kRows];
    const SliceColumns columns{block.startNs.data() + at, block.durationNs.data() + at,
        row.classes->block(begin / kRows).data() + at, row.lane->offsetNs()};
    sums.addInner(columns, 0, end - begin);
}

/// A cell from its coverage of 0 to 255 and a length << 8 | 255 - class.
uint16_t packed(uint32_t covered, uint64_t longest)
{
    return static_cast<uint16_t>(covered << 8 | (255 - static_cast<uint32_t>(longest & 255)));
}

} // namespace

// RowSection: building

struct RowSection::Scratch {
    std::vector<uint64_t> covered;
    std::vector<uint64_t> piece; ///< longest part inside the bucket << 8 | 255 - class
    std::vector<uint64_t> whole; ///< the same by the slices' whole lengths
};

template <typename Source>
RowSection::RowSection(const Source& row, uint32_t first, uint32_t last)
    : m_begin(first)
    , m_end(last)
    , m_beginNs(row.startNs(first))
    , m_endNs(endOf(row, last - 1))
{
    Scratch scratch;
    const uint32_t n = last - first;
    m_whole = build(row, first, last, std::max(n / kWholeBucket, 1u), scratch);
    m_stretches.reserve((n + kStretch - 1) / kStretch);
    for (uint32_t begin = first; begin < last; begin += kStretch) {
        const uint32_t end = std::min(begin + kStretch, last);
        m_stretches.push_back({row.startNs(begin), endOf(row, end - 1), build(row, begin, end, end - begin, scratch)});
    }
    m_cells.shrink_to_fit();
    m_longest = LongestBlocks(n, [&](uint32_t k) { return row.durationNs(first + k); });
}

template <typename Source>
RowSection::Pyramid RowSection::build(
    const Source& row, uint32_t begin, uint32_t end, uint64_t buckets, Scratch& scratch)
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

// RowSection: asking

template <typename Source> void RowSection::query(const Source& row, PixelSums& sums) const
{
    const int64_t fromNs = sums.beginNs();
    // A pixel finer than 1 ns can hold no first ns; what began before it may still cover it.
    const int64_t toNs = std::max(sums.endNs(), addSaturated(fromNs, 1));
    const int shift = sums.grid().bucketShift();
    if (m_whole.baseShift <= shift) {
        sums.addBuckets(levelOf(m_whole, shift));
        if (sums.leastCutNs() > 0) {
            const uint32_t begin = firstEndingAfter(row, m_begin, m_end, fromNs);
            cutGaps(row, begin, firstStartingAt(row, begin, m_end, toNs), sums);
        }
        return;
    }
    const auto count = static_cast<uint32_t>(m_stretches.size());
    // One before: with pixels finer than 1 ns the left edge lies inside the ns before.
    const int64_t reachNs = subSaturated(fromNs, 1);
    for (uint32_t i = partitionPoint(0, count, [&](uint32_t k) { return m_stretches[k].endNs <= reachNs; });
         i < count && m_stretches[i].beginNs < toNs; ++i) {
        const uint32_t begin = m_begin + i * kStretch;
        const uint32_t end = std::min(begin + kStretch, m_end);
        if (m_stretches[i].pyramid.baseShift <= shift) {
            sums.addBuckets(levelOf(m_stretches[i].pyramid, shift));
            cutGaps(row, begin, end, sums);
        } else if (sums.isInner(m_stretches[i].beginNs, m_stretches[i].endNs)) {
            addInner(row, begin, end, sums);
        } else {
            walk(row, begin, end, sums);
        }
    }
}

/// The level of so wide buckets, or the uppermost one.
BucketCells RowSection::levelOf(const Pyramid& pyramid, int shift) const
{
    const int level = std::min(shift - pyramid.baseShift, pyramid.levels - 1);
    const uint16_t* cells = m_cells.data() + pyramid.cellsAt;
    for (int l = 0; l < level; ++l)
        cells += (pyramid.lastBucket >> l) - (pyramid.firstBucket >> l) + 1;
    return {cells, pyramid.firstBucket >> level, pyramid.lastBucket >> level, pyramid.baseShift + level};
}

template <typename Source> void RowSection::walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
{
    const int64_t fromNs = subSaturated(sums.beginNs(), 1);
    const int64_t toNs = addSaturated(sums.endNs(), 1);
    uint32_t k = partitionPoint(begin, end, [&](uint32_t i) { return endOf(row, i) <= fromNs; });
    uint32_t last = partitionPoint(k, end, [&](uint32_t i) { return row.startNs(i) < toNs; });
    const auto addOuter = [&](uint32_t i) { sums.addSlice(row.startNs(i), row.durationNs(i), row.classIndex(i)); };
    // Those at the edges may stick out; a slice of the ns beside the edge is one that may.
    for (int i = 0; i < 2 && k < last; ++i)
        addOuter(k++);
    for (int i = 0; i < 2 && k < last; ++i)
        addOuter(--last);
    if (k < last && sums.isInner(row.startNs(k), endOf(row, last - 1))) {
        addInner(row, k, last, sums);
        return;
    }
    for (; k < last; ++k)
        addOuter(k);
}

template <typename Source>
void RowSection::cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
{
    const int64_t atLeastNs = sums.leastCutNs();
    if (atLeastNs == 0)
        return;
    for (uint32_t k = nextOfLength(row, begin, end, atLeastNs); k < end; k = nextOfLength(row, k + 1, end, atLeastNs))
        sums.cutGap(row.startNs(k), row.durationNs(k), row.classIndex(k));
}

template <typename Source>
uint32_t RowSection::nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const
{
    return m_begin + m_longest.next(begin - m_begin, end - m_begin, atLeastNs, [&](uint32_t k) {
        return row.durationNs(m_begin + k);
    });
}

size_t RowSection::memoryUsage() const
{
    return m_stretches.capacity() * sizeof(Stretch) + m_cells.capacity() * sizeof(uint16_t) + m_longest.memoryUsage();
}

#define TORCHLINE_ROW_SECTION(Source)                                                                                  \
    template RowSection::RowSection(const Source&, uint32_t, uint32_t);                                                \
    template void RowSection::query(const Source&, PixelSums&) const;                                                  \
    template uint32_t RowSection::nextOfLength(const Source&, uint32_t, uint32_t, int64_t) const;

TORCHLINE_ROW_SECTION(SliceRow)
TORCHLINE_ROW_SECTION(IntervalRow)
TORCHLINE_ROW_SECTION(BusyRow)

#undef TORCHLINE_ROW_SECTION

} // namespace torchline::lod
