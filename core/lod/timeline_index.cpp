#include "lod/timeline_index.h"

#include "base/parallel.h"

#include <algorithm>
#include <functional>
#include <map>

namespace torchline::lod {

std::shared_ptr<const TimelineIndex> TimelineIndex::build(
    std::shared_ptr<const TraceSnapshot> trace, const WorkClasses& classes, std::stop_token stop, size_t threads)
{
    return build(std::move(trace), Sources{classes}, stop, threads > 0 ? threads : usualThreads());
}

std::shared_ptr<const TimelineIndex> TimelineIndex::grown(std::shared_ptr<const TraceSnapshot> trace,
    const WorkClasses& classes, const TimelineIndex* before, const SnapshotDelta& delta, std::stop_token stop)
{
    return build(std::move(trace), Sources{classes, before, &delta, kGrowingSection}, stop, 1);
}

std::shared_ptr<const TimelineIndex> TimelineIndex::build(
    std::shared_ptr<const TraceSnapshot> trace, const Sources& sources, const std::stop_token& stop, size_t threads)
{
    std::shared_ptr<TimelineIndex> index(new TimelineIndex);
    index->m_trace = std::move(trace);
    index->m_lanes.resize(index->m_trace->lanes().size());
    const auto forEachLane = [&](const auto& use) {
        forEachInParallel(index->m_lanes.size(), threads, [&](size_t i) {
            if (!stop.stop_requested())
                use(LaneId(static_cast<uint32_t>(i)));
        });
    };
    forEachLane([&](LaneId id) { index->classify(id, sources, stop); });
    index->buildRows(sources, threads, stop);
    forEachLane([&](LaneId id) { index->buildBusy(id, sources); });
    return stop.stop_requested() ? nullptr : index;
}

/// The lane as it was, of which whatever did not change is taken over. The class of device work depends on its owner,
/// which may have come later: nothing of its lanes is.
std::optional<LaneId> TimelineIndex::laneBefore(LaneId id, const Sources& sources) const
{
    return sources.before != nullptr && !m_trace->lane(id).isDevice() ? sources.delta->laneBefore(id) : std::nullopt;
}

void TimelineIndex::classify(LaneId id, const Sources& sources, const std::stop_token& stop)
{
    const Lane& lane = m_trace->lane(id);
    LaneIndex& index = m_lanes[id.value()];
    for (const BlockFacts& facts : lane.store().facts)
        index.kinds = static_cast<uint16_t>(index.kinds | facts.kinds);
    if (const std::optional<LaneId> before = laneBefore(id, sources)) {
        index.classes = sources.before->m_lanes[before->value()].classes;
        index.classes.truncate(sources.delta->sameUntil(id));
    }
    constexpr uint32_t kAtOnce = 4096;
    static_assert(SliceBlock::kRows % kAtOnce == 0);
    std::vector<uint8_t> classes;
    for (auto i = static_cast<uint32_t>(index.classes.size()); i < lane.size();) {
        if (stop.stop_requested())
            return;
        const uint32_t end = std::min((i / kAtOnce + 1) * kAtOnce, lane.size());
        sources.classes.ofMany(*m_trace, id, i, end, classes);
        index.classes.append(classes);
        i = end;
    }
    index.classes.shrinkToFit();
    if (lane.isDevice()) {
        index.workRows.assign(lane.rowCount(), false);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (isDeviceWork(lane.kind(i)))
                index.workRows[lane.row(i)] = true;
        }
    }
    index.rows.resize(lane.rowCount());
}

