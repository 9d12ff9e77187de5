#pragma once
// What can be known before a program is started: whether it can be, and whether the agent can be loaded into it. Each
// Error is a sentence that says what to do. Thread: any; reads the head of a few files.

#include "base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace torchline::capture {

/// A program to start, as a person gave it.
struct LaunchRequest {
    std::string program{}; ///< a path, or a name that is looked for in PATH
    std::vector<std::string> arguments{};
    std::string folder{}; ///< to start it in; empty: ours
    std::vector<std::pair<std::string, std::string>> environment{}; ///< set besides what is inherited

    friend bool operator==(const LaunchRequest&, const LaunchRequest&) = default;
};

/// The path to start. A relative one counts from the request's folder.
[[nodiscard]] Result<std::string> checkLaunch(const LaunchRequest& request);

/// The agent: beside the programs of a build, else where an installation has it; TORCHLINE_AGENT names another one.
[[nodiscard]] Result<std::string> findAgent();

/// Whether LibTorch's own operators are in the file: a program without a shared LibTorch that has them is linked
/// statically. Reads all of it.
[[nodiscard]] bool holdsLibTorch(const std::string& path);

} // namespace torchline::capture
