#include "lod/busy_row.h"

#include <algorithm>

namespace torchline::lod {

BusyRow::BusyRow(const Lane& lane, const uint8_t* classes, const std::vector<bool>& isWork, const SliceRow& first,
    const RowIndex* firstIndex)
{
    int64_t endNs = kMinNs;
    for (uint32_t i = 0; i < lane.size(); ++i) {
        if (!isWork[i])
            continue;
        if (!m_order.empty() && lane.startNs(i) < endNs) {
            if (lane.endNs(i) <= endNs)
                continue;
            endNs = lane.endNs(i);
            const auto last = static_cast<uint32_t>(m_order.size() - 1);
            if (!m_longer.empty() && m_longer.back().first == last)
                m_longer.back().second = endNs;
            else
                m_longer.emplace_back(last, endNs);
            continue;
        }
        m_order.push_back(i);
        endNs = lane.endNs(i);
    }
    const auto count = static_cast<uint32_t>(m_order.size());
    bool isFirstRow = m_longer.empty() && count == first.size() && firstIndex != nullptr;
    for (uint32_t k = 0; k < count && isFirstRow; ++k)
        isFirstRow = first.laneIndex(k) == m_order[k];
    if (isFirstRow) {
        m_order = std::vector<uint32_t>();
        m_pieces = first;
        m_shared = firstIndex;
    } else {
        m_order.shrink_to_fit();
        m_pieces = {&lane, classes, m_order.data(), count};
    }
    int64_t covered = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (k % kSumEvery == 0)
            m_coveredNs.push_back(covered);
        covered = addSaturated(covered, durationNs(k));
    }
    if (!isFirstRow)
        m_own = RowIndex(*this);
}

int64_t BusyRow::heldDurationNs(uint32_t k) const
{
    const auto at = std::ranges::lower_bound(m_longer, k, {}, [](const auto& piece) { return piece.first; });
    return at != m_longer.end() && at->first == k ? subSaturated(at->second, startNs(k)) : m_pieces.durationNs(k);
}

int64_t BusyRow::coveredBefore(int64_t timeNs) const
{
    const uint32_t n = RowIndex::firstStartingAt(*this, timeNs);
    if (n == 0)
        return 0;
    const uint32_t block = (n - 1) / kSumEvery;
    int64_t covered = m_coveredNs[block];
    for (uint32_t k = block * kSumEvery; k < n - 1; ++k)
        covered = addSaturated(covered, durationNs(k));
    return addSaturated(covered, std::min(durationNs(n - 1), subSaturated(timeNs, startNs(n - 1))));
}

int64_t BusyRow::coveredNs(TimeRange range) const
{
    return range.isEmpty() ? 0 : coveredBefore(range.endNs) - coveredBefore(range.beginNs);
}

size_t BusyRow::memoryUsage() const
{
    return m_order.capacity() * sizeof(uint32_t) + m_longer.capacity() * sizeof(m_longer.front())
        + m_coveredNs.capacity() * sizeof(int64_t) + m_own.memoryUsage();
}

} // namespace torchline::lod
