#pragma once
// Times are int64_t nanoseconds everywhere (suffix Ns); never a double. Here: saturating sums, ranges, exact text.
// Thread: any.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace torchline {

constexpr int64_t kMaxNs = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinNs = std::numeric_limits<int64_t>::min();

/// a + b, held at the ends of int64_t instead of wrapping.
[[nodiscard]] constexpr int64_t addSaturated(int64_t a, int64_t b)
{
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? kMinNs : kMaxNs;
    return sum;
}

/// a - b, held at the ends of int64_t instead of wrapping.
[[nodiscard]] constexpr int64_t subSaturated(int64_t a, int64_t b)
{
    int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? kMaxNs : kMinNs;
    return difference;
}

/// Half-open span [beginNs, endNs).
struct TimeRange {
    int64_t beginNs = 0;
    int64_t endNs = 0;

    [[nodiscard]] constexpr int64_t spanNs() const { return subSaturated(endNs, beginNs); }
    [[nodiscard]] constexpr bool isEmpty() const { return endNs <= beginNs; }
    [[nodiscard]] constexpr bool contains(int64_t ns) const { return ns >= beginNs && ns < endNs; }
    friend constexpr bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// Decimal microseconds with exactly three decimals: 64 -> "0.064", -1500 -> "-1.500".
[[nodiscard]] std::string microsecondsText(int64_t ns);
/// a / b rounded half to even; b > 0.
[[nodiscard]] int64_t divideHalfEven(int64_t a, int64_t b);

} // namespace torchline
