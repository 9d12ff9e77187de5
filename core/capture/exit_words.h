#pragma once
// How a program ended, in words. Thread: any.

#include <cstdint>
#include <string>
#include <vector>

namespace torchline::capture {

/// What a thread of the program was doing when it ended.
struct RunningThread {
    uint32_t tid = 0;
    std::string name;
    std::vector<std::string> operators; ///< open ones, outermost first
};

constexpr int kUnknownEnd = -1; ///< in place of a status: whoever waited for it is gone

/// "exit 3", "killed by SIGSEGV"; of a status that waitpid gave.
[[nodiscard]] std::string exitWords(int waitStatus);
/// With the operators that ran when a signal killed it: "killed by SIGSEGV in aten::add on thread 4711 (main)". The
/// system does not tell which thread a signal came from: with several that ran operators, all are named.
[[nodiscard]] std::string exitWords(int waitStatus, const std::vector<RunningThread>& threads);
[[nodiscard]] bool isSuccess(int waitStatus);

} // namespace torchline::capture