/// Everything that needs no more than classes, the longest pieces of work first.
void TimelineIndex::buildRows(const Sources& sources, size_t threads, const std::stop_token& stop)
{
    struct Task {
        size_t cost = 0;
        std::function<void()> run;
    };
    size_t deviceSlices = 0;
    size_t samples = 0;
    std::vector<Task> tasks;
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const LaneId id(l);
        const Lane& lane = m_trace->lane(id);
        deviceSlices += lane.isDevice() ? lane.size() : 0;
        tasks.push_back({lane.size(), [this, id] { fold(id); }});
        for (uint16_t r = 0; r < lane.rowCount(); ++r)
            tasks.push_back(
                {lane.rowSize(r), [this, id, r, &sources] { m_lanes[id.value()].rows[r] = rowIndex(id, r, sources); }});
    }
    for (const auto& file : m_trace->files())
        samples += file->memory.size();
    tasks.push_back({deviceSlices, [&] { buildDevices(stop); }});
    tasks.push_back({samples, [&] {
                         m_memory = sources.before != nullptr
                             ? memoryTracks(*m_trace, *sources.before->m_trace, sources.before->m_memory, stop)
                             : memoryTracks(*m_trace, stop);
                     }});
    std::ranges::sort(tasks, std::ranges::greater(), &Task::cost);
    forEachInParallel(tasks.size(), threads, [&](size_t i) {
        if (!stop.stop_requested())
            tasks[i].run();
    });
}

RowIndex TimelineIndex::rowIndex(LaneId id, uint16_t r, const Sources& sources) const
{
    const SliceRow slices = row(id, Frames::Shown, r).slices;
    const std::optional<LaneId> before = laneBefore(id, sources);
    if (!before || r >= sources.before->m_trace->lane(*before).rowCount())
        return RowIndex(slices, sources.sectionSlices);
    const RowView earlier = sources.before->row(*before, Frames::Shown, r);
    const auto isSame = [&](uint32_t begin, uint32_t end) {
        if (!sources.delta->isSame(id, slices.laneIndex(begin), slices.laneIndex(end - 1)))
            return false;
        const size_t block = begin / SliceList::kBlock;
        if (slices.order != nullptr && earlier.slices.order != nullptr
            && slices.order->sharesBlock(*earlier.slices.order, block))
            return true;
        for (uint32_t k = begin; k < end; ++k) {
            if (slices.laneIndex(k) != earlier.slices.laneIndex(k))
                return false;
        }
        return true;
    };
    return RowIndex(slices, sources.sectionSlices, *earlier.index, isSame);
}

void TimelineIndex::buildBusy(LaneId id, const Sources& sources)
{
    const Lane& lane = m_trace->lane(id);
    LaneIndex& index = m_lanes[id.value()];
    if (lane.rowCount() == 0)
        return;
    const bool hasWork = std::any_of(index.classes.begin(), index.classes.end(),
        [](uint8_t cls) { return BusyRow::Rule::isWork(static_cast<WorkClass>(cls)); });
    const BusyRow::Rule rule{lane.isDevice(), !lane.isDevice() && !hasWork};
    const RowView first = row(id, Frames::Shown, 0);
    if (const std::optional<LaneId> before = laneBefore(id, sources))
        index.busy = BusyRow(rule, first.slices, first.index, sources.sectionSlices,
            &sources.before->m_lanes[before->value()].busy, sources.delta->sameUntil(id));
    else
        index.busy = BusyRow(rule, first.slices, first.index, sources.sectionSlices);
}

// Rows of the slices that stay: each below its nearest staying parent, in the first row that is free at its start.
void TimelineIndex::fold(LaneId id)
{
    const Lane& lane = m_trace->lane(id);
    LaneIndex& index = m_lanes[id.value()];
    if ((index.kinds >> static_cast<unsigned>(SliceKind::PythonFunction) & 1u) == 0)
        return;
    const auto isHidden = [&](uint32_t i) {
        return lane.kind(i) == SliceKind::PythonFunction && !m_trace->text(lane.name(i)).starts_with("nn.Module: ");
    };
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < lane.size(); ++i)
        hidden += isHidden(i) ? 1 : 0;
    // A lane of nothing but frames is kept as it is: folded it would be blank.
    if (hidden == 0 || hidden == lane.size())
        return;
    std::vector<uint16_t> rowOfSlice(lane.size(), kHidden);
    std::vector<uint32_t> shownParent(lane.size(), kNoSlice); ///< nearest one that stays
    std::vector<int64_t> freeFromNs;
    for (uint32_t i = 0; i < lane.size(); ++i) {
        uint32_t parent = lane.parent(i);
        if (parent != kNoSlice && rowOfSlice[parent] == kHidden)
            parent = shownParent[parent];
        shownParent[i] = parent;
        if (isHidden(i))
            continue;
        size_t r = parent == kNoSlice ? 0 : rowOfSlice[parent] + size_t{1};
        while (r < freeFromNs.size() && freeFromNs[r] > lane.startNs(i))
            ++r;
        r = std::min<size_t>(r, kHidden - 1);
        if (r >= freeFromNs.size()) {
            freeFromNs.resize(r + 1, kMinNs);
            index.foldedSlices.resize(r + 1);
        }
        freeFromNs[r] = lane.endNs(i);
        rowOfSlice[i] = static_cast<uint16_t>(r);
        index.foldedSlices[r].push_back(i);
    }
    index.foldedRows.reserve(index.foldedSlices.size());
    for (uint16_t r = 0; r < index.foldedSlices.size(); ++r) {
        index.foldedSlices[r].shrinkToFit();
        index.foldedRows.emplace_back(row(id, Frames::Folded, r).slices);
    }
}

