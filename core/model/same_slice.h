#pragma once
// The same slice in another snapshot of the trace: of a file that was read again, of a recording that grew.
// Thread: any. Cost: O(lanes + log slices) a slice.

#include "model/slice_mask.h"
#include "model/trace_snapshot.h"

namespace torchline {

/// What is later in the second, where times count from another first slice: of the same files, read or recorded further.
[[nodiscard]] int64_t shiftBetween(const TraceSnapshot& before, const TraceSnapshot& after);
/// By file, process, thread, start and name; invalid if there is none.
[[nodiscard]] SliceRef sameSlice(const TraceSnapshot& from, SliceRef slice, const TraceSnapshot& in);
/// Both have the same lanes, on the same time axis.
[[nodiscard]] bool haveSameLanes(const TraceSnapshot& a, const TraceSnapshot& b);
/// The same slices; those that are not there any more are left out. Cost: O(slices / 64), and a search for each slice
/// behind what is the same in both.
[[nodiscard]] SliceMask sameSlices(const TraceSnapshot& from, const SliceMask& mask, const TraceSnapshot& in);

} // namespace torchline
