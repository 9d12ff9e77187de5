#include "lod/row_index.h"

#include "lod/busy_row.h"
#include "lod/interval_row.h"

#include <algorithm>

namespace torchline::lod {

namespace {

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

// Without going through lane and block for each of them.
void addInner(const SliceRow& row, uint32_t begin, uint32_t end, PixelSums& sums)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    if (row.order != nullptr || begin / kRows != (end - 1) / kRows) {
        sums.addInner(row, begin, end);
        return;
    }
    const SliceBlock& block = *row.lane->store().blocks[begin / kRows];
    const uint32_t at = begin % kRows;
    const SliceColumns columns{
        block.startNs.data() + at, block.durationNs.data() + at, row.classes + begin, row.lane->offsetNs()};
    sums.addInner(columns, 0, end - begin);
}

/// A cell from its coverage of 0 to 255 and a length << 8 | 255 - class.
uint16_t packed(uint32_t covered, uint64_t longest)
{
    return static_cast<uint16_t>(covered << 8 | (255 - static_cast<uint32_t>(longest & 255)));
}

} // namespace

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
    if (m_stretches.empty() || sums.isEmpty())
        return;
    const int64_t fromNs = sums.beginNs();
    // A pixel finer than 1 ns can hold no first ns; what began before it may still cover it.
    const int64_t toNs = std::max(sums.endNs(), addSaturated(fromNs, 1));
    const int shift = sums.grid().bucketShift();
    if (m_row.baseShift <= shift) {
        sums.addBuckets(levelOf(m_row, shift));
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
BucketCells RowIndex::levelOf(const Pyramid& pyramid, int shift) const
{
    const int level = std::min(shift - pyramid.baseShift, pyramid.levels - 1);
    const uint16_t* cells = m_cells.data() + pyramid.cellsAt;
    for (int l = 0; l < level; ++l)
        cells += (pyramid.lastBucket >> l) - (pyramid.firstBucket >> l) + 1;
    return {cells, pyramid.firstBucket >> level, pyramid.lastBucket >> level, pyramid.baseShift + level};
}

template <typename Source> void RowIndex::walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
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
void RowIndex::cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const
{
    const int64_t atLeastNs = sums.leastCutNs();
    if (atLeastNs == 0)
        return;
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
