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

/// Marks of a stretch of bytes: bit i for byte i.
struct PlainMarks {
    uint32_t open = 0; ///< [ {
    uint32_t close = 0; ///< ] }
    uint32_t quote = 0;
    uint32_t behindString = 0; ///< what can follow a string: , : ] }
    uint32_t letter = 0; ///< and | ~ DEL
    uint32_t escape = 0; ///< a backslash

    void add(const PlainMarks& more, unsigned at)
    {
        open |= more.open << at;
        close |= more.close << at;
        quote |= more.quote << at;
        behindString |= more.behindString << at;
        letter |= more.letter << at;
        escape |= more.escape << at;
    }
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
    static constexpr uint64_t kZeros = 0x3030303030303030ULL; ///< "00000000"
    /// How many bytes of a word ^ kZeros were digits before the first that was none.
    static unsigned digitsIn(uint64_t word)
    {
        // A sum can only carry from a byte that is none into later ones.
        const uint64_t others = (word | (word + 0x7676767676767676ULL)) & 0x8080808080808080ULL;
        return static_cast<unsigned>(std::countr_zero(others)) / 8;
    }
    /// Bit i set where byte i of the word is c.
    static uint32_t equal(uint64_t word, char c)
    {
        constexpr uint64_t kLow = 0x7F7F7F7F7F7F7F7FULL;
        const uint64_t x = word ^ (0x0101010101010101ULL * static_cast<uint8_t>(c));
        return gathered(~(((x & kLow) + kLow) | x | kLow)); // 0x80 in each byte that was zero
    }
    /// The upper bits of the bytes, all others being 0.
    static uint32_t gathered(uint64_t upper)
    {
        return static_cast<uint32_t>((upper >> 7) * 0x0102040810204080ULL >> 56);
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
    static PlainMarks plain(const char* p)
    {
        const uint64_t word = load(p);
        const uint64_t folded = word | 0x2020202020202020ULL;
        const uint64_t above = (folded & 0x7F7F7F7F7F7F7F7FULL) + 0x1F1F1F1F1F1F1F1FULL;
        const uint32_t open = equal(folded, '{');
        const uint32_t close = equal(folded, '}');
        return {open, close, equal(word, '"'), equal(word, ',') | equal(word, ':') | close,
            gathered(above & ~folded & 0x8080808080808080ULL) & ~(open | close), equal(word, '\\')};
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
    static PlainMarks plain(const char* p)
    {
        const __m128i block = load(p);
        const __m128i folded = _mm_or_si128(block, _mm_set1_epi8(0x20));
        const __m128i open = equal(folded, '{');
        const __m128i close = equal(folded, '}');
        const __m128i behind = _mm_or_si128(_mm_or_si128(equal(block, ','), equal(block, ':')), close);
        const __m128i letter
            = _mm_andnot_si128(_mm_or_si128(open, close), _mm_cmpgt_epi8(folded, _mm_set1_epi8('a' - 1)));
        return {mask(open), mask(close), mask(equal(block, '"')), mask(behind), mask(letter), mask(equal(block, '\\'))};
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

/// Bit i set where byte i is the same at p and at q, of kBytes.
template <size_t kBytes, typename Steps = BestSteps> uint32_t sameBytes(const char* p, const char* q)
{
    static_assert(kBytes <= 32 && kBytes % Steps::kBytes == 0);
    uint32_t marks = 0;
    for (size_t at = 0; at < kBytes; at += Steps::kBytes)
        marks |= Steps::same(p + at, q + at) << at;
    return marks;
}

/// p: behind the opening quote. Returns the place of the closing one.
template <typename Steps = BestSteps> const char* stringEnd(const char* p)
{
    for (;;) {
        // Two steps at once: where names end is hard to guess.
        const uint32_t marks = Steps::quoteOrBackslash(p) | Steps::quoteOrBackslash(p + Steps::kBytes) << Steps::kBytes;
        if (marks == 0) {
            p += 2 * Steps::kBytes;
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

/// The end of the nested value at p as long as it is plain: no escapes, no words outside of strings, no blanks behind
/// strings. Null: it is not, or ends beyond the limit. Looks at 32 bytes at once, so that strings in it cost nothing.
template <typename Steps = BestSteps> const char* plainNestedEnd(const char* p, const char* limit)
{
    uint32_t depth = 0;
    uint32_t inString = 0; ///< all bits: the stretch begins inside of a string
    uint32_t afterString = 0; ///< 1: it begins behind one
    for (; p < limit; p += 32) {
        PlainMarks marks;
        for (unsigned at = 0; at < 32; at += Steps::kBytes)
            marks.add(Steps::plain(p + at), at);
        if (marks.escape != 0)
            return nullptr;
        uint32_t inside = marks.quote; // from each opening quote up to before the closing one
        for (unsigned shift = 1; shift < 32; shift *= 2)
            inside ^= inside << shift;
        inside ^= inString;
        const uint32_t closing = marks.quote & ~inside;
        const uint32_t odd = (((closing << 1) | afterString) & ~marks.behindString) | (marks.letter & ~inside);
        const uint32_t open = marks.open & ~inside;
        const uint32_t close = marks.close & ~inside;
        for (uint32_t rest = open | close; rest != 0; rest &= rest - 1) {
            const uint32_t bit = rest & (0U - rest);
            if ((open & bit) != 0)
                ++depth;
            else if (--depth == 0)
                return (odd & (bit | (bit - 1))) == 0 ? p + std::countr_zero(bit) + 1 : nullptr;
        }
        if (odd != 0)
            return nullptr;
        inString = 0U - (inside >> 31);
        afterString = closing >> 31;
    }
    return nullptr;
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