void TimelineIndex::buildDevices(const std::stop_token& stop)
{
    struct Piece {
        int64_t startNs;
        int64_t endNs;
    };
    const auto groups = m_trace->groups();
    for (uint32_t g = 0; g < groups.size(); ++g) {
        std::map<std::string, std::vector<Piece>, std::less<>> byDevice;
        for (const LaneId id : groups[g].lanes) {
            const Lane& lane = m_trace->lane(id);
            for (uint32_t i = 0; lane.isDevice() && i < lane.size(); ++i) {
                if (i % 4096 == 0 && stop.stop_requested())
                    return;
                if (!isDeviceWork(lane.kind(i)))
                    continue;
                const std::string_view device = m_trace->deviceOf({id, i});
                auto at = byDevice.find(device);
                if (at == byDevice.end())
                    at = byDevice.emplace(device, std::vector<Piece>()).first;
                at->second.push_back({lane.startNs(i), lane.endNs(i)});
            }
        }
        for (auto& [device, pieces] : byDevice) {
            std::ranges::sort(pieces, {}, &Piece::startNs);
            DeviceBusy& entry = m_devices.emplace_back(DeviceBusy{g, device, {}});
            for (const Piece& piece : pieces)
                entry.busy.append(piece.startNs, piece.endNs, WorkClass::Op);
            entry.busy.finish();
        }
    }
}

uint16_t TimelineIndex::rowCount(LaneId lane, Frames frames) const
{
    const LaneIndex& index = m_lanes[lane.value()];
    if (frames == Frames::Folded && !index.foldedSlices.empty())
        return static_cast<uint16_t>(index.foldedSlices.size());
    return m_trace->lane(lane).rowCount();
}

RowView TimelineIndex::row(LaneId lane, Frames frames, uint16_t row) const
{
    const LaneIndex& index = m_lanes[lane.value()];
    RowView view;
    view.slices.lane = &m_trace->lane(lane);
    view.slices.classes = &index.classes;
    if (frames == Frames::Folded && !index.foldedSlices.empty()) {
        view.slices.order = &index.foldedSlices[row];
        view.slices.count = static_cast<uint32_t>(index.foldedSlices[row].size());
        view.index = row < index.foldedRows.size() ? &index.foldedRows[row] : nullptr;
        return view;
    }
    view.slices.order = view.slices.lane->rowSlices(row);
    view.slices.count = view.slices.lane->rowSize(row);
    view.index = row < index.rows.size() ? &index.rows[row] : nullptr;
    return view;
}

std::optional<uint16_t> TimelineIndex::rowOf(SliceRef s, Frames frames) const
{
    const LaneIndex& index = m_lanes[s.lane.value()];
    if (frames == Frames::Shown || index.foldedSlices.empty())
        return m_trace->lane(s.lane).row(s.index);
    for (uint16_t r = 0; r < index.foldedSlices.size(); ++r) {
        if (std::binary_search(index.foldedSlices[r].begin(), index.foldedSlices[r].end(), s.index))
            return r;
    }
    return std::nullopt;
}

