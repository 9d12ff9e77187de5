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
/// A step is slow from 1.1 medians on.
[[nodiscard]] constexpr bool isSlowStep(int64_t durationNs, int64_t medianNs)
{
    return static_cast<double>(durationNs) > 1.1 * static_cast<double>(medianNs);
}
/// In order of start (then file).
[[nodiscard]] std::vector<StepMark> profilerSteps(const TraceSnapshot& trace);
/// Of a trace that grew from one whose steps they are. Cost: O(steps, slices behind those that are the same).
[[nodiscard]] std::vector<StepMark> profilerSteps(
    const TraceSnapshot& trace, const std::vector<StepMark>& before, const SnapshotDelta& delta);

} // namespace torchline
