#pragma once
// The innermost loops over JSON text: blanks, ends of strings, ends of nested values.
// They run without a limit: behind the text there must be kTextPadding bytes of `"`, which stop all of them; who calls
// them compares with the end of the text afterwards.
// Thread: any.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace torchline {

constexpr size_t kTextPadding = 64;

/// How a byte can be met outside of strings.
enum ByteClass : uint8_t {
    ByteBlank = 1,
    ByteEndsWord = 2, ///< what can follow a number or word: blank , : ] } "
    ByteEndsNumber = 4, ///< the same without : and "
    ByteDigit = 8,
};

struct ByteClasses {
    uint8_t of[256] = {};

    constexpr ByteClasses()
    {
        set(" \n\r\t", ByteBlank | ByteEndsWord | ByteEndsNumber);
        set(",]}", ByteEndsWord | ByteEndsNumber);
        set(":\"", ByteEndsWord);
        set("0123456789", ByteDigit);
    }
    constexpr void set(std::string_view bytes, int classes)
    {
        for (const char c : bytes)
            of[static_cast<uint8_t>(c)] = static_cast<uint8_t>(classes);
    }
};
inline constexpr ByteClasses kByteClasses;

inline bool hasClass(char c, ByteClass byteClass)
{
    return (kByteClasses.of[static_cast<uint8_t>(c)] & byteClass) != 0;
}

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
    /// Bit i set where byte i is the same in both.
    static uint32_t same(const char* p, const char* q) { return equal(load(p) ^ load(q), '\0'); }
    static uint32_t quoteOrBackslash(const char* p)
    {
        const uint64_t word = load(p);
        return equal(word, '"') | equal(word, '\\');
    }
    static uint32_t noBlanks(const char* p)
    {
        const uint64_t word = load(p);
        return 0xFFU ^ (equal(word, ' ') | equal(word, '\n') | equal(word, '\r') | equal(word, '\t'));
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
    static uint32_t same(const char* p, const char* q) { return mask(_mm_cmpeq_epi8(load(p), load(q))); }
    static uint32_t quoteOrBackslash(const char* p)
    {
        const __m128i block = load(p);
        return mask(_mm_or_si128(equal(block, '"'), equal(block, '\\')));
    }
    static uint32_t noBlanks(const char* p)
    {
        const __m128i block = load(p);
        return 0xFFFFU
            ^ mask(_mm_or_si128(_mm_or_si128(equal(block, ' '), equal(block, '\n')),
                _mm_or_si128(equal(block, '\r'), equal(block, '\t'))));
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
    return hasClass(c, ByteBlank);
}

inline bool isDigit(char c)
{
    return static_cast<uint8_t>(c - '0') < 10;
}

template <typename Steps = BestSteps> const char* skipManyBlanks(const char* p)
{
    for (;;) {
        const uint32_t others = Steps::noBlanks(p);
        if (others != 0)
            return p + std::countr_zero(others);
        p += Steps::kBytes;
    }
}

inline const char* skipBlanks(const char* p)
{
    // Nearly always there is none, or one.
    if (static_cast<uint8_t>(*p) > ' ')
        return p;
    if (*p == ' ' && static_cast<uint8_t>(p[1]) > ' ')
        return p + 1;
    return skipManyBlanks(p);
}

/// Whether the bytes at p are those at q. Up to the next multiple of Steps::kBytes of both must be readable.
template <typename Steps = BestSteps> bool areSame(const char* p, const char* q, size_t size)
{
    for (; size > Steps::kBytes; size -= Steps::kBytes) {
        if (Steps::same(p, q) != (uint32_t{1} << Steps::kBytes) - 1)
            return false;
        p += Steps::kBytes;
        q += Steps::kBytes;
    }
    const uint32_t wanted = (uint32_t{1} << size) - 1;
    return (Steps::same(p, q) & wanted) == wanted;
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

/// Numbers of bits in two 16-bit masks; without an instruction for it, which plain x86-64 does not have.
struct BitCounts {
    uint32_t first;
    uint32_t second;
};
inline BitCounts countBits(uint32_t first, uint32_t second)
{
    uint32_t v = first | second << 16;
    v -= v >> 1 & 0x55555555U;
    v = (v & 0x33333333U) + (v >> 2 & 0x33333333U);
    v = (v + (v >> 4)) & 0x0F0F0F0FU;
    v = (v + (v >> 8)) & 0x00FF00FFU;
    return {v & 0xFFFFU, v >> 16};
}

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
        const uint32_t oddHere = marks.odd & before;
        const BitCounts counts = countBits(open, close);
        if (counts.second < depth) {
            depth += counts.first - counts.second;
        } else {
            for (uint32_t rest = open | close; rest != 0; rest &= rest - 1) {
                const uint32_t bit = rest & (0U - rest);
                if ((bit & open) != 0) {
                    ++depth;
                } else if (--depth == 0) {
                    const char* end = p + std::countr_zero(bit) + 1;
                    // Brackets in the padding do not exist, so this one is text.
                    return {NestedEnd::Found, end, (odd | (oddHere & (bit - 1))) != 0};
                }
            }
        }
        odd |= oddHere;
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
