#include "base/time.h"

namespace torchline {

std::string microsecondsText(int64_t ns)
{
    const bool negative = ns < 0;
    const uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
    std::string text = std::to_string(magnitude % 1000);
    text.insert(0, 3 - text.size(), '0');
    text.insert(0, (negative ? "-" : "") + std::to_string(magnitude / 1000) + ".");
    return text;
}

int64_t divideHalfEven(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    int64_t rest = a % b;
    if (rest < 0) {
        rest += b;
        --quotient;
    }
    if (rest > b - rest || (rest == b - rest && quotient % 2 != 0))
        ++quotient;
    return quotient;
}

} // namespace torchline
