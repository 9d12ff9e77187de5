#include "capture/program_run.h"

#include <csignal>
#include <sys/wait.h>

namespace torchline::capture {

namespace {

class ChildRun : public ProgramRun {
public:
    explicit ChildRun(pid_t pid)
        : m_pid(pid)
    {
    }

    [[nodiscard]] pid_t pid() const override { return m_pid; }
    [[nodiscard]] int descriptor() const override { return -1; }
    void look(const std::function<void(std::string_view)>&) override
    {
        int status = 0;
        if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid)
            m_status = status;
    }
    [[nodiscard]] std::optional<int> waitStatus() const override { return m_status; }
    void signal(int number) override
    {
        if (!m_status)
            ::kill(m_pid, number);
    }
    void write(std::string_view) override { }
    void resize(int, int) override { }

private:
    pid_t m_pid;
    std::optional<int> m_status;
};

} // namespace

Result<std::unique_ptr<ProgramRun>> runHere(
    const LaunchRequest& request, const std::string& path, const AgentWiring& wiring)
{
    const auto pid = launchProgram(request, path, wiring);
    if (!pid)
        return pid.error();
    return std::unique_ptr<ProgramRun>(std::make_unique<ChildRun>(*pid));
}

} // namespace torchline::capture
