#include "trace_fixture.h"

#include <array>

namespace torchline {

Result<ArgList> MemoryEventSource::args(uint64_t eventOffset) const
{
    const auto found = events.find(eventOffset);
    return found == events.end() ? ArgList() : found->second;
}

Result<std::string> MemoryEventSource::text(uint64_t eventOffset) const
{
    return "{\"offset\":" + std::to_string(eventOffset) + "}";
}

Status MemoryEventSource::argsOfMany(
    std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const
{
    for (size_t i = 0; i < eventOffsets.size(); ++i) {
        const auto found = events.find(eventOffsets[i]);
        done(i, found == events.end() ? ArgList() : ArgList(found->second));
    }
    return {};
}

TraceFixture::TraceFixture(std::shared_ptr<StringPool> pool)
    : builder(pool)
    , m_pool(std::move(pool))
{
    info.path = "fixture.json";
}

uint32_t TraceFixture::lane(std::string_view pid, std::string_view tid)
{
    return builder.lane(name(pid), name(tid));
}

CategoryId TraceFixture::categoryOf(std::string_view text)
{
    return text.empty() ? CategoryId() : builder.category(text);
}

TraceFixture& TraceFixture::slice(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs,
    int64_t durationNs, uint32_t externalId, uint32_t correlation)
{
    SliceRecord record;
    record.startNs = startNs;
    record.durationNs = durationNs;
    record.name = name(sliceName);
    record.category = categoryOf(category);
    record.kind = sliceKindOf(category);
    record.externalId = externalId;
    record.correlation = correlation;
    record.eventOffset = nextOffset();
    builder.addSlice(lane, record);
    return *this;
}

TraceFixture& TraceFixture::op(
    uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs, uint32_t externalId)
{
    return slice(lane, "cpu_op", sliceName, startNs, durationNs, externalId);
}

TraceFixture& TraceFixture::annotation(
    uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs, uint32_t externalId)
{
    return slice(lane, "user_annotation", sliceName, startNs, durationNs, externalId);
}

int64_t TraceFixture::someOperators(uint32_t lane, std::mt19937_64& random, int64_t startNs)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "aten::mm", "aten::add", "aten::sum", "aten::copy_", "aten::view", "aten::scaled_dot_product_attention"};
    const auto length = static_cast<int64_t>(20 + random() % 900);
    op(lane, kNames[random() % kNames.size()], startNs, length);
    if (length > 400)
        op(lane, "aten::empty", startNs + 50, length / 2);
    return startNs + length;
}

TraceFixture& TraceFixture::python(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs)
{
    return slice(lane, "python_function", sliceName, startNs, durationNs);
}

TraceFixture& TraceFixture::call(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs,
    uint32_t correlation, uint32_t externalId)
{
    return slice(lane, "cuda_runtime", sliceName, startNs, durationNs, externalId, correlation);
}

TraceFixture& TraceFixture::work(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs,
    int64_t durationNs, uint32_t correlation, uint32_t externalId, std::string_view deviceText, int64_t bytes,
    int32_t occupancyPercent)
{
    slice(lane, category, sliceName, startNs, durationNs, externalId, correlation);
    DeviceWork record;
    DevicePlace place;
    record.eventOffset = m_offset;
    if (!deviceText.empty())
        place.device = name(deviceText);
    record.bytes = bytes;
    record.occupancyPercent = occupancyPercent;
    builder.addDeviceWork(record, place);
    return *this;
}

TraceFixture& TraceFixture::kernel(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs,
    uint32_t correlation, uint32_t externalId, std::string_view deviceText)
{
    return work(lane, "kernel", sliceName, startNs, durationNs, correlation, externalId, deviceText);
}

TraceFixture& TraceFixture::unfinished(
    uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs)
{
    SliceRecord record;
    record.startNs = startNs;
    record.hasDuration = false;
    record.name = name(sliceName);
    record.category = categoryOf(category);
    record.kind = sliceKindOf(category);
    record.eventOffset = nextOffset();
    builder.addSlice(lane, record);
    return *this;
}

