#include "model/lane_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace torchline {

void LaneColumns::append(const SliceRow& row)
{
    if (m_size % SliceBlock::kRows == 0)
        m_blocks.push_back(std::make_shared<SliceBlock>());
    SliceBlock& block = *m_blocks.back();
    block.startNs.push_back(row.startNs);
    block.durationNs.push_back(row.durationNs);
    block.name.push_back(row.name);
    block.kind.push_back(row.kind);
    block.flags.push_back(row.flags);
    block.category.push_back(row.category);
    block.externalId.push_back(row.externalId);
    block.correlation.push_back(row.correlation);
    block.eventOffset.push_back(row.eventOffset);
    ++m_size;
    if (m_size > 1 && isBefore(m_size - 1, m_size - 2))
        m_runs.push_back(m_size - 1);
}

SliceRow LaneColumns::row(uint32_t i) const
{
    const SliceBlock& b = block(i);
    const uint32_t k = i % SliceBlock::kRows;
    return {b.startNs[k], b.durationNs[k], b.name[k], b.kind[k], b.flags[k], b.category[k], b.externalId[k],
        b.correlation[k], b.eventOffset[k]};
}

void LaneColumns::addFlag(uint32_t i, SliceFlag flag)
{
    m_blocks[i / SliceBlock::kRows]->flags[i % SliceBlock::kRows] |= flag;
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

template <typename T> void LaneColumns::permute(std::vector<T> SliceBlock::*column, const std::vector<uint32_t>& order)
{
    std::vector<T> scratch(m_size);
    for (uint32_t i = 0; i < m_size; ++i)
        scratch[i] = (block(order[i]).*column)[order[i] % SliceBlock::kRows];
    auto from = scratch.begin();
    for (const std::shared_ptr<SliceBlock>& target : m_blocks) {
        std::vector<T>& values = (*target).*column;
        std::copy_n(from, values.size(), values.begin());
        from += static_cast<std::ptrdiff_t>(values.size());
    }
}

void LaneColumns::sort()
{
    if (m_runs.empty())
        return;
    const std::vector<uint32_t> order = mergedRuns();
    permute(&SliceBlock::startNs, order);
    permute(&SliceBlock::durationNs, order);
    permute(&SliceBlock::name, order);
    permute(&SliceBlock::kind, order);
    permute(&SliceBlock::flags, order);
    permute(&SliceBlock::category, order);
    permute(&SliceBlock::externalId, order);
    permute(&SliceBlock::correlation, order);
    permute(&SliceBlock::eventOffset, order);
    m_runs.clear();
}

LaneColumns LaneColumns::clone() const
{
    LaneColumns copy = *this;
    for (std::shared_ptr<SliceBlock>& b : copy.m_blocks)
        b = std::make_shared<SliceBlock>(*b);
    return copy;
}

std::vector<std::shared_ptr<const SliceBlock>> LaneColumns::take()
{
    if (!m_blocks.empty()) {
        SliceBlock& last = *m_blocks.back();
        last.startNs.shrink_to_fit();
        last.durationNs.shrink_to_fit();
        last.name.shrink_to_fit();
        last.kind.shrink_to_fit();
        last.flags.shrink_to_fit();
        last.category.shrink_to_fit();
        last.externalId.shrink_to_fit();
        last.correlation.shrink_to_fit();
        last.eventOffset.shrink_to_fit();
    }
    std::vector<std::shared_ptr<const SliceBlock>> blocks(m_blocks.begin(), m_blocks.end());
    *this = LaneColumns();
    return blocks;
}

size_t LaneColumns::memoryUsage() const
{
    size_t bytes = m_blocks.capacity() * sizeof(m_blocks[0]) + m_runs.capacity() * sizeof(uint32_t);
    for (const std::shared_ptr<SliceBlock>& b : m_blocks)
        bytes += sizeof(SliceBlock) + b->memoryUsage();
    return bytes;
}

} // namespace torchline
