#pragma once
// MemoryCurve: allocated and reserved bytes of one device over time, ready to be drawn at any zoom.
// Thread: const after construction; build on a worker. Cost: build O(markers), 1.1 bytes a sample beside the samples.

#include "analysis/memory.h"
#include "lod/counter_pyramid.h"

#include <memory>
#include <string>
#include <vector>

namespace torchline {

struct MemoryCurve {
    uint32_t fileIndex = 0;
    int32_t deviceType = -1;
    int32_t deviceId = -1;
    std::string label; ///< "CUDA 0"
    lod::CounterPyramid allocated;
    lod::CounterPyramid reserved; ///< empty: never stated
    int64_t lowestBytes = 0; ///< of the axis: 0, or below it when a total is negative
    int64_t highestBytes = 0; ///< largest of all allocated and reserved totals
    int64_t peakBytes = 0; ///< largest allocated total
    int64_t peakAtNs = 0;
};

using MemoryCurves = std::shared_ptr<const std::vector<MemoryCurve>>;

/// One for each device whose markers state a total, in the order of memorySeries().
[[nodiscard]] MemoryCurves makeMemoryCurves(const TraceSnapshot& trace);

} // namespace torchline
