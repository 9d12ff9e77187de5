#pragma once
// SlowSteps: which profiler steps of a stretch of time took longer than usual, and on what most of the time over the
// usual went. Thread: any. Cost: O(slices inside kMostCompared steps), whatever the trace holds.

#include "model/steps.h"

#include <span>
#include <string>

namespace torchline {

struct SlowSteps {
    static constexpr size_t kMostCompared = 40; ///< the last ones, slow and usual ones each

    size_t count = 0;
    int64_t longestNs = 0;
    SliceRef last; ///< its mark; invalid: none is slow
    /// Directly inside the steps: in each of the last slow ones at least half of the time over the median went there.
    /// Empty: into nothing that has one name.
    std::string cause;
};

/// steps: in order of start, those that are looked at; median: of the usual step.
[[nodiscard]] SlowSteps slowSteps(const TraceSnapshot& trace, std::span<const StepMark> steps, int64_t medianNs);

} // namespace torchline
