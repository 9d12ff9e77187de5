#include "model/trace_snapshot.h"

#include "model/snapshot_order.h"
#include "model/time_axis.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace torchline {

namespace {

// Range of a sorted index list whose entries have this key.
template <typename Items, typename KeyOf>
std::pair<std::vector<uint32_t>::const_iterator, std::vector<uint32_t>::const_iterator> withKey(
    const std::vector<uint32_t>& order, const Items& items, StoreRef key, KeyOf keyOf)
{
    const auto first
        = std::partition_point(order.begin(), order.end(), [&](uint32_t i) { return keyOf(items[i]) < key; });
    const auto last = std::partition_point(first, order.end(), [&](uint32_t i) { return keyOf(items[i]) == key; });
    return {first, last};
}

const DeviceLink* linkOf(const StoreLinks& links, StoreRef work)
{
    const auto found = std::partition_point(
        links.device.begin(), links.device.end(), [&](const DeviceLink& link) { return link.work < work; });
    return found != links.device.end() && found->work == work ? &*found : nullptr;
}

Notice unalignedNotice(
    const std::vector<uint32_t>& unaligned, const std::vector<std::shared_ptr<const FileStore>>& files)
{
    Notice notice;
    notice.code = "no-common-time-base";
    notice.count = unaligned.size();
    notice.text = std::to_string(unaligned.size()) + " of " + std::to_string(files.size())
        + " files have no absolute time; each of them starts at 0 of the common time axis";
    for (const uint32_t i : unaligned) {
        if (notice.places.size() < Notice::kMostPlaces)
            notice.places.push_back({std::nullopt, files[i]->info.path});
    }
    return notice;
}

} // namespace

