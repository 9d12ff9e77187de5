#pragma once
// Nesting of one ordered lane: who is inside whom, depth, drawing rows, and which slices cross.
// Thread: any. Cost: O(n) when nothing crosses, O(n log n) else.

#include "model/lane_columns.h"

#include <vector>

namespace torchline {

struct NestedLane {
    LaneNesting nesting;
    uint32_t crossing = 0; ///< slices that partly overlap an earlier one
    uint32_t beyondRows = 0; ///< slices that found no free row among the 65535 there can be
    /// Slices that cross an earlier one which the same recorder wrote. Python frames and all else have two recorders:
    /// whatever is annotated from Python crosses the frames of __enter__ and __exit__, and nothing is wrong with it.
    /// Slices whose end is only a guess are not named either.
    std::vector<uint32_t> withinRecorder;
};

/// Sets SliceCrossing in the flags of those that cross.
[[nodiscard]] NestedLane nestLane(LaneColumns& lane);

/// Device work that is still running when the second piece of work after it on its stream begins: one stream runs its
/// work in order (two may overlap by a dependent launch), so the duration is wrong. Pieces of no length do not count.
[[nodiscard]] std::vector<uint32_t> contradictingWork(const LaneColumns& lane);

} // namespace torchline
