#pragma once
// RowIndex: the sections of a row, one behind the other, and the pixel query on all of them. A row of a whole trace has
// one section; one that grows has many short ones, and takes over from the index before it those that did not change.
// A row itself is any source of (start, duration, class) in order of start: SliceRow and BusyRow read a lane's columns,
// IntervalRow holds merged intervals.
// Thread: const after construction. Cost: build O(n) for the slices of new sections; query O(pixels + sections in
// view).

#include "lod/row_section.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace torchline::lod {

class RowIndex {
public:
    static constexpr uint32_t kOneSection = 0xFFFFFFFF;

    RowIndex() = default;
    /// So many slices a section, a multiple of 1024.
    template <typename Source> explicit RowIndex(const Source& row, uint32_t sectionSlices = kOneSection);
    /// Of a row that grew. isSame(begin, end): slices [begin, end) are now what they were for `before`.
    template <typename Source, typename IsSame>
    RowIndex(const Source& row, uint32_t sectionSlices, const RowIndex& before, const IsSame& isSame)
    {
        for (uint32_t begin = 0; begin < row.size(); begin += std::min(sectionSlices, row.size() - begin)) {
            const uint32_t end = begin + std::min(sectionSlices, row.size() - begin);
            const size_t at = m_sections.size();
            const bool isKept = at < before.m_sections.size() && before.m_sections[at]->begin() == begin
                && before.m_sections[at]->end() == end && isSame(begin, end);
            m_sections.push_back(isKept ? before.m_sections[at] : std::make_shared<const RowSection>(row, begin, end));
        }
    }

    /// Adds what lies in the pixels that sums was reset for.
    template <typename Source> void query(const Source& row, PixelSums& sums) const;

    /// First slice whose end (at least 1 ns after its start) lies after t; size() if none.
    template <typename Source> [[nodiscard]] static uint32_t firstEndingAfter(const Source& row, int64_t timeNs)
    {
        return lod::firstEndingAfter(row, 0, row.size(), timeNs);
    }
    /// First slice that starts at or after t.
    template <typename Source> [[nodiscard]] static uint32_t firstStartingAt(const Source& row, int64_t timeNs)
    {
        return lod::firstStartingAt(row, 0, row.size(), timeNs);
    }
    /// First slice of [begin, end) that lasts at least so long; end if none. O(result / 64) at worst.
    template <typename Source>
    [[nodiscard]] uint32_t nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const;
    /// Longest slice of [begin, end), the first of equals; begin < end.
    template <typename Source> [[nodiscard]] uint32_t longestOf(const Source& row, uint32_t begin, uint32_t end) const;

    [[nodiscard]] size_t memoryUsage() const;

private:
    [[nodiscard]] size_t sectionOf(uint32_t k) const;

    std::vector<std::shared_ptr<const RowSection>> m_sections; ///< all but the last have the same number of slices
};

} // namespace torchline::lod