uint32_t Lane::lowerBound(int64_t timeNs) const
{
    uint32_t first = 0;
    uint32_t count = size();
    while (count > 0) {
        const uint32_t half = count / 2;
        if (startNs(first + half) < timeNs) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

std::shared_ptr<const TraceSnapshot> TraceSnapshot::combine(
    std::shared_ptr<const StringPool> pool, std::vector<std::shared_ptr<const FileStore>> files, uint64_t generation)
{
    const std::shared_ptr<TraceSnapshot> trace(new TraceSnapshot);
    trace->m_pool = std::move(pool);
    trace->m_generation = generation;
    TimeAxis axis = commonAxis(files);
    if (!axis.unaligned.empty())
        trace->m_notices.push_back(unalignedNotice(axis.unaligned, files));
    trace->m_fileOffsetsNs = std::move(axis.offsetsNs);
    trace->m_files = std::move(files);

    bool hasSlices = false;
    for (uint32_t f = 0; f < trace->m_files.size(); ++f) {
        const FileStore& store = *trace->m_files[f];
        const int64_t offsetNs = trace->m_fileOffsetsNs[f];
        const auto laneBase = static_cast<uint32_t>(trace->m_lanes.size());
        trace->m_laneBase.push_back(laneBase);
        for (const LaneStore& lane : store.lanes)
            trace->m_lanes.emplace_back(lane, f, offsetNs);
        std::vector<ProcessGroup> groups = orderedGroups(store, f, laneBase, *trace->m_pool);
        std::move(groups.begin(), groups.end(), std::back_inserter(trace->m_groups));
        trace->m_sliceCount += store.sliceCount;
        if (store.sliceCount == 0)
            continue;
        const TimeRange fit{addSaturated(store.fitNs.beginNs, offsetNs), addSaturated(store.fitNs.endNs, offsetNs)};
        trace->m_span.endNs = std::max(trace->m_span.endNs, addSaturated(store.lastNs, offsetNs));
        trace->m_fitSpan = hasSlices
            ? TimeRange{std::min(trace->m_fitSpan.beginNs, fit.beginNs), std::max(trace->m_fitSpan.endNs, fit.endNs)}
            : fit;
        hasSlices = true;
    }
    trace->m_groupOfLane.resize(trace->m_lanes.size());
    for (uint32_t g = 0; g < trace->m_groups.size(); ++g) {
        for (const LaneId lane : trace->m_groups[g].lanes) {
            trace->m_groupOfLane[lane.value()] = g;
            trace->m_laneOrder.push_back(lane);
        }
    }
    return trace;
}

bool TraceSnapshot::isPartial() const
{
    return std::any_of(m_files.begin(), m_files.end(), [](const auto& file) { return file->info.partBytes.has_value(); });
}

std::string TraceSnapshot::laneLabel(LaneId id) const
{
    const LaneStore& store = lane(id).store();
    return std::string(text(store.name.isValid() ? store.name : store.tid));
}

std::string_view TraceSnapshot::pid(LaneId id) const
{
    const Lane& l = lane(id);
    return text(file(l.fileIndex()).processes[l.store().process].pid);
}

std::string_view TraceSnapshot::pid(const ProcessGroup& group) const
{
    return text(file(group.fileIndex).processes[group.process].pid);
}

std::string_view TraceSnapshot::tid(LaneId id) const
{
    return text(lane(id).store().tid);
}

std::string_view TraceSnapshot::categoryText(uint32_t fileIndex, CategoryId category) const
{
    return category.isValid() ? text(file(fileIndex).categories[category.value()]) : std::string_view();
}

SliceRef TraceSnapshot::parent(SliceRef s) const
{
    const uint32_t index = lane(s.lane).parent(s.index);
    return index == kNoSlice ? SliceRef() : SliceRef{s.lane, index};
}

Result<ArgList> TraceSnapshot::args(SliceRef s) const
{
    const Lane& l = lane(s.lane);
    const FileStore& store = file(l.fileIndex());
    if (!store.source)
        return ArgList();
    const uint64_t offset = l.eventOffset(s.index);
    Result<ArgList> list = store.source->args(offset);
    if (!list || (l.flags(s.index) & SliceFromPair) == 0)
        return list;
    const auto end = std::lower_bound(store.pairEnds.begin(), store.pairEnds.end(), std::pair(offset, uint64_t{0}));
    if (end == store.pairEnds.end() || end->first != offset)
        return list;
    Result<ArgList> more = store.source->args(end->second);
    if (!more)
        return more;
    for (ArgList::value_type& arg : *more) {
        const auto known = std::find_if(
            list->begin(), list->end(), [&](const ArgList::value_type& other) { return other.first == arg.first; });
        if (known != list->end())
            known->second = std::move(arg.second);
        else
            list->push_back(std::move(arg));
    }
    return list;
}

SliceRef TraceSnapshot::toGlobal(uint32_t fileIndex, StoreRef ref) const
{
    return ref.isValid() ? SliceRef{laneId(fileIndex, ref.lane), ref.index} : SliceRef();
}

StoreRef TraceSnapshot::toStore(SliceRef ref) const
{
    return ref.isValid() ? StoreRef{ref.lane.value() - m_laneBase[lane(ref.lane).fileIndex()], ref.index} : StoreRef();
}

SliceRef TraceSnapshot::callOf(SliceRef deviceWork) const
{
    const uint32_t f = lane(deviceWork.lane).fileIndex();
    const DeviceLink* link = linkOf(file(f).links, toStore(deviceWork));
    return link ? toGlobal(f, link->call) : SliceRef();
}

SliceRef TraceSnapshot::ownerOf(SliceRef deviceWork) const
{
    const uint32_t f = lane(deviceWork.lane).fileIndex();
    const DeviceLink* link = linkOf(file(f).links, toStore(deviceWork));
    return link ? toGlobal(f, link->owner) : SliceRef();
}

std::vector<SliceRef> TraceSnapshot::workOfCall(SliceRef call) const
{
    const uint32_t f = lane(call.lane).fileIndex();
    const StoreLinks& links = file(f).links;
    const auto [first, last]
        = withKey(links.deviceByCall, links.device, toStore(call), [](const DeviceLink& link) { return link.call; });
    std::vector<SliceRef> work;
    std::transform(
        first, last, std::back_inserter(work), [&](uint32_t i) { return toGlobal(f, links.device[i].work); });
    return work;
}

std::vector<SliceRef> TraceSnapshot::workOfOwner(SliceRef op) const
{
    const uint32_t f = lane(op.lane).fileIndex();
    const StoreLinks& links = file(f).links;
    const auto [first, last]
        = withKey(links.deviceByOwner, links.device, toStore(op), [](const DeviceLink& link) { return link.owner; });
    std::vector<SliceRef> work;
    std::transform(
        first, last, std::back_inserter(work), [&](uint32_t i) { return toGlobal(f, links.device[i].work); });
    return work;
}

Arrow TraceSnapshot::globalArrow(uint32_t fileIndex, const StoreArrow& arrow) const
{
    const int64_t offsetNs = m_fileOffsetsNs[fileIndex];
    return {toGlobal(fileIndex, arrow.from), toGlobal(fileIndex, arrow.to), addSaturated(arrow.fromNs, offsetNs),
        addSaturated(arrow.toNs, offsetNs), categoryText(fileIndex, arrow.category), arrow.name, arrow.id};
}

std::vector<Arrow> TraceSnapshot::arrowsFrom(SliceRef s) const
{
    const uint32_t f = lane(s.lane).fileIndex();
    const std::vector<StoreArrow>& arrows = file(f).links.arrows;
    const StoreRef from = toStore(s);
    std::vector<Arrow> found;
    for (auto a
         = std::partition_point(arrows.begin(), arrows.end(), [&](const StoreArrow& x) { return x.from < from; });
         a != arrows.end() && a->from == from; ++a)
        found.push_back(globalArrow(f, *a));
    return found;
}

std::vector<Arrow> TraceSnapshot::arrowsTo(SliceRef s) const
{
    const uint32_t f = lane(s.lane).fileIndex();
    const StoreLinks& links = file(f).links;
    const auto [first, last]
        = withKey(links.arrowsByEnd, links.arrows, toStore(s), [](const StoreArrow& arrow) { return arrow.to; });
    std::vector<Arrow> found;
    std::transform(first, last, std::back_inserter(found), [&](uint32_t i) { return globalArrow(f, links.arrows[i]); });
    return found;
}

void TraceSnapshot::forEachArrow(uint32_t fileIndex, const std::function<void(const Arrow&)>& visit) const
{
    for (const StoreArrow& arrow : file(fileIndex).links.arrows)
        visit(globalArrow(fileIndex, arrow));
}

const DeviceWork* TraceSnapshot::deviceWork(SliceRef s) const
{
    const Lane& l = lane(s.lane);
    if (!isDeviceWork(l.kind(s.index)))
        return nullptr;
    const uint64_t offset = l.eventOffset(s.index);
    const std::vector<DeviceWork>& work = file(l.fileIndex()).deviceWork;
    const auto found
        = std::partition_point(work.begin(), work.end(), [&](const DeviceWork& w) { return w.eventOffset < offset; });
    return found != work.end() && found->eventOffset == offset ? &*found : nullptr;
}

std::string_view TraceSnapshot::deviceOf(SliceRef s) const
{
    const NameId device = placeOf(s).device;
    return device.isValid() ? text(device) : pid(s.lane);
}

std::string_view TraceSnapshot::streamOf(SliceRef s) const
{
    const NameId stream = placeOf(s).stream;
    return stream.isValid() ? text(stream) : tid(s.lane);
}

DevicePlace TraceSnapshot::placeOf(SliceRef s) const
{
    const DeviceWork* work = deviceWork(s);
    return work ? file(lane(s.lane).fileIndex()).devicePlaces[work->place] : DevicePlace();
}

size_t TraceSnapshot::memoryUsage() const
{
    size_t bytes = sizeof(TraceSnapshot) + m_lanes.capacity() * sizeof(Lane)
        + m_groups.capacity() * sizeof(ProcessGroup)
        + (m_groupOfLane.capacity() + m_laneBase.capacity()) * sizeof(uint32_t)
        + m_laneOrder.capacity() * sizeof(LaneId) + m_fileOffsetsNs.capacity() * sizeof(int64_t)
        + m_notices.capacity() * sizeof(Notice);
    for (const ProcessGroup& group : m_groups)
        bytes += group.label.capacity() + group.note.capacity() + group.lanes.capacity() * sizeof(LaneId);
    for (const std::shared_ptr<const FileStore>& store : m_files)
        bytes += store->memoryUsage();
    return bytes;
}

} // namespace torchline
