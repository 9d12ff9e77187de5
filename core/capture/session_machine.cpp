#include "capture/session_machine.h"

#include <array>

namespace torchline::capture {

namespace {

using Row = std::array<Phase, kSessionEvents>;

// clang-format off
constexpr std::array<Row, kPhases> kTable = [] {
    using enum Phase;
    return std::array<Row, kPhases>{
        // Launched    Found       AgentsWait  AgentsWarmUp AgentsRecord PauseAsked StopAsked ProgramEnded Drained DrainedNothing LaunchFailed
        Row{Connecting, Idle,       Idle,       Idle,        Idle,        Idle,      Idle,     Idle,        Idle,     Idle,     Failed}, // Idle
        Row{Connecting, Waiting,    Waiting,    Warmup,      Recording,   Paused,    Draining, Draining,    Connecting, Connecting, Failed}, // Connecting
        Row{Waiting,    Waiting,    Waiting,    Warmup,      Recording,   Paused,    Draining, Draining,    Waiting,  Waiting,  Waiting}, // Waiting
        Row{Warmup,     Warmup,     Waiting,    Warmup,      Recording,   Paused,    Draining, Draining,    Warmup,   Warmup,   Warmup}, // Warmup
        Row{Recording,  Recording,  Waiting,    Warmup,      Recording,   Paused,    Draining, Draining,    Recording, Recording, Recording}, // Recording
        Row{Paused,     Paused,     Paused,     Warmup,      Recording,   Paused,    Draining, Draining,    Paused,   Paused,   Paused}, // Paused
        Row{Draining,   Draining,   Draining,   Draining,    Draining,    Draining,  Draining, Draining,    Done,     Failed,   Draining}, // Draining
        Row{Done,       Done,       Done,       Done,        Done,        Done,      Done,     Done,        Done,     Done,     Done}, // Done
        Row{Failed,     Failed,     Failed,     Failed,      Failed,      Failed,    Failed,   Failed,      Failed,   Failed,   Failed}, // Failed
    };
}();
// clang-format on

} // namespace

Phase next(Phase phase, SessionEvent event)
{
    return kTable[static_cast<size_t>(phase)][static_cast<size_t>(event)];
}

std::string_view phaseName(Phase phase)
{
    constexpr std::array<std::string_view, kPhases> kNames{
        "idle", "connecting", "waiting", "warming up", "recording", "paused", "draining", "done", "failed"};
    return kNames[static_cast<size_t>(phase)];
}

} // namespace torchline::capture
