#include "model/lane_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace torchline {

void LaneColumns::append(const SliceRow& row)
{
    if (m_size % SliceBlock::kRows == 0) {
        m_blocks.push_back(std::make_shared<SliceBlock>());
        m_isShared.push_back(false);
    }
    writable(m_blocks.size() - 1).push_back(row);
    ++m_size;
    if (m_sorted == 0 && m_size > 1 && row.startNs <= startNs(m_size - 2) && isBefore(m_size - 1, m_size - 2))
        m_runs.push_back(m_size - 1);
}

void LaneColumns::setFlag(uint32_t i, SliceFlag flag, bool isSet)
{
    if (((flags(i) & flag) != 0) == isSet)
        return;
    uint8_t& value = writable(i / SliceBlock::kRows).flags[i % SliceBlock::kRows];
    value = static_cast<uint8_t>(isSet ? value | flag : value & ~flag);
}

// Who else holds a block may let go of it at any time, on another thread: so it does not count who does.
SliceBlock& LaneColumns::writable(size_t index)
{
    if (m_isShared[index]) {
        m_blocks[index] = std::make_shared<SliceBlock>(*m_blocks[index]);
        m_isShared[index] = false;
    }
    return *m_blocks[index];
}

bool LaneColumns::isBefore(uint32_t a, uint32_t b) const
{
    if (startNs(a) != startNs(b))
        return startNs(a) < startNs(b);
    if (durationNs(a) != durationNs(b))
        return durationNs(a) > durationNs(b);
    return eventOffset(a) < eventOffset(b);
}

// Lanes that are out of order mostly consist of a few ordered runs (operators, then the calls of the same thread).
std::vector<uint32_t> LaneColumns::mergedRuns() const
{
    std::vector<uint32_t> order(m_size);
    std::iota(order.begin(), order.end(), 0u);
    std::vector<uint32_t> bounds{0};
    bounds.insert(bounds.end(), m_runs.begin(), m_runs.end());
    bounds.push_back(m_size);
    std::vector<uint32_t> merged(m_size);
    const auto before = [this](uint32_t a, uint32_t b) { return isBefore(a, b); };
    while (bounds.size() > 2) {
        std::vector<uint32_t> next{0};
        for (size_t run = 0; run + 1 < bounds.size(); run += 2) {
            const auto begin = order.begin() + bounds[run];
            const auto middle = order.begin() + bounds[run + 1];
            const uint32_t endIndex = bounds[std::min(run + 2, bounds.size() - 1)];
            std::merge(begin, middle, middle, order.begin() + endIndex, merged.begin() + bounds[run], before);
            next.push_back(endIndex);
        }
        bounds.swap(next);
        order.swap(merged);
    }
    return order;
}

/// Order of all slices from the first on that is not where it belongs: those since the last sort, and what of the
/// sorted ones begins after the earliest of them.
std::vector<uint32_t> LaneColumns::mergedTail() const
{
    const auto before = [this](uint32_t a, uint32_t b) { return isBefore(a, b); };
    std::vector<uint32_t> fresh(m_size - m_sorted);
    std::iota(fresh.begin(), fresh.end(), m_sorted);
    std::sort(fresh.begin(), fresh.end(), before);
    uint32_t first = m_sorted;
    for (uint32_t step = m_sorted; step > 0; step /= 2) {
        while (first >= step && isBefore(fresh.front(), first - step))
            first -= step;
    }
    std::vector<uint32_t> kept(m_sorted - first);
    std::iota(kept.begin(), kept.end(), first);
    std::vector<uint32_t> order(m_size - first);
    std::merge(kept.begin(), kept.end(), fresh.begin(), fresh.end(), order.begin(), before);
    return order;
}

template <typename T>
void LaneColumns::permute(SliceBlock::Column<T> SliceBlock::*column, uint32_t first, const std::vector<uint32_t>& order)
{
    std::vector<T> scratch(order.size());
    for (size_t i = 0; i < order.size(); ++i)
        scratch[i] = (block(order[i]).*column)[order[i] % SliceBlock::kRows];
    for (size_t done = 0; done < scratch.size();) {
        const size_t at = first + done;
        const size_t count = std::min<size_t>(SliceBlock::kRows - at % SliceBlock::kRows, scratch.size() - done);
        T* values = (writable(at / SliceBlock::kRows).*column).data();
        std::copy_n(scratch.data() + done, count, values + at % SliceBlock::kRows);
        done += count;
    }
}

