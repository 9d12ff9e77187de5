#pragma once
// Allocated and reserved totals by device, from [memory] markers that state them.
// Thread: any. Cost: O(memory markers).

#include "model/trace_snapshot.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

struct MemoryPoint {
    int64_t timeNs = 0; ///< common axis
    int64_t allocatedBytes = 0;
    int64_t reservedBytes = kNoValue; ///< kNoValue: not stated
};

struct MemorySeries {
    uint32_t fileIndex = 0;
    int32_t deviceType = -1;
    int32_t deviceId = -1;
    std::string device; ///< "TYPE:ID" as recorded, "1:0"
    std::string label; ///< for people: "CPU", "CUDA 0"
    std::vector<MemoryPoint> points; ///< in time order
    int64_t minBytes = 0;
    int64_t maxBytes = 0;
    int64_t lastBytes = 0;
    int64_t peakAtNs = 0; ///< first time at which maxBytes held
    std::optional<int64_t> reservedMaxBytes;
};

/// inRange: only samples in it (null: all). files: indexes that are in (empty: all).
[[nodiscard]] std::vector<MemorySeries> memorySeries(
    const TraceSnapshot& trace, const TimeRange* inRange = nullptr, const std::vector<uint32_t>& files = {});

/// isIn(file, index in FileStore::memory): only samples that are in.
[[nodiscard]] std::vector<MemorySeries> memorySeriesWhere(
    const TraceSnapshot& trace, const std::function<bool(uint32_t, size_t)>& isIn);

} // namespace torchline
