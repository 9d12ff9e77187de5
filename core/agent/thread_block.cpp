#include "agent/thread_block.h"

#include "agent/agent.h"
#include "agent/recording.h"

#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace torchline::agent {

thread_local constinit ThreadBlock* t_block __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

struct Blocks {
    Blocks* next;
    ThreadBlock blocks[16];
};
constinit Blocks* g_blocks = nullptr; // all there are; under g_agent.slots
constinit ThreadBlock* g_freeBlocks = nullptr; // under g_agent.slots
constinit pthread_key_t g_endOfThread = 0;
constinit bool g_hasKey = false;

/// Under g_agent.slots.
ThreadBlock* takeBlock()
{
    if (!g_freeBlocks) {
        void* const memory = mmap(nullptr, sizeof(Blocks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return nullptr;
        auto* const more = new (memory) Blocks;
        more->next = g_blocks;
        g_blocks = more;
        for (ThreadBlock& block : more->blocks) {
            block.nextFree = g_freeBlocks;
            g_freeBlocks = &block;
        }
    }
    ThreadBlock* const block = g_freeBlocks;
    g_freeBlocks = block->nextFree;
    *block = ThreadBlock{};
    return block;
}

/// A slot whose thread ended and whose records were all read; else the next unused one. Under g_agent.slots.
wire::SlotHeader* takeSlotOf(Segment& segment)
{
    for (uint32_t i = 0; i < segment.slotsUsed; ++i) {
        wire::SlotHeader& slot = segment.slot(i);
        if (slot.state.load(std::memory_order_relaxed) == static_cast<uint32_t>(wire::SlotState::Ended)
            && slot.tail.load(std::memory_order_acquire) == slot.head.load(std::memory_order_relaxed)) {
            ++slot.generation;
            return &slot;
        }
    }
    return segment.slotsUsed < segment.slotCount ? &segment.slot(segment.slotsUsed++) : nullptr;
}

/// segment: whose it is; without a slot the last one, if any. Under g_agent.slots.
wire::SlotHeader* takeSlot(Segment*& segment)
{
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < count; ++i) {
        segment = g_agent.segments[i].load(std::memory_order_relaxed);
        if (wire::SlotHeader* const slot = takeSlotOf(*segment))
            return slot;
    }
    Segment* const added = count == 0 ? nullptr : addSegment();
    if (!added)
        return nullptr;
    segment = added;
    return takeSlotOf(*segment);
}

void describeThread(wire::SlotHeader& slot)
{
    slot.tid = static_cast<uint32_t>(syscall(SYS_gettid));
    slot.torchThread = g_agent.torch.currentThreadId ? g_agent.torch.currentThreadId() : 0;
    slot.pthread = reinterpret_cast<uint64_t>(pthread_self());
    std::memset(slot.threadName, 0, sizeof(slot.threadName));
    pthread_getname_np(pthread_self(), slot.threadName, sizeof(slot.threadName));
    slot.kind = wire::SlotKind::Ops;
}

void writeThreadRecord(ThreadBlock& block)
{
    constexpr uint16_t kSize = sizeof(wire::ThreadRecord);
    char* const room = block.ring.reserve(kSize);
    if (!room)
        return;
    wire::ThreadRecord record = {
        {kSize, wire::RecordType::Thread, 0, 0}, block.slot->torchThread, block.slot->tid, block.slot->generation, {}};
    std::memcpy(record.threadName, block.slot->threadName, sizeof(record.threadName));
    std::memcpy(room, &record, kSize);
    block.ring.commit(kSize);
}

bool giveSlot(ThreadBlock& block)
{
    Segment* segment = nullptr;
    {
        const Locked locked(g_agent.slots);
        wire::SlotHeader* const slot = takeSlot(segment);
        if (!slot) {
            if (segment && !block.countedWithoutSlot)
                segment->header->threadsWithoutSlot.fetch_add(1, std::memory_order_relaxed);
            block.countedWithoutSlot = true;
            return false;
        }
        describeThread(*slot);
        slot->depth.store(0, std::memory_order_relaxed);
        block.nextOpen = slot->open;
        slot->state.store(static_cast<uint32_t>(wire::SlotState::Live), std::memory_order_release);
        segment->header->slotsUsed.store(segment->slotsUsed, std::memory_order_release);
        block.slot = slot;
    }
    block.segment = segment;
    block.ring.attach(
        *block.slot, reinterpret_cast<char*>(block.slot) + wire::kRingAt, segment->ringBytes, g_agent.clock);
    writeThreadRecord(block);
    if (block.lost != 0)
        block.ring.lose(block.lost);
    block.lost = 0;
    return true;
}

void threadEnds(void* value)
{
    auto* const block = static_cast<ThreadBlock*>(value);
    if (t_block != block || !isSameProcess())
        return;
    t_block = nullptr;
    if (block->slot) {
        block->ring.settle();
        block->slot->state.store(static_cast<uint32_t>(wire::SlotState::Ended), std::memory_order_release);
    }
    const Locked locked(g_agent.slots);
    block->nextFree = g_freeBlocks;
    g_freeBlocks = block;
}

} // namespace

void prepareThreads()
{
    g_hasKey = pthread_key_create(&g_endOfThread, threadEnds) == 0;
}

bool anyoneWasUnwinding()
{
    for (const Blocks* each = g_blocks; each; each = each->next) {
        for (const ThreadBlock& block : each->blocks) {
            if (__atomic_load_n(&block.stacks.isUnwinding, __ATOMIC_RELAXED))
                return true;
        }
    }
    return isReadyingStacks();
}

void forgetThreads()
{
    t_block = nullptr;
    g_blocks = nullptr;
    g_freeBlocks = nullptr;
    if (g_hasKey)
        pthread_setspecific(g_endOfThread, nullptr);
}

ThreadBlock* enterSlowly()
{
    if (!isSameProcess() && !continueInChild())
        return nullptr;
    ThreadBlock* block = t_block;
    if (!block) {
        {
            const Locked locked(g_agent.slots);
            block = takeBlock();
        }
        if (!block)
            return nullptr;
        t_block = block;
        block->unseenOpen = openBeforeFork();
        if (g_hasKey)
            pthread_setspecific(g_endOfThread, block);
    }
    return block->slot || giveSlot(*block) ? block : nullptr;
}

uint32_t internNameSlowly(ThreadBlock& block, const char* text)
{
    const auto count = static_cast<uint32_t>(strnlen(text, kMaxNameBytes));
    const uint32_t id = block.segment->dictionary.name(text, count);
    if (id != 0)
        block.names.put({text, block.segment->dictionary.knownName(id).bytes, count, id});
    return id;
}

} // namespace torchline::agent
