#pragma once
// The innermost loops over JSON text: blanks, ends of strings, ends of nested values.
// They run without a limit: behind the text there must be kTextPadding bytes of `"`, which stop all of them; who calls
// them compares with the end of the text afterwards.
// Thread: any.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace torchline {

constexpr size_t kTextPadding = 64;

/// Marks of one step of a nested value: bit i for byte i.
struct NestedMarks {
    uint32_t open; ///< [ {
    uint32_t close; ///< ] }
    uint32_t quote;
    uint32_t odd; ///< a, i and their capitals: part of NaN, inf, Infinity (and of false)
};

/// Eight bytes at a time, on any machine.
struct WordSteps {
    static constexpr size_t kBytes = 8;

    static uint64_t load(const char* p)
    {
        uint64_t word = 0;
        std::memcpy(&word, p, sizeof word);
        if constexpr (std::endian::native == std::endian::big)
            word = __builtin_bswap64(word);
        return word;
    }
    /// Bit i set where byte i of the word is c.
    static uint32_t equal(uint64_t word, char c)
    {
        constexpr uint64_t kLow = 0x7F7F7F7F7F7F7F7FULL;
        const uint64_t x = word ^ (0x0101010101010101ULL * static_cast<uint8_t>(c));
        const uint64_t zeros = ~(((x & kLow) + kLow) | x | kLow); // 0x80 in each byte that was zero
        return static_cast<uint32_t>((zeros >> 7) * 0x0102040810204080ULL >> 56);
    }
    static uint32_t quoteOrBackslash(const char* p)
    {
        const uint64_t word = load(p);
        return equal(word, '"') | equal(word, '\\');
    }
    static NestedMarks nested(const char* p)
    {
        const uint64_t word = load(p);
        const uint64_t folded = word | 0x2020202020202020ULL;
        return {equal(folded, '{'), equal(folded, '}'), equal(word, '"'), equal(folded, 'a') | equal(folded, 'i')};
    }
};

#if defined(__SSE2__)
struct Sse2Steps {
    static constexpr size_t kBytes = 16;

    static __m128i load(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
    static __m128i equal(__m128i block, char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); }
    static uint32_t mask(__m128i block) { return static_cast<uint32_t>(_mm_movemask_epi8(block)); }
    static uint32_t quoteOrBackslash(const char* p)
    {
        const __m128i block = load(p);
        return mask(_mm_or_si128(equal(block, '"'), equal(block, '\\')));
    }
    static NestedMarks nested(const char* p)
    {
        const __m128i block = load(p);
        const __m128i folded = _mm_or_si128(block, _mm_set1_epi8(0x20));
        return {mask(equal(folded, '{')), mask(equal(folded, '}')), mask(equal(block, '"')),
            mask(_mm_or_si128(equal(folded, 'a'), equal(folded, 'i')))};
    }
};
using BestSteps = Sse2Steps;
#else
using BestSteps = WordSteps;
#endif

inline bool isBlank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline const char* skipBlanks(const char* p)
{
    while (static_cast<uint8_t>(*p) <= ' ' && isBlank(*p))
        ++p;
    return p;
}

/// p: behind the opening quote. Returns the place of the closing one.
template <typename Steps = BestSteps> const char* stringEnd(const char* p)
{
    for (;;) {
        const uint32_t marks = Steps::quoteOrBackslash(p);
        if (marks == 0) {
            p += Steps::kBytes;
            continue;
        }
        p += std::countr_zero(marks);
        if (*p == '"')
            return p;
        p += 2;
    }
}

enum class NestedEnd : uint8_t { Found, Limit, Damaged };

struct NestedSkip {
    NestedEnd end = NestedEnd::Damaged;
    const char* at = nullptr; ///< behind the closing bracket, or the place where it went wrong
    bool hasOddWord = false; ///< a word other than true, false, null may stand outside of strings
};

/// p: at `[` or `{`. A counter, no recursion; brackets are not told apart. What follows a string is looked at: it is
/// how a quote too many is noticed before it swallows the rest of the file.
template <typename Steps = BestSteps> NestedSkip skipNested(const char* p, const char* limit)
{
    uint32_t depth = 0;
    uint32_t odd = 0;
    while (p < limit) {
        const NestedMarks marks = Steps::nested(p);
        const uint32_t before = marks.quote != 0 ? (marks.quote & (0U - marks.quote)) - 1 : ~0U;
        const uint32_t open = marks.open & before;
        const uint32_t close = marks.close & before;
        odd |= marks.odd & before;
        if (static_cast<uint32_t>(std::popcount(close)) < depth) {
            depth += static_cast<uint32_t>(std::popcount(open)) - static_cast<uint32_t>(std::popcount(close));
        } else {
            for (uint32_t rest = open | close; rest != 0; rest &= rest - 1) {
                const uint32_t bit = rest & (0U - rest);
                if ((bit & open) != 0) {
                    ++depth;
                } else if (--depth == 0) {
                    const char* end = p + std::countr_zero(bit) + 1;
                    // Brackets in the padding do not exist, so this one is text.
                    return {NestedEnd::Found, end, odd != 0};
                }
            }
        }
        if (marks.quote == 0) {
            p += Steps::kBytes;
            continue;
        }
        p = stringEnd<Steps>(p + std::countr_zero(marks.quote) + 1) + 1;
        char next = *p;
        if (next != ',' && next != ']' && next != '}' && next != ':') {
            const char* behind = skipBlanks(p);
            next = *behind;
            if (behind >= limit)
                return {NestedEnd::Limit, limit, false};
            if (next != ',' && next != ']' && next != '}' && next != ':')
                return {NestedEnd::Damaged, p, false};
        }
    }
    return {NestedEnd::Limit, limit, false};
}

} // namespace torchline
