#pragma once
// Writes records into the ring of a slot: one thread, no lock, allocation or system call. A full ring drops the newest
// and counts them; when an eighth of it is free again, a Dropped record says when and how many, and writing goes on.
//
// What the reader can write is believed only as far as it cannot lead out of the ring.

#include "capture/wire/segment.h"

namespace torchline::agent {

class RingWriter {
public:
    /// ringBytes: a power of two. Goes on where the slot's head is.
    void attach(wire::SlotHeader& slot, char* ring, uint64_t ringBytes, wire::ClockKind clock);

    /// Room for a record in one piece; null if the ring is full: counted. size: a multiple of 8.
    [[nodiscard]] char* reserve(uint32_t size)
    {
        if (m_head + size <= m_clearUntil) [[likely]]
            return m_ring + (m_head & m_mask);
        return reserveSlowly(size);
    }

    /// What was written into the room of the last reserve(size) is there for the reader.
    void commit(uint32_t size)
    {
        m_head += size;
        m_slot->head.store(m_head, std::memory_order_release);
        m_slot->written.store(++m_written, std::memory_order_relaxed);
    }

    /// Counts what could not be recorded for another reason than a full ring, at this moment.
    void lose(uint64_t count);
    /// Writes the Dropped record if it is due and there is room, however little.
    void settle();

private:
    [[nodiscard]] char* reserveSlowly(uint32_t size);
    [[nodiscard]] bool hasRoom(uint64_t size);
    [[nodiscard]] uint64_t padding(uint32_t size) const;
    void pad(uint64_t size);
    void writeDropped();
    void lookAhead();

    wire::SlotHeader* m_slot = nullptr;
    char* m_ring = nullptr;
    uint64_t m_mask = 0;
    uint64_t m_head = 0;
    uint64_t m_clearUntil = 0; ///< what ends here or before has room, in one piece, with nothing to be told first
    uint64_t m_cachedTail = 0;
    uint64_t m_written = 0;
    uint64_t m_lost = 0; ///< since the last Dropped record
    uint64_t m_lostSince = 0;
    wire::ClockKind m_clock = wire::ClockKind::Monotonic;
};

} // namespace torchline::agent
