#include "analysis/interval_set.h"

namespace torchline {

void IntervalSet::add(int64_t beginNs, int64_t endNs)
{
    if (endNs <= beginNs)
        return;
    if (!m_spans.empty() && beginNs >= m_spans.back().beginNs && beginNs <= m_spans.back().endNs)
        m_spans.back().endNs = std::max(m_spans.back().endNs, endNs);
    else
        m_spans.push_back({beginNs, endNs});
}

void IntervalSet::add(const IntervalSet& other)
{
    m_spans.insert(m_spans.end(), other.m_spans.begin(), other.m_spans.end());
}

void IntervalSet::normalise()
{
    std::sort(
        m_spans.begin(), m_spans.end(), [](const TimeRange& a, const TimeRange& b) { return a.beginNs < b.beginNs; });
    const std::vector<TimeRange> sorted = std::move(m_spans);
    m_spans.clear();
    for (const TimeRange& span : sorted)
        add(span.beginNs, span.endNs);
}

int64_t IntervalSet::lengthNs() const
{
    int64_t lengthNs = 0;
    for (const TimeRange& span : m_spans)
        lengthNs = addSaturated(lengthNs, span.spanNs());
    return lengthNs;
}

IntervalSet IntervalSet::without(const IntervalSet& other) const
{
    IntervalSet rest;
    size_t next = 0;
    for (const TimeRange& span : m_spans) {
        while (next < other.m_spans.size() && other.m_spans[next].endNs <= span.beginNs)
            ++next;
        int64_t fromNs = span.beginNs;
        for (size_t i = next; i < other.m_spans.size() && other.m_spans[i].beginNs < span.endNs; ++i) {
            rest.add(fromNs, other.m_spans[i].beginNs);
            fromNs = other.m_spans[i].endNs;
        }
        rest.add(fromNs, span.endNs);
    }
    return rest;
}

Coverage::Coverage(const IntervalSet& set)
    : m_spans(set.spans())
{
    m_sumNs.reserve(m_spans.size() + 1);
    m_sumNs.push_back(0);
    for (const TimeRange& span : m_spans)
        m_sumNs.push_back(addSaturated(m_sumNs.back(), span.spanNs()));
}

int64_t Coverage::beforeNs(int64_t timeNs) const
{
    const auto after = std::upper_bound(m_spans.begin(), m_spans.end(), timeNs,
        [](int64_t time, const TimeRange& span) { return time < span.beginNs; });
    if (after == m_spans.begin())
        return 0;
    const auto last = static_cast<size_t>(after - m_spans.begin()) - 1;
    return addSaturated(m_sumNs[last], subSaturated(std::min(timeNs, m_spans[last].endNs), m_spans[last].beginNs));
}

int64_t Coverage::withinNs(TimeRange range) const
{
    return range.isEmpty() ? 0 : subSaturated(beforeNs(range.endNs), beforeNs(range.beginNs));
}

} // namespace torchline
