#include "agent/callbacks.h"

#include "agent/agent.h"
#include "agent/intern_shapes.h"
#include "agent/stacks.h"
#include "agent/steps.h"
#include "agent/thread_block.h"

namespace torchline::agent {
namespace {

using wire::OpenKept;
using wire::OpenOp;

template <typename T> T fieldOf(const void* object, int offset, T unknown)
{
    if (offset < 0)
        return unknown;
    T value;
    std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(value));
    return value;
}

uint64_t keyOf(const void* recordFunction)
{
    return reinterpret_cast<uint64_t>(recordFunction);
}

bool endedElsewhere(const OpenOp& open)
{
    return (__atomic_load_n(&open.mark, __ATOMIC_RELAXED) & OpenEndedElsewhere) != 0;
}

template <typename Record> void write(ThreadBlock& block, const Record& record)
{
    if (char* const room = block.ring.reserve(sizeof(Record))) [[likely]] {
        std::memcpy(room, &record, sizeof(Record));
        block.ring.commit(sizeof(Record));
    }
}

wire::AsyncRecord asyncRecord(wire::RecordType type, const OpenOp& open, uint64_t time)
{
    return {{sizeof(wire::AsyncRecord), type, open.scope, open.name}, open.key, time, open.sequence,
        type == wire::RecordType::AsyncOpen ? open.stack : 0, 0};
}

/// The innermost open operator ends, or ended, on another thread.
[[gnu::noinline]] void popAsync(ThreadBlock& block)
{
    const OpenOp& open = block.nextOpen[-1];
    if ((open.mark & OpenKept) != 0)
        write(block, asyncRecord(wire::RecordType::AsyncOpen, open, open.start));
    block.ends();
}

/// Tells the thread that still holds it as open. Its slot may change under our eyes; a wrong mark only turns an
/// operator's record into a pair that the reader joins.
void markElsewhere(uint64_t key)
{
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t s = 0; s < count; ++s) {
        const Segment& segment = *g_agent.segments[s].load(std::memory_order_acquire);
        const uint32_t used = __atomic_load_n(&segment.slotsUsed, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < used; ++i) {
            wire::SlotHeader& slot = segment.slot(i);
            uint32_t depth = slot.depth.load(std::memory_order_acquire);
            for (depth = depth < wire::kOpenOps ? depth : wire::kOpenOps; depth > 0; --depth) {
                OpenOp& open = slot.open[depth - 1];
                if (__atomic_load_n(&open.key, __ATOMIC_RELAXED) == key) {
                    __atomic_fetch_or(&open.mark, uint16_t{OpenEndedElsewhere}, __ATOMIC_RELAXED);
                    return;
                }
            }
        }
    }
}

[[gnu::noinline]] void endOfUnknown(ThreadBlock& block, const void* recordFunction, uint64_t time)
{
    if (block.unseenOpen > 0) {
        --block.unseenOpen;
        return;
    }
    markElsewhere(keyOf(recordFunction));
    if (g_agent.state.load(std::memory_order_relaxed) != wire::RecordState::Recording)
        return;
    OpenOp ended = {};
    ended.key = keyOf(recordFunction);
    ended.name = internName(block, g_agent.nameOf(recordFunction));
    ended.scope = fieldOf<uint8_t>(recordFunction, g_agent.offsets.scope, 0);
    ended.sequence = fieldOf<int64_t>(recordFunction, g_agent.offsets.sequence, -1);
    write(block, asyncRecord(wire::RecordType::AsyncEnd, ended, time));
}

[[gnu::noinline]] void beginsTooDeep(ThreadBlock& block)
{
    block.segment->header->opsTooDeep.fetch_add(1, std::memory_order_relaxed);
    block.setDepth(block.depth + 1);
}

[[gnu::noinline]] void beginsUnseen()
{
    if (ThreadBlock* const block = t_block; block && !block->slot) {
        ++block->unseenOpen;
        ++block->lost;
    }
}

[[gnu::noinline]] void endsUnseen()
{
    if (ThreadBlock* const block = t_block; block && block->unseenOpen > 0)
        --block->unseenOpen;
}

void describe(wire::OpRecord& record, uint16_t size, const ThreadBlock& block, const OpenOp& open,
    const void* recordFunction, uint64_t end)
{
    record.head = {size, wire::RecordType::Op, open.scope, open.name};
    record.start = open.start;
    record.end = end;
    record.sequence = open.sequence;
    record.forwardThread = static_cast<uint32_t>(fieldOf<uint64_t>(recordFunction, g_agent.offsets.forwardThread, 0));
    record.depth = static_cast<uint16_t>(block.depth - 1);
    record.flags = open.flags;
    record.shapes = open.shapes;
    record.number = open.number;
}

/// Of one that began in the warmup the record is made, but not given to the reader.
void giveToReader(ThreadBlock& block, const OpenOp& open, uint32_t size)
{
    if ((open.mark & OpenKept) != 0) [[likely]]
        block.ring.commit(size);
}

[[gnu::noinline]] void writeWithStack(
    ThreadBlock& block, const OpenOp& open, const void* recordFunction, uint64_t end)
{
    constexpr uint16_t kSize = sizeof(wire::OpStackRecord);
    char* const room = block.ring.reserve(kSize);
    if (!room) [[unlikely]]
        return;
    auto* const record = reinterpret_cast<wire::OpStackRecord*>(room);
    describe(record->op, kSize, block, open, recordFunction, end);
    record->stack = open.stack;
    record->reserved = 0;
    giveToReader(block, open, kSize);
}

