#include "lod/counter_pyramid.h"

#include <algorithm>

namespace torchline::lod {

CounterPyramid::CounterPyramid(Times timesNs, std::vector<int64_t> values)
    : m_timesNs(std::move(timesNs))
    , m_values(std::move(values))
{
    size_t count = m_values.size();
    while (count > kFanOut) {
        std::vector<Extremes> nodes((count + kFanOut - 1) / kFanOut, {kMaxNs, kMinNs});
        for (size_t i = 0; i < count; ++i) {
            const Extremes child = m_levels.empty() ? Extremes{m_values[i], m_values[i]} : m_levels.back()[i];
            Extremes& node = nodes[i / kFanOut];
            node = {std::min(node.low, child.low), std::max(node.high, child.high)};
        }
        count = nodes.size();
        m_levels.push_back(std::move(nodes));
    }
}

CounterPyramid::Extremes CounterPyramid::extremes(size_t begin, size_t end) const
{
    Extremes all{kMaxNs, kMinNs};
    const auto take = [&all](int64_t low, int64_t high) { all = {std::min(all.low, low), std::max(all.high, high)}; };
    // Single samples up to whole nodes, then whole nodes up to nodes of the next level.
    for (; begin < end && begin % kFanOut != 0; ++begin)
        take(m_values[begin], m_values[begin]);
    for (; begin < end && end % kFanOut != 0; --end)
        take(m_values[end - 1], m_values[end - 1]);
    for (const std::vector<Extremes>& level : m_levels) {
        begin /= kFanOut;
        end /= kFanOut;
        for (; begin < end && begin % kFanOut != 0; ++begin)
            take(level[begin].low, level[begin].high);
        for (; begin < end && end % kFanOut != 0; --end)
            take(level[end - 1].low, level[end - 1].high);
    }
    // With no level above, or at the topmost one, what is left is short.
    if (m_levels.empty()) {
        for (; begin < end; ++begin)
            take(m_values[begin], m_values[begin]);
    } else {
        for (; begin < end; ++begin)
            take(m_levels.back()[begin].low, m_levels.back()[begin].high);
    }
    return all;
}

void CounterPyramid::columns(const PixelGrid& grid, int x0, int x1, std::vector<Column>& out) const
{
    out.assign(static_cast<size_t>(std::max(x1 - x0, 0)), {});
    if (isEmpty())
        return;
    const std::vector<int64_t>& timesNs = *m_timesNs;
    auto from = std::ranges::lower_bound(timesNs, grid.firstNs(x0));
    for (int x = x0; x < x1; ++x) {
        const auto to = std::lower_bound(from, timesNs.end(), grid.firstNs(x + 1));
        const auto begin = static_cast<size_t>(from - timesNs.begin());
        const auto end = static_cast<size_t>(to - timesNs.begin());
        from = to;
        // The value before the pixel counts, unless a sample sits at its very beginning.
        const bool startsAnew = begin < end && timesNs[begin] == grid.firstNs(x);
        const size_t first = begin > 0 && !startsAnew ? begin - 1 : begin;
        if (first >= end)
            continue;
        const Extremes all = extremes(first, end);
        out[static_cast<size_t>(x - x0)] = {all.low, all.high, m_values[end - 1], true};
    }
}

bool CounterPyramid::valueAt(int64_t timeNs, int64_t& value) const
{
    if (isEmpty())
        return false;
    const auto after = std::ranges::upper_bound(*m_timesNs, timeNs);
    if (after == m_timesNs->begin())
        return false;
    value = m_values[static_cast<size_t>(after - m_timesNs->begin()) - 1];
    return true;
}

int64_t CounterPyramid::highest() const
{
    return m_values.empty() ? 0 : extremes(0, m_values.size()).high;
}

size_t CounterPyramid::memoryUsage() const
{
    size_t bytes = m_values.capacity() * sizeof(int64_t);
    if (m_timesNs)
        bytes += m_timesNs->capacity() * sizeof(int64_t) / static_cast<size_t>(m_timesNs.use_count());
    for (const auto& level : m_levels)
        bytes += level.capacity() * sizeof(Extremes);
    return bytes;
}

} // namespace torchline::lod
