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

/// Slices of a lane that lie side by side in a list, and all of them in one block of columns.
struct ListedColumns {
    SliceColumns columns;
    const uint32_t* order;

    [[nodiscard]] uint32_t at(uint32_t k) const { return order[k] % SliceBlock::kRows; }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return columns.startNs(at(k)); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return columns.durationNs(at(k)); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return columns.classIndex(at(k)); }
};

/// Slices of a lane that lie side by side in a list.
struct ListedSlices {
    const Lane* lane;
    const SliceClasses* classes;
    const uint32_t* order;

    [[nodiscard]] int64_t startNs(uint32_t k) const { return lane->startNs(order[k]); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return lane->durationNs(order[k]); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return (*classes)[order[k]]; }
};

SliceColumns columnsOf(const SliceRow& row, size_t block, uint32_t from)
{
    const SliceBlock& slices = *row.lane->store().blocks[block];
    return {slices.startNs.data() + from, slices.durationNs.data() + from, row.classes->block(block).data() + from,
        row.lane->offsetNs()};
}

/// Calls use(slices, first, last) for slices of a row, in whatever form they are read fastest.
template <typename Source, typename Use>
void withSlices(const Source& row, uint32_t begin, uint32_t end, const Use& use)
{
    use(row, begin, end);
}

// Without going through blocks for each of them.
template <typename Use> void withSlices(const SliceRow& row, uint32_t begin, uint32_t end, const Use& use)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    const uint32_t blockSize = row.order != nullptr ? SliceList::kBlock : kRows;
    if (begin / blockSize != (end - 1) / blockSize) {
        use(row, begin, end);
        return;
    }
    const uint32_t at = begin % blockSize;
    if (row.order == nullptr) {
        use(columnsOf(row, begin / kRows, at), 0, end - begin);
        return;
    }
    const uint32_t* order = row.order->block(begin / blockSize).data() + at;
    if (order[0] / kRows == order[end - begin - 1] / kRows)
        use(ListedColumns{columnsOf(row, order[0] / kRows, 0), order}, 0, end - begin);
    else
        use(ListedSlices{row.lane, row.classes, order}, 0, end - begin);
}

template <typename Source> void addInner(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums)
{
    withSlices(row, begin, end,
        [&sums](const auto& slices, uint32_t first, uint32_t last) { sums.addInner(slices, first, last); });
}

/// A cell from its coverage of 0 to 255 and a length << 8 | 255 - class.
uint16_t packed(uint32_t covered, uint64_t longest)
{
    return static_cast<uint16_t>(covered << 8 | (255 - static_cast<uint32_t>(longest & 255)));
}

} // namespace

// RowSection: building

/// The finest level of a pyramid while slices are added to it.
class RowSection::Buckets {
public:
    struct Slice {
        int64_t startNs;
        int64_t durationNs;
        uint8_t mark; ///< 255 - class
    };
    struct Bucket {
        uint64_t covered = 0;
        uint64_t piece = 0; ///< longest part inside the bucket << 8 | 255 - class
        uint64_t whole = 0; ///< the same by the slices' whole lengths
    };

    int shift = 0; ///< a bucket is 1 << shift ns wide
    int64_t first = 0;
    int64_t last = 0;
    std::vector<Bucket> buckets;

    /// At most so many, for slices of this stretch of time.
    void reset(int64_t beginNs, int64_t endNs, uint64_t most)
    {
        m_lastNs = std::max(endNs - 1, beginNs);
        const uint64_t span = static_cast<uint64_t>(m_lastNs) - static_cast<uint64_t>(beginNs) + 1;
        shift = 0;
        while (span >> shift > most)
            ++shift;
        first = beginNs >> shift;
        last = m_lastNs >> shift;
        buckets.assign(static_cast<size_t>(last - first) + 1, {});
    }

