#include "model/trace_builder.h"

#include "base/huge_pages.h"
#include "model/steps.h"
#include "model/trace_draft.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace torchline {

namespace {

constexpr size_t kMostCategories = CategoryId::kInvalid - 1;

} // namespace

TraceBuilder::TraceBuilder(std::shared_ptr<StringPool> pool)
    : m_pool(std::move(pool))
    , m_draft(std::make_unique<Draft>(*m_pool))
{
}

TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::settle()
{
    for (LaneDraft& lane : m_draft->lanes) {
        lane.nester.rewind(lane.columns.sort());
        lane.nester.advance(lane.columns);
        static_cast<void>(lane.columns.facts());
    }
}

uint64_t TraceBuilder::forgetSlicesBefore(int64_t timeNs)
{
    settle();
    const int64_t columnNs = subSaturated(timeNs, m_draft->originNs.value_or(0));
    uint64_t count = 0;
    for (LaneDraft& lane : m_draft->lanes) {
        const uint32_t forgotten = lane.columns.forgetBefore(columnNs);
        if (forgotten > 0)
            lane.nester = {};
        count += forgotten;
    }
    m_draft->sliceCount -= count;
    return count;
}

TraceBuilder TraceBuilder::clone()
{
    for (LaneDraft& lane : m_draft->lanes)
        lane.columns.shareBlocks();
    TraceBuilder copy(m_pool);
    copy.m_draft = std::make_unique<Draft>(*m_draft);
    return copy;
}

int64_t TraceBuilder::Draft::place(int64_t fileNs, uint64_t eventOffset)
{
    if (!originNs)
        originNs = fileNs;
    int64_t timeNs = 0;
    if (__builtin_sub_overflow(fileNs, *originNs, &timeNs) || timeNs == kMinNs) {
        timeNs = std::max(subSaturated(fileNs, *originNs), -kMaxNs); // so that it can be negated
        notices.add("time-out-of-range", "Times too far from the first one for 64 bits of nanoseconds were clipped: %n",
            eventOffset);
    }
    recordingEndNs = std::max(recordingEndNs, timeNs);
    return timeNs;
}

void TraceBuilder::Draft::noteStep(LaneDraft& lane, const SliceRecord& slice)
{
    if (!isOperator(slice.kind) || !slice.name.isValid())
        return;
    for (auto id = static_cast<uint32_t>(m_isStepName.size()); id <= slice.name.value(); ++id)
        m_isStepName.push_back(isStepName(pool.text(NameId(id))));
    if (m_isStepName[slice.name.value()])
        lane.carriesSteps = true;
}

CategoryId TraceBuilder::category(std::string_view text)
{
    Draft& d = *m_draft;
    const NameId name = m_pool->intern(text);
    if (const auto known = d.categoryOf.find(name); known != d.categoryOf.end())
        return known->second;
    if (d.categories.size() == kMostCategories) {
        d.notices.add("too-many-categories", "There are more than 65534 categories; records that have none now: %n",
            std::nullopt);
        return CategoryId();
    }
    const CategoryId id(static_cast<uint16_t>(d.categories.size()));
    d.categories.push_back(name);
    d.kinds.push_back(sliceKindOf(text));
    d.categoryOf.emplace(name, id);
    return id;
}

SliceKind TraceBuilder::kindOf(CategoryId category) const
{
    return category.isValid() ? m_draft->kinds[category.value()] : SliceKind::Other;
}

template <typename Id> uint32_t TraceBuilder::Draft::standIn(std::unordered_map<Id, uint32_t>& known, Id id)
{
    constexpr uint32_t kMostStandIns = 0xFFFFFFFF - kFirstStandIn;
    const size_t standIns = numberIds.size() + textIds.size();
    if (standIns == kMostStandIns && !known.contains(id)) {
        notices.add(
            "too-many-long-ids", "Too many ids are long or no numbers; those that link nothing: %n", std::nullopt);
        return 0;
    }
    return known.try_emplace(id, kFirstStandIn + static_cast<uint32_t>(standIns)).first->second;
}

uint32_t TraceBuilder::standInOf(uint64_t number)
{
    return m_draft->standIn(m_draft->numberIds, number);
}

uint32_t TraceBuilder::linkId(std::string_view text)
{
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size())
        return linkId(number);
    return text.empty() ? 0 : m_draft->standIn(m_draft->textIds, m_pool->intern(text));
}

uint32_t TraceBuilder::lane(NameId pid, NameId tid)
{
    const uint64_t key = uint64_t{pid.value()} << 32 | tid.value();
    const auto [found, isNew] = m_draft->laneOf.try_emplace(key, static_cast<uint32_t>(m_draft->lanes.size()));
    if (isNew) {
        LaneDraft& draft = m_draft->lanes.emplace_back();
        draft.pid = pid;
        draft.tid = tid;
    }
    return found->second;
}

