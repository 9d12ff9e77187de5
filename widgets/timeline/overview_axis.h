#pragma once
// OverviewAxis: where times of the whole trace lie on the strips above the timeline. Thread: values.

#include "base/time.h"

#include <cmath>

namespace torchline {

struct OverviewAxis {
    int left = 0; ///< of the time, right of the heads; logical pixels
    int width = 1;
    TimeRange range{0, 1};

    [[nodiscard]] int right() const { return left + width; }
    /// Not held to the strip.
    [[nodiscard]] double x(int64_t timeNs) const
    {
        return left + static_cast<double>(subSaturated(timeNs, range.beginNs)) * width / span();
    }
    [[nodiscard]] int64_t timeAt(double x) const { return addSaturated(range.beginNs, nsOf(x - left)); }
    [[nodiscard]] int64_t nsOf(double pixels) const { return std::llround(pixels * span() / width); }

private:
    [[nodiscard]] double span() const { return static_cast<double>(range.spanNs()); }
};

} // namespace torchline
