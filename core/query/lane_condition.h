#pragma once
// The condition that holds for the slices of one lane and no other: how a lane becomes a scope. Thread: any.

#include "model/trace_snapshot.h"

#include <string>

namespace torchline {

[[nodiscard]] std::string laneCondition(const TraceSnapshot& trace, LaneId lane);

} // namespace torchline
