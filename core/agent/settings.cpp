#include "agent/settings.h"

#include "capture/wire/segment.h"

#include <cstring>

namespace torchline::agent {
namespace {

constexpr uint32_t kMaxSlots = 1024;
constexpr uint32_t kMinRingKib = 64;
constexpr uint32_t kMaxRingKib = 1U << 18;

struct Text {
    const char* at;
    size_t count;

    [[nodiscard]] bool is(const char* other) const
    {
        return std::strlen(other) == count && std::memcmp(other, at, count) == 0;
    }
    /// Takes a prefix off.
    bool skip(const char* prefix)
    {
        const size_t length = std::strlen(prefix);
        if (count < length || std::memcmp(at, prefix, length) != 0)
            return false;
        at += length;
        count -= length;
        return true;
    }
};

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Percent-decoded into out, cut where it is full; no zeros inside.
Text decode(Text word, char* out, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < word.count && length + 1 < room; ++i) {
        char c = word.at[i];
        if (c == '%' && i + 2 < word.count && hexDigit(word.at[i + 1]) >= 0 && hexDigit(word.at[i + 2]) >= 0) {
            c = static_cast<char>(hexDigit(word.at[i + 1]) * 16 + hexDigit(word.at[i + 2]));
            i += 2;
        }
        if (c != '\0')
            out[length++] = c;
    }
    out[length] = '\0';
    return {out, length};
}

template <typename T> bool readNumber(Text text, T& out)
{
    if (text.count == 0 || text.count > 18)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < text.count; ++i) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        value = value * 10 + static_cast<uint64_t>(text.at[i] - '0');
    }
    if (static_cast<uint64_t>(static_cast<T>(value)) != value)
        return false;
    out = static_cast<T>(value);
    return true;
}

void readFlag(Text text, bool& out)
{
    if (text.is("0") || text.is("1"))
        out = text.is("1");
}

void readStep(Text text, StepRule& out)
{
    uint64_t every = 0;
    if (text.skip("scope:")) {
        if (text.count == 0 || text.count >= sizeof(out.pattern))
            return;
        out.kind = StepRule::Kind::Scope;
        std::memcpy(out.pattern, text.at, text.count);
        out.pattern[text.count] = '\0';
        return;
    }
    const bool operators = text.skip("ops:");
    if (!operators && !text.skip("ms:"))
        return;
    if (readNumber(text, every) && every > 0) {
        out.kind = operators ? StepRule::Kind::Operators : StepRule::Kind::Milliseconds;
        out.every = every;
    }
}

void readWord(Text key, Text value, Settings& out)
{
    uint32_t number = 0;
    if (key.is("scopes"))
        readNumber(value, out.scopes);
    else if (key.is("stacks") && readNumber(value, number))
        out.stackFrames = number < wire::kMaxStackFrames ? number : wire::kMaxStackFrames;
    else if (key.is("shapes"))
        readFlag(value, out.shapes);
    else if (key.is("memory"))
        readFlag(value, out.memory);
    else if (key.is("children"))
        readFlag(value, out.children);
    else if (key.is("record"))
        out.recordNow = value.is("now");
    else if (key.is("skip_first"))
        readNumber(value, out.schedule.skipFirst);
    else if (key.is("wait"))
        readNumber(value, out.schedule.wait);
    else if (key.is("warmup"))
        readNumber(value, out.schedule.warmup);
    else if (key.is("active"))
        readNumber(value, out.schedule.active);
    else if (key.is("repeat"))
        readNumber(value, out.schedule.repeat);
    else if (key.is("step"))
        readStep(value, out.step);
    else if (key.is("slots") && readNumber(value, number) && number > 0 && number <= kMaxSlots)
        out.segment.slots = number;
    else if (key.is("ring_kib") && readNumber(value, number) && number >= kMinRingKib && number <= kMaxRingKib
        && (number & (number - 1)) == 0)
        out.segment.ringBytes = number * 1024;
}

} // namespace

void readWords(const char* text, size_t count, Settings& settings)
{
    for (size_t begin = 0; begin < count;) {
        size_t end = begin;
        size_t equals = count;
        while (end < count && text[end] != ' ' && text[end] != '\n') {
            if (text[end] == '=' && equals == count)
                equals = end;
            ++end;
        }
        if (equals < end) {
            char value[1024];
            readWord({text + begin, equals - begin},
                decode({text + equals + 1, end - equals - 1}, value, sizeof(value)), settings);
        }
        begin = end + 1;
    }
}

bool matches(const char* pattern, const char* text, size_t count)
{
    const char* star = nullptr;
    size_t from = 0;
    size_t at = 0;
    while (at < count) {
        if (*pattern == '*') {
            star = ++pattern;
            from = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == text[at])) {
            ++pattern;
            ++at;
        } else if (star) {
            pattern = star;
            at = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        ++pattern;
    return *pattern == '\0';
}

} // namespace torchline::agent
