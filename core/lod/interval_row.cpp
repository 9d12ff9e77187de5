#include "lod/interval_row.h"

#include <algorithm>

namespace torchline::lod {

void IntervalRow::append(int64_t startNs, int64_t endNs, WorkClass cls)
{
    if (!m_startNs.empty() && startNs < m_endNs.back()) {
        m_endNs.back() = std::max(m_endNs.back(), endNs);
        return;
    }
    m_startNs.push_back(startNs);
    m_endNs.push_back(std::max(startNs, endNs));
    m_classes.push_back(static_cast<uint8_t>(cls));
}

void IntervalRow::finish()
{
    m_startNs.shrink_to_fit();
    m_endNs.shrink_to_fit();
    m_classes.shrink_to_fit();
    m_coveredNs.clear();
    int64_t covered = 0;
    for (uint32_t k = 0; k < size(); ++k) {
        if (k % kSumEvery == 0)
            m_coveredNs.push_back(covered);
        covered = addSaturated(covered, durationNs(k));
    }
    m_index = RowIndex(*this);
    m_longestGaps = LongestBlocks(size() == 0 ? 0 : size() - 1, [this](uint32_t k) { return gapAfter(k).spanNs(); });
}

int64_t IntervalRow::coveredBefore(int64_t timeNs) const
{
    // Number of intervals that start before the time.
    const auto n = static_cast<uint32_t>(std::ranges::lower_bound(m_startNs, timeNs) - m_startNs.begin());
    if (n == 0)
        return 0;
    const uint32_t block = (n - 1) / kSumEvery;
    int64_t covered = m_coveredNs[block];
    for (uint32_t k = block * kSumEvery; k < n - 1; ++k)
        covered = addSaturated(covered, durationNs(k));
    return addSaturated(covered, subSaturated(std::min(m_endNs[n - 1], timeNs), m_startNs[n - 1]));
}

int64_t IntervalRow::coveredNs(TimeRange range) const
{
    return range.isEmpty() ? 0 : coveredBefore(range.endNs) - coveredBefore(range.beginNs);
}

std::vector<TimeRange> IntervalRow::gaps(TimeRange range, int64_t atLeastNs, size_t atMost) const
{
    std::vector<TimeRange> found;
    // The gap after interval k begins at its end.
    auto k = static_cast<uint32_t>(std::ranges::lower_bound(m_startNs, range.beginNs) - m_startNs.begin());
    const uint32_t gapCount = size() == 0 ? 0 : size() - 1;
    const auto lengthOf = [this](uint32_t i) { return gapAfter(i).spanNs(); };
    atLeastNs = std::max<int64_t>(atLeastNs, 1);
    for (k = m_longestGaps.next(k > 0 ? k - 1 : 0, gapCount, atLeastNs, lengthOf);
         k < gapCount && m_endNs[k] < range.endNs && found.size() < atMost;
         k = m_longestGaps.next(k + 1, gapCount, atLeastNs, lengthOf)) {
        if (m_startNs[k + 1] > range.beginNs)
            found.push_back(gapAfter(k));
    }
    return found;
}

size_t IntervalRow::memoryUsage() const
{
    return m_startNs.capacity() * 16 + m_classes.capacity() + m_coveredNs.capacity() * 8 + m_index.memoryUsage()
        + m_longestGaps.memoryUsage();
}

} // namespace torchline::lod
