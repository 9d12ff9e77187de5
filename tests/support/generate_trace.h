#pragma once
// generateTrace: a Kineto-like trace of a simulated training run, for the bundled sample, tests and benchmarks.
// What can be relied on: the same options give the same bytes on every machine; slices of a thread nest; work of a
// stream never overlaps; arrows have both ends; running memory totals add up; a loader has nothing to complain about.
// Thread: any. Memory does not grow with the number of steps.

#include "kineto_writer.h"

#include <cstdint>

namespace torchline::test {

struct TraceOptions {
    uint64_t steps = 16; ///< at least so many
    uint64_t events = 0; ///< whole steps are added until there are at least so many
    uint64_t seed = 1;
    int layers = 12;
    bool withStacks = true; ///< Python frames and the operators' call stacks
    bool withShapes = true;
    bool withMemory = true;
    uint64_t numberedNames = 0; ///< so many slices, three of four from the start on, get a name that no other has
};

struct TraceTotals {
    uint64_t events = 0; ///< slices, markers, both ends of arrows, names
    uint64_t slices = 0;
    uint64_t steps = 0;
    bool isComplete = true; ///< false: a temporary file could not be written
};

TraceTotals generateTrace(const TraceOptions& options, const TextSink& sink);

/// Options of resources/samples/sample-train.json.gz.
[[nodiscard]] TraceOptions sampleOptions();

} // namespace torchline::test
