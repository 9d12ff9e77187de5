#pragma once
// Profiler steps: the host marks ProfilerStep#N. A mark mirrored on a GPU is not a second step.
// Thread: any. Cost: one pass over the host lanes.

#include "model/snapshot_delta.h"

#include <optional>
#include <vector>

namespace torchline {

struct StepMark {
    SliceRef slice;
    std::optional<int64_t> number; ///< N of ProfilerStep#N
    TimeRange range; ///< the host mark's own length
};

/// True for ProfilerStep#N.
[[nodiscard]] bool isStepName(std::string_view name);
/// In order of start (then file).
[[nodiscard]] std::vector<StepMark> profilerSteps(const TraceSnapshot& trace);
/// Of a trace that grew from one whose steps they are. Cost: O(steps, slices behind those that are the same).
[[nodiscard]] std::vector<StepMark> profilerSteps(
    const TraceSnapshot& trace, const std::vector<StepMark>& before, const SnapshotDelta& delta);

} // namespace torchline
