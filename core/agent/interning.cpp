#include "agent/interning.h"

#include <cstring>

namespace torchline::agent {

uint64_t hashOf(const void* bytes, size_t count)
{
    constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
    uint64_t hash = count * kFactor;
    const char* at = static_cast<const char*>(bytes);
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = (hash ^ word) * kFactor;
        hash ^= hash >> 29;
    }
    uint64_t rest = 0;
    std::memcpy(&rest, at, count);
    hash = (hash ^ rest) * kFactor;
    return hash ^ hash >> 32;
}

void Arena::begin(char* memory, uint64_t size, wire::Shared<uint64_t>& published)
{
    m_memory = memory;
    m_size = size;
    m_head = 0;
    m_published = &published;
}

const char* Arena::append(uint32_t id, wire::ArenaKind kind, const void* bytes, uint32_t count)
{
    const uint64_t padded = (uint64_t{count} + 7) / 8 * 8;
    if (count >= 1U << 24 || m_size - m_head < sizeof(wire::ArenaEntry) + padded)
        return nullptr;
    char* const entry = m_memory + m_head;
    const wire::ArenaEntry head = {id, static_cast<uint32_t>(kind) << 24 | count};
    std::memcpy(entry, &head, sizeof(head));
    char* const at = entry + sizeof(head);
    std::memcpy(at, bytes, count); // the rest is zero since the file was made
    m_head += sizeof(head) + padded;
    m_published->store(m_head, std::memory_order_release);
    return at;
}

void InternTable::begin(Memory* memory, wire::ArenaKind kind)
{
    m_memory = memory;
    m_kind = kind;
    m_count.store(0, std::memory_order_relaxed);
}

uint32_t InternTable::find(const void* bytes, uint32_t count, uint64_t hash) const
{
    for (uint64_t at = hash;; ++at) {
        const uint64_t place = m_memory->places[at % kPlaces].load(std::memory_order_acquire);
        if (place == 0)
            return 0;
        if (place >> 32 != hash >> 32)
            continue;
        const auto id = static_cast<uint32_t>(place);
        const Interned& known = m_memory->known[id];
        if (known.count == count && std::memcmp(known.bytes, bytes, count) == 0)
            return id;
    }
}

uint32_t InternTable::add(Arena& arena, const void* bytes, uint32_t count, uint64_t hash, uint32_t mark)
{
    const uint32_t id = m_count.load(std::memory_order_relaxed) + 1;
    if (id > wire::kMaxStrings)
        return 0;
    const char* const at = arena.append(id, m_kind, bytes, count);
    if (!at)
        return 0;
    m_memory->known[id] = {at, count, mark};
    uint64_t free = hash;
    while (m_memory->places[free % kPlaces].load(std::memory_order_relaxed) != 0)
        ++free;
    m_memory->places[free % kPlaces].store(hash >> 32 << 32 | id, std::memory_order_release);
    m_count.store(id, std::memory_order_release);
    return id;
}

void Dictionary::begin(Memory* memory, char* arena, wire::SegmentHeader& header, MarkName markName)
{
    m_arena.begin(arena, header.arenaBytes, header.arenaHead);
    m_names.begin(&memory->names, wire::ArenaKind::Name);
    m_shapes.begin(&memory->shapes, wire::ArenaKind::Shapes);
    m_stacks.begin(&memory->stacks, wire::ArenaKind::Stack);
    m_modules.begin(&memory->modules, wire::ArenaKind::Module);
    m_header = &header;
    m_markName = markName;
}

uint32_t Dictionary::intern(InternTable& table, const void* bytes, uint32_t count, uint64_t hash)
{
    if (const uint32_t id = table.find(bytes, count, hash))
        return id;
    const Locked locked(m_lock);
    if (const uint32_t id = table.find(bytes, count, hash))
        return id;
    const bool isName = &table == &m_names;
    const uint32_t mark = isName && m_markName ? m_markName(static_cast<const char*>(bytes), count) : 0;
    const uint32_t id = table.add(m_arena, bytes, count, hash, mark);
    if (id == 0) {
        const bool isOfStacks = &table == &m_stacks || &table == &m_modules;
        (isOfStacks ? m_header->stacksRefused : m_header->namesRefused).fetch_add(1, std::memory_order_relaxed);
    }
    return id;
}

uint32_t Dictionary::name(const char* text, uint32_t count)
{
    return intern(m_names, text, count, hashOf(text, count));
}

uint32_t Dictionary::shapes(const void* words, uint32_t count, uint64_t hash)
{
    return intern(m_shapes, words, count, hash);
}

uint32_t Dictionary::stack(const void* frames, uint32_t count, uint64_t hash)
{
    return intern(m_stacks, frames, count, hash);
}

uint32_t Dictionary::module(const void* entry, uint32_t count)
{
    return intern(m_modules, entry, count, hashOf(entry, count));
}

void Dictionary::markAgain()
{
    const Locked locked(m_lock);
    for (uint32_t id = 1; id <= m_names.count(); ++id) {
        Interned& known = m_names.known(id);
        __atomic_store_n(&known.mark, m_markName ? m_markName(known.bytes, known.count) : 0, __ATOMIC_RELAXED);
    }
}

} // namespace torchline::agent
