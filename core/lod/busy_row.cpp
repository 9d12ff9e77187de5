#include "lod/busy_row.h"

#include <algorithm>

namespace torchline::lod {

BusyRow::BusyRow(Rule rule, const SliceRow& first, const RowIndex* firstIndex, uint32_t sectionSlices,
    const BusyRow* before, uint32_t sameUntil)
    : m_rule(rule)
    , m_pieces(first)
{
    if (before != nullptr && before->m_rule != rule)
        before = nullptr;
    // A piece is what it was if the next one begins among the slices that are the same.
    uint32_t kept = 0;
    uint32_t from = 0;
    if (before != nullptr) {
        const uint32_t same
            = partitionPoint(0, before->size(), [&](uint32_t k) { return before->m_pieces.laneIndex(k) < sameUntil; });
        kept = same > 0 ? same - 1 : 0;
        from = same > 0 ? before->m_pieces.laneIndex(kept) : 0;
        m_longer = before->m_longer;
        m_longer.truncate(partitionPoint(
            0, static_cast<uint32_t>(m_longer.size()), [&](uint32_t i) { return before->m_longer[i].piece < kept; }));
    }
    const std::vector<uint32_t> fresh = collect(*first.lane, from, kept);
    const auto count = kept + static_cast<uint32_t>(fresh.size());
    bool isFirstRow = m_longer.empty() && count == first.size() && firstIndex != nullptr
        && (kept == 0 || before->m_shared != nullptr);
    for (uint32_t k = kept; k < count && isFirstRow; ++k)
        isFirstRow = first.laneIndex(k) == fresh[k - kept];
    if (!isFirstRow) {
        SliceList order;
        if (before != nullptr && before->m_order) {
            order = *before->m_order;
            order.truncate(kept);
        }
        for (auto k = static_cast<uint32_t>(order.size()); k < kept; ++k)
            order.push_back(before->m_pieces.laneIndex(k));
        for (const uint32_t i : fresh)
            order.push_back(i);
        order.shrinkToFit();
        m_order = std::make_shared<const SliceList>(std::move(order));
        m_pieces.order = m_order.get();
    }
    m_pieces.count = count;
    sumUp(before, kept);
    if (before != nullptr)
        compare(*before, kept);
    if (isFirstRow) {
        m_shared = firstIndex;
        return;
    }
    const RowIndex none;
    m_own = RowIndex(*this, sectionSlices, before != nullptr ? before->m_own : none,
        [kept](uint32_t, uint32_t end) { return end <= kept; });
}

/// Lane indexes of the pieces from one on, before which `kept` lie.
std::vector<uint32_t> BusyRow::collect(const Lane& lane, uint32_t from, uint32_t kept)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    std::vector<uint32_t> pieces;
    int64_t endNs = kMinNs;
    for (uint32_t i = from; i < lane.size(); ++i) {
        if (i % kRows == 0 && i + kRows <= lane.size()
            && addSaturated(lane.store().facts[i / kRows].lastEndNs, lane.offsetNs()) <= endNs
            && lane.startNs(i + kRows - 1) < endNs) {
            i += kRows - 1; // all inside the last piece
            continue;
        }
        const int64_t sliceEndNs = lane.endNs(i);
        const bool beginsInside = !pieces.empty() && lane.startNs(i) < endNs;
        if ((beginsInside && sliceEndNs <= endNs) || !m_rule.holds(m_pieces, i))
            continue;
        if (beginsInside) {
            endNs = sliceEndNs;
            const auto last = kept + static_cast<uint32_t>(pieces.size()) - 1;
            if (!m_longer.empty() && m_longer.back().piece == last)
                m_longer.writable(m_longer.size() - 1).endNs = endNs;
            else
                m_longer.push_back({last, endNs});
            continue;
        }
        pieces.push_back(i);
        endNs = sliceEndNs;
    }
    return pieces;
}

void BusyRow::sumUp(const BusyRow* earlier, uint32_t kept)
{
    uint32_t k = 0;
    int64_t covered = 0;
    if (kept >= kSumEvery) {
        const uint32_t whole = (kept - 1) / kSumEvery;
        m_coveredNs = earlier->m_coveredNs;
        m_coveredNs.truncate(whole);
        k = whole * kSumEvery;
        covered = earlier->m_coveredNs[whole];
    }
    for (; k < size(); ++k) {
        if (k % kSumEvery == 0)
            m_coveredNs.push_back(covered);
        covered = addSaturated(covered, durationNs(k));
    }
    m_coveredNs.shrinkToFit();
}

void BusyRow::compare(const BusyRow& earlier, uint32_t kept)
{
    uint32_t k = kept;
    while (k < std::min(size(), earlier.size()) && startNs(k) == earlier.startNs(k)
        && durationNs(k) == earlier.durationNs(k) && classIndex(k) == earlier.classIndex(k))
        ++k;
    m_sameUntilNs = std::min(k < size() ? startNs(k) : kMaxNs, k < earlier.size() ? earlier.startNs(k) : kMaxNs);
}

int64_t BusyRow::heldDurationNs(uint32_t k) const
{
    const auto at = std::partition_point(
        m_longer.begin(), m_longer.end(), [k](const Longer& longer) { return longer.piece < k; });
    return at != m_longer.end() && at->piece == k ? subSaturated(at->endNs, startNs(k)) : m_pieces.durationNs(k);
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
    return (m_order ? m_order->memoryUsage() : 0) + m_longer.memoryUsage() + m_coveredNs.memoryUsage()
        + m_own.memoryUsage();
}

} // namespace torchline::lod
