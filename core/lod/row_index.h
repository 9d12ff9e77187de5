#pragma once
// RowIndex: pyramids over one row of slices that do not overlap, and the pixel query on them (README.md of this folder
// tells how). 3.5 bytes a slice. A row itself is any source of (start, duration, class) in order of start:
// SliceRow and BusyRow read a lane's columns, IntervalRow holds merged intervals.
// Thread: const after construction. Cost: build O(n); query O(pixels), it walks at most a few thousand slices.

#include "lod/longest_blocks.h"
#include "lod/pixel_sums.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace torchline::lod {

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
    static constexpr uint32_t kRowBucket = 8; ///< slices a bucket in the pyramid of the whole row

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
    [[nodiscard]] BucketCells levelOf(const Pyramid& pyramid, int shift) const;
    template <typename Source> void walk(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;
    template <typename Source> void cutGaps(const Source& row, uint32_t begin, uint32_t end, PixelSums& sums) const;

    Pyramid m_row;
    std::vector<Stretch> m_stretches;
    std::vector<uint16_t> m_cells; ///< coverage << 8 | class; 0: nothing
    LongestBlocks m_longest; ///< of the durations
};

} // namespace torchline::lod
