#include "import/scan/json_walk.h"

#include <array>

namespace torchline {

namespace {

using namespace std::string_view_literals;

constexpr std::array kEventKeys = {"ph"sv, "ts"sv, "id"sv, "bp"sv, "sf"sv, "s"sv, "cat"sv, "pid"sv, "tid"sv, "dur"sv,
    "tts"sv, "id2"sv, "esf"sv, "name"sv, "args"sv, "tdur"sv, "cname"sv, "scope"sv, "bind_id"sv, "flow_in"sv,
    "flow_out"sv, "use_async"sv, "stack"sv, "estack"sv};

/// A value can begin like this.
bool beginsValue(char c)
{
    return c == '"' || c == '{' || c == '[' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n'
        || c == 'N' || c == 'I' || c == 'i';
}

enum class Verdict : uint8_t { No, Yes, Unknown };

/// Looks at text behind a quote that may end a string.
class Lookahead {
public:
    Lookahead(const char* p, const Walk& walk)
        : m_p(skipBlanks(p))
        , m_walk(walk)
    {
    }

    /// The byte here; 0 at the end of the text.
    [[nodiscard]] char at() const { return m_p >= m_walk.limit ? '\0' : *m_p; }
    void next() { m_p = m_p >= m_walk.limit ? m_p : skipBlanks(m_p + 1); }
    [[nodiscard]] bool isOut() const { return m_p >= m_walk.limit && !m_walk.textEnds; }
    [[nodiscard]] bool isAtEnd() const { return m_p >= m_walk.limit && m_walk.textEnds; }

    /// Here: a string and a colon.
    [[nodiscard]] Verdict isKey(bool ofEvent) const
    {
        if (at() != '"')
            return isOut() ? Verdict::Unknown : Verdict::No;
        if (ofEvent && !isEventKey(m_p + 1))
            return m_walk.limit - m_p < kMostKey && !m_walk.textEnds ? Verdict::Unknown : Verdict::No;
        const char* end = stringEnd(m_p + 1);
        if (end >= m_walk.limit)
            return m_walk.textEnds ? Verdict::No : Verdict::Unknown;
        Lookahead behind(end + 1, m_walk);
        if (behind.isOut())
            return Verdict::Unknown;
        return behind.at() == ':' ? Verdict::Yes : Verdict::No;
    }

private:
    static constexpr ptrdiff_t kMostKey = 16;

    const char* m_p;
    const Walk& m_walk;
};

Verdict orUnknown(const Lookahead& ahead, bool fits)
{
    if (fits)
        return Verdict::Yes;
    return ahead.isOut() ? Verdict::Unknown : Verdict::No;
}

/// Whether the quote at p ends a string of this place.
Verdict endsString(const char* p, const Walk& walk, StringPlace place)
{
    Lookahead ahead(p + 1, walk);
    const char next = ahead.at();
    switch (place) {
    case StringPlace::Key:
        return orUnknown(ahead, next == ':');
    case StringPlace::Nested:
        if (next != ',')
            return orUnknown(ahead, next == ']' || next == '}' || next == ':');
        ahead.next();
        return orUnknown(ahead, beginsValue(ahead.at()) || ahead.at() == ']' || ahead.at() == '}');
    case StringPlace::EventValue:
    case StringPlace::MemberValue:
        break;
    }
    if (next == '}') {
        ahead.next();
        const char after = ahead.at();
        if (ahead.isAtEnd())
            return Verdict::Yes;
        return orUnknown(ahead, after == ',' || after == ']' || after == '}' || after == '{');
    }
    if (next != ',')
        return orUnknown(ahead, ahead.isAtEnd());
    ahead.next();
    if (ahead.at() == '}')
        return Verdict::Yes;
    return ahead.isKey(place == StringPlace::EventValue);
}

/// A key that reaches over the braces of objects: two events are mixed up.
bool isNoKey(const char* begin, const char* end)
{
    return std::any_of(begin, end, [](char c) { return c == '{' || c == '}' || c == '\n'; });
}

} // namespace

bool isEventKey(const char* p)
{
    return std::any_of(kEventKeys.begin(), kEventKeys.end(),
        [p](std::string_view key) { return std::memcmp(p, key.data(), key.size()) == 0 && p[key.size()] == '"'; });
}

void StrictText::countOddWords(const char* begin, const char* end, Walk& walk)
{
    for (const char* p = begin; p < end;) {
        if (*p == '"') {
            p = stringEnd(p + 1) + 1;
        } else if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) {
            const char* wordEnd = bareEnd(p);
            walk.oddWords += isJsonWord({p, static_cast<size_t>(wordEnd - p)}) ? 0 : 1;
            p = wordEnd;
        } else if ((*p >= '0' && *p <= '9') || *p == '.') {
            p = bareEnd(p); // 1e5 is a number, not a word
        } else {
            ++p;
        }
    }
}

bool RepairedText::takeString(const char* p, Walk& walk, StringPlace place, Token& token)
{
    const bool isValue = place == StringPlace::EventValue || place == StringPlace::MemberValue;
    token.begin = p;
    for (;; ++p) {
        while (*p != '"')
            ++p;
        if (p >= walk.limit)
            return walk.fail(walk.limit) != nullptr;
        if (isValue && p > token.begin) {
            // `"name": "text, "ph": "X"`: the closing quote is missing.
            const char* comma = p - 1;
            while (comma > token.begin && isBlank(*comma))
                --comma;
            const bool isEnd = (*comma == ',' && place == StringPlace::EventValue) || *comma == '{';
            if (isEnd && Lookahead(p, walk).isKey(true) == Verdict::Yes) {
                token.end = comma;
                token.after = comma;
                // `"name": "text, {"ph": "X"`: that is the next event.
                return *comma == ',' || walk.fail(p) != nullptr;
            }
        }
        const Verdict verdict = endsString(p, walk, place);
        if (verdict == Verdict::Unknown)
            return walk.fail(walk.limit) != nullptr;
        if (verdict == Verdict::Yes && place == StringPlace::Key && isNoKey(token.begin, p))
            return walk.fail(p) != nullptr;
        if (verdict == Verdict::Yes) {
            token.end = p;
            token.after = p + 1;
            return true;
        }
    }
}

const char* RepairedText::takeNested(const char* p, Walk& walk)
{
    uint32_t depth = 0;
    while (p < walk.limit) {
        if (*p == '"') {
            Token token;
            if (!takeString(p + 1, walk, StringPlace::Nested, token))
                return nullptr;
            p = token.after;
            continue;
        }
        if (*p == '[' || *p == '{')
            ++depth;
        else if ((*p == ']' || *p == '}') && --depth == 0)
            return p + 1;
        ++p;
    }
    return walk.fail(walk.limit);
}

} // namespace torchline