bool TimelineIndex::rowHasDeviceWork(LaneId lane, uint16_t row) const
{
    const LaneIndex& index = m_lanes[lane.value()];
    return row < index.workRows.size() && index.workRows[row];
}

std::optional<uint32_t> TimelineIndex::trackOf(uint32_t fileIndex, int32_t deviceType, int32_t deviceId) const
{
    const auto found = std::ranges::find_if(m_memory, [&](const MemoryTrack& track) {
        return track.fileIndex == fileIndex && track.deviceType == deviceType && track.deviceId == deviceId;
    });
    return found == m_memory.end() ? std::nullopt
                                   : std::optional(static_cast<uint32_t>(found - m_memory.begin()));
}

std::optional<uint32_t> TimelineIndex::groupOf(const MemoryTrack& track) const
{
    if (track.deviceType == 0)
        return std::nullopt;
    const std::string id = std::to_string(track.deviceId);
    const DeviceBusy* only = nullptr;
    size_t devices = 0;
    for (const DeviceBusy& device : m_devices) {
        if (m_trace->groups()[device.group].fileIndex != track.fileIndex)
            continue;
        if (device.device == id)
            return device.group;
        only = &device;
        ++devices;
    }
    // Kernels count all devices of the machine, memory those that the process may see: one on each side is the same.
    const auto tracks = std::ranges::count_if(m_memory,
        [&](const MemoryTrack& other) { return other.fileIndex == track.fileIndex && other.deviceType != 0; });
    return devices == 1 && tracks == 1 ? std::optional(only->group) : std::nullopt;
}

SliceRef TimelineIndex::outermostAt(LaneId lane, int64_t timeNs) const
{
    const bool isDevice = m_trace->lane(lane).isDevice();
    SliceRef fallback;
    for (uint16_t r = 0; r < rowCount(lane, Frames::Shown); ++r) {
        const SliceRow slices = row(lane, Frames::Shown, r).slices;
        const uint32_t k = RowIndex::firstEndingAfter(slices, timeNs);
        if (k >= slices.size() || slices.startNs(k) > timeNs)
            continue;
        const SliceRef slice{lane, slices.laneIndex(k)};
        if (isDevice ? isDeviceWork(m_trace->kind(slice)) : BusyRow::Rule::isWork(classOf(slice)))
            return slice;
        if (!fallback.isValid())
            fallback = slice;
    }
    return fallback;
}

std::optional<Neighbours> TimelineIndex::neighbours(LaneId lane, Frames frames, TimeRange range) const
{
    Neighbours found;
    int64_t endNs = kMinNs;
    int64_t startNs = kMaxNs;
    for (uint16_t r = 0; r < rowCount(lane, frames); ++r) {
        const SliceRow slices = row(lane, frames, r).slices;
        const uint32_t k = RowIndex::firstEndingAfter(slices, range.beginNs);
        if (k < slices.size()) {
            if (slices.startNs(k) < range.endNs)
                return std::nullopt;
            if (slices.startNs(k) < startNs) {
                startNs = slices.startNs(k);
                found.after = {lane, slices.laneIndex(k)};
            }
        }
        if (k > 0) {
            const SliceRef slice{lane, slices.laneIndex(k - 1)};
            if (m_trace->endNs(slice) > endNs) {
                endNs = m_trace->endNs(slice);
                found.before = slice;
            }
        }
    }
    return found;
}

size_t TimelineIndex::memoryUsage() const
{
    size_t bytes = 0;
    for (const LaneIndex& lane : m_lanes) {
        bytes += lane.classes.memoryUsage() + lane.busy.memoryUsage();
        for (const SliceList& list : lane.foldedSlices)
            bytes += sizeof list + list.memoryUsage();
        for (const RowIndex& index : lane.rows)
            bytes += sizeof index + index.memoryUsage();
        for (const RowIndex& index : lane.foldedRows)
            bytes += sizeof index + index.memoryUsage();
    }
    for (const DeviceBusy& device : m_devices)
        bytes += device.busy.memoryUsage();
    for (const MemoryTrack& track : m_memory)
        bytes += track.allocated.memoryUsage() + track.reserved.memoryUsage();
    return bytes;
}

} // namespace torchline::lod
