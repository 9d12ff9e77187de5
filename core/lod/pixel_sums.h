#pragma once
// PixelCell: what a pixel of a row shows. PixelSums: how much of each pixel of a row is covered and by what, summed up
// from slices and from buckets of pyramids; kept between rows to save allocations. Lengths are in 2^-22 pixels.
// Thread: one. Cost: some ns a pixel, a slice or a bucket.

#include "lod/pixel_scale.h"
#include "lod/work_class.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace torchline::lod {

/// A pixel of a row: 0 for nothing, else coverage step << 4 | WorkClass. A step is 1 to kCoverageSteps.
using PixelCell = uint8_t;
constexpr int kCoverageSteps = 5; ///< up to 10, 30, 55, 80 % of the pixel covered, above
[[nodiscard]] constexpr PixelCell makeCell(int step, WorkClass cls)
{
    return static_cast<PixelCell>(step << 4 | static_cast<int>(cls));
}
[[nodiscard]] constexpr int stepOf(PixelCell cell)
{
    return cell >> 4;
}
[[nodiscard]] constexpr WorkClass classOf(PixelCell cell)
{
    return static_cast<WorkClass>(cell & 15);
}

/// Cells of one level of a pyramid: [0] is bucket `low`, the last one `high`; coverage << 8 | class, 0 for nothing.
struct BucketCells {
    const uint16_t* cells = nullptr;
    int64_t low = 0;
    int64_t high = 0;
    int shift = 0; ///< a bucket is 2^shift ns wide

    [[nodiscard]] uint16_t at(int64_t bucket) const
    {
        return bucket >= low && bucket <= high ? cells[bucket - low] : uint16_t{0};
    }
};

class PixelSums {
public:
    /// Pixels left blank at the right end of slices that are at least three times as wide; 1 by default, 0: none.
    void setGap(int pixels) { m_gap = pixels; }
    /// Ready for pixels [x0, x1) of this grid, which stays as long; all empty.
    void reset(const PixelGrid& grid, int x0, int x1);
    /// Coverage and class of each pixel; out[0] is pixel x0.
    void resolve(PixelCell* out) const;

    [[nodiscard]] const PixelGrid& grid() const { return *m_grid; }
    [[nodiscard]] bool isEmpty() const { return m_x0 >= m_x1; }
    /// First times of the first pixel and of the one after the last.
    [[nodiscard]] int64_t beginNs() const { return m_grid->firstNs(m_x0); }
    [[nodiscard]] int64_t endNs() const { return m_grid->firstNs(m_x1); }
    /// Shorter slices read from buckets have no gap of their own, coverage decides; 0: no slice has.
    [[nodiscard]] int64_t leastCutNs() const { return m_leastCutNs; }

    /// A slice anywhere.
    void addSlice(int64_t startNs, int64_t durationNs, uint8_t cls);
    /// Whether slices that lie in a range can be added by addInner().
    [[nodiscard]] bool isInner(int64_t fromNs, int64_t toNs) const
    {
        return m_grid->bucketShift() >= 0 && fromNs >= beginNs() && toNs <= endNs();
    }
    /// Slices [begin, end) of a row.
    template <typename Source> void addInner(const Source& row, uint32_t begin, uint32_t end);
    /// Buckets of the grid's width or narrower ones.
    void addBuckets(const BucketCells& buckets);
    /// Takes the gap at the right end of a slice that was added with its bucket away again.
    void cutGap(int64_t startNs, int64_t durationNs, uint8_t cls);

private:
    /// A slice as the pixels from m_x0 on that it touches, and what it covers of the first and of the last of them.
    static constexpr uint32_t kInnerAtOnce = 128;
    struct Inner {
        int32_t first;
        int32_t last;
        uint32_t head;
        uint32_t tail; ///< only if it is not the first
        uint8_t cls;
    };
    /// Where a slice begins and ends; the last place that it touches may lie before its end.
    struct Extent {
        int64_t begin;
        int64_t last;
        int64_t end;
    };
    static constexpr int kFraction = PixelScale::kFractionBits;
    static constexpr uint32_t kPixel = 1u << kFraction;
    static constexpr uint32_t kMostCovered = 1u << 30;

    class BucketAdder;
    // By value: with references compilers choose between addresses, which costs a branch.
    static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
    static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
    [[nodiscard]] Extent extentOf(int64_t startNs, int64_t durationNs) const;
    /// Of pieces that meet in a pixel the one with the highest rank counts: the longest, of equals the lowest class.
    static uint32_t rank(uint32_t covered, uint8_t cls) { return covered << 8 | (cls ^ 255u); }
    void add(int64_t pixel, uint32_t covered, uint8_t cls)
    {
        const auto at = static_cast<size_t>(pixel - m_x0);
        m_covered[at] = smaller(m_covered[at] + covered, kMostCovered);
        m_best[at] = larger(m_best[at], rank(covered, cls));
    }
    void addInner(const Inner* slices, uint32_t count);
    void addNarrow(const BucketCells& buckets);

    const PixelGrid* m_grid = nullptr;
    int m_x0 = 0;
    int m_x1 = 0;
    int m_gap = 1;
    int64_t m_unit = 1; ///< width of 1 ns
    int64_t m_lastOffset = 0; ///< from the place of a slice's last ns to the last place it touches
    int64_t m_leastCutNs = 0;
    // By pixel; one more at the end takes what is not wanted.
    std::vector<uint32_t> m_covered;
    std::vector<uint32_t> m_best;
};

template <typename Source> void PixelSums::addInner(const Source& row, uint32_t begin, uint32_t end)
{
    std::array<Inner, kInnerAtOnce> inner;
    const ViewPositions positions = m_grid->viewPositions();
    const int64_t unit = m_unit;
    const int64_t left = int64_t{m_x0} << kFraction;
    const int64_t gap = int64_t{m_gap} << kFraction;
    const int64_t wide = gap > 0 ? 3 * gap : kMaxNs;
    while (begin < end) {
        const uint32_t count = smaller(end - begin, kInnerAtOnce);
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t startNs = row.startNs(begin + i);
            const int64_t durationNs = row.durationNs(begin + i);
            const int64_t from = positions.of(startNs) - left;
            const int64_t touched = positions.of(startNs + durationNs - (durationNs > 0)) - left;
            const bool isWide = touched + unit - from >= wide;
            const int64_t to = touched + unit - (gap & -int64_t{isWide});
            const int64_t first = from >> kFraction;
            const int64_t last = (isWide ? to - 1 : touched) >> kFraction;
            // A ns counts where it starts, also what of it reaches over the pixel's edge.
            const int64_t edge = (first + 1) << kFraction;
            inner[i] = {static_cast<int32_t>(first), static_cast<int32_t>(last),
                static_cast<uint32_t>((last > first ? edge : to) - from),
                static_cast<uint32_t>(to - (last << kFraction)), row.classIndex(begin + i)};
        }
        addInner(inner.data(), count);
        begin += count;
    }
}

} // namespace torchline::lod
