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

    void set(const TraceSnapshot& trace, SliceRef slice, uint32_t row);
    /// kNoRow: none.
    [[nodiscard]] uint32_t rowOf(SliceRef slice) const;
    /// Row r becomes newNumber[r].
    void renumber(std::span<const uint32_t> newNumber);
    [[nodiscard]] SliceMask slicesOf(const TraceSnapshot& trace, uint32_t row, const SliceMask* within = nullptr) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    std::vector<std::vector<uint32_t>> m_lanes; ///< by LaneId; empty: no slice of the lane has a row
};

} // namespace torchline
