#pragma once
// RowLinks: which slices a row of a table stands for, and which row a slice was counted in.
// Thread: any but the GUI thread (a pass over slices), const.

#include "model/slice_mask.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

namespace torchline {

class RowLinks {
public:
    virtual ~RowLinks() = default;

    /// The slices that were summed into these rows of the analysis.
    [[nodiscard]] virtual Result<SliceMask> slicesOf(std::span<const uint32_t> rows, std::stop_token stop) const = 0;
    [[nodiscard]] virtual std::optional<uint32_t> rowOf(SliceRef slice) const = 0;
    /// Any thread, O(1). Invalid: the row has no slice of its own.
    [[nodiscard]] virtual SliceRef firstOf(uint32_t row) const = 0;
};

/// Adds all of `more` to `mask`; both of the same snapshot.
void unite(SliceMask& mask, const SliceMask& more, const TraceSnapshot& trace);

} // namespace torchline