void LaneColumns::permute(uint32_t first, const std::vector<uint32_t>& order)
{
    m_facts.resize(std::min<size_t>(m_facts.size(), first / SliceBlock::kRows));
    m_withFacts = std::min(m_withFacts, first - first % SliceBlock::kRows);
    permute(&SliceBlock::startNs, first, order);
    permute(&SliceBlock::durationNs, first, order);
    permute(&SliceBlock::name, first, order);
    permute(&SliceBlock::kind, first, order);
    permute(&SliceBlock::flags, first, order);
    permute(&SliceBlock::category, first, order);
    permute(&SliceBlock::externalId, first, order);
    permute(&SliceBlock::correlation, first, order);
    permute(&SliceBlock::eventOffset, first, order);
}

uint32_t LaneColumns::sort()
{
    uint32_t first = m_sorted;
    if (m_sorted == 0) {
        if (!m_runs.empty())
            permute(0, mergedRuns());
    } else if (m_sorted < m_size) {
        const std::vector<uint32_t> order = mergedTail();
        first = m_size - static_cast<uint32_t>(order.size());
        permute(first, order);
    }
    m_runs.clear();
    m_sorted = m_size;
    return first;
}

// All blocks but the last stay full: the slices that last longer, and as many of the latest of the others as fit beside
// them, become the first block.
uint32_t LaneColumns::forgetBefore(int64_t timeNs)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    uint32_t blocks = 0;
    while ((blocks + 1) * kRows <= m_sorted && startNs((blocks + 1) * kRows - 1) < timeNs)
        ++blocks;
    if (blocks < 2)
        return 0;
    const uint32_t end = blocks * kRows;
    const int64_t restNs = end < m_size ? startNs(end) : startNs(end - 1);
    std::vector<uint32_t> kept;
    for (uint32_t i = 0; i < end; ++i) {
        if (endNs(i) > restNs)
            kept.push_back(i);
    }
    if (kept.size() > kRows)
        kept.erase(kept.begin(), kept.end() - kRows);
    std::vector<uint32_t> filler;
    for (uint32_t i = end; filler.size() + kept.size() < kRows; --i) {
        if (!std::binary_search(kept.begin(), kept.end(), i - 1))
            filler.push_back(i - 1);
    }
    kept.insert(kept.end(), filler.rbegin(), filler.rend());
    std::inplace_merge(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(filler.size()), kept.end());
    LaneColumns first;
    for (const uint32_t i : kept)
        first.append(row(i));
    m_blocks.erase(m_blocks.begin(), m_blocks.begin() + blocks);
    m_isShared.erase(m_isShared.begin(), m_isShared.begin() + blocks);
    m_blocks.insert(m_blocks.begin(), first.m_blocks.front());
    m_isShared.insert(m_isShared.begin(), false);
    m_facts.clear();
    m_withFacts = 0;
    m_size -= end - kRows;
    m_sorted -= end - kRows;
    return end - kRows;
}

const std::vector<BlockFacts>& LaneColumns::facts()
{
    m_facts.resize(m_blocks.size());
    for (; m_withFacts < m_size; ++m_withFacts) {
        BlockFacts& facts = m_facts[m_withFacts / SliceBlock::kRows];
        const int64_t end = endNs(m_withFacts);
        facts.firstEndNs = std::min(facts.firstEndNs, end);
        facts.lastEndNs = std::max(facts.lastEndNs, end);
        facts.kinds = static_cast<uint16_t>(facts.kinds | 1u << static_cast<unsigned>(kind(m_withFacts)));
    }
    return m_facts;
}

void LaneColumns::shareBlocks()
{
    m_isShared.assign(m_blocks.size(), true);
}

std::vector<std::shared_ptr<const SliceBlock>> LaneColumns::take()
{
    if (!m_blocks.empty() && !m_isShared.back())
        m_blocks.back()->shrinkToFit();
    std::vector<std::shared_ptr<const SliceBlock>> blocks(m_blocks.begin(), m_blocks.end());
    *this = LaneColumns();
    return blocks;
}

size_t LaneColumns::memoryUsage() const
{
    size_t bytes = m_blocks.capacity() * sizeof(m_blocks[0]) + m_runs.capacity() * sizeof(uint32_t)
        + m_facts.capacity() * sizeof(BlockFacts);
    for (const std::shared_ptr<SliceBlock>& b : m_blocks)
        bytes += sizeof(SliceBlock) + b->memoryUsage();
    return bytes;
}

} // namespace torchline