void TraceBuilder::addSlice(uint32_t lane, const SliceRecord& slice)
{
    Draft& d = *m_draft;
    d.noteStep(d.lanes[lane], slice);
    SliceRow row{d.place(slice.startNs, slice.eventOffset), slice.durationNs, slice.name, slice.kind, 0, slice.category,
        slice.externalId, slice.correlation, slice.eventOffset};
    ++d.sliceCount;
    if (!slice.hasDuration) {
        row.flags = SliceUnfinished;
        d.lanes[lane].unfinished.push_back(row);
        return;
    }
    if (row.durationNs < 0) {
        row.durationNs = 0;
        row.flags = SliceClampedDuration;
        d.notices.add("negative-duration", "Slices with a negative duration, which counts as 0: %n", slice.eventOffset,
            std::to_string(slice.durationNs) + " ns");
    }
    d.recordingEndNs = std::max(d.recordingEndNs, addSaturated(row.startNs, row.durationNs));
    d.lanes[lane].columns.append(row);
}

void TraceBuilder::addBegin(uint32_t lane, const SliceRecord& slice)
{
    const int64_t timeNs = m_draft->place(slice.startNs, slice.eventOffset);
    ++m_draft->sliceCount;
    m_draft->noteStep(m_draft->lanes[lane], slice);
    m_draft->lanes[lane].pairEvents.push_back({timeNs, true,
        {timeNs, 0, slice.name, slice.kind, 0, slice.category, slice.externalId, slice.correlation,
            slice.eventOffset}});
}

void TraceBuilder::addEnd(uint32_t lane, int64_t timeNs, NameId name, uint64_t eventOffset)
{
    SliceRow row;
    row.name = name;
    row.eventOffset = eventOffset;
    m_draft->lanes[lane].pairEvents.push_back({m_draft->place(timeNs, eventOffset), false, row});
}

void TraceBuilder::addFlow(uint32_t lane, const FlowRecord& flow)
{
    LaneFlow placed{flow, lane};
    placed.timeNs = m_draft->place(flow.timeNs, flow.eventOffset);
    m_draft->flows.push_back(placed);
}

void TraceBuilder::addAsync(const AsyncRecord& record)
{
    AsyncRecord& placed = m_draft->async.emplace_back(record);
    placed.timeNs = m_draft->place(record.timeNs, record.eventOffset);
}

void TraceBuilder::addInstant(const Instant& instant)
{
    Instant& placed = m_draft->instants.emplace_back(instant);
    placed.timeNs = instant.hasTime ? m_draft->place(instant.timeNs, instant.eventOffset) : 0;
}

void TraceBuilder::addMemory(const MemorySample& sample, const MemoryOrigin& origin)
{
    MemorySample placed = sample;
    placed.timeNs = m_draft->place(sample.timeNs, sample.eventOffset);
    placed.origin = m_draft->memoryOrigins.indexOf(origin);
    m_draft->memory.push_back(placed);
}

size_t TraceBuilder::Draft::sortMemory()
{
    const auto before = [](const MemorySample& a, const MemorySample& b) {
        return std::tie(a.timeNs, a.eventOffset) < std::tie(b.timeNs, b.eventOffset);
    };
    size_t first = memoryInOrder;
    memoryInOrder = memory.size();
    const auto fresh = memory.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::is_sorted(fresh == memory.begin() ? fresh : fresh - 1, memory.end(), before))
        return first;
    std::vector<MemorySample> tail(fresh, memory.end());
    std::sort(tail.begin(), tail.end(), before);
    const auto place = std::upper_bound(memory.begin(), fresh, tail.front(), before);
    first = static_cast<size_t>(place - memory.begin());
    std::vector<MemorySample> merged(tail.size() + static_cast<size_t>(fresh - place));
    std::merge(place, fresh, tail.begin(), tail.end(), merged.begin(), before);
    memory.truncate(first);
    for (const MemorySample& sample : merged)
        memory.push_back(sample);
    return first;
}

size_t TraceBuilder::sortMemory()
{
    return m_draft->sortMemory();
}

size_t TraceBuilder::memoryCount() const
{
    return m_draft->memory.size();
}

const MemorySample& TraceBuilder::memorySample(size_t i) const
{
    return m_draft->memory[i];
}

const MemoryOrigin& TraceBuilder::memoryOrigin(const MemorySample& sample) const
{
    return m_draft->memoryOrigins.values[sample.origin];
}

