#include "import/scan/event_guess.h"

#include <cstring>

namespace torchline {

namespace {

/// The place of the last byte before p that is no blank, or null.
const char* lastBefore(const char* p, const char* begin)
{
    while (p > begin && isBlank(p[-1]))
        --p;
    return p > begin ? p - 1 : nullptr;
}

} // namespace

EventGuess guessEvent(const TextSpan& text, const char* from, const char* end)
{
    for (const char* p = from; p < end; ++p) {
        p = static_cast<const char*>(std::memchr(p, '{', static_cast<size_t>(end - p)));
        if (p == nullptr)
            break;
        const char* key = skipBlanks(p + 1);
        if (key >= text.limit || *key != '"' || !isEventKey(key + 1))
            continue;
        const char* before = lastBefore(p, text.begin);
        if (before == nullptr)
            continue;
        EventGuess guess;
        guess.at = p;
        if (*before == '[')
            return guess;
        const char* value = *before == ',' ? lastBefore(before, text.begin) : nullptr;
        guess.state.afterComma = true;
        if (value != nullptr && *value == '}')
            return guess;
    }
    return {};
}

} // namespace torchline
