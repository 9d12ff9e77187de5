#pragma once
// The same slice in another snapshot of the trace: of a file that was read again, of a recording that grew.
// Thread: any.

#include "model/lane_match.h"
#include "model/slice_mask.h"

namespace torchline {

/// What is later in the second, where times count from another first slice: of the same files, read or recorded further.
[[nodiscard]] int64_t shiftBetween(const LaneMatch& match);
/// By lane, start and name; invalid if there is none. Cost: O(log slices).
[[nodiscard]] SliceRef sameSlice(const LaneMatch& match, SliceRef slice);
/// Of one slice alone. Cost: O(lanes log lanes).
[[nodiscard]] SliceRef sameSlice(const TraceSnapshot& from, SliceRef slice, const TraceSnapshot& in);
/// Both have the same lanes by the same ids, on the same time axis. Cost: O(lanes), without a LaneMatch.
[[nodiscard]] bool haveSameLanes(const TraceSnapshot& a, const TraceSnapshot& b);
/// The same slices; those that are not there any more are left out. Cost: O(slices / 64), and a search for each slice
/// behind what is the same in both.
[[nodiscard]] SliceMask sameSlices(const TraceSnapshot& from, const SliceMask& mask, const TraceSnapshot& in);

} // namespace torchline
