#pragma once
// LongestBlocks: finds the next length of at least so many ns in a long list without looking at each: the longest of
// every 64, and of every 64 of those, as its number of bits. Thread: const once all are set. 1/63 byte a length.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace torchline::lod {

class LongestBlocks {
public:
    LongestBlocks() = default;
    /// So many of length 0, to be set.
    explicit LongestBlocks(uint32_t count)
    {
        m_blocks.assign((size_t{count} + kBlock - 1) / kBlock, 0);
        m_supers.assign((m_blocks.size() + kBlock - 1) / kBlock, 0);
    }
    template <typename LengthOf>
    LongestBlocks(uint32_t count, LengthOf lengthOf)
        : LongestBlocks(count)
    {
        set(0, count, lengthOf);
    }

    /// The lengths of [begin, end), once.
    template <typename LengthOf> void set(uint32_t begin, uint32_t end, LengthOf lengthOf)
    {
        for (uint32_t k = begin; k < end;) {
            const uint32_t at = k / kBlock;
            int64_t longest = 0;
            for (const uint32_t blockEnd = std::min((at + 1) * kBlock, end); k < blockEnd; ++k)
                longest = std::max<int64_t>(longest, lengthOf(k));
            m_blocks[at] = std::max(m_blocks[at], bitsOf(longest));
            m_supers[at / kBlock] = std::max(m_supers[at / kBlock], m_blocks[at]);
        }
    }

    /// First k of [begin, end) whose length is at least so long; end if none.
    template <typename LengthOf>
    [[nodiscard]] uint32_t next(uint32_t begin, uint32_t end, int64_t atLeast, LengthOf lengthOf) const
    {
        const uint8_t bits = bitsOf(atLeast);
        uint32_t k = begin;
        while (k < end) {
            if (m_supers[k / kBlock / kBlock] < bits) {
                k = (k / kBlock / kBlock + 1) * kBlock * kBlock;
                continue;
            }
            if (m_blocks[k / kBlock] < bits) {
                k = (k / kBlock + 1) * kBlock;
                continue;
            }
            for (const uint32_t blockEnd = std::min((k / kBlock + 1) * kBlock, end); k < blockEnd; ++k) {
                if (lengthOf(k) >= atLeast)
                    return k;
            }
        }
        return end;
    }

    [[nodiscard]] size_t memoryUsage() const { return m_blocks.capacity() + m_supers.capacity(); }

private:
    static constexpr uint32_t kBlock = 64;
    static uint8_t bitsOf(int64_t length)
    {
        return static_cast<uint8_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length, 1))));
    }

    std::vector<uint8_t> m_blocks;
    std::vector<uint8_t> m_supers;
};

} // namespace torchline::lod