    void add(const Slice& slice)
    {
        const int64_t from = slice.startNs;
        const int64_t to = std::min(addSaturated(from, std::max<int64_t>(slice.durationNs, 1)) - 1, m_lastNs);
        const auto begin = static_cast<uint64_t>(from);
        const uint64_t end = static_cast<uint64_t>(to) + 1;
        const uint64_t whole = marked(end - begin, slice.mark);
        const int64_t firstBucket = from >> shift;
        const int64_t lastBucket = to >> shift;
        for (int64_t b = firstBucket; b <= lastBucket; ++b) {
            const uint64_t left = b == firstBucket ? begin : static_cast<uint64_t>(b) << shift;
            const uint64_t right = b == lastBucket ? end : (static_cast<uint64_t>(b) + 1) << shift;
            Bucket& bucket = buckets[static_cast<size_t>(b - first)];
            bucket.covered += right - left;
            bucket.piece = std::max(bucket.piece, marked(right - left, slice.mark));
            bucket.whole = std::max(bucket.whole, whole);
        }
    }

    /// Rounded up, so that nothing ever becomes nothing.
    [[nodiscard]] uint32_t share(const Bucket& bucket) const
    {
        constexpr int kMostShift = 54; ///< 255 times the width still fits
        if (shift <= kMostShift) {
            const uint64_t width = uint64_t{1} << shift;
            return static_cast<uint32_t>((std::min(bucket.covered, width) * 255 + width - 1) >> shift);
        }
        const Int128 width = Int128{1} << shift;
        return static_cast<uint32_t>(std::min<Int128>(255, (Int128{bucket.covered} * 255 + width - 1) >> shift));
    }

private:
    static uint64_t marked(uint64_t lengthNs, uint8_t mark)
    {
        constexpr uint64_t kLongest = (uint64_t{1} << 55) - 1;
        return std::min(lengthNs, kLongest) << 8 | mark;
    }

    int64_t m_lastNs = 0;
};

template <typename Source>
RowSection::RowSection(const Source& row, uint32_t first, uint32_t last)
    : m_begin(first)
    , m_end(last)
    , m_beginNs(row.startNs(first))
    , m_endNs(endOf(row, last - 1))
    , m_longest(last - first)
{
    const uint32_t n = last - first;
    Buckets all;
    all.reset(m_beginNs, m_endNs, std::max(n / kWholeBucket, 1u));
    Buckets some;
    std::vector<Buckets::Slice> slices;
    slices.reserve(kStretch);
    m_stretches.reserve((n + kStretch - 1) / kStretch);
    for (uint32_t begin = first; begin < last; begin += kStretch) {
        const uint32_t end = std::min(begin + kStretch, last);
        slices.clear();
        withSlices(row, begin, end, [&slices](const auto& source, uint32_t from, uint32_t to) {
            for (uint32_t k = from; k < to; ++k)
                slices.push_back(
                    {source.startNs(k), source.durationNs(k), static_cast<uint8_t>(255 - source.classIndex(k))});
        });
        const int64_t beginNs = slices.front().startNs;
        const int64_t endNs = endOf(row, end - 1);
        some.reset(beginNs, endNs, end - begin);
        for (const Buckets::Slice& slice : slices) {
            some.add(slice);
            all.add(slice);
        }
        m_stretches.push_back({beginNs, endNs, addPyramid(some)});
        m_longest.set(begin - first, end - first, [&](uint32_t k) { return slices[k - (begin - first)].durationNs; });
    }
    m_whole = addPyramid(all);
    m_cells.shrink_to_fit();
}

RowSection::Pyramid RowSection::addPyramid(Buckets& base)
{
    std::vector<Buckets::Bucket>& buckets = base.buckets;
    Pyramid pyramid;
    pyramid.baseShift = static_cast<int8_t>(base.shift);
    pyramid.firstBucket = base.first;
    pyramid.lastBucket = base.last;
    pyramid.cellsAt = m_cells.size();
    for (const Buckets::Bucket& bucket : buckets)
        m_cells.push_back(bucket.covered == 0 ? uint16_t{0} : packed(base.share(bucket), bucket.piece));
    int64_t low = base.first;
    int64_t high = base.last;
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
                longest = std::max(longest, buckets[at].whole);
            }
            buckets[static_cast<size_t>(b - lowUp)].whole = longest;
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
