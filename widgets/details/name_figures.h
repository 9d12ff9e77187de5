#pragma once
// NameFigures: all slices of one name: how many, how long, and how their durations are spread.
// Thread: any but the GUI thread. Cost: O(slices of the trace).

#include "model/slice_mask.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace torchline {

struct DurationBin {
    int64_t beginNs = 0;
    int64_t endNs = 0; ///< not in it any more
    uint64_t count = 0;
    friend bool operator==(const DurationBin&, const DurationBin&) = default;
};

struct NameFigures {
    NameId name;
    uint64_t count = 0;
    int64_t sumNs = 0;
    int64_t minNs = 0;
    int64_t medianNs = 0;
    int64_t maxNs = 0;
    SliceRef shortest; ///< the first of equals
    SliceRef longest;
    std::vector<DurationBin> bins; ///< one after the other without a gap, the shortest first; each slice in one

    /// None for durations that no slice of the name has.
    [[nodiscard]] std::optional<size_t> binOf(int64_t durationNs) const;
};

[[nodiscard]] NameFigures nameFigures(const TraceSnapshot& trace, NameId name, const std::stop_token& stop = {});
/// The slices of a name whose durations lie in a bin.
[[nodiscard]] std::shared_ptr<const SliceMask> slicesOf(
    const TraceSnapshot& trace, NameId name, const DurationBin& bin, const std::stop_token& stop = {});
/// Bins over [minNs, maxNs], at most so many: equally wide, or each by the same factor wider where the longest is over
/// twenty times the shortest. Durations under 1 ns count as that long in the latter.
[[nodiscard]] std::vector<DurationBin> emptyBins(int64_t minNs, int64_t maxNs, size_t atMost);

} // namespace torchline
