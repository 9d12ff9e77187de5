#pragma once
// SliceRows: which row of a table each slice was summed into, so that a selection finds its row and a row its slices
// without computing the table again. Four bytes a slice, for lanes that have rows.
// Thread: const after construction.

#include "model/slice_mask.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace torchline {

class SliceRows {
public:
    static constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

    explicit SliceRows(const TraceSnapshot& trace);
    /// Goes on with what others know, in a longer snapshot with the same lanes. Shares it.
    SliceRows(const SliceRows& before, const TraceSnapshot& trace);

    void set(const TraceSnapshot& trace, SliceRef slice, uint32_t row);
    /// kNoRow: none.
    [[nodiscard]] uint32_t rowOf(SliceRef slice) const;
    /// Row r becomes newNumber[r]; nothing is set afterwards.
    void renumber(std::span<const uint32_t> newNumber);
    [[nodiscard]] SliceMask slicesOf(const TraceSnapshot& trace, uint32_t row, const SliceMask* within = nullptr) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    using LaneRows = SharedBlocks<uint32_t, SliceBlock::kRows>;
    [[nodiscard]] uint32_t shown(uint32_t row) const
    {
        return row == kNoRow || m_newNumber.empty() ? row : m_newNumber[row];
    }

    std::vector<LaneRows> m_lanes; ///< by LaneId, rows as they were set; empty: no slice of the lane has one
    std::vector<uint32_t> m_newNumber; ///< of those rows; empty: the same
};

} // namespace torchline
