#pragma once
// guessEvent: where an event may begin, seen from the middle of a text. A guess: text like that stands in arguments
// too. Thread: any.

#include "import/scan/event_scanner.h"

namespace torchline {

struct EventGuess {
    const char* at = nullptr; ///< null: nothing looks like an event
    ListState state; ///< what stood before it, if it is one
};

/// The first place in [from, end) that looks like an event: `{` and a key of events, behind `[` or behind `},`. Looks
/// back to the beginning of the text.
[[nodiscard]] EventGuess guessEvent(const TextSpan& text, const char* from, const char* end);

} // namespace torchline
