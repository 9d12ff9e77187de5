// ProgramRun of a program whose terminal a supervisor holds.

#include "capture/program_run.h"

#include "base/text.h"
#include "capture/exit_words.h"
#include "capture/supervisor_wire.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace torchline::capture {

namespace {

constexpr int kStartTimeoutMs = 10'000;
constexpr int kMostPacketsAtOnce = 64; ///< the session has other things to do

class SupervisedRun : public ProgramRun {
public:
    SupervisedRun(FileDescriptor socket, pid_t supervisor)
        : m_socket(std::move(socket))
        , m_supervisor(supervisor)
    {
    }
    ~SupervisedRun() override
    {
        m_socket.close();
        reap();
    }

    [[nodiscard]] pid_t pid() const override { return m_pid; }
    [[nodiscard]] int descriptor() const override { return m_socket.get(); }
    [[nodiscard]] std::optional<int> waitStatus() const override { return m_status; }
    void signal(int number) override { send(numbersPacket(SupervisorPacket::Signal, number)); }
    void resize(int columns, int rows) override { send(numbersPacket(SupervisorPacket::Size, columns, rows)); }

    void write(std::string_view input) override
    {
        for (size_t at = 0; at < input.size(); at += kMostSupervisorBytes - 1) {
            send(std::string(1, static_cast<char>(SupervisorPacket::Input))
                + std::string(input.substr(at, kMostSupervisorBytes - 1)));
        }
    }

    void look(const std::function<void(std::string_view)>& output) override
    {
        for (int i = 0; i < kMostPacketsAtOnce && m_socket.isOpen(); ++i) {
            const ssize_t size = ::recv(m_socket.get(), m_packet.data(), m_packet.size(), MSG_DONTWAIT);
            if (size < 0 && (errno == EAGAIN || errno == EINTR))
                break;
            if (size <= 0) {
                m_socket.close();
                if (!m_status)
                    m_status = kUnknownEnd;
                break;
            }
            const std::string_view packet(m_packet.data(), static_cast<size_t>(size));
            switch (static_cast<SupervisorPacket>(packet.front())) {
            case SupervisorPacket::Output:
                output(packet.substr(1));
                break;
            case SupervisorPacket::Ended:
                m_status = numberOf(packet, 0);
                break;
            default:
                break;
            }
        }
        if (m_status)
            reap();
    }

    Status start(const SupervisedLaunch& launch)
    {
        const auto fault = [&launch](const std::string& what) {
            return Error(ErrorCode::Io, escapeControls(launch.request.program) + ": cannot be started: " + what);
        };
        const std::string packet = launchPacket(launch);
        if (packet.size() > kMostLaunchBytes)
            return fault("its arguments are longer than 192 KiB");
        if (::send(m_socket.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
            return fault("its supervisor does not answer: " + systemErrorText(errno));
        pollfd waited{m_socket.get(), POLLIN, 0};
        const ssize_t size = ::poll(&waited, 1, kStartTimeoutMs) > 0
            ? ::recv(m_socket.get(), m_packet.data(), m_packet.size(), MSG_DONTWAIT)
            : -1;
        if (size <= 0)
            return fault("its supervisor does not answer");
        const std::string_view answer(m_packet.data(), static_cast<size_t>(size));
        if (static_cast<SupervisorPacket>(answer.front()) != SupervisorPacket::Started)
            return Error(ErrorCode::Io, std::string(answer.substr(1)));
        m_pid = numberOf(answer, 0);
        return {};
    }

private:
    void send(const std::string& packet)
    {
        // What does not get through at once is lost: the supervisor reads all the time.
        if (m_socket.isOpen())
            static_cast<void>(::send(m_socket.get(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
    void reap()
    {
        if (m_supervisor != 0 && ::waitpid(m_supervisor, nullptr, WNOHANG) == m_supervisor)
            m_supervisor = 0;
    }

    FileDescriptor m_socket;
    pid_t m_supervisor;
    pid_t m_pid = 0;
    std::optional<int> m_status;
    std::array<char, kMostSupervisorBytes> m_packet{};
};

} // namespace

Result<std::unique_ptr<ProgramRun>> runSupervised(
    const std::string& supervisor, const LaunchRequest& request, const std::string& path, const AgentWiring& wiring)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return Error(ErrorCode::Io, "no socket can be made here: " + systemErrorText(errno));
    FileDescriptor ours(ends[0]);
    const FileDescriptor theirs(ends[1]);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), kSupervisorSocket);
    for (int fd = 0; fd <= 2; ++fd)
        ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::string name = supervisor;
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, supervisor.c_str(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0)
        return Error(ErrorCode::Io, escapeControls(supervisor) + ": cannot be started: " + systemErrorText(error));
    auto run = std::make_unique<SupervisedRun>(std::move(ours), pid);
    if (Status started = run->start({request, path, wiring}); !started)
        return started.error();
    return std::unique_ptr<ProgramRun>(std::move(run));
}

} // namespace torchline::capture
