#include "lod/memory_track.h"

#include <algorithm>
#include <map>

namespace torchline::lod {

namespace {

struct Samples {
    MemoryTrack track;
    std::vector<int64_t> allocatedAt;
    std::vector<int64_t> allocated;
    std::vector<int64_t> reservedAt;
    std::vector<int64_t> reserved;
};

void add(Samples& samples, const MemorySample& sample, int64_t timeNs)
{
    MemoryTrack& track = samples.track;
    if (samples.allocated.empty() || sample.totalAllocated > track.peakBytes) {
        track.peakBytes = sample.totalAllocated;
        track.peakAtNs = timeNs;
    }
    track.lowestBytes = std::min(track.lowestBytes, sample.totalAllocated);
    samples.allocatedAt.push_back(timeNs);
    samples.allocated.push_back(sample.totalAllocated);
    if (sample.totalReserved == kNoValue)
        return;
    track.lowestBytes = std::min(track.lowestBytes, sample.totalReserved);
    track.reservedPeakBytes = std::max(track.reservedPeakBytes, sample.totalReserved);
    track.exceedsReserved = track.exceedsReserved || sample.totalAllocated > sample.totalReserved;
    samples.reservedAt.push_back(timeNs);
    samples.reserved.push_back(sample.totalReserved);
}

CounterPyramid::Times kept(std::vector<int64_t> timesNs)
{
    timesNs.shrink_to_fit();
    return std::make_shared<const std::vector<int64_t>>(std::move(timesNs));
}

} // namespace

std::vector<MemoryTrack> memoryTracks(const TraceSnapshot& trace, std::stop_token stop)
{
    std::vector<MemoryTrack> tracks;
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        std::map<std::pair<int32_t, int32_t>, Samples> byDevice;
        size_t seen = 0;
        const FileStore& file = trace.file(f);
        for (const MemorySample& sample : file.memory) {
            if (seen++ % 4096 == 0 && stop.stop_requested())
                return tracks;
            if (sample.totalAllocated == kNoValue)
                continue;
            Samples& samples
                = byDevice[{file.memoryOrigins[sample.origin].deviceType, file.memoryOrigins[sample.origin].deviceId}];
            add(samples, sample, addSaturated(sample.timeNs, trace.fileOffsetNs(f)));
        }
        for (auto& [device, samples] : byDevice) {
            MemoryTrack& track = samples.track;
            track.fileIndex = f;
            track.deviceType = device.first;
            track.deviceId = device.second;
            const bool areTogether = samples.reservedAt.size() == samples.allocatedAt.size();
            const CounterPyramid::Times allocatedAt = kept(std::move(samples.allocatedAt));
            samples.allocated.shrink_to_fit();
            track.allocated = CounterPyramid(allocatedAt, std::move(samples.allocated));
            // Host memory and some recorders state 0 for "not known".
            if (track.reservedPeakBytes > 0) {
                samples.reserved.shrink_to_fit();
                track.reserved = CounterPyramid(
                    areTogether ? allocatedAt : kept(std::move(samples.reservedAt)), std::move(samples.reserved));
            } else {
                track.exceedsReserved = false;
            }
            tracks.push_back(std::move(track));
        }
    }
    return tracks;
}

} // namespace torchline::lod
