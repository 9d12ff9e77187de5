#pragma once
// Far-off slices: few, and so far from all others that showing them would leave nothing of the rest to see.
// Thread: any. Cost: O(blocks of slices) where nothing is far off, else O(slices).

#include "model/file_store.h"

#include <span>
#include <vector>

namespace torchline {

struct FitRange {
    TimeRange range; ///< of all slices that are not far off
    uint64_t farOff = 0; ///< slices that start outside
    std::vector<uint64_t> places; ///< event offsets of the first of them
};

/// zeroNs: where time 0 of the file lies on the columns' axis.
[[nodiscard]] FitRange fitRange(std::span<const LaneStore> lanes, int64_t zeroNs);

} // namespace torchline
