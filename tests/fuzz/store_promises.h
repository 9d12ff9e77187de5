#pragma once
// requireSoundStore: what holds for every snapshot, whatever file it came from. Aborts where it does not.
// Thread: any. Cost: the square of the slices of a lane.

#include "model/trace_snapshot.h"

namespace torchline::test {

void requireSoundStore(const TraceSnapshot& trace);

} // namespace torchline::test
