#pragma once
// NumberSet: numbers other than 0, looked up fast.
// Thread: one while it grows; then any.

#include <bit>
#include <cstdint>
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
        uint32_t& slot = m_slots[slotOf(number)];
        m_size += slot == 0 ? 1 : 0;
        slot = number;
    }
    [[nodiscard]] bool contains(uint32_t number) const { return number != 0 && m_slots[slotOf(number)] == number; }

private:
    /// Where the number is, or would be.
    [[nodiscard]] size_t slotOf(uint32_t number) const
    {
        const size_t mask = m_slots.size() - 1;
        const uint64_t home = number * 0x9E3779B97F4A7C15ULL >> 32;
        for (size_t slot = home & mask;; slot = (slot + 1) & mask) {
            if (m_slots[slot] == number || m_slots[slot] == 0)
                return slot;
        }
    }
    void grow()
    {
        const std::vector<uint32_t> old = std::move(m_slots);
        m_slots.assign(old.size() * 2, 0);
        for (const uint32_t number : old) {
            if (number != 0)
                m_slots[slotOf(number)] = number;
        }
    }

    std::vector<uint32_t> m_slots = std::vector<uint32_t>(16); ///< open addressing, 0: free
    size_t m_size = 0;
};

} // namespace torchline
