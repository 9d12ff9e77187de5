#pragma once
// The phases of a recording and what leads from one to the next: a table, so that nothing else decides it.
// Thread: values.

#include <cstdint>
#include <string_view>

namespace torchline::capture {

enum class Phase : uint8_t {
    Idle, ///< nothing is started
    Connecting, ///< the program runs, no LibTorch was seen in it yet
    Waiting, ///< LibTorch is there; recording begins later: by hand, after a time, by the schedule
    Warmup,
    Recording,
    Paused, ///< by hand; goes on when asked
    Draining, ///< what is under way is read to its end
    Done,
    Failed, ///< nothing could be recorded
};
constexpr size_t kPhases = 9;

enum class SessionEvent : uint8_t {
    Launched,
    Found, ///< an agent bound LibTorch
    AgentsWait,
    AgentsWarmUp,
    AgentsRecord,
    PauseAsked,
    StopAsked, ///< also: the time or the spool is used up, the schedule is done
    ProgramEnded,
    Drained, ///< and something was recorded
    DrainedNothing,
    LaunchFailed,
};
constexpr size_t kSessionEvents = 11;

/// The same phase where an event means nothing to it.
[[nodiscard]] Phase next(Phase phase, SessionEvent event);
[[nodiscard]] std::string_view phaseName(Phase phase);
[[nodiscard]] constexpr bool isOver(Phase phase)
{
    return phase == Phase::Done || phase == Phase::Failed;
}

} // namespace torchline::capture
