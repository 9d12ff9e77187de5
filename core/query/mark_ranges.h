#pragma once
// Time that marks of the host cover, file by file: those of a profiler step, those of a user annotation.
// Thread: any. Cost: O(slices of the host).

#include "base/result.h"
#include "model/trace_snapshot.h"

#include <string_view>
#include <vector>

namespace torchline {

/// By file: ascending, disjoint.
using FileRanges = std::vector<std::vector<TimeRange>>;

/// Fails when no step has the number; the error says which there are.
[[nodiscard]] Result<FileRanges> stepRanges(const TraceSnapshot& trace, int64_t step);
/// All annotations of the name together. Fails when there is none.
[[nodiscard]] Result<FileRanges> annotationRanges(const TraceSnapshot& trace, std::string_view name);

/// What lies in both; each ascending and disjoint, as the result is.
[[nodiscard]] std::vector<TimeRange> commonRanges(
    const std::vector<TimeRange>& ranges, const std::vector<TimeRange>& others);

/// "there is no step 7 in the input (there are 0 to 5)"; nothing known: without the brackets.
[[nodiscard]] Error notInInput(std::string_view what, std::string_view known);

} // namespace torchline
