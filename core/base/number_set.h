#pragma once
// NumberSet: numbers other than 0, looked up fast; a few bits each where they lie close together, as ids do.
// Thread: one while it grows; then any.

#include <cstdint>
#include <utility>
#include <vector>

namespace torchline {

class NumberSet {
public:
    void insert(uint32_t number)
    {
        if (number == 0)
            return;
        if ((m_size + 1) * 2 > m_slots.size())
            grow();
        Slot& slot = m_slots[slotOf(m_slots, number / kSpan)];
        m_size += slot.numbers == 0 ? 1 : 0;
        slot.span = number / kSpan;
        slot.numbers |= uint64_t{1} << number % kSpan;
    }
    [[nodiscard]] bool contains(uint32_t number) const
    {
        return number != 0 && (m_slots[slotOf(m_slots, number / kSpan)].numbers >> number % kSpan & 1) != 0;
    }

private:
    static constexpr uint32_t kSpan = 64; ///< numbers that share a slot

    struct Slot {
        uint32_t span = 0;
        uint64_t numbers = 0; ///< 0: free
    };

    /// Where the numbers of a span are, or would be.
    [[nodiscard]] static size_t slotOf(const std::vector<Slot>& slots, uint32_t span)
    {
        const size_t mask = slots.size() - 1;
        const uint64_t home = span * 0x9E3779B97F4A7C15ULL >> 32;
        for (size_t slot = home & mask;; slot = (slot + 1) & mask) {
            if (slots[slot].span == span || slots[slot].numbers == 0)
                return slot;
        }
    }
    void grow()
    {
        std::vector<Slot> larger(m_slots.size() * 2);
        for (const Slot& slot : m_slots) {
            if (slot.numbers != 0)
                larger[slotOf(larger, slot.span)] = slot;
        }
        m_slots = std::move(larger);
    }

    std::vector<Slot> m_slots = std::vector<Slot>(16); ///< open addressing
    size_t m_size = 0; ///< slots in use
};

} // namespace torchline
