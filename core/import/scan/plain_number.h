#pragma once
// Numbers as recorders write them, read in one go: the common forms only. What is not of them is null here and read by
// decimal.h.
// Text: followed by kTextPadding bytes of `"`. Thread: any.

#include "import/scan/decimal.h"
#include "import/scan/json_bytes.h"

#include <array>
#include <limits>

namespace torchline {

/// The digits at p, up to eight of them: how many there are, and their value. No branch depends on it: numbers of all
/// lengths follow each other.
inline unsigned upToEightDigits(const char* p, uint64_t& value)
{
    uint64_t word = WordSteps::load(p) ^ WordSteps::kZeros;
    const unsigned count = WordSteps::digitsIn(word);
    // The first digit stands lowest; what is behind the last one is shifted out, and zeros come before the first.
    const unsigned half = 4 * (8 - count);
    word = word << half << half;
    word = word * 10 + (word >> 8);
    value = (((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL)
                + ((word >> 16 & 0x000000FF000000FFULL) * 0x0000271000000001ULL))
        >> 32;
    return count;
}

/// The digits at p; at most 18 are right.
inline const char* readDigits(const char* p, uint64_t& value)
{
    static constexpr std::array<uint64_t, 9> kPowers
        = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
    unsigned count = upToEightDigits(p, value);
    p += count;
    while (count == 8) {
        uint64_t more = 0;
        count = upToEightDigits(p, more);
        value = value * kPowers[count] + more;
        p += count;
    }
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
