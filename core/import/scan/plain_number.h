#pragma once
// Numbers as recorders write them, read in one go: the common forms only. What is not of them is null here and read by
// decimal.h.
// Text: followed by kTextPadding bytes of `"`. Thread: any.

#include "import/scan/decimal.h"
#include "import/scan/json_bytes.h"

#include <limits>

namespace torchline {

/// Eight digits at p, or null.
inline const char* eightDigits(const char* p, uint64_t& value)
{
    uint64_t word = WordSteps::load(p);
    constexpr uint64_t kZeros = 0x3030303030303030ULL;
    // All upper halves are 3, and adding 6 to the lower halves carries nowhere.
    if (((word & 0xF0F0F0F0F0F0F0F0ULL) ^ kZeros) != 0
        || ((word + 0x0606060606060606ULL) & 0xF0F0F0F0F0F0F0F0ULL) != kZeros)
        return nullptr;
    word -= kZeros;
    word = word * 10 + (word >> 8);
    value = (((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL)
                + ((word >> 16 & 0x000000FF000000FFULL) * 0x0000271000000001ULL))
        >> 32;
    return p + 8;
}

/// The digits at p; at most 18 are right.
inline const char* readDigits(const char* p, uint64_t& value)
{
    uint64_t result = 0;
    if (const char* next = eightDigits(p, result)) {
        p = next;
        uint64_t more = 0;
        if (next = eightDigits(p, more); next != nullptr) {
            p = next;
            result = result * 100'000'000 + more;
        }
    }
    while (isDigit(*p))
        result = result * 10 + static_cast<uint64_t>(*p++ - '0');
    value = result;
    return p;
}

/// The number written at p if it is plain digits, at most 18 of them, and nothing else; else null.
inline const char* plainNumber(const char* p, uint64_t& value)
{
    constexpr ptrdiff_t kMostDigits = 18;
    uint64_t result = 0;
    const char* end = readDigits(p, result);
    if (end == p || end - p > kMostDigits || !hasClass(*end, ByteEndsNumber))
        return nullptr;
    value = result;
    return end;
}

/// Microseconds as recorders write them: digits, then nothing or exactly three decimals; else null.
inline const char* plainTime(const char* p, FileTime& time)
{
    constexpr ptrdiff_t kMostDigits = 16;
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / 1000 - 1;
    const bool isNegative = *p == '-';
    const char* digits = p + (isNegative ? 1 : 0);
    uint64_t whole = 0;
    const char* q = readDigits(digits, whole);
    if (q == digits || q - digits > kMostDigits || whole > kMost)
        return nullptr;
    auto ns = static_cast<int64_t>(whole) * 1000;
    if (*q == '.') {
        if (!isDigit(q[1]) || !isDigit(q[2]) || !isDigit(q[3]))
            return nullptr;
        ns += (q[1] - '0') * 100 + (q[2] - '0') * 10 + (q[3] - '0');
        q += 4;
    }
    if (!hasClass(*q, ByteEndsNumber))
        return nullptr;
    time = {isNegative ? -ns : ns, 0, false};
    return q;
}

} // namespace torchline
