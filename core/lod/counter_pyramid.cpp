#include "lod/counter_pyramid.h"

#include <algorithm>

namespace torchline::lod {

CounterPyramid::CounterPyramid(Times timesNs, Samples values)
    : CounterPyramid(std::move(timesNs), std::move(values), CounterPyramid(), 0)
{
}

CounterPyramid::CounterPyramid(Times timesNs, Samples values, const CounterPyramid& before, size_t same)
    : m_timesNs(std::move(timesNs))
    , m_values(std::move(values))
{
    size_t count = m_values.size();
    for (size_t l = 0; count > kFanOut; ++l) {
        const size_t nodes = (count + kFanOut - 1) / kFanOut;
        same /= kFanOut;
        Level level;
        if (l < before.m_levels.size()) {
            level = before.m_levels[l];
            level.truncate(std::min(same, level.size()));
        }
        for (size_t node = level.size(); node < nodes; ++node) {
            Extremes all{kMaxNs, kMinNs};
            for (size_t i = node * kFanOut; i < std::min((node + 1) * kFanOut, count); ++i) {
                const Extremes child = l == 0 ? Extremes{m_values[i], m_values[i]} : m_levels.back()[i];
                all = {std::min(all.low, child.low), std::max(all.high, child.high)};
            }
            level.push_back(all);
        }
        level.shrinkToFit();
        count = nodes;
        m_levels.push_back(std::move(level));
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
    for (const Level& level : m_levels) {
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
    const Samples& timesNs = *m_timesNs;
    auto from = std::lower_bound(timesNs.begin(), timesNs.end(), grid.firstNs(x0));
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
    const auto after = std::upper_bound(m_timesNs->begin(), m_timesNs->end(), timeNs);
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
    size_t bytes = m_values.memoryUsage();
    if (m_timesNs)
        bytes += m_timesNs->memoryUsage() / static_cast<size_t>(m_timesNs.use_count());
    for (const Level& level : m_levels)
        bytes += level.memoryUsage();
    return bytes;
}

} // namespace torchline::lod
