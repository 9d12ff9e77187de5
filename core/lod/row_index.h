#pragma once
// RowIndex: pyramids over one row of slices that do not overlap, and the pixel query on them (README.md of this folder
// tells how). 3.5 bytes a slice. A row itself is any source of (start, duration, class) in order of start:
// SliceRow and BusyRow read a lane's columns, IntervalRow holds merged intervals.
// Thread: const after construction. Cost: build O(n); query O(pixels), it walks at most a few thousand slices.

#include "lod/longest_blocks.h"
#include "lod/pixel_scale.h"
#include "lod/work_class.h"

#include <cstdint>
#include <memory>
#include <span>
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

/// Slices of one drawing row of a lane, or some of them. Valid as long as the snapshot and the arrays.
struct SliceRow {
    const Lane* lane = nullptr;
    const uint8_t* classes = nullptr; ///< WorkClass by lane index
    const uint32_t* order = nullptr; ///< lane indexes by start; null: 0, 1, 2, ...
    uint32_t count = 0;

    [[nodiscard]] uint32_t size() const { return count; }
    [[nodiscard]] uint32_t laneIndex(uint32_t k) const { return order ? order[k] : k; }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return lane->startNs(laneIndex(k)); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return lane->durationNs(laneIndex(k)); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return classes[laneIndex(k)]; }
};

/// Sums of one row over the pixels of a frame; kept between rows to save allocations.
class PixelSums {
public:
    /// Pixels left blank at the right end of slices that are at least three times as wide; 1 by default, 0: none.
    void setGap(int pixels) { m_gap = pixels; }
    /// Ready for pixels [x0, x1) of this grid; all empty.
    void reset(const PixelGrid& grid, int x0, int x1);
    /// Coverage and class of each pixel; out[0] is pixel x0.
    void resolve(PixelCell* out) const;

private:
    friend class RowIndex;
    struct Sum {
        uint32_t best; ///< longest piece << 8 | 255 - class; lengths in 2^-22 pixels
        uint32_t covered;
    };
    struct Whole {
        int64_t begin;
        int64_t end;
        uint8_t cls;
    };
    /// Where a slice begins and ends, in 2^-22 pixels; the last place that it touches may lie before its end.
    struct Extent {
        int64_t begin;
        int64_t last;
        int64_t end;
    };
    Extent extentOf(int64_t startNs, int64_t durationNs) const;
    Sum& sumAt(int64_t pixel) { return m_sums[static_cast<size_t>(pixel - m_x0)]; }
    static void add(Sum& sum, uint32_t covered, uint8_t cls);
    void addPiece(int64_t startNs, int64_t durationNs, uint8_t cls);
    void addInnerPiece(int64_t startNs, int64_t durationNs, uint8_t cls, size_t& wholes);
    void addBucket(int pixel, uint16_t cell, uint32_t weight);
    void addStarting(int pixel, uint16_t cell, int64_t offset, int64_t width, bool sharesPixel);
    void addSpill(uint16_t cell, int64_t end);
    void addWholes(size_t wholes);
    void cutGap(int64_t startNs, int64_t durationNs, uint8_t cls);

    const PixelGrid* m_grid = nullptr;
    int m_x0 = 0;
    int m_x1 = 0;
    int m_gap = 1;
    int64_t m_unit = 1; ///< width of 1 ns
    int64_t m_lastOffset = 0; ///< from the place of a slice's last ns to the last place it touches
    std::vector<Sum> m_sums; ///< one more at the end takes what is not wanted
    std::vector<Whole> m_wholes;
};

class RowIndex {
public:
    RowIndex() = default;
    template <typename Source> explicit RowIndex(const Source& row);

    /// Adds what lies in the pixels that sums was reset for.
    template <typename Source> void query(const Source& row, PixelSums& sums) const;

    /// First slice whose end (at least 1 ns after its start) lies after t; size() if none.
    template <typename Source> [[nodiscard]] static uint32_t firstEndingAfter(const Source& row, int64_t timeNs);
    /// First slice that starts at or after t.
    template <typename Source> [[nodiscard]] static uint32_t firstStartingAt(const Source& row, int64_t timeNs);
    /// First slice of [begin, end) that lasts at least so long; end if none. O(result / 64) at worst.
    template <typename Source>
    [[nodiscard]] uint32_t nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const;
    /// Longest slice of [begin, end), the first of equals; begin < end.
    template <typename Source> [[nodiscard]] uint32_t longestOf(const Source& row, uint32_t begin, uint32_t end) const;

    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kStretch = 1024; ///< slices
    static constexpr uint32_t kRowBucket = 16; ///< slices a bucket in the pyramid of the whole row

    /// Levels of buckets twice as wide each, all on one origin (time 0); cells of a level lie behind those of the
    /// finer.
    struct Pyramid {
        int64_t firstBucket = 0; ///< of the base
        int64_t lastBucket = 0;
        uint64_t cellsAt = 0;
        int8_t baseShift = 0;
        int8_t levels = 0;
    };
    struct Stretch {
        int64_t beginNs = 0;
        int64_t endNs = 0;
        Pyramid pyramid;
    };
    struct Scratch;

    template <typename Source>
    Pyramid build(const Source& row, uint32_t begin, uint32_t end, uint64_t buckets, Scratch& scratch);
    void queryPyramid(const Pyramid& pyramid, PixelSums& sums) const;
    template <typename Source> void walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;
    template <typename Source> void cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;

    Pyramid m_row;
    std::vector<Stretch> m_stretches;
    std::vector<uint16_t> m_cells; ///< coverage << 8 | class; 0: nothing
    LongestBlocks m_longest; ///< of the durations
};

} // namespace torchline::lod
