#pragma once
// Samples and extremes of one counter, with the digits of the file. Thread: any. Cost: O(samples).

#include "query/scope.h"

#include <optional>
#include <string>
#include <vector>

namespace torchline {

struct CounterFigures {
    struct Extreme {
        double value = 0;
        std::string digits; ///< a JSON number
    };
    struct Series {
        NameId name;
        uint64_t samples = 0;
        std::optional<Extreme> min;
        std::optional<Extreme> max;
    };
    uint64_t records = 0; ///< records with at least one number
    std::optional<Extreme> min;
    std::optional<Extreme> max;
    std::vector<Series> series;
};

/// scope: only samples in it; null: all. Of records at one time within a range, as many are counted as the series that
/// has most samples at that time holds.
[[nodiscard]] CounterFigures counterFigures(
    const TraceSnapshot& trace, uint32_t fileIndex, const Counter& counter, const ResolvedScope* scope);
/// The sample's value as a JSON number: the digits of the file where they are one.
[[nodiscard]] std::string counterDigits(const TraceSnapshot& trace, const CounterSample& sample);

} // namespace torchline
