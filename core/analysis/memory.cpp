#include "analysis/memory.h"

#include <algorithm>
#include <array>
#include <map>

namespace torchline {

namespace {

/// Names of c10::DeviceType, by number.
constexpr std::array<std::string_view, 21> kDeviceTypes = {"CPU", "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP",
    "FPGA", "MAIA", "XLA", "VULKAN", "METAL", "XPU", "MPS", "META", "HPU", "VE", "LAZY", "IPU", "MTIA", "PRIVATEUSE1"};

std::string labelOf(int32_t deviceType, int32_t deviceId)
{
    std::string label = deviceType >= 0 && static_cast<size_t>(deviceType) < kDeviceTypes.size()
        ? std::string(kDeviceTypes[static_cast<size_t>(deviceType)])
        : "device type " + std::to_string(deviceType);
    if (deviceId >= 0)
        label += ' ' + std::to_string(deviceId);
    return label;
}

void add(MemorySeries& series, const MemorySample& sample, int64_t timeNs)
{
    const int64_t bytes = sample.totalAllocated;
    if (series.points.empty()) {
        series.minBytes = bytes;
        series.maxBytes = bytes;
        series.peakAtNs = timeNs;
    }
    series.minBytes = std::min(series.minBytes, bytes);
    if (bytes > series.maxBytes) {
        series.maxBytes = bytes;
        series.peakAtNs = timeNs;
    }
    series.lastBytes = bytes;
    if (sample.totalReserved != kNoValue)
        series.reservedMaxBytes
            = std::max(series.reservedMaxBytes.value_or(sample.totalReserved), sample.totalReserved);
    series.points.push_back({timeNs, bytes, sample.totalReserved});
}

} // namespace

std::vector<MemorySeries> memorySeries(
    const TraceSnapshot& trace, const TimeRange* inRange, const std::vector<uint32_t>& files)
{
    return memorySeriesWhere(trace, [&](uint32_t f, size_t i) {
        if (!files.empty() && std::find(files.begin(), files.end(), f) == files.end())
            return false;
        return inRange == nullptr
            || inRange->contains(addSaturated(trace.file(f).memory[i].timeNs, trace.fileOffsetNs(f)));
    });
}

std::vector<MemorySeries> memorySeriesWhere(
    const TraceSnapshot& trace, const std::function<bool(uint32_t, size_t)>& isIn)
{
    std::vector<MemorySeries> all;
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        const FileStore& file = trace.file(f);
        const MemorySamples& samples = file.memory;
        std::map<std::pair<int32_t, int32_t>, MemorySeries> byDevice;
        for (size_t i = 0; i < samples.size(); ++i) {
            const MemorySample& sample = samples[i];
            if (sample.totalAllocated == kNoValue || !isIn(f, i))
                continue;
            const MemoryOrigin& origin = file.memoryOrigins[sample.origin];
            MemorySeries& series = byDevice[{origin.deviceType, origin.deviceId}];
            if (series.points.empty()) {
                series.fileIndex = f;
                series.deviceType = origin.deviceType;
                series.deviceId = origin.deviceId;
                series.device = std::to_string(origin.deviceType) + ':' + std::to_string(origin.deviceId);
                series.label = labelOf(origin.deviceType, origin.deviceId);
            }
            add(series, sample, addSaturated(sample.timeNs, trace.fileOffsetNs(f)));
        }
        for (auto& [device, series] : byDevice)
            all.push_back(std::move(series));
    }
    return all;
}

} // namespace torchline
