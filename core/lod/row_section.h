#pragma once
// RowSection: pyramids over some slices of a row, one behind the other, and the pixel query on them (README.md of this
// folder tells how). 3.5 bytes a slice. It holds no slices: whoever asks gives the row that it was built of, or one
// that has the same slices there. Thread: const after construction. Cost: build O(n); query O(pixels), it walks at most
// a few thousand slices.

#include "lod/longest_blocks.h"
#include "lod/pixel_sums.h"

#include <cstdint>
#include <vector>

namespace torchline::lod {

/// Slices of one drawing row of a lane, or some of them. Valid as long as the snapshot and the arrays.
struct SliceRow {
    const Lane* lane = nullptr;
    const SliceClasses* classes = nullptr; ///< WorkClass by lane index
    const SliceList* order = nullptr; ///< lane indexes by start; null: 0, 1, 2, ...
    uint32_t count = 0;

    [[nodiscard]] uint32_t size() const { return count; }
    [[nodiscard]] uint32_t laneIndex(uint32_t k) const { return order ? (*order)[k] : k; }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return lane->startNs(laneIndex(k)); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return lane->durationNs(laneIndex(k)); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return (*classes)[laneIndex(k)]; }
};

/// A slice covers at least 1 ns.
template <typename Source> [[nodiscard]] int64_t endOf(const Source& row, uint32_t k)
{
    return addSaturated(row.startNs(k), std::max<int64_t>(row.durationNs(k), 1));
}

/// First of [begin, end) for which it does not hold; end if it holds for all.
template <typename Before> [[nodiscard]] uint32_t partitionPoint(uint32_t begin, uint32_t end, Before before)
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
/// First slice of [begin, end) whose end lies after t; end if none.
template <typename Source>
[[nodiscard]] uint32_t firstEndingAfter(const Source& row, uint32_t begin, uint32_t end, int64_t timeNs)
{
    return partitionPoint(begin, end, [&](uint32_t k) { return endOf(row, k) <= timeNs; });
}
/// First slice of [begin, end) that starts at or after t; end if none.
template <typename Source>
[[nodiscard]] uint32_t firstStartingAt(const Source& row, uint32_t begin, uint32_t end, int64_t timeNs)
{
    return partitionPoint(begin, end, [&](uint32_t k) { return row.startNs(k) < timeNs; });
}

class RowSection {
public:
    /// Of slices [first, last); not none.
    template <typename Source> RowSection(const Source& row, uint32_t first, uint32_t last);

    [[nodiscard]] uint32_t begin() const { return m_begin; }
    [[nodiscard]] uint32_t end() const { return m_end; }
    [[nodiscard]] int64_t beginNs() const { return m_beginNs; }
    [[nodiscard]] int64_t endNs() const { return m_endNs; }

    /// Adds what lies in the pixels that sums was reset for.
    template <typename Source> void query(const Source& row, PixelSums& sums) const;
    /// First slice of [begin, end) of it that lasts at least so long; end if none. O(result / 64) at worst.
    template <typename Source>
    [[nodiscard]] uint32_t nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const;

    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kStretch = 1024; ///< slices
    static constexpr uint32_t kWholeBucket = 8; ///< slices a bucket in the pyramid of all

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
    class Buckets;

    Pyramid addPyramid(Buckets& base);
    [[nodiscard]] BucketCells levelOf(const Pyramid& pyramid, int shift) const;
    template <typename Source> void walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;
    template <typename Source> void cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;

    uint32_t m_begin;
    uint32_t m_end;
    int64_t m_beginNs;
    int64_t m_endNs;
    Pyramid m_whole;
    std::vector<Stretch> m_stretches;
    std::vector<uint16_t> m_cells; ///< coverage << 8 | class; 0: nothing
    LongestBlocks m_longest; ///< of the durations
};

} // namespace torchline::lod
