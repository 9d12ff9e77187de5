#pragma once
// What a recording is asked for, before any program runs. PROTOCOL.md says what each value means to the agent.
// Thread: values.

#include "capture/wire/schedule.h"

#include <cstdint>
#include <string>

namespace torchline::capture {

/// Bits of at::RecordScope.
enum Scope : uint32_t {
    ScopeFunction = 1 << 0,
    ScopeBackward = 1 << 1,
    ScopeTorchScript = 1 << 2,
    ScopeKernelDtype = 1 << 3,
    ScopeCustomClass = 1 << 4,
    ScopeBuildFeature = 1 << 5,
    ScopeLite = 1 << 6,
    ScopeUser = 1 << 7,
};
constexpr uint32_t kDefaultScopes = 255;
constexpr uint32_t kDefaultStackFrames = 48; ///< where stacks are asked for

struct RecordOptions {
    uint32_t scopes = kDefaultScopes;
    bool shapes = false;
    bool memory = false;
    uint32_t stackFrames = 0; ///< of each operator, at most; 0: no stacks
    bool children = true; ///< processes that the program starts are recorded too
    wire::Schedule schedule;
    std::string step; ///< what ends a step: scope:PATTERN, ops:N or ms:N; empty: scope:ProfilerStep*

    friend bool operator==(const RecordOptions&, const RecordOptions&) = default;
};

} // namespace torchline::capture
