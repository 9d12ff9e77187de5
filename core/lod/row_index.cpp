#include "lod/row_index.h"

#include "lod/busy_row.h"
#include "lod/interval_row.h"

#include <algorithm>

namespace torchline::lod {

template <typename Source>
RowIndex::RowIndex(const Source& row, uint32_t sectionSlices)
    : RowIndex(row, sectionSlices, RowIndex(), [](uint32_t, uint32_t) { return false; })
{
}

template <typename Source> void RowIndex::query(const Source& row, PixelSums& sums) const
{
    if (m_sections.empty() || sums.isEmpty())
        return;
    // Buckets reach over the ends of what lies in them.
    const int bucketShift = std::clamp(sums.grid().bucketShift(), 0, 62);
    const int64_t reachNs = int64_t{1} << bucketShift;
    const int64_t fromNs = subSaturated(sums.beginNs(), reachNs);
    const int64_t toNs = addSaturated(sums.endNs(), reachNs);
    const auto count = static_cast<uint32_t>(m_sections.size());
    for (uint32_t i = partitionPoint(0, count, [&](uint32_t k) { return m_sections[k]->endNs() <= fromNs; });
         i < count && m_sections[i]->beginNs() < toNs; ++i)
        m_sections[i]->query(row, sums);
}

size_t RowIndex::sectionOf(uint32_t k) const
{
    return k / (m_sections.front()->end() - m_sections.front()->begin());
}

template <typename Source>
uint32_t RowIndex::nextOfLength(const Source& row, uint32_t begin, uint32_t end, int64_t atLeastNs) const
{
    while (begin < end) {
        const RowSection& section = *m_sections[sectionOf(begin)];
        const uint32_t sectionEnd = std::min(section.end(), end);
        begin = section.nextOfLength(row, begin, sectionEnd, atLeastNs);
        if (begin < sectionEnd)
            return begin;
    }
    return end;
}

template <typename Source> uint32_t RowIndex::longestOf(const Source& row, uint32_t begin, uint32_t end) const
{
    uint32_t best = begin;
    int64_t longest = row.durationNs(begin);
    for (uint32_t k = begin + 1; k < end;) {
        const uint32_t found = nextOfLength(row, k, end, addSaturated(longest, 1));
        if (found >= end)
            break;
        best = found;
        longest = row.durationNs(found);
        k = found + 1;
    }
    return best;
}

size_t RowIndex::memoryUsage() const
{
    size_t bytes = m_sections.capacity() * sizeof(m_sections[0]);
    for (const std::shared_ptr<const RowSection>& section : m_sections)
        bytes += sizeof(RowSection) + section->memoryUsage();
    return bytes;
}

#define TORCHLINE_ROW_INDEX(Source)                                                                                    \
    template RowIndex::RowIndex(const Source&, uint32_t);                                                              \
    template void RowIndex::query(const Source&, PixelSums&) const;                                                    \
    template uint32_t RowIndex::nextOfLength(const Source&, uint32_t, uint32_t, int64_t) const;                        \
    template uint32_t RowIndex::longestOf(const Source&, uint32_t, uint32_t) const;

TORCHLINE_ROW_INDEX(SliceRow)
TORCHLINE_ROW_INDEX(IntervalRow)
TORCHLINE_ROW_INDEX(BusyRow)

#undef TORCHLINE_ROW_INDEX

} // namespace torchline::lod
