#pragma once
// SliceMask: one bit a slice of a TraceSnapshot: results of filters, scopes, row selections.
// Thread: const after construction.

#include "model/trace_snapshot.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace torchline {

class SliceMask {
public:
    /// All slices of the snapshot in, or none.
    explicit SliceMask(const TraceSnapshot& trace, bool all = false);

    [[nodiscard]] bool contains(SliceRef s) const
    {
        return (m_words[m_laneBegin[s.lane.value()] + s.index / 64] >> (s.index % 64) & 1u) != 0;
    }
    void insert(SliceRef s) { m_words[m_laneBegin[s.lane.value()] + s.index / 64] |= uint64_t{1} << (s.index % 64); }
    void erase(SliceRef s) { m_words[m_laneBegin[s.lane.value()] + s.index / 64] &= ~(uint64_t{1} << (s.index % 64)); }
    /// The first words of a lane; see words().
    void insertWords(LaneId lane, std::span<const uint64_t> words)
    {
        std::copy(words.begin(), words.end(), m_words.begin() + static_cast<std::ptrdiff_t>(m_laneBegin[lane.value()]));
    }
    void intersect(const SliceMask& other); ///< both of the same snapshot
    [[nodiscard]] uint64_t count() const;
    /// Words of one lane, 64 slices each, slice i in bit i % 64 of word i / 64.
    [[nodiscard]] std::span<const uint64_t> words(LaneId lane) const
    {
        return std::span(m_words).subspan(
            m_laneBegin[lane.value()], m_laneBegin[lane.value() + 1] - m_laneBegin[lane.value()]);
    }
    [[nodiscard]] uint64_t generation() const { return m_generation; }

private:
    std::vector<size_t> m_laneBegin; ///< first word of each lane; one more at the end
    std::vector<uint64_t> m_words;
    uint64_t m_generation = 0;
};

} // namespace torchline
