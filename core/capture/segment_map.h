#pragma once
// SegmentMap: the shared memory of a segment, mapped after its seals, sizes and version were checked.
// Thread: one reader; the other side writes at the same time.

#include "base/result.h"
#include "capture/wire/segment.h"

#include <cstddef>
#include <span>

namespace torchline {

/// What the header said when the segment was opened, checked against the size of the file. Never read again.
struct SegmentLayout {
    uint32_t pid = 0;
    uint32_t number = 0;
    uint32_t slotCount = 0;
    uint32_t ringBytes = 0;
    uint64_t slotsAt = 0;
    uint64_t slotStride = 0;
    uint64_t arenaAt = 0;
    uint64_t arenaBytes = 0;
    wire::ClockKind clock = wire::ClockKind::Tsc;
};

class SegmentMap {
public:
    /// Takes the descriptor over.
    [[nodiscard]] static Result<SegmentMap> open(int descriptor);

    SegmentMap(SegmentMap&& other) noexcept;
    SegmentMap& operator=(SegmentMap&& other) noexcept;
    ~SegmentMap();

    [[nodiscard]] const SegmentLayout& layout() const { return m_layout; }
    [[nodiscard]] wire::SegmentHeader& header() const { return *reinterpret_cast<wire::SegmentHeader*>(m_bytes); }
    [[nodiscard]] wire::SlotHeader& slot(uint32_t index) const
    {
        return *reinterpret_cast<wire::SlotHeader*>(m_bytes + m_layout.slotsAt + index * m_layout.slotStride);
    }
    [[nodiscard]] std::span<const std::byte> ring(uint32_t index) const
    {
        const std::byte* slotBytes = m_bytes + m_layout.slotsAt + index * m_layout.slotStride;
        return {slotBytes + wire::kRingAt, m_layout.ringBytes};
    }
    [[nodiscard]] std::span<const std::byte> arena() const
    {
        return {m_bytes + m_layout.arenaAt, static_cast<size_t>(m_layout.arenaBytes)};
    }

private:
    SegmentMap() = default;

    std::byte* m_bytes = nullptr;
    size_t m_size = 0;
    SegmentLayout m_layout;
};

} // namespace torchline
