#include "agent/ring_writer.h"

#include "agent/clock.h"

#include <algorithm>
#include <cstring>

namespace torchline::agent {

void RingWriter::attach(wire::SlotHeader& slot, char* ring, uint64_t ringBytes, wire::ClockKind clock)
{
    m_slot = &slot;
    m_ring = ring;
    m_mask = ringBytes - 1;
    m_head = slot.head.load(std::memory_order_relaxed) & ~uint64_t{7};
    m_clearUntil = 0;
    m_cachedTail = slot.tail.load(std::memory_order_acquire);
    m_written = slot.written.load(std::memory_order_relaxed);
    m_lost = 0;
    m_lostSince = 0;
    m_clock = clock;
}

bool RingWriter::hasRoom(uint64_t size)
{
    if (m_head + size - m_cachedTail <= m_mask + 1)
        return true;
    m_cachedTail = m_slot->tail.load(std::memory_order_acquire);
    return m_head + size - m_cachedTail <= m_mask + 1;
}

uint64_t RingWriter::padding(uint32_t size) const
{
    const uint64_t toEnd = m_mask + 1 - (m_head & m_mask);
    return size <= toEnd ? 0 : toEnd;
}

/// Skips what is left before the ring's end. At least 8 bytes, since sizes are multiples of 8.
void RingWriter::pad(uint64_t size)
{
    if (size == 0)
        return;
    const wire::RecordHead head = {0, wire::RecordType::Pad, 0, 0};
    std::memcpy(m_ring + (m_head & m_mask), &head, sizeof(head));
    m_head += size;
}

char* RingWriter::reserveSlowly(uint32_t size)
{
    const uint64_t ringBytes = m_mask + 1;
    if (m_lost != 0) {
        if (!hasRoom(ringBytes / 8)) {
            lose(1);
            return nullptr;
        }
        writeDropped();
    }
    const uint64_t gap = padding(size);
    if (!hasRoom(gap + size)) {
        lose(1);
        return nullptr;
    }
    pad(gap);
    lookAhead();
    return m_ring + (m_head & m_mask);
}

/// Until what the reader has not read, and no further than the ring's end.
void RingWriter::lookAhead()
{
    const uint64_t ringBytes = m_mask + 1;
    m_clearUntil = std::min(m_cachedTail + ringBytes, (m_head & ~m_mask) + ringBytes);
}

void RingWriter::lose(uint64_t count)
{
    if (m_lost == 0)
        m_lostSince = ticks(m_clock);
    m_lost += count;
    m_clearUntil = 0;
    m_slot->dropped.store(m_slot->dropped.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

void RingWriter::settle()
{
    if (m_lost != 0 && hasRoom(padding(sizeof(wire::DroppedRecord)) + sizeof(wire::DroppedRecord)))
        writeDropped();
}

/// Room was checked.
void RingWriter::writeDropped()
{
    constexpr uint16_t kSize = sizeof(wire::DroppedRecord);
    pad(padding(kSize));
    const wire::DroppedRecord record = {{kSize, wire::RecordType::Dropped, 0, 0}, m_lostSince, m_lost};
    std::memcpy(m_ring + (m_head & m_mask), &record, kSize);
    m_lost = 0;
    commit(kSize);
}

} // namespace torchline::agent
