#pragma once
// What to record and when: the words of TORCHLINE_CONFIG and of the start message. Thread: any.

#include "agent/segment.h"
#include "capture/wire/schedule.h"

#include <cstddef>
#include <cstdint>

namespace torchline::agent {

/// What ends a step.
struct StepRule {
    enum class Kind : uint8_t {
        Scope, ///< the end of an operator or scope whose name matches
        Operators, ///< every Nth end of an outermost operator
        Milliseconds,
    };
    Kind kind = Kind::Scope;
    uint64_t every = 0; ///< of Operators and Milliseconds
    char pattern[256] = "ProfilerStep*";
};

struct Settings {
    uint32_t scopes = 0xFF; ///< mask of at::RecordScope
    uint32_t stackFrames = 0;
    bool shapes = false;
    bool memory = false;
    bool children = true;
    bool recordNow = false;
    wire::Schedule schedule;
    StepRule step;
    SegmentSize segment;
};

/// Reads `key=value` words parted by blanks over what `settings` holds. Unknown keys and values that make no sense are
/// passed over.
void readWords(const char* text, size_t count, Settings& settings);

/// `*` any text, `?` any byte.
[[nodiscard]] bool matches(const char* pattern, const char* text, size_t count);

} // namespace torchline::agent