TraceFixture& TraceFixture::begin(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t timeNs)
{
    SliceRecord record;
    record.startNs = timeNs;
    record.name = name(sliceName);
    record.category = categoryOf(category);
    record.kind = sliceKindOf(category);
    record.eventOffset = nextOffset();
    builder.addBegin(lane, record);
    return *this;
}

TraceFixture& TraceFixture::end(uint32_t lane, int64_t timeNs, std::string_view sliceName)
{
    builder.addEnd(lane, timeNs, sliceName.empty() ? NameId() : name(sliceName), nextOffset());
    return *this;
}

TraceFixture& TraceFixture::flow(
    uint32_t lane, FlowPhase phase, std::string_view category, std::string_view id, int64_t timeNs, bool bindsEnclosing)
{
    FlowRecord record;
    record.phase = phase;
    record.bindsEnclosing = bindsEnclosing;
    record.timeNs = timeNs;
    record.category = categoryOf(category);
    record.name = name(category);
    if (!id.empty())
        record.id = FlowId::ofText(name(id), *m_pool);
    record.eventOffset = nextOffset();
    builder.addFlow(lane, record);
    return *this;
}

TraceFixture& TraceFixture::arrow(
    std::string_view category, std::string_view id, uint32_t fromLane, int64_t fromNs, uint32_t toLane, int64_t toNs)
{
    flow(fromLane, FlowPhase::Start, category, id, fromNs);
    return flow(toLane, FlowPhase::Finish, category, id, toNs);
}

TraceFixture& TraceFixture::async(AsyncPhase phase, std::string_view category, std::string_view asyncName,
    std::string_view id, int64_t timeNs, std::string_view pid)
{
    AsyncRecord record;
    record.phase = phase;
    record.timeNs = timeNs;
    record.category = categoryOf(category);
    if (!asyncName.empty())
        record.name = name(asyncName);
    record.id = name(id);
    record.pid = name(pid);
    record.tid = name(pid);
    record.eventOffset = nextOffset();
    builder.addAsync(record);
    return *this;
}

TraceFixture& TraceFixture::memory(
    int64_t timeNs, int64_t bytes, int32_t deviceType, int32_t deviceId, int64_t totalAllocated, int64_t totalReserved)
{
    MemorySample sample;
    sample.timeNs = timeNs;
    sample.bytes = bytes;
    sample.totalAllocated = totalAllocated;
    sample.totalReserved = totalReserved;
    sample.eventOffset = nextOffset();
    MemoryOrigin origin;
    origin.deviceType = deviceType;
    origin.deviceId = deviceId;
    origin.name = name("[memory]");
    origin.category = categoryOf("cpu_instant_event");
    builder.addMemory(sample, origin);
    return *this;
}

TraceFixture& TraceFixture::instant(int64_t timeNs, std::string_view instantName)
{
    Instant record;
    record.timeNs = timeNs;
    record.name = name(instantName);
    record.eventOffset = nextOffset();
    builder.addInstant(record);
    return *this;
}

TraceFixture& TraceFixture::args(ArgList list)
{
    m_source->events[m_offset] = std::move(list);
    return *this;
}

std::shared_ptr<const FileStore> TraceFixture::store()
{
    return builder.finish(info, m_source);
}

std::shared_ptr<const TraceSnapshot> TraceFixture::snapshot(uint64_t generation)
{
    return TraceSnapshot::combine(m_pool, {store()}, generation);
}

SliceRef sliceNamed(const TraceSnapshot& trace, std::string_view name)
{
    for (uint32_t id = 0; id < trace.lanes().size(); ++id) {
        const Lane& lane = trace.lanes()[id];
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (trace.text(lane.name(i)) == name)
                return {LaneId(id), i};
        }
    }
    return {};
}

std::string nameOf(const TraceSnapshot& trace, SliceRef slice)
{
    return slice.isValid() ? std::string(trace.text(trace.name(slice))) : "-";
}

const Notice* noticeOf(const FileStore& store, std::string_view code)
{
    for (const Notice& notice : store.notices) {
        if (notice.code == code)
            return &notice;
    }
    return nullptr;
}

} // namespace torchline
