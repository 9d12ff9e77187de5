#include "capture/recorded_process.h"

#include "base/text.h"
#include "capture/arena_check.h"
#include "capture/record_check.h"
#include "model/steps.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace torchline {

namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

std::string lastPart(const std::string& path)
{
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string stringOf(const nlohmann::json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<int64_t> numberOf(const nlohmann::json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end())
        return std::nullopt;
    if (found->is_number_integer())
        return found->get<int64_t>();
    if (!found->is_string())
        return std::nullopt;
    const auto& text = found->get_ref<const std::string&>();
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoll(text);
}

} // namespace

RecordedProcess::RecordedProcess(
    std::shared_ptr<StringPool> pool, std::shared_ptr<const SpoolBytes> spool, IngestCounters& counters)
    : m_pool(std::move(pool))
    , m_counters(counters)
    , m_source(spool ? std::make_shared<SpoolSource>(std::move(spool)) : nullptr)
    , m_builder(m_pool)
{
    m_pid = m_pool->intern("0");
    m_noName.id = m_pool->intern("(other)");
    m_opCategory = m_builder.category("cpu_op");
    m_annotationCategory = m_builder.category("user_annotation");
    m_arrowCategory = m_builder.category("fwdbwd");
    m_memoryCategory = m_builder.category("cpu_instant_event");
    m_lostCategory = m_builder.category("recording");
    m_arrowName = m_pool->intern("fwdbwd");
    m_memoryName = m_pool->intern("[memory]");
}

void RecordedProcess::take(const Frame& frame)
{
    switch (frame.kind) {
    case FrameKind::Hello:
        takeHello(textOf(frame.payload));
        break;
    case FrameKind::Arena:
        takeArena(frame);
        break;
    case FrameKind::Slot:
        if (const auto slot = readPart<SlotPart>(frame.payload))
            takeSlot(slot->part);
        break;
    case FrameKind::Clock:
        if (const auto clock = readPart<ClockPart>(frame.payload))
            takeClock(clock->part);
        break;
    case FrameKind::Records:
        takeRecords(frame.payload, frame.place);
        break;
    case FrameKind::OpenOps:
        takeOpenOps(frame);
        break;
    case FrameKind::Damage:
        takeDamage(frame);
        break;
    case FrameKind::Counts:
        if (const auto counts = readPart<CountsPart>(frame.payload))
            segment(counts->part.segment).counts = counts->part;
        break;
    case FrameKind::Bound:
    case FrameKind::State:
    case FrameKind::Note:
    case FrameKind::Output:
    case FrameKind::Exit:
        break;
    }
}

RecordedProcess::Segment& RecordedProcess::segment(uint32_t number)
{
    const auto known = std::find_if(m_segments.begin(), m_segments.end(),
        [number](const std::unique_ptr<Segment>& s) { return s->number == number; });
    if (known != m_segments.end())
        return **known;
    Segment& added = *m_segments.emplace_back(std::make_unique<Segment>());
    added.number = number;
    return added;
}

