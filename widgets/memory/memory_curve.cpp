#include "memory/memory_curve.h"

#include <algorithm>

namespace torchline {

MemoryCurves makeMemoryCurves(const TraceSnapshot& trace)
{
    auto curves = std::make_shared<std::vector<MemoryCurve>>();
    for (const MemorySeries& series : memorySeries(trace)) {
        std::vector<int64_t> times;
        std::vector<int64_t> allocated;
        std::vector<int64_t> reservedTimes;
        std::vector<int64_t> reserved;
        times.reserve(series.points.size());
        allocated.reserve(series.points.size());
        for (const MemoryPoint& point : series.points) {
            times.push_back(point.timeNs);
            allocated.push_back(point.allocatedBytes);
            if (point.reservedBytes != kNoValue) {
                reservedTimes.push_back(point.timeNs);
                reserved.push_back(point.reservedBytes);
            }
        }
        // Recorders write 0 for devices that reserve nothing, such as the CPU: that is no curve.
        if (series.reservedMaxBytes.value_or(0) <= 0) {
            reservedTimes.clear();
            reserved.clear();
        }
        MemoryCurve curve;
        curve.fileIndex = series.fileIndex;
        curve.deviceType = series.deviceType;
        curve.deviceId = series.deviceId;
        curve.label = series.label;
        curve.allocated = lod::CounterPyramid(std::move(times), std::move(allocated));
        curve.reserved = lod::CounterPyramid(std::move(reservedTimes), std::move(reserved));
        curve.lowestBytes = std::min<int64_t>(series.minBytes, 0);
        curve.highestBytes = std::max<int64_t>({series.maxBytes, series.reservedMaxBytes.value_or(0), 1});
        curve.peakBytes = series.maxBytes;
        curve.peakAtNs = series.peakAtNs;
        curves->push_back(std::move(curve));
    }
    return curves;
}

} // namespace torchline
