#pragma once
// Walking one JSON object member by member, in two ways. StrictText takes strings as JSON has them. RepairedText takes
// a string to end where what follows fits its place, so that quotes and backslashes that nobody escaped do not end it
// early or late; it is tried when the strict way failed.
// Both take any number of commas, missing commas, words that are no JSON values, and any depth without recursion.
// Text: followed by kTextPadding bytes of `"`. Thread: any.

#include "import/scan/json_bytes.h"

#include <algorithm>
#include <string_view>

namespace torchline {

enum class WalkFault : uint8_t {
    None,
    Limit, ///< the text in hand ends first
    Damaged,
};

/// Of one walk.
struct Walk {
    const char* limit = nullptr;
    bool textEnds = false; ///< nothing follows limit, in the file neither
    WalkFault fault = WalkFault::None;
    uint32_t strayCommas = 0;
    uint32_t missingCommas = 0;
    uint32_t oddWords = 0; ///< values that are no JSON: NaN, inf, N/A, nothing at all

    const char* fail(const char* p)
    {
        fault = p >= limit ? WalkFault::Limit : WalkFault::Damaged;
        return nullptr;
    }
};

/// Where a string stands: what may follow it.
enum class StringPlace : uint8_t {
    Key,
    EventValue, ///< value of a key of an event
    MemberValue, ///< value of any other object's key
    Nested, ///< anywhere deeper
};

enum class TokenKind : uint8_t { String, Bare, Nested };

struct Token {
    TokenKind kind = TokenKind::Bare;
    const char* begin = nullptr; ///< of a string: behind its quote
    const char* end = nullptr;
    const char* after = nullptr;

    [[nodiscard]] std::string_view text() const { return {begin, static_cast<size_t>(end - begin)}; }
    [[nodiscard]] bool isNull() const { return kind == TokenKind::Bare && text() == "null"; }
};

/// Whether the string that begins at p (behind its quote) is a key that events have.
[[nodiscard]] bool isEventKey(const char* p);

struct StrictText {
    /// p behind the opening quote; sets end and after. False: fault set.
    static bool takeString(const char* p, Walk& walk, StringPlace /*place*/, Token& token)
    {
        token.begin = p;
        token.end = stringEnd(p);
        token.after = token.end + 1;
        return token.end < walk.limit || walk.fail(token.end) != nullptr;
    }
    static const char* takeNested(const char* p, Walk& walk)
    {
        if (const char* end = plainNestedEnd(p, walk.limit))
            return end;
        const NestedSkip skip = skipNested(p, walk.limit);
        if (skip.end != NestedEnd::Found)
            return walk.fail(skip.at);
        if (skip.hasOddWord)
            countOddWords(p, skip.at, walk);
        return skip.at;
    }
    static void countOddWords(const char* begin, const char* end, Walk& walk);
};

struct RepairedText {
    static bool takeString(const char* p, Walk& walk, StringPlace place, Token& token);
    static const char* takeNested(const char* p, Walk& walk);
};

inline bool isJsonWord(std::string_view word)
{
    return word == "true" || word == "false" || word == "null";
}

/// End of a number or word: anything up to what can follow a value.
inline const char* bareEnd(const char* p)
{
    p += WordSteps::digitsIn(WordSteps::load(p) ^ WordSteps::kZeros);
    while (!hasClass(*p, ByteEndsWord))
        ++p;
    return p;
}

/// Reads the value at p. False: fault set.
template <typename Rules> bool takeValue(const char* p, Walk& walk, StringPlace place, Token& token)
{
    if (*p == '"') {
        token.kind = TokenKind::String;
        return Rules::takeString(p + 1, walk, place, token);
    }
    token.begin = p;
    if (*p == '{' || *p == '[') {
        token.kind = TokenKind::Nested;
        token.after = Rules::takeNested(p, walk);
        token.end = token.after;
        return token.after != nullptr;
    }
    token.kind = TokenKind::Bare;
    token.end = bareEnd(p);
    token.after = token.end;
    if (token.end >= walk.limit)
        return walk.fail(walk.limit) != nullptr;
    if (!isDigit(*p == '-' ? p[1] : *p) && !isJsonWord(token.text()))
        ++walk.oddWords;
    return true;
}

/// p at `{`. onMember(key, value): key without quotes as written, value: place of its first byte; returns the place
/// behind the value, or null with the fault set. Returns the place behind `}`, or null with the fault set.
template <typename Rules, typename OnMember> const char* walkObject(const char* p, Walk& walk, OnMember&& onMember)
{
    ++p;
    bool afterValue = false;
    bool afterComma = false;
    for (;;) {
        p = skipBlanks(p);
        if (*p == '"') {
            if (p >= walk.limit)
                return walk.fail(p);
            walk.missingCommas += afterValue ? 1 : 0;
            Token key;
            if (!Rules::takeString(p + 1, walk, StringPlace::Key, key))
                return nullptr;
            p = skipBlanks(key.after);
            if (*p != ':')
                return walk.fail(p);
            p = skipBlanks(p + 1);
            p = onMember(key.text(), p);
            if (p == nullptr)
                return nullptr;
            if (p >= walk.limit)
                return walk.fail(p);
            afterValue = true;
            afterComma = false;
        } else if (*p == ',') {
            walk.strayCommas += afterValue ? 0 : 1;
            afterValue = false;
            afterComma = true;
            ++p;
        } else if (*p == '}') {
            walk.strayCommas += afterComma ? 1 : 0;
            return p + 1;
        } else {
            return walk.fail(p);
        }
    }
}

} // namespace torchline
