#pragma once
// Conditions of the filter language that programs write: for the slices of one lane, or of one name and a span of
// durations, and no others. Thread: any.

#include "model/trace_snapshot.h"

#include <string>

namespace torchline {

[[nodiscard]] std::string laneCondition(const TraceSnapshot& trace, LaneId lane);
/// Durations of [leastNs, endNs).
[[nodiscard]] std::string durationCondition(std::string_view name, int64_t leastNs, int64_t endNs);

} // namespace torchline
