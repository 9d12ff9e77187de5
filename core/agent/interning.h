#pragma once
// Names, shapes, stacks and modules get numbers: once in the arena of a segment, then known by their id. Finding one
// takes no lock; adding one does, and happens once for each. Thread: any, unless said otherwise.

#include "agent/lock.h"
#include "capture/wire/segment.h"

#include <cstddef>
#include <cstdint>

namespace torchline::agent {

[[nodiscard]] uint64_t hashOf(const void* bytes, size_t count);

/// What is known under an id. bytes point into the arena and are followed by zeros only where the padding leaves some.
struct Interned {
    const char* bytes;
    uint32_t count;
    uint32_t mark; ///< of names: their end ends a step; see StepRule
};

/// The append-only memory that the reader sees. Thread: under the lock of its dictionary.
class Arena {
public:
    void begin(char* memory, uint64_t size, wire::Shared<uint64_t>& published);
    /// Where the bytes lie now; null if there is no room.
    const char* append(uint32_t id, wire::ArenaKind kind, const void* bytes, uint32_t count);

private:
    char* m_memory = nullptr;
    uint64_t m_size = 0;
    uint64_t m_head = 0; // the reader can write the published one
    wire::Shared<uint64_t>* m_published = nullptr;
};

/// Open addressing by hash, never larger than its memory.
class InternTable {
public:
    static constexpr uint32_t kPlaces = 1U << 17;

    struct Memory {
        wire::Shared<uint64_t> places[kPlaces]; ///< hash << 32 | id, 0 empty
        Interned known[wire::kMaxStrings + 1]; ///< by id
    };

    /// memory: zeros.
    void begin(Memory* memory, wire::ArenaKind kind);
    /// 0 if unknown.
    [[nodiscard]] uint32_t find(const void* bytes, uint32_t count, uint64_t hash) const;
    /// Under the lock, after find() found nothing. 0: no room.
    uint32_t add(Arena& arena, const void* bytes, uint32_t count, uint64_t hash, uint32_t mark);

    [[nodiscard]] uint32_t count() const { return m_count.load(std::memory_order_acquire); }
    /// id: as find() and add() gave it; other ones are looked up as nothing.
    [[nodiscard]] Interned& known(uint32_t id) const { return m_memory->known[id <= wire::kMaxStrings ? id : 0]; }

private:
    Memory* m_memory = nullptr;
    wire::ArenaKind m_kind = wire::ArenaKind::Name;
    std::atomic<uint32_t> m_count = 0;
};
static_assert(wire::kMaxStrings == wire::kMaxShapes && wire::kMaxStrings == wire::kMaxStacks
    && wire::kMaxStrings == wire::kMaxModules && wire::kMaxStrings < InternTable::kPlaces);

/// Decides what mark a name gets when it is first seen.
using MarkName = uint32_t (*)(const char* name, uint32_t count);

/// Names, shapes, stacks and modules of one segment.
class Dictionary {
public:
    struct Memory {
        InternTable::Memory names;
        InternTable::Memory shapes;
        InternTable::Memory stacks;
        InternTable::Memory modules;
    };

    /// memory: zeros.
    void begin(Memory* memory, char* arena, wire::SegmentHeader& header, MarkName markName);
    /// 0 if there is no room: counted.
    uint32_t name(const char* text, uint32_t count);
    uint32_t shapes(const void* words, uint32_t count, uint64_t hash);
    uint32_t stack(const void* frames, uint32_t count, uint64_t hash);
    uint32_t module(const void* entry, uint32_t count);
    /// Asks markName again for all names.
    void markAgain();

    [[nodiscard]] const Interned& knownName(uint32_t id) const { return m_names.known(id); }
    [[nodiscard]] const Interned& knownShapes(uint32_t id) const { return m_shapes.known(id); }
    [[nodiscard]] const Interned& knownStack(uint32_t id) const { return m_stacks.known(id); }

private:
    uint32_t intern(InternTable& table, const void* bytes, uint32_t count, uint64_t hash);

    Lock m_lock;
    Arena m_arena;
    InternTable m_names;
    InternTable m_shapes;
    InternTable m_stacks;
    InternTable m_modules;
    wire::SegmentHeader* m_header = nullptr;
    MarkName m_markName = nullptr;
};

} // namespace torchline::agent
