#include "capture/segment_reader.h"

#include "capture/arena_check.h"
#include "capture/record_check.h"
#include "capture/segment_map.h"

#include <algorithm>
#include <ctime>
#include <utility>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace torchline {

namespace {

constexpr size_t kArenaPartBytes = size_t{1} << 20;
constexpr size_t kSteadyOps = 64; ///< open operators of a thread that are told while it runs

/// A clock pair that its writer is not changing at this moment.
std::optional<ClockMoment> readMoment(const wire::ClockPair& pair)
{
    constexpr int kTries = 4;
    for (int i = 0; i < kTries; ++i) {
        const uint32_t before = pair.sequence.load(std::memory_order_acquire);
        const ClockMoment moment{pair.ticks.load(std::memory_order_relaxed),
            pair.monotonicNs.load(std::memory_order_relaxed), pair.realNs.load(std::memory_order_relaxed)};
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 == 0 && pair.sequence.load(std::memory_order_relaxed) == before)
            return moment;
    }
    return std::nullopt;
}

/// Our own moment, for a program that ended before its agent took a second one: both run on the same machine.
std::optional<ClockMoment> ownMoment()
{
#if defined(__x86_64__)
    timespec monotonic{};
    timespec real{};
    const uint64_t ticks = __rdtsc();
    ::clock_gettime(CLOCK_MONOTONIC, &monotonic);
    ::clock_gettime(CLOCK_REALTIME, &real);
    const auto ns = [](const timespec& t) {
        return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
    };
    return ClockMoment{ticks, ns(monotonic), ns(real)};
#else
    return std::nullopt;
#endif
}

/// Processors count between 1 MHz and 100 GHz.
bool isLine(const ClockMoment& first, const ClockMoment& last)
{
    if (last.ticks <= first.ticks || last.monotonicNs <= first.monotonicNs)
        return false;
    const double perNs
        = static_cast<double>(last.ticks - first.ticks) / static_cast<double>(last.monotonicNs - first.monotonicNs);
    return perNs > 0.001 && perNs < 100;
}

bool isSame(const wire::OpenOp& a, const wire::OpenOp& b)
{
    return a.key == b.key && a.start == b.start && a.number == b.number && a.name == b.name;
}

struct Slot {
    uint64_t tail = 0; ///< ours: the one in shared memory is only told to the writer
    bool isClosed = false;
    bool hasThread = false;
    std::vector<wire::OpenOp> open; ///< as of the last look
    std::vector<wire::OpenOp> told; ///< what the last OpenOps frame said
};

} // namespace

struct SegmentReader::State {
    State(SegmentMap segment, uint16_t processNumber)
        : map(std::move(segment))
        , process(processNumber)
        , slots(map.layout().slotCount)
        , heads(slots.size())
    {
    }

    [[nodiscard]] uint32_t usedSlots() const
    {
        const uint32_t used = map.header().slotsUsed.load(std::memory_order_acquire);
        return std::min(used, map.layout().slotCount);
    }

    void drain(FrameSink& sink);
    void drainClock(FrameSink& sink);
    bool drainArena(FrameSink& sink);
    void drainSlot(FrameSink& sink, uint32_t index, uint64_t head);
    const char* passOn(FrameSink& sink, uint32_t index);
    void sendRecords(FrameSink& sink, uint32_t index, size_t begin, size_t end);
    void sendThread(FrameSink& sink, uint32_t index, const wire::ThreadRecord& thread);
    void sendThreadOfHeader(FrameSink& sink, uint32_t index);
    void drainOpenOps(FrameSink& sink, uint32_t index, bool isEnd);
    void drainCounts(FrameSink& sink);
    void close(FrameSink& sink, uint32_t index, std::string_view why);
    [[nodiscard]] std::vector<wire::OpenOp> openOps(uint32_t index, size_t most) const;
    [[nodiscard]] std::string nameOf(uint32_t id) const;

    SegmentMap map;
    uint16_t process;
    std::vector<Slot> slots;
    std::vector<uint64_t> heads;
    ArenaCheck arena;
    uint64_t arenaRead = 0;
    bool isDead = false; ///< the arena cannot be trusted, and with it no name
    std::vector<std::byte> arenaCopy; ///< as far as it was read
    std::vector<std::pair<size_t, uint32_t>> names; ///< place and bytes in arenaCopy, by id - 1
    std::vector<std::byte> ringCopy;
    std::vector<std::byte> payload;
    ClockMoment lastClock{};
    bool hasClock = false;
    CountsPart counts{};
    SegmentCounters counters;
};

