#pragma once
// IntervalRow: disjoint intervals with a class each, by start: when a lane or device was busy. A row for RowIndex.
// Thread: const after construction. 17 bytes an interval and the pyramid.

#include "lod/row_index.h"

namespace torchline::lod {

class IntervalRow {
public:
    IntervalRow() = default;

    /// In order of start; what overlaps the last interval extends it.
    void append(int64_t startNs, int64_t endNs, WorkClass cls);
    /// After the last append: sums and pyramids.
    void finish();

    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(m_startNs.size()); }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return m_startNs[k]; }
    [[nodiscard]] int64_t endNs(uint32_t k) const { return m_endNs[k]; }
    [[nodiscard]] int64_t durationNs(uint32_t k) const { return subSaturated(m_endNs[k], m_startNs[k]); }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return m_classes[k]; }

    /// Time of a range that is covered: O(log n).
    [[nodiscard]] int64_t coveredNs(TimeRange range) const;
    /// Gaps between intervals that meet a range and last at least so long, in order; only those between two intervals.
    [[nodiscard]] std::vector<TimeRange> gaps(TimeRange range, int64_t atLeastNs, size_t atMost) const;

    [[nodiscard]] const RowIndex& index() const { return m_index; }
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kSumEvery = 64;
    [[nodiscard]] TimeRange gapAfter(uint32_t k) const { return {m_endNs[k], m_startNs[k + 1]}; }
    [[nodiscard]] int64_t coveredBefore(int64_t timeNs) const;

    std::vector<int64_t> m_startNs;
    std::vector<int64_t> m_endNs;
    std::vector<uint8_t> m_classes;
    std::vector<int64_t> m_coveredNs; ///< by all intervals before each kSumEvery-th
    RowIndex m_index;
    LongestBlocks m_longestGaps;
};

} // namespace torchline::lod
