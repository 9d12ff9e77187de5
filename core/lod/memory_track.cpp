#include "lod/memory_track.h"

#include <algorithm>
#include <map>

namespace torchline::lod {

namespace {

using Device = std::pair<int32_t, int32_t>; ///< type, id

struct Collected {
    MemoryTrack track;
    const MemoryTrack* before = nullptr;
    CounterPyramid::Samples allocatedAt;
    CounterPyramid::Samples allocated;
    CounterPyramid::Samples reservedAt;
    CounterPyramid::Samples reserved;
    MemoryTrack::Stand now;
    MemoryTrack::Stand same; ///< so far it is as it was

    /// As `earlier` stood before a block.
    void takeOver(const MemoryTrack& earlier, size_t block)
    {
        before = &earlier;
        if (block < earlier.stands.size())
            same = earlier.stands[block];
        now = same;
        track.stands.assign(earlier.stands.begin(),
            earlier.stands.begin() + static_cast<ptrdiff_t>(std::min(block, earlier.stands.size())));
        allocatedAt = *earlier.allocated.timesNs();
        allocatedAt.truncate(same.allocated);
        allocated = earlier.allocated.values();
        allocated.truncate(same.allocated);
        if (earlier.reserved.isEmpty())
            return;
        reservedAt = *earlier.reserved.timesNs();
        reservedAt.truncate(same.reserved);
        reserved = earlier.reserved.values();
        reserved.truncate(same.reserved);
    }

    void add(const MemorySample& sample, int64_t timeNs)
    {
        if (allocated.empty() || sample.totalAllocated > now.peakBytes) {
            now.peakBytes = sample.totalAllocated;
            now.peakAtNs = timeNs;
        }
        now.lowestBytes = std::min(now.lowestBytes, sample.totalAllocated);
        allocatedAt.push_back(timeNs);
        allocated.push_back(sample.totalAllocated);
        ++now.allocated;
        if (sample.totalReserved == kNoValue)
            return;
        now.lowestBytes = std::min(now.lowestBytes, sample.totalReserved);
        now.reservedPeakBytes = std::max(now.reservedPeakBytes, sample.totalReserved);
        now.exceedsReserved = now.exceedsReserved || sample.totalAllocated > sample.totalReserved;
        reservedAt.push_back(timeNs);
        reserved.push_back(sample.totalReserved);
        ++now.reserved;
    }

    /// Some that stated it were not kept, as they stated 0.
    [[nodiscard]] bool lacksReserved() const { return now.reservedPeakBytes > 0 && reserved.size() < now.reserved; }

    void finish()
    {
        track.lowestBytes = now.lowestBytes;
        track.peakBytes = now.peakBytes;
        track.peakAtNs = now.peakAtNs;
        track.reservedPeakBytes = now.reservedPeakBytes;
        const MemoryTrack none;
        const MemoryTrack& earlier = before != nullptr ? *before : none;
        const auto kept = [](CounterPyramid::Samples& samples) {
            samples.shrinkToFit();
            return std::make_shared<const CounterPyramid::Samples>(std::move(samples));
        };
        const CounterPyramid::Times at = kept(allocatedAt);
        allocated.shrinkToFit();
        track.allocated = CounterPyramid(at, std::move(allocated), earlier.allocated, same.allocated);
        // Host memory and some recorders state 0 for "not known".
        if (now.reservedPeakBytes == 0)
            return;
        track.exceedsReserved = now.exceedsReserved;
        reserved.shrinkToFit();
        track.reserved = CounterPyramid(now.reserved == now.allocated ? at : kept(reservedAt), std::move(reserved),
            earlier.reserved, same.reserved);
    }
};

/// Blocks of samples at the beginning that both share and that are full.
size_t sharedBlocks(const TraceSnapshot& trace, const TraceSnapshot& earlier, uint32_t f)
{
    if (f >= earlier.files().size() || &trace.strings() != &earlier.strings()
        || trace.fileOffsetNs(f) != earlier.fileOffsetNs(f)
        || trace.file(f).info.originNs != earlier.file(f).info.originNs)
        return 0;
    const MemorySamples& now = trace.file(f).memory;
    const MemorySamples& before = earlier.file(f).memory;
    size_t shared = 0;
    // Of the last one there is no stand behind it.
    while (shared + 1 < before.blockCount() && now.sharesBlock(before, shared)
        && now.block(shared).size() == MemorySamples::kBlock)
        ++shared;
    return shared;
}

/// False when what is taken over does not hold enough.
bool addTracks(const TraceSnapshot& trace, uint32_t f, std::span<const MemoryTrack> before, size_t firstBlock,
    const std::stop_token& stop, std::vector<MemoryTrack>& tracks)
{
    const FileStore& file = trace.file(f);
    std::map<Device, Collected> byDevice;
    for (const MemoryTrack& track : before) {
        if (track.fileIndex == f && firstBlock > 0)
            byDevice[{track.deviceType, track.deviceId}].takeOver(track, firstBlock);
    }
    for (size_t block = firstBlock; block < file.memory.blockCount() && !stop.stop_requested(); ++block) {
        for (auto& [device, collected] : byDevice)
            collected.track.stands.push_back(collected.now);
        for (const MemorySample& sample : file.memory.block(block)) {
            if (sample.totalAllocated == kNoValue)
                continue;
            const MemoryOrigin& origin = file.memoryOrigins[sample.origin];
            const auto [found, isNew] = byDevice.try_emplace(Device{origin.deviceType, origin.deviceId});
            if (isNew)
                found->second.track.stands.resize(block + 1);
            found->second.add(sample, addSaturated(sample.timeNs, trace.fileOffsetNs(f)));
        }
    }
    if (std::ranges::any_of(byDevice, [](const auto& entry) { return entry.second.lacksReserved(); }))
        return false;
    for (auto& [device, collected] : byDevice) {
        if (collected.now.allocated == 0)
            continue;
        collected.finish();
        MemoryTrack& track = tracks.emplace_back(std::move(collected.track));
        track.fileIndex = f;
        track.deviceType = device.first;
        track.deviceId = device.second;
    }
    return true;
}

} // namespace

std::vector<MemoryTrack> memoryTracks(const TraceSnapshot& trace, std::stop_token stop)
{
    return memoryTracks(trace, trace, {}, std::move(stop));
}

std::vector<MemoryTrack> memoryTracks(
    const TraceSnapshot& trace, const TraceSnapshot& earlier, std::span<const MemoryTrack> before, std::stop_token stop)
{
    std::vector<MemoryTrack> tracks;
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        const size_t shared = before.empty() ? 0 : sharedBlocks(trace, earlier, f);
        if (!addTracks(trace, f, before, shared, stop, tracks))
            static_cast<void>(addTracks(trace, f, {}, 0, stop, tracks));
    }
    return tracks;
}

} // namespace torchline::lod