void writeOperator(ThreadBlock& block, const OpenOp& open, const void* recordFunction, uint64_t end)
{
    constexpr uint16_t kSize = sizeof(wire::OpRecord);
    char* const room = block.ring.reserve(kSize);
    if (!room) [[unlikely]]
        return;
    describe(*reinterpret_cast<wire::OpRecord*>(room), kSize, block, open, recordFunction, end);
    giveToReader(block, open, kSize);
}

/// Takes off what is open inside an operator that ends: it ended elsewhere, or will. False: that one is not open here.
[[gnu::noinline]] bool popInside(ThreadBlock& block, const void* recordFunction)
{
    uint32_t place = block.depth;
    while (place > 0 && block.slot->open[place - 1].key != keyOf(recordFunction))
        --place;
    while (place > 0 && block.depth > place)
        popAsync(block);
    return place > 0;
}

uint16_t markIn(wire::RecordState state)
{
    if (state == wire::RecordState::Recording) [[likely]]
        return OpenKept;
    return state == wire::RecordState::Warmup ? OpenWarmup : 0;
}

} // namespace

ObserverContext operatorBegins(const void* recordFunction)
{
    ThreadBlock* const block = enter();
    if (!block) [[unlikely]] {
        beginsUnseen();
        return {};
    }
    while (block->depth > 0 && block->depth <= wire::kOpenOps && endedElsewhere(block->nextOpen[-1]))
        [[unlikely]] popAsync(*block);
    if (block->depth >= wire::kOpenOps) [[unlikely]] {
        beginsTooDeep(*block);
        return {};
    }
    OpenOp& open = *block->nextOpen;
    const wire::RecordState state = g_agent.state.load(std::memory_order_relaxed);
    open.key = keyOf(recordFunction);
    open.sequence = fieldOf<int64_t>(recordFunction, g_agent.offsets.sequence, -1);
    open.name = internName(*block, g_agent.nameOf(recordFunction));
    open.scope = fieldOf<uint8_t>(recordFunction, g_agent.offsets.scope, 0);
    open.flags = 0;
    open.mark = markIn(state);
    open.shapes = g_agent.wantShapes.load(std::memory_order_relaxed) ? internShapes(*block, recordFunction) : 0;
    open.number = block->nextNumber++;
    const uint32_t frames = g_agent.stackFrames.load(std::memory_order_relaxed);
    open.stack = frames == 0 || open.mark == 0 ? 0 : internStack(*block, frames);
    open.reserved = 0;
    open.start = ticks(g_agent.clock);
    block->begins();
    return {};
}

void operatorEnds(const void* recordFunction, void*)
{
    const uint64_t end = ticks(g_agent.clock);
    ThreadBlock* const block = enter();
    if (!block) [[unlikely]] {
        endsUnseen();
        return;
    }
    if (block->depth > wire::kOpenOps) [[unlikely]] {
        block->setDepth(block->depth - 1);
        return;
    }
    const bool isInnermost = block->depth > 0 && block->nextOpen[-1].key == keyOf(recordFunction);
    if (!isInnermost && !popInside(*block, recordFunction)) [[unlikely]] {
        endOfUnknown(*block, recordFunction, end);
        return;
    }
    const OpenOp& open = block->nextOpen[-1];
    if ((open.mark & OpenKept) != 0 || (open.mark & OpenWarmup) != 0) [[likely]] {
        if (open.stack == 0) [[likely]]
            writeOperator(*block, open, recordFunction, end);
        else
            writeWithStack(*block, open, recordFunction, end);
    }
    const uint32_t name = open.name;
    block->ends();
    if (block->segment->dictionary.knownName(name).mark != 0) [[unlikely]]
        endStep(block, end, name);
    else if (block->depth == 0 && g_agent.stepKind.load(std::memory_order_relaxed) == StepRule::Kind::Operators)
        [[unlikely]] countOutermost(*block, end, name);
}

void memoryChanges(const void* address, int64_t bytes, uint64_t allocated, uint64_t reserved, Device device)
{
    const wire::RecordState state = g_agent.state.load(std::memory_order_relaxed);
    if (state != wire::RecordState::Recording && state != wire::RecordState::Warmup)
        return;
    ThreadBlock* const block = enter();
    if (!block)
        return;
    constexpr uint32_t kSize = sizeof(wire::MemoryRecord);
    char* const room = block->ring.reserve(kSize);
    if (!room) [[unlikely]]
        return;
    const OpenOp* const open = block->innermost();
    auto* const record = reinterpret_cast<wire::MemoryRecord*>(room);
    record->head = {kSize, wire::RecordType::Memory, 0, open ? open->name : 0};
    record->time = ticks(g_agent.clock);
    record->address = reinterpret_cast<uint64_t>(address);
    record->bytes = bytes;
    record->allocated = allocated;
    record->reserved = reserved;
    record->deviceType = device.type;
    record->deviceIndex = device.index;
    record->number = open ? open->number : 0;
    if (state == wire::RecordState::Recording) [[likely]]
        block->ring.commit(kSize);
}

} // namespace torchline::agent
