#pragma once
// User annotations: the host slices that record_function, NVTX-like marks and the profiler's own steps leave.
// Thread: any.

#include "model/trace_snapshot.h"

#include <vector>

namespace torchline {

/// The innermost annotation around a slice; an annotation is its own. Device work has that of its launch call. Invalid:
/// there is none. O(depth)
[[nodiscard]] SliceRef annotationAround(const TraceSnapshot& trace, SliceRef slice);

/// All on the host that have this name, in order of start (then file). One mirrored on a GPU is not a second one.
/// O(slices of the host)
[[nodiscard]] std::vector<SliceRef> annotationsNamed(const TraceSnapshot& trace, std::string_view name);

} // namespace torchline