void RecordedProcess::takeHello(std::string_view json)
{
    const nlohmann::json hello = nlohmann::json::parse(json, nullptr, false);
    if (!hello.is_object())
        return;
    const std::string pid = std::to_string(numberOf(hello, "pid").value_or(0));
    m_pid = m_pool->intern(pid);
    m_builder.setProcessName(m_pid, m_pool->intern(toValidUtf8(lastPart(stringOf(hello, "exe")))));
    m_builder.setProcessLabels(m_pid, m_pool->intern("CPU"));
    m_builder.setProcessSortIndex(m_pid, numberOf(hello, "pid").value_or(0));
    m_rank = numberOf(hello, "rank");
    m_header.clear();
    if (m_rank) {
        const std::optional<int64_t> worldSize = numberOf(hello, "world_size");
        m_header.emplace_back("distributedInfo",
            "{\"rank\":" + std::to_string(*m_rank)
                + (worldSize ? ",\"world_size\":" + std::to_string(*worldSize) : std::string()) + "}");
    }
    if (const auto args = hello.find("args"); args != hello.end() && args->is_array())
        m_header.emplace_back("command", args->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void RecordedProcess::takeArena(const Frame& frame)
{
    const auto part = readPart<ArenaPart>(frame.payload);
    if (!part)
        return;
    Segment& to = segment(part->part.segment);
    std::span<const std::byte> rest = part->rest;
    while (const std::optional<ArenaItem> item = takeArenaItem(rest)) {
        if (item->head.kind() == wire::ArenaKind::Shapes && item->head.id == to.shapes + 1) {
            ++to.shapes;
            if (m_source)
                m_source->addShapes(to.number, item->bytes);
        }
        if (item->head.kind() == wire::ArenaKind::Stack && item->head.id == to.stacks + 1) {
            ++to.stacks;
            if (m_source)
                m_source->stacks().addStack(to.number, item->bytes);
        }
        if (item->head.kind() == wire::ArenaKind::Module && m_source) {
            if (const std::optional<ModuleItem> module = readModuleItem(item->bytes))
                m_source->stacks().addModule(*module);
        }
        if (item->head.kind() != wire::ArenaKind::Name || item->head.id != to.names.size() + 1)
            continue;
        const std::string text = toValidUtf8(textOf(item->bytes));
        Name& name = to.names.emplace_back();
        name.id = m_pool->intern(text);
        name.isStep = isStepName(text);
        if (text.starts_with(kEvaluate))
            name.evaluated = m_pool->intern(std::string_view(text).substr(kEvaluate.size()));
    }
}

void RecordedProcess::takeSlot(const SlotPart& part)
{
    Slot& slot = segment(part.segment).slots[part.slot];
    slot = Slot();
    slot.isTaken = true;
    slot.index = part.slot;
    const std::string tid = std::to_string(part.tid);
    slot.tid = m_pool->intern(tid);
    slot.lane = m_builder.lane(m_pid, slot.tid);
    slot.torchThread = part.torchThread;
    const char* end = std::find(std::begin(part.threadName), std::end(part.threadName), '\0');
    const std::string name = toValidUtf8(std::string_view(part.threadName, static_cast<size_t>(end - part.threadName)));
    m_builder.setThreadName(m_pid, slot.tid, m_pool->intern("thread " + tid + " (" + name + ")"));
    m_builder.setThreadSortIndex(m_pid, slot.tid, part.tid);
}

void RecordedProcess::takeClock(const ClockPart& clock)
{
    m_clock.addMoments(clock);
    if (!m_clock.isKnown())
        return;
    for (const PendingRecords& records : std::exchange(m_pending, {}))
        takeRecords(records.payload, records.place);
}

void RecordedProcess::takeRecords(std::span<const std::byte> payload, uint64_t place)
{
    const auto part = readPart<RecordsPart>(payload);
    if (!part)
        return;
    if (!m_clock.isKnown()) {
        m_pending.push_back({{payload.begin(), payload.end()}, place});
        return;
    }
    Segment& from = segment(part->part.segment);
    Slot& slot = from.slots[part->part.slot];
    if (!slot.isTaken) {
        ++m_strayOps;
        return;
    }
    m_hasRecords = true;
    if (m_source)
        m_source->addFrame(
            FrameKind::Records, place, static_cast<uint32_t>(payload.size()), from.number, part->part.slot);
    const ArenaIds ids{static_cast<uint32_t>(from.names.size()), from.shapes, from.stacks};
    std::span<const std::byte> rest = part->rest;
    while (rest.size() >= sizeof(wire::RecordHead)) {
        if (checkRecord(rest, ids) == RecordVerdict::Damaged) {
            m_damages.emplace_back("a part of the recording breaks the rules");
            return;
        }
        addRecord(from, slot, rest, place + payload.size() - rest.size());
        rest = rest.subspan(recordHead(rest).size);
    }
}

void RecordedProcess::takeOpenOps(const Frame& frame)
{
    const auto part = readPart<OpenOpsPart>(frame.payload);
    if (!part)
        return;
    Segment& from = segment(part->part.segment);
    Slot& slot = from.slots[part->part.slot];
    if (!slot.isTaken)
        return;
    if (m_source)
        m_source->addFrame(
            FrameKind::OpenOps, frame.place, static_cast<uint32_t>(frame.payload.size()), from.number, part->part.slot);
    slot.open.clear();
    std::span<const std::byte> rest = part->rest;
    for (; rest.size() >= sizeof(wire::OpenOp); rest = rest.subspan(sizeof(wire::OpenOp))) {
        OpenOp open{{}, frame.place + frame.payload.size() - rest.size()};
        std::memcpy(&open.op, rest.data(), sizeof(open.op));
        const bool hasEnded
            = std::find(slot.endedLast.begin(), slot.endedLast.end(), open.op.number + 1) != slot.endedLast.end();
        if (open.op.name <= from.names.size() && open.op.shapes <= from.shapes && open.op.stack <= from.stacks
            && !hasEnded)
            slot.open.push_back(open);
    }
}

void RecordedProcess::takeDamage(const Frame& frame)
{
    const auto part = readPart<DamagePart>(frame.payload);
    if (!part)
        return;
    ++m_counters.damagedSlots;
    m_damages.emplace_back(toValidUtf8(textOf(part->rest)));
}

std::optional<int64_t> RecordedProcess::realOffsetNs() const
{
    return m_clock.isKnown() ? std::optional(m_clock.realOffsetNs()) : std::nullopt;
}

/// While recording goes on only the latest arrows are there: to find the slices of all of them takes longer the longer
/// it goes.
void RecordedProcess::addLinks(TraceBuilder& builder, bool all)
{
    constexpr size_t kLatest = 1u << 14;
    const std::vector<ForwardBackward::Link> fresh = m_arrows.takeLinks(all);
    m_links.insert(m_links.end(), fresh.begin(), fresh.end());
    const size_t first = all || m_links.size() <= kLatest ? 0 : m_links.size() - kLatest;
    for (const ForwardBackward::Link& link : std::span(m_links).subspan(first)) {
        FlowRecord flow;
        flow.name = m_arrowName;
        flow.category = m_arrowCategory;
        flow.id = FlowId::ofNumber(link.id);
        flow.timeNs = link.forward.startNs;
        flow.eventOffset = link.forward.place;
        builder.addFlow(link.forward.lane, flow);
        flow.phase = FlowPhase::Finish;
        flow.timeNs = link.backward.startNs;
        flow.eventOffset = link.backward.place;
        builder.addFlow(link.backward.lane, flow);
    }
}

/// The total of the host's memory is what was allocated and freed since recording began; devices tell theirs.
void RecordedProcess::sumUpMemory()
{
    const size_t first = m_builder.sortMemory();
    std::map<int32_t, int64_t> totals; ///< by device, at the current sample
    for (size_t i = first; i < m_builder.memoryCount(); ++i) {
        const MemorySample& sample = m_builder.memorySample(i);
        const MemoryOrigin& origin = m_builder.memoryOrigin(sample);
        if (origin.deviceType != kCpu)
            continue;
        const auto [total, isFirst] = totals.try_emplace(origin.deviceId, m_forgottenHostBytes);
        for (size_t k = first; isFirst && k > 0; --k) {
            const MemorySample& earlier = m_builder.memorySample(k - 1);
            const MemoryOrigin& of = m_builder.memoryOrigin(earlier);
            if (of.deviceType == kCpu && of.deviceId == origin.deviceId) {
                total->second = earlier.totalAllocated;
                break;
            }
        }
        total->second += sample.bytes;
        m_builder.setTotalAllocated(i, total->second);
    }
}

/// When another thread ended an operator that still stands on its own thread's list.
std::optional<uint64_t> RecordedProcess::asyncEndOf(const wire::OpenOp& op) const
{
    std::optional<uint64_t> earliest;
    const auto [begin, end] = m_asyncEnd.equal_range(op.key);
    for (auto it = begin; it != end; ++it) {
        if (it->second.ticks >= op.start && (!earliest || it->second.ticks < *earliest))
            earliest = it->second.ticks;
    }
    return earliest;
}

void RecordedProcess::addOpenOps(TraceBuilder& builder)
{
    for (const std::unique_ptr<Segment>& from : m_segments) {
        for (const auto& [index, slot] : from->slots) {
            for (const OpenOp& open : slot.open) {
                if ((open.op.mark & wire::OpenKept) == 0)
                    continue; // begun while nothing was recorded
                SliceRecord slice
                    = sliceOf(nameOf(*from, open.op.name), open.op.scope, m_clock.nsOf(open.op.start), open.place);
                slice.externalId = linkIdOf(from->number, index, open.op.number);
                slice.hasDuration = false;
                if (const std::optional<uint64_t> end = asyncEndOf(open.op)) {
                    slice.hasDuration = true;
                    slice.durationNs = subSaturated(m_clock.nsOf(*end), slice.startNs);
                }
                builder.addSlice(slot.lane, slice);
            }
        }
    }
}

void RecordedProcess::addNotices(TraceBuilder& builder, bool isEnd) const
{
    CountsPart sum{};
    for (const std::unique_ptr<Segment>& from : m_segments) {
        sum.opsTooDeep += from->counts.opsTooDeep;
        sum.threadsWithoutSlot += from->counts.threadsWithoutSlot;
        sum.namesRefused += from->counts.namesRefused;
        sum.stacksRefused += from->counts.stacksRefused;
    }
    const auto note = [&](std::string_view code, std::string_view text, uint64_t count,
                          NoticeSeverity severity = NoticeSeverity::Warning) {
        if (count > 0)
            builder.addNotice(code, text, std::nullopt, {}, severity, count);
    };
    note("records-lost",
        "The program wrote faster than its records were read; where some were lost there is a marker: %n records",
        m_lost);
    note("records-forgotten",
        "The recording reached its limit of memory: its oldest records made room for newer ones: %n", m_forgotten);
    note("threads-not-recorded", "Threads that are not recorded, since too many ran at once: %n",
        sum.threadsWithoutSlot);
    note("operators-too-deep", "Operators nested too deep to be recorded: %n", sum.opsTooDeep);
    note("names-refused", "Operators whose name or shapes found no room are shown as (other): %n", sum.namesRefused);
    note("stacks-refused", "Stacks and libraries that found no room: %n", sum.stacksRefused);
    note("records-without-thread", "Parts of the recording that belong to no thread were skipped: %n", m_strayOps);
    for (const std::string& damage : m_damages)
        builder.addNotice("damaged-recording",
            "Threads that are not recorded any more, since their memory is damaged: %n", std::nullopt, damage);
    if (!isEnd)
        return;
    note("async-end-without-begin", "Ends of async operators whose begin was not recorded were ignored: %n",
        m_asyncEnd.size());
    note("freed-before", "Blocks that are older than the recording were freed; their size is not known: %n",
        m_blocks.unknownFrees(), NoticeSeverity::Info);
    if (!m_clock.isKnown() && !m_pending.empty())
        note("no-clock", "The program ended before its clock could be read, so its records have no times: %n parts",
            m_pending.size());
}

FileInfo RecordedProcess::fileInfo(const std::string& path, std::optional<int64_t> baseTimeNs) const
{
    FileInfo info;
    info.path = path;
    info.format = "recording";
    info.rank = m_rank;
    info.baseTimeNs = baseTimeNs;
    info.header = {{"schemaVersion", "1"}, {"deviceProperties", "[]"}};
    info.header.insert(info.header.end(), m_header.begin(), m_header.end());
    const bool hasShapes = std::any_of(
        m_segments.begin(), m_segments.end(), [](const std::unique_ptr<Segment>& s) { return s->shapes > 0; });
    if (hasShapes)
        info.header.emplace_back("record_shapes", "1");
    if (m_builder.memoryCount() > 0)
        info.header.emplace_back("profile_memory", "1");
    info.header.emplace_back("displayTimeUnit", "ms");
    if (baseTimeNs)
        info.header.emplace_back("baseTimeNanoseconds", std::to_string(*baseTimeNs));
    return info;
}

std::shared_ptr<const FileStore> RecordedProcess::publish(
    const std::string& path, std::optional<int64_t> baseTimeNs, bool isEnd)
{
    sumUpMemory();
    m_builder.settle();
    TraceBuilder builder = m_builder.clone();
    addLinks(builder, isEnd);
    if (m_forgottenMark)
        builder.addInstant(*m_forgottenMark);
    if (m_clock.isKnown())
        addOpenOps(builder);
    for (const auto& [key, half] : m_asyncOpen) {
        SliceRecord slice = half.slice;
        slice.hasDuration = false;
        builder.addSlice(half.lane, slice);
    }
    addNotices(builder, isEnd);
    return builder.finish(fileInfo(path, baseTimeNs), m_source);
}

void RecordedProcess::forgetBefore(int64_t timeNs)
{
    sumUpMemory();
    uint64_t count = m_builder.forgetSlicesBefore(timeNs);
    const std::vector<MemorySample> gone = m_builder.forgetMemoryBefore(timeNs);
    const auto last = std::find_if(gone.rbegin(), gone.rend(),
        [this](const MemorySample& sample) { return m_builder.memoryOrigin(sample).deviceType == kCpu; });
    if (last != gone.rend())
        m_forgottenHostBytes = last->totalAllocated;
    count += gone.size();
    std::erase_if(m_links, [timeNs](const auto& link) { return link.forward.startNs < timeNs; });
    m_range.beginNs = std::max(m_range.beginNs, timeNs);
    m_forgotten += count;
    m_counters.forgotten += count;
    if (m_forgotten == 0)
        return;
    Instant mark;
    mark.timeNs = timeNs;
    mark.name = m_pool->intern(std::to_string(m_forgotten) + " records forgotten before this");
    mark.category = m_lostCategory;
    mark.pid = m_pid;
    mark.scope = 'p';
    m_forgottenMark = mark;
}

size_t RecordedProcess::memoryUsage() const
{
    size_t bytes = m_builder.memoryUsage() + m_links.capacity() * sizeof(m_links[0]) + m_blocks.memoryUsage()
        + m_arrows.memoryUsage() + (m_source ? m_source->memoryUsage() : 0);
    for (const PendingRecords& records : m_pending)
        bytes += sizeof(records) + records.payload.capacity();
    return bytes;
}

} // namespace torchline
