#include "model/file_store.h"

namespace torchline {

namespace {

template <typename T> size_t bytesOf(const std::vector<T>& values)
{
    return values.capacity() * sizeof(T);
}

} // namespace

size_t LaneNesting::memoryUsage() const
{
    size_t bytes = parent.memoryUsage() + depth.memoryUsage() + row.memoryUsage() + bytesOf(rows);
    for (const SliceList& list : rows)
        bytes += list.memoryUsage();
    return bytes;
}

size_t FileStore::memoryUsage() const
{
    size_t bytes = sizeof(FileStore) + bytesOf(categories) + bytesOf(processes) + bytesOf(lanes) + bytesOf(devicePlaces)
        + bytesOf(deviceWork) + bytesOf(memoryOrigins) + memory.memoryUsage() + bytesOf(instants) + bytesOf(asyncSlices)
        + bytesOf(counters) + bytesOf(pairEnds) + bytesOf(notices);
    for (const LaneStore& lane : lanes) {
        bytes += bytesOf(lane.blocks) + bytesOf(lane.facts) + lane.nesting.memoryUsage();
        for (const std::shared_ptr<const SliceBlock>& block : lane.blocks)
            bytes += sizeof(SliceBlock) + block->memoryUsage();
    }
    for (const Counter& counter : counters) {
        bytes += bytesOf(counter.series);
        for (const CounterSeries& series : counter.series)
            bytes += bytesOf(series.samples);
    }
    bytes += bytesOf(links.arrows) + bytesOf(links.arrowsByEnd) + bytesOf(links.device) + bytesOf(links.deviceByCall)
        + bytesOf(links.deviceByOwner);
    for (const Notice& notice : notices)
        bytes += notice.code.capacity() + notice.text.capacity() + bytesOf(notice.places);
    for (const auto& [key, value] : info.header)
        bytes += sizeof(key) + sizeof(value) + key.capacity() + value.capacity();
    return bytes;
}

} // namespace torchline
