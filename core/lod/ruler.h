#pragma once
// Ruler: which times get ticks, and the round time that their labels count from.
// Thread: values.

#include "lod/pixel_scale.h"

#include <vector>

namespace torchline::lod {

struct Ruler {
    int64_t majorNs = 1; ///< 1, 2 or 5 times a power of ten
    int64_t minorNs = 1; ///< a whole part of majorNs
    int64_t baseNs = 0; ///< labels count from it: 0 if it is in view, else a multiple of 5 majorNs before the view
    std::vector<int64_t> majors; ///< that meet the view and one on each side, ascending

    /// Majors lie at least so many pixels apart.
    [[nodiscard]] static Ruler forView(const PixelScale& scale, int widthPx, double leastMajorPx);
};

} // namespace torchline::lod
