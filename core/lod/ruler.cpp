#include "lod/ruler.h"

#include <algorithm>

namespace torchline::lod {

namespace {

int64_t floorTo(int64_t value, int64_t step)
{
    const int64_t rest = value % step;
    return subSaturated(value, rest < 0 ? rest + step : rest);
}

} // namespace

Ruler Ruler::forView(const PixelScale& scale, int widthPx, double leastMajorPx)
{
    Ruler ruler;
    int64_t leastNs = std::max<int64_t>(scale.nsOfPixels(leastMajorPx), 1);
    if (scale.pixelsOfNs(leastNs) < leastMajorPx)
        leastNs = addSaturated(leastNs, 1);
    constexpr int64_t kLargestPower = 1'000'000'000'000'000'000;
    int64_t power = 1;
    while (power < kLargestPower && power * 5 < leastNs && power <= kLargestPower / 10)
        power *= 10;
    for (const int64_t factor : {1, 2, 5}) {
        ruler.majorNs = power * factor;
        ruler.minorNs = factor == 2 ? power / 2 : ruler.majorNs / 5;
        if (ruler.majorNs >= leastNs)
            break;
    }
    ruler.minorNs = std::max<int64_t>(ruler.minorNs, 1);
    const int64_t fromNs = scale.firstNsOf(0);
    const int64_t toNs = scale.firstNsOf(widthPx);
    const int64_t baseStep = ruler.majorNs > kMaxNs / 5 ? ruler.majorNs : ruler.majorNs * 5;
    // A view that begins before time 0 and shows it counts from there.
    ruler.baseNs = fromNs < 0 && toNs > 0 ? 0 : floorTo(fromNs, baseStep);
    for (int64_t at = floorTo(fromNs, ruler.majorNs); at <= toNs; at = addSaturated(at, ruler.majorNs)) {
        ruler.majors.push_back(at);
        if (at == kMaxNs)
            break;
    }
    if (!ruler.majors.empty())
        ruler.majors.push_back(addSaturated(ruler.majors.back(), ruler.majorNs));
    return ruler;
}

} // namespace torchline::lod
