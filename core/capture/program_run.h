#pragma once
// ProgramRun: the started program, as whoever records it holds it: signals, its end, and its terminal where there is
// one. Either our child, on the terminal that we have, or that of a supervisor, which outlives us (supervisor.h).
// Thread: one.

#include "base/file_descriptor.h"
#include "capture/launcher.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace torchline::capture {

class ProgramRun {
public:
    virtual ~ProgramRun() = default;

    [[nodiscard]] virtual pid_t pid() const = 0;
    /// To be polled for reading; -1: nothing arrives, look now and then.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Takes what arrived. output: what the program wrote.
    virtual void look(const std::function<void(std::string_view)>& output) = 0;
    /// As waitpid has it, once it ended.
    [[nodiscard]] virtual std::optional<int> waitStatus() const = 0;
    virtual void signal(int number) = 0;
    virtual void write(std::string_view input) = 0; ///< to its standard input
    virtual void resize(int columns, int rows) = 0; ///< of its terminal
};

/// On the terminal that we have.
[[nodiscard]] Result<std::unique_ptr<ProgramRun>> runHere(
    const LaunchRequest& request, const std::string& path, const AgentWiring& wiring);
/// On a terminal of its own, which a process of the program `supervisor` holds: it goes on when we end.
[[nodiscard]] Result<std::unique_ptr<ProgramRun>> runSupervised(
    const std::string& supervisor, const LaunchRequest& request, const std::string& path, const AgentWiring& wiring);

} // namespace torchline::capture
