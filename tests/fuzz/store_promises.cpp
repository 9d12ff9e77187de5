#include "store_promises.h"

#include "require.h"

#include <algorithm>
#include <tuple>

namespace torchline::test {

namespace {

uint32_t plainParent(const Lane& lane, uint32_t i)
{
    for (uint32_t j = i; j-- > 0;) {
        if (lane.endNs(j) > lane.startNs(i) && lane.endNs(j) >= lane.endNs(i))
            return j;
    }
    return kNoSlice;
}

void requireSoundLane(const Lane& lane)
{
    require(lane.size() > 0, "a lane has slices");
    for (uint32_t i = 0; i < lane.size(); ++i) {
        require(lane.durationNs(i) >= 0, "no duration is negative");
        require(i == 0
                || std::tuple(lane.startNs(i - 1), -lane.durationNs(i - 1), lane.eventOffset(i - 1))
                    <= std::tuple(lane.startNs(i), -lane.durationNs(i), lane.eventOffset(i)),
            "slices are in order");
        const uint32_t parent = lane.parent(i);
        require(parent == plainParent(lane, i), "the parent is the latest slice around");
        require(lane.depth(i) == (parent == kNoSlice ? 1 : lane.depth(parent) + 1), "depth is one more than above");
        require(lane.row(i) < lane.rowCount(), "rows are counted");
        // Annotations of a device lie above all of its work.
        const bool isApart = lane.kind(i) == SliceKind::DeviceAnnotation && parent != kNoSlice
            && lane.kind(parent) != SliceKind::DeviceAnnotation;
        require(parent == kNoSlice || (lane.row(i) > lane.row(parent)) != isApart, "a slice is drawn below its parent");
    }
    uint64_t inRows = 0;
    for (uint16_t row = 0; row < lane.rowCount(); ++row) {
        int64_t freeNs = kMinNs;
        for (uint32_t k = 0; k < lane.rowSize(row); ++k) {
            const uint32_t i = lane.rowSlice(row, k);
            require(lane.row(i) == row, "a row lists its slices");
            require(lane.startNs(i) >= freeNs, "slices of a row do not overlap");
            freeNs = lane.endNs(i);
        }
        inRows += lane.rowSize(row);
    }
    require(inRows == lane.size(), "each slice is in one row");
}

bool isSlice(const FileStore& store, StoreRef ref)
{
    return ref.lane < store.lanes.size() && ref.index < store.lanes[ref.lane].size;
}

SliceKind kindOf(const FileStore& store, StoreRef ref)
{
    return store.lanes[ref.lane].blocks[ref.index / SliceBlock::kRows]->kind[ref.index % SliceBlock::kRows];
}

void requireSoundLinks(const FileStore& store)
{
    const StoreLinks& links = store.links;
    for (const StoreArrow& arrow : links.arrows)
        require(isSlice(store, arrow.from) && isSlice(store, arrow.to), "both ends of an arrow stand on slices");
    require(links.arrowsByEnd.size() == links.arrows.size(), "each arrow is listed by its end");
    uint64_t work = 0;
    for (const LaneStore& lane : store.lanes) {
        for (const auto& block : lane.blocks)
            work += static_cast<uint64_t>(std::ranges::count_if(block->values(block->kind), isDeviceWork));
    }
    require(links.device.size() == work, "each piece of device work has one link");
    for (const DeviceLink& link : links.device) {
        require(isSlice(store, link.work) && isDeviceWork(kindOf(store, link.work)), "a link is of device work");
        require(!link.call.isValid() || (isSlice(store, link.call) && isCall(kindOf(store, link.call))),
            "a call is a call");
        require(!link.owner.isValid() || (isSlice(store, link.owner) && isOperator(kindOf(store, link.owner))),
            "an owner is an operator");
    }
}

void requireSoundMarkers(const FileStore& store)
{
    const auto isEarlier = [](const auto& a, const auto& b) { return a.timeNs < b.timeNs; };
    require(std::is_sorted(store.memory.begin(), store.memory.end(), isEarlier), "memory is in time order");
    for (const Counter& counter : store.counters) {
        for (const CounterSeries& series : counter.series)
            require(std::is_sorted(series.samples.begin(), series.samples.end(), isEarlier),
                "counter samples are in time order");
    }
    for (const AsyncSlice& slice : store.asyncSlices)
        require(slice.durationNs >= 0, "no operation ends before it begins");
    for (const Notice& notice : store.notices) {
        require(notice.count >= 1 && notice.places.size() <= std::min<uint64_t>(notice.count, Notice::kMostPlaces),
            "a notice counts what it lists");
        require(!notice.text.empty(), "a notice says something");
    }
}

} // namespace

void requireSoundStore(const TraceSnapshot& trace)
{
    uint64_t slices = 0;
    for (const auto& file : trace.files()) {
        // On the columns' axis: on that of the trace, ends that are clipped there may be equal.
        for (const LaneStore& store : file->lanes) {
            requireSoundLane(Lane(store, 0, 0));
            slices += store.size;
        }
        requireSoundLinks(*file);
        requireSoundMarkers(*file);
    }
    require(slices == trace.sliceCount(), "lanes hold all slices");
    require(trace.laneOrder().size() == trace.lanes().size(), "each lane is shown once");
}

} // namespace torchline::test
