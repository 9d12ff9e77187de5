#pragma once
// IntervalSet: a union of half-open spans, as disjoint spans in order. Zero-length spans vanish.
// Private to core/analysis. Thread: values. Cost: add() amortised O(1), normalise() O(n log n), the rest as said.

#include "base/time.h"

#include <vector>

namespace torchline {

class IntervalSet {
public:
    /// Spans that come in order of start and overlap the last one join it at once.
    void add(int64_t beginNs, int64_t endNs);
    void add(const IntervalSet& other);
    /// Sorts and joins what was added; call before anything below.
    void normalise();

    [[nodiscard]] int64_t lengthNs() const;
    /// This without the other: O(n + m).
    [[nodiscard]] IntervalSet without(const IntervalSet& other) const;
    [[nodiscard]] const std::vector<TimeRange>& spans() const { return m_spans; }

private:
    std::vector<TimeRange> m_spans;
};

/// How much of a span a set covers, O(log n) each.
class Coverage {
public:
    explicit Coverage(const IntervalSet& set);
    [[nodiscard]] int64_t withinNs(TimeRange range) const;

private:
    [[nodiscard]] int64_t beforeNs(int64_t timeNs) const;

    const std::vector<TimeRange>& m_spans;
    std::vector<int64_t> m_sumNs; ///< length of all spans before the i-th
};

} // namespace torchline
