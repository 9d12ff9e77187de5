#pragma once
// A segment: the sealed memory that the window maps, and what the agent keeps beside it. Thread: see each function.

#include "agent/descriptor.h"
#include "agent/interning.h"
#include "capture/wire/segment.h"

#include <cstdint>

namespace torchline::agent {

struct SegmentSize {
    uint32_t slots = wire::kDefaultSlots;
    uint32_t ringBytes = wire::kDefaultRingBytes; ///< a power of two
};

struct Segment {
    wire::SegmentHeader* header;
    char* base;
    Descriptor file;
    Dictionary dictionary;

    [[nodiscard]] wire::SlotHeader& slot(uint32_t i) const
    {
        return *reinterpret_cast<wire::SlotHeader*>(base + slotsAt + uint64_t{i} * slotStride);
    }

    // as in the header, but the reader cannot change these
    uint64_t slotsAt;
    uint64_t slotStride;
    uint32_t slotCount;
    uint32_t slotsUsed; ///< under the lock of slots
    uint32_t ringBytes;
};

/// Null where the system gives no memory or no sealed file. Never taken back: threads may write at any time.
[[nodiscard]] Segment* makeSegment(const SegmentSize& size, uint32_t number, wire::ClockKind clock, MarkName markName);

} // namespace torchline::agent