void TraceBuilder::setTotalAllocated(size_t i, int64_t bytes)
{
    if (m_draft->memory[i].totalAllocated != bytes)
        m_draft->memory.writable(i).totalAllocated = bytes;
}

std::vector<MemorySample> TraceBuilder::forgetMemoryBefore(int64_t timeNs)
{
    const int64_t columnNs = subSaturated(timeNs, m_draft->originNs.value_or(0));
    const MemorySamples& all = m_draft->memory;
    const auto rest = std::partition_point(
        all.begin(), all.end(), [columnNs](const MemorySample& sample) { return sample.timeNs < columnNs; });
    std::vector<MemorySample> gone(all.begin(), rest);
    MemorySamples kept;
    std::for_each(rest, all.end(), [&](const MemorySample& sample) { kept.push_back(sample); });
    m_draft->memory = std::move(kept);
    m_draft->memoryInOrder = m_draft->memory.size();
    return gone;
}

void TraceBuilder::addDeviceWork(const DeviceWork& work, const DevicePlace& place)
{
    growLarge(m_draft->deviceWork);
    m_draft->deviceWork.emplace_back(work).place = m_draft->devicePlaces.indexOf(place);
}

void TraceBuilder::beginCounter(NameId pid, NameId name, NameId id, int64_t timeNs)
{
    Draft& d = *m_draft;
    const auto [found, isNew] = d.counterOf.try_emplace({pid, name, id}, d.counters.size());
    if (isNew) {
        Counter& counter = d.counters.emplace_back();
        counter.pid = pid;
        counter.name = name;
        counter.id = id;
    }
    d.currentCounter = found->second;
    d.currentCounterNs = d.place(timeNs, 0);
    d.currentCounterIsEmpty = true;
}

void TraceBuilder::addCounterValue(NameId series, double value, NameId text)
{
    Draft& d = *m_draft;
    Counter& counter = d.counters[d.currentCounter];
    if (std::exchange(d.currentCounterIsEmpty, false))
        ++counter.records;
    auto found = std::find_if(
        counter.series.begin(), counter.series.end(), [series](const CounterSeries& s) { return s.name == series; });
    if (found == counter.series.end())
        found = counter.series.insert(found, CounterSeries{series, {}});
    found->samples.push_back({d.currentCounterNs, value, text});
}

void TraceBuilder::setProcessName(NameId pid, NameId name)
{
    m_draft->processes[pid].name.set(name);
}

void TraceBuilder::setProcessLabels(NameId pid, NameId labels)
{
    m_draft->processes[pid].labels.set(labels);
}

void TraceBuilder::setProcessSortIndex(NameId pid, int64_t index)
{
    m_draft->processes[pid].sortIndex.set(index);
}

void TraceBuilder::setThreadName(NameId pid, NameId tid, NameId name)
{
    m_draft->lanes[lane(pid, tid)].name = name;
}

void TraceBuilder::setThreadSortIndex(NameId pid, NameId tid, int64_t index)
{
    m_draft->lanes[lane(pid, tid)].sortIndex = index;
}

void TraceBuilder::addNotice(std::string_view code, std::string_view text, std::optional<uint64_t> offset,
    std::string_view found, NoticeSeverity severity, uint64_t count)
{
    m_draft->notices.add(code, text, offset, found, severity, count);
}

uint64_t TraceBuilder::sliceCount() const
{
    return m_draft->sliceCount;
}

size_t TraceBuilder::memoryUsage() const
{
    const Draft& d = *m_draft;
    const auto bytesOf = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    size_t bytes = bytesOf(d.categories) + bytesOf(d.kinds) + bytesOf(d.lanes) + d.flows.memoryUsage()
        + bytesOf(d.async) + bytesOf(d.instants) + d.memory.memoryUsage() + bytesOf(d.deviceWork) + bytesOf(d.counters)
        + d.notices.memoryUsage();
    for (const LaneDraft& lane : d.lanes)
        bytes += lane.columns.memoryUsage() + lane.nester.memoryUsage() + bytesOf(lane.pairEvents)
            + bytesOf(lane.unfinished);
    for (const Counter& counter : d.counters) {
        for (const CounterSeries& series : counter.series)
            bytes += sizeof(series) + bytesOf(series.samples);
    }
    return bytes;
}

std::shared_ptr<const FileStore> TraceBuilder::finish(
    FileInfo info, std::shared_ptr<const EventSource> source, size_t threads)
{
    const std::shared_ptr<FileStore> store = m_draft->finish(threads);
    info.originNs = m_draft->originNs.value_or(0);
    store->info = std::move(info);
    store->source = std::move(source);
    m_draft = std::make_unique<Draft>(*m_pool);
    return store;
}

} // namespace torchline
