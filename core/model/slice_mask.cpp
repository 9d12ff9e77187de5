#include "model/slice_mask.h"

#include <bit>

namespace torchline {

SliceMask::SliceMask(const TraceSnapshot& trace, bool all)
    : m_generation(trace.generation())
{
    m_laneBegin.reserve(trace.lanes().size() + 1);
    size_t words = 0;
    for (const Lane& lane : trace.lanes()) {
        m_laneBegin.push_back(words);
        words += (size_t{lane.size()} + 63) / 64;
    }
    m_laneBegin.push_back(words);
    m_words.assign(words, all ? ~uint64_t{0} : 0);
    if (!all)
        return;
    for (size_t i = 0; i < trace.lanes().size(); ++i) {
        const uint32_t rest = trace.lanes()[i].size() % 64;
        if (rest != 0)
            m_words[m_laneBegin[i + 1] - 1] = (uint64_t{1} << rest) - 1;
    }
}

void SliceMask::intersect(const SliceMask& other)
{
    for (size_t i = 0; i < m_words.size(); ++i)
        m_words[i] &= other.m_words[i];
}

uint64_t SliceMask::count() const
{
    uint64_t bits = 0;
    for (const uint64_t word : m_words)
        bits += static_cast<uint64_t>(std::popcount(word));
    return bits;
}

} // namespace torchline
