#pragma once
// Starts a program with the agent in it. Thread: any; does not wait for the program.

#include "base/result.h"
#include "capture/launch_check.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace torchline::capture {

/// How the agent comes in and whom it calls.
struct AgentWiring {
    std::string agent; ///< path of the library
    std::string socket;
    std::string config; ///< value of TORCHLINE_CONFIG
};

/// What a started program has for its terminal.
struct ProgramTerminal {
    std::string path; ///< of a pseudo terminal that becomes its controlling one; empty: it keeps ours
};

/// Returns its process number. An Error tells why the system did not start it.
[[nodiscard]] Result<pid_t> launchProgram(const LaunchRequest& request, const std::string& path,
    const AgentWiring& wiring, const ProgramTerminal& terminal = {});

/// Ours, with the request's variables, the agent before what LD_PRELOAD has, and the agent's own.
[[nodiscard]] std::vector<std::string> launchEnvironment(const LaunchRequest& request, const AgentWiring& wiring);

} // namespace torchline::capture
