#pragma once
// MemoryTrack: allocated and reserved totals of one device over time, from the [memory] markers that state them, ready
// to be drawn. The same samples as memorySeries() of core/analysis counts.
// Thread: const after construction. Cost: O(memory markers).

#include "lod/counter_pyramid.h"
#include "model/trace_snapshot.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace torchline::lod {

struct MemoryTrack {
    uint32_t fileIndex = 0;
    int32_t deviceType = -1; ///< c10::DeviceType: 0 CPU, 1 CUDA
    int32_t deviceId = -1;
    CounterPyramid allocated;
    CounterPyramid reserved; ///< empty if never stated
    int64_t lowestBytes = 0; ///< of both; below 0 in recordings that begin with frees
    int64_t peakBytes = 0; ///< highest allocated
    int64_t peakAtNs = 0; ///< first time that it held
    int64_t reservedPeakBytes = 0;
    bool exceedsReserved = false; ///< somewhere more is allocated than reserved

    /// Where it stood before one of the blocks of the file's samples.
    struct Stand {
        size_t allocated = 0; ///< samples
        size_t reserved = 0; ///< samples that state it, be it 0
        int64_t lowestBytes = 0;
        int64_t peakBytes = 0;
        int64_t peakAtNs = 0;
        int64_t reservedPeakBytes = 0;
        bool exceedsReserved = false;
    };
    std::vector<Stand> stands; ///< before each block
};

/// By file, then device type and id.
[[nodiscard]] std::vector<MemoryTrack> memoryTracks(const TraceSnapshot& trace, std::stop_token stop = {});
/// Of a trace that grew from another, whose tracks they are. Cost: O(markers behind the blocks that both share).
[[nodiscard]] std::vector<MemoryTrack> memoryTracks(const TraceSnapshot& trace, const TraceSnapshot& earlier,
    std::span<const MemoryTrack> before, std::stop_token stop = {});

} // namespace torchline::lod