Result<SegmentReader> SegmentReader::open(int descriptor, uint16_t process, uint32_t pid)
{
    Result<SegmentMap> map = SegmentMap::open(descriptor);
    if (!map)
        return map.error();
    if (pid != 0 && map->layout().pid != pid)
        return Error(ErrorCode::Format,
            "the shared memory of the program cannot be read: it says that it belongs to process "
                + std::to_string(map->layout().pid) + ", not " + std::to_string(pid));
    return SegmentReader(std::make_unique<State>(std::move(*map), process));
}

SegmentReader::SegmentReader(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

SegmentReader::SegmentReader(SegmentReader&&) noexcept = default;
SegmentReader& SegmentReader::operator=(SegmentReader&&) noexcept = default;
SegmentReader::~SegmentReader() = default;

void SegmentReader::drain(FrameSink& sink)
{
    m_state->drain(sink);
    for (uint32_t i = 0; i < m_state->usedSlots(); ++i)
        m_state->drainOpenOps(sink, i, false);
}

void SegmentReader::drainEnd(FrameSink& sink)
{
    m_state->drain(sink);
    for (uint32_t i = 0; i < m_state->usedSlots(); ++i)
        m_state->drainOpenOps(sink, i, true);
}

void SegmentReader::State::drain(FrameSink& sink)
{
    // Heads first: whatever records up to them refer to is in the arena by then.
    const uint32_t used = isDead ? 0 : usedSlots();
    for (uint32_t i = 0; i < used; ++i)
        heads[i] = map.slot(i).head.load(std::memory_order_acquire);
    if (!drainArena(sink))
        return;
    drainClock(sink);
    for (uint32_t i = 0; i < used; ++i) {
        if (!slots[i].isClosed)
            drainSlot(sink, i, heads[i]);
    }
    drainCounts(sink);
}

void SegmentReader::State::drainClock(FrameSink& sink)
{
    const wire::SegmentHeader& header = map.header();
    const std::optional<ClockMoment> first = readMoment(header.first);
    std::optional<ClockMoment> last = readMoment(header.last);
    const bool isTsc = map.layout().clock == wire::ClockKind::Tsc;
    if (!first || first->monotonicNs == 0)
        return;
    if (isTsc && !hasClock && !(last && isLine(*first, *last)))
        last = ownMoment();
    if (!isTsc && !last)
        last = first;
    if (!last || (hasClock && last->ticks == lastClock.ticks) || (isTsc && !isLine(*first, *last)))
        return;
    hasClock = true;
    lastClock = *last;
    sendPart(sink, FrameKind::Clock, process, ClockPart{map.layout().number, map.layout().clock, *first, *last});
}

bool SegmentReader::State::drainArena(FrameSink& sink)
{
    if (isDead)
        return false;
    const uint64_t head = map.header().arenaHead.load(std::memory_order_acquire);
    if (head < arenaRead || head > map.layout().arenaBytes || head % 8 != 0) {
        close(sink, kWholeSegment, "the list of names has an impossible length");
        return false;
    }
    if (head == arenaRead)
        return true;
    const std::span<const std::byte> fresh = map.arena().subspan(arenaRead, head - arenaRead);
    const size_t copied = arenaCopy.size();
    arenaCopy.insert(arenaCopy.end(), fresh.begin(), fresh.end());
    std::span<const std::byte> rest = std::span<const std::byte>(arenaCopy).subspan(copied);
    std::span<const std::byte> part = rest; ///< not sent yet
    const auto send = [&](size_t bytes) {
        sendPart(sink, FrameKind::Arena, process, ArenaPart{map.layout().number, 0, arenaRead}, part.first(bytes));
        arenaRead += bytes;
        part = part.subspan(bytes);
    };
    const char* fault = nullptr;
    while (!rest.empty()) {
        std::span<const std::byte> behind = rest;
        const std::optional<ArenaItem> item = takeArenaItem(behind);
        fault = item ? arena.accept(*item) : "an entry of the list of names is longer than the list";
        if (fault != nullptr)
            break;
        if (item->head.kind() == wire::ArenaKind::Name)
            names.emplace_back(static_cast<size_t>(item->bytes.data() - arenaCopy.data()), item->head.bytes());
        rest = behind;
        if (part.size() - rest.size() >= kArenaPartBytes)
            send(part.size() - rest.size());
    }
    if (part.size() > rest.size())
        send(part.size() - rest.size());
    if (fault != nullptr)
        close(sink, kWholeSegment, fault);
    return fault == nullptr;
}

void SegmentReader::State::drainSlot(FrameSink& sink, uint32_t index, uint64_t head)
{
    Slot& slot = slots[index];
    wire::SlotHeader& header = map.slot(index);
    if (static_cast<wire::SlotKind>(header.kind) != wire::SlotKind::Ops)
        return; // device slots are not laid out yet
    const uint64_t fresh = head - slot.tail;
    if (fresh == 0)
        return;
    const std::span<const std::byte> ring = map.ring(index);
    if (fresh > ring.size() || head % 8 != 0) {
        close(sink, index, "its ring has an impossible fill");
        return;
    }
    const size_t begin = slot.tail % ring.size();
    const size_t untilEnd = std::min<size_t>(fresh, ring.size() - begin);
    ringCopy.assign(
        ring.begin() + static_cast<ptrdiff_t>(begin), ring.begin() + static_cast<ptrdiff_t>(begin + untilEnd));
    const char* fault = passOn(sink, index);
    if (fault == nullptr && untilEnd < fresh) {
        ringCopy.assign(ring.begin(), ring.begin() + static_cast<ptrdiff_t>(fresh - untilEnd));
        fault = passOn(sink, index);
    }
    if (fault != nullptr) {
        close(sink, index, fault);
        return;
    }
    slot.tail = head;
    header.tail.store(head, std::memory_order_release);
}

/// Passes the records of ringCopy on, which ends where the ring ends or where the writer is. Null, or what is wrong.
const char* SegmentReader::State::passOn(FrameSink& sink, uint32_t index)
{
    const std::span<const std::byte> all = ringCopy;
    size_t begin = 0; // of what is not sent yet
    size_t at = 0;
    const char* fault = nullptr;
    while (at < all.size()) {
        const std::span<const std::byte> rest = all.subspan(at);
        const wire::RecordHead head = recordHead(rest);
        if (head.type == wire::RecordType::Pad)
            break;
        const RecordVerdict verdict = checkRecord(rest, arena.ids());
        if (verdict == RecordVerdict::Damaged) {
            fault = "it holds a record that breaks the rules";
            break;
        }
        if (verdict == RecordVerdict::Unknown || head.type == wire::RecordType::Thread) {
            sendRecords(sink, index, begin, at);
            begin = at + head.size;
            if (verdict == RecordVerdict::Unknown)
                ++counters.unknownRecords;
            else
                sendThread(sink, index, readRecord<wire::ThreadRecord>(rest));
        } else {
            ++counters.records;
        }
        at += head.size;
    }
    sendRecords(sink, index, begin, at);
    return fault;
}

void SegmentReader::State::sendRecords(FrameSink& sink, uint32_t index, size_t begin, size_t end)
{
    if (begin == end)
        return;
    if (!slots[index].hasThread)
        sendThreadOfHeader(sink, index);
    const std::span<const std::byte> records = std::span<const std::byte>(ringCopy).subspan(begin, end - begin);
    counters.bytes += records.size();
    payload.clear();
    appendPart(payload, RecordsPart{map.layout().number, index}, records);
    sink.take({FrameKind::Records, process, payload, 0});
}

void SegmentReader::State::sendThread(FrameSink& sink, uint32_t index, const wire::ThreadRecord& thread)
{
    slots[index].hasThread = true;
    SlotPart part{map.layout().number, index, thread.tid, thread.generation, thread.torchThread, {}};
    std::copy(std::begin(thread.threadName), std::end(thread.threadName), std::begin(part.threadName));
    sendPart(sink, FrameKind::Slot, process, part);
}

void SegmentReader::State::sendThreadOfHeader(FrameSink& sink, uint32_t index)
{
    const wire::SlotHeader& header = map.slot(index);
    wire::ThreadRecord thread{};
    thread.tid = header.tid;
    thread.generation = header.generation;
    thread.torchThread = header.torchThread;
    std::copy(std::begin(header.threadName), std::end(header.threadName), std::begin(thread.threadName));
    sendThread(sink, index, thread);
}

std::vector<wire::OpenOp> SegmentReader::State::openOps(uint32_t index, size_t most) const
{
    const wire::SlotHeader& header = map.slot(index);
    const uint32_t depth = header.depth.load(std::memory_order_acquire);
    const size_t count = std::min<size_t>({depth, most, wire::kOpenOps});
    std::vector<wire::OpenOp> ops(header.open, header.open + count);
    std::atomic_thread_fence(std::memory_order_acquire);
    const size_t after = header.depth.load(std::memory_order_relaxed);
    if (after < ops.size())
        ops.resize(after);
    const auto bad = std::find_if(ops.begin(), ops.end(), [&ids = arena.ids()](const wire::OpenOp& op) {
        return op.name > ids.names || op.shapes > ids.shapes || op.stack > ids.stacks;
    });
    ops.erase(bad, ops.end());
    return ops;
}

/// While a thread runs its list changes under our hands: only what stood there twice is told.
void SegmentReader::State::drainOpenOps(FrameSink& sink, uint32_t index, bool isEnd)
{
    Slot& slot = slots[index];
    if (isDead || slot.isClosed || !slot.hasThread)
        return;
    std::vector<wire::OpenOp> seen = openOps(index, isEnd ? wire::kOpenOps : kSteadyOps);
    std::vector<wire::OpenOp> steady = seen;
    if (!isEnd) {
        size_t same = 0;
        while (same < seen.size() && same < slot.open.size() && isSame(seen[same], slot.open[same]))
            ++same;
        steady.resize(same);
    }
    slot.open = std::move(seen);
    if (std::equal(steady.begin(), steady.end(), slot.told.begin(), slot.told.end(), isSame))
        return;
    const auto depth = isEnd ? map.slot(index).depth.load(std::memory_order_relaxed) : 0;
    const OpenOpsPart part{map.layout().number, index, std::max(depth, static_cast<uint32_t>(steady.size())), 0};
    sendPart(sink, FrameKind::OpenOps, process, part, std::as_bytes(std::span(steady)));
    slot.told = std::move(steady);
}

void SegmentReader::State::drainCounts(FrameSink& sink)
{
    const wire::SegmentHeader& header = map.header();
    CountsPart now{};
    now.segment = map.layout().number;
    for (uint32_t i = 0; i < usedSlots(); ++i)
        now.dropped += map.slot(i).dropped.load(std::memory_order_relaxed);
    now.opsTooDeep = header.opsTooDeep.load(std::memory_order_relaxed);
    now.threadsWithoutSlot = header.threadsWithoutSlot.load(std::memory_order_relaxed);
    now.namesRefused = header.namesRefused.load(std::memory_order_relaxed);
    now.stacksRefused = header.stacksRefused.load(std::memory_order_relaxed);
    if (now.dropped == counts.dropped && now.opsTooDeep == counts.opsTooDeep
        && now.threadsWithoutSlot == counts.threadsWithoutSlot && now.namesRefused == counts.namesRefused
        && now.stacksRefused == counts.stacksRefused)
        return;
    counts = now;
    counters.dropped = now.dropped;
    counters.opsTooDeep = now.opsTooDeep;
    counters.threadsWithoutSlot = now.threadsWithoutSlot;
    counters.namesRefused = now.namesRefused;
    counters.stacksRefused = now.stacksRefused;
    sendPart(sink, FrameKind::Counts, process, now);
}

void SegmentReader::State::close(FrameSink& sink, uint32_t index, std::string_view why)
{
    if (index == kWholeSegment) {
        isDead = true;
        counters.damagedSlots = map.layout().slotCount;
    } else {
        slots[index].isClosed = true;
        ++counters.damagedSlots;
    }
    sendPart(sink, FrameKind::Damage, process, DamagePart{map.layout().number, index}, bytesOf(why));
}

std::string SegmentReader::State::nameOf(uint32_t id) const
{
    if (id == 0 || id > names.size())
        return "(other)";
    const auto [place, bytes] = names[id - 1];
    return std::string(textOf(std::span<const std::byte>(arenaCopy).subspan(place, bytes)));
}

uint32_t SegmentReader::number() const
{
    return m_state->map.layout().number;
}

uint32_t SegmentReader::pid() const
{
    return m_state->map.layout().pid;
}

wire::RecordState SegmentReader::state() const
{
    const uint32_t state = m_state->map.header().state.load(std::memory_order_relaxed);
    return state <= static_cast<uint32_t>(wire::RecordState::Recording) ? static_cast<wire::RecordState>(state)
                                                                        : wire::RecordState::Idle;
}

uint64_t SegmentReader::step() const
{
    return m_state->map.header().step.load(std::memory_order_relaxed);
}

const SegmentCounters& SegmentReader::counters() const
{
    return m_state->counters;
}

std::vector<OpenOpsOfThread> SegmentReader::openOps() const
{
    std::vector<OpenOpsOfThread> threads;
    for (uint32_t i = 0; i < m_state->usedSlots(); ++i) {
        const Slot& slot = m_state->slots[i];
        const std::vector<wire::OpenOp> ops = m_state->openOps(i, wire::kOpenOps);
        if (m_state->isDead || slot.isClosed || ops.empty())
            continue;
        const wire::SlotHeader& header = m_state->map.slot(i);
        OpenOpsOfThread& thread = threads.emplace_back();
        thread.tid = header.tid;
        const char* end = std::find(std::begin(header.threadName), std::end(header.threadName), '\0');
        thread.threadName.assign(std::begin(header.threadName), end);
        for (const wire::OpenOp& op : ops)
            thread.ops.push_back({m_state->nameOf(op.name), op.start});
    }
    return threads;
}

} // namespace torchline
