#pragma once
// Slices of every kind by name: how many, and their durations whole: sum, mean, extremes, median. What a drawn range
// and any scope is made of. Thread: any but the GUI thread. Cost: O(slices that are in), 12 bytes each while it
// computes.

#include "analysis/slice_rows.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace torchline {

/// Slices of one name and kind.
struct NameRow {
    NameId name;
    SliceKind kind = SliceKind::Other;
    int64_t calls = 0;
    int64_t totalNs = 0; ///< nested slices count whole: they share time
    int64_t minNs = 0;
    int64_t medianNs = 0; ///< of an even number the mean of the two in the middle, rounded half to even
    int64_t maxNs = 0;
    SliceRef first;
    SliceRef longest; ///< the first of equals
};

struct NameTotals {
    std::vector<NameRow> rows; ///< in the order met, lane by lane
    int64_t calls = 0;
    int64_t totalNs = 0;
    std::shared_ptr<const SliceRows> sliceRows;
};

/// scope: null: all. What it returns when stopped is of no use.
[[nodiscard]] NameTotals nameTotals(
    const TraceSnapshot& trace, const SliceMask* scope = nullptr, std::stop_token stop = {});

/// The middle of some durations, which it reorders; 0 without any.
[[nodiscard]] int64_t medianNs(std::vector<int64_t>& durations);

} // namespace torchline
