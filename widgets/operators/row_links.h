#pragma once
// RowLinks: which slices a row of a table stands for, and which row a slice was counted in.
// Thread: any but the GUI thread (slicesOf() is one pass over the slices), const.

#include "analysis/slice_rows.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

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

/// Links of a table whose analysis noted the row of each slice.
class SummedRowLinks : public RowLinks {
public:
    SummedRowLinks(std::shared_ptr<const TraceSnapshot> trace, std::shared_ptr<const SliceRows> rows,
        std::vector<SliceRef> firsts);

    [[nodiscard]] Result<SliceMask> slicesOf(std::span<const uint32_t> rows, std::stop_token stop) const override;
    [[nodiscard]] std::optional<uint32_t> rowOf(SliceRef slice) const override;
    [[nodiscard]] SliceRef firstOf(uint32_t row) const override { return m_firsts[row]; }

private:
    std::shared_ptr<const TraceSnapshot> m_trace;
    std::shared_ptr<const SliceRows> m_rows;
    std::vector<SliceRef> m_firsts; ///< by row
};

} // namespace torchline
