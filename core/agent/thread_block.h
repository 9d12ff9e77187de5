#pragma once
// What the agent keeps of each thread, beside its slot. One pointer of thread-local storage leads to it. Thread: the
// owner's.

#include "agent/fork_guard.h"
#include "agent/id_cache.h"
#include "agent/ring_writer.h"
#include "agent/segment.h"
#include "agent/stacks.h"
#include "capture/wire/segment.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace torchline::agent {

constexpr uint32_t kMaxNameBytes = 4096; ///< longer ones are cut

/// Names by the address they were passed at. Confirmed by their text: ad-hoc names live in memory that is used again.
struct NameCache {
    struct Entry {
        const char* address;
        const char* text;
        uint32_t count;
        uint32_t id;
    };
    static constexpr size_t kPairs = 256;
    Entry entries[kPairs][2];

    /// The two places where a name at this address may be: two names that meet here do not drive each other out.
    [[nodiscard]] Entry* at(const char* address)
    {
        constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
        return entries[reinterpret_cast<uintptr_t>(address) * kFactor >> 56];
    }
    /// The older of the two makes room.
    void put(const Entry& entry)
    {
        Entry* const pair = at(entry.address);
        if (pair[0].address != entry.address)
            pair[1] = pair[0];
        pair[0] = entry;
    }
};
static_assert(NameCache::kPairs == 1U << 8);

/// OpenOp::mark, beside wire::OpenKept.
enum OwnMark : uint16_t {
    OpenWarmup = 2, ///< began in the warmup: its record is made but not given to the reader
    OpenEndedElsewhere = 4, ///< set by the thread that ended it
};

struct ThreadBlock {
    static constexpr size_t kShapeWords = 512;

    wire::SlotHeader* slot; ///< null: none was free
    wire::OpenOp* nextOpen; ///< where the operator that begins next is kept; past the last place where there are too many
    Segment* segment;
    RingWriter ring;
    uint32_t depth; ///< open operators, those beyond wire::kOpenOps included
    uint32_t nextNumber;
    uint32_t unseenOpen; ///< operators that began while there was no slot, or before a fork
    uint64_t lost; ///< operators that found no slot
    NameCache names;
    IdCache<128> shapes;
    StackCache stacks;
    uint64_t shapeWords[kShapeWords];
    ThreadBlock* nextFree;
    bool countedWithoutSlot;

    /// The innermost open operator that is recorded; null if there is none.
    [[nodiscard]] const wire::OpenOp* innermost() const
    {
        return depth == 0 ? nullptr : nextOpen - 1;
    }
    void setDepth(uint32_t value)
    {
        depth = value;
        nextOpen = slot->open + (value < wire::kOpenOps ? value : wire::kOpenOps);
        slot->depth.store(value, std::memory_order_release);
    }
    /// Of one that is kept.
    void begins()
    {
        ++nextOpen;
        slot->depth.store(++depth, std::memory_order_release);
    }
    void ends()
    {
        --nextOpen;
        slot->depth.store(--depth, std::memory_order_release);
    }
};

extern thread_local constinit ThreadBlock* t_block __attribute__((tls_model("initial-exec")));

/// Gives the thread a block and a slot, and finds out whether this is a forked child. Null if it cannot be recorded.
[[nodiscard]] ThreadBlock* enterSlowly();

/// The calling thread's block, with a slot; null if it cannot be recorded.
[[nodiscard]] inline ThreadBlock* enter()
{
    ThreadBlock* const block = t_block;
    if (block && block->slot && isSameProcess()) [[likely]]
        return block;
    return enterSlowly();
}

/// Before the first enter() of the process.
void prepareThreads();
/// In a forked child: whether any thread of the parent was inside libunwind when it forked.
[[nodiscard]] bool anyoneWasUnwinding();
/// In a forked child: all blocks and slots were the parent's.
void forgetThreads();

[[nodiscard]] uint32_t internNameSlowly(ThreadBlock& block, const char* text);

[[nodiscard]] inline uint32_t internName(ThreadBlock& block, const char* text)
{
    const NameCache::Entry* entry = block.names.at(text);
    if (entry->address != text)
        ++entry;
    if (entry->address == text && std::strncmp(entry->text, text, entry->count) == 0
        && (text[entry->count] == '\0' || entry->count == kMaxNameBytes)) [[likely]]
        return entry->id;
    return internNameSlowly(block, text);
}

} // namespace torchline::agent
