#pragma once
// IdCache: what a thread interned lately, by hash, so that the shared table is asked only for what is new to it.
// Confirmed by its bytes. Thread: the owner's.

#include "agent/interning.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace torchline::agent {

template <size_t Entries> struct IdCache {
    struct Entry {
        uint64_t hash;
        uint32_t id;
    };
    Entry entries[Entries];

    /// known(id): the Interned under an id; intern(): asks the table. 0: it found no room there.
    template <typename Known, typename Intern>
    [[nodiscard]] uint32_t idOf(const void* bytes, uint32_t count, uint64_t hash, Known known, Intern intern)
    {
        Entry& entry = entries[hash % Entries];
        if (entry.hash == hash && entry.id != 0) [[likely]] {
            const Interned& kept = known(entry.id);
            if (kept.count == count && std::memcmp(kept.bytes, bytes, count) == 0) [[likely]]
                return entry.id;
        }
        const uint32_t id = intern();
        entry = {hash, id};
        return id;
    }
};

} // namespace torchline::agent
