// torchline-supervise: holds the terminal of a program that the window records. Started by the window, on descriptor 3;
// supervisor_wire.h has what is said there. When the window is gone it goes on taking what the program writes, until
// the program ends: then it ends too.

#include "base/file_descriptor.h"
#include "base/text.h"
#include "capture/supervisor_wire.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchline;
using namespace torchline::capture;

namespace {

constexpr size_t kMostBacklogBytes = size_t{4} << 20; ///< of output that the window does not fetch: oldest go first
constexpr size_t kMostInputBytes = size_t{1} << 20;
constexpr int kTurnMs = 50;
constexpr size_t kChunkBytes = size_t{16} << 10;
constexpr int kMostChunksAtOnce = 64; ///< who prints without end must not keep us from hearing the window
constexpr char kEndOfInput = 4; ///< Ctrl+D

class Supervisor {
public:
    explicit Supervisor(FileDescriptor window)
        : m_window(std::move(window))
    {
    }

    int run()
    {
        if (!launch())
            return 1;
        while (!isOver()) {
            await();
            hear();
            readProgram();
            writeProgram();
            lookForEnd();
            sendBacklog();
        }
        return 0;
    }

private:
    bool launch()
    {
        std::string packet(kMostLaunchBytes, '\0');
        const ssize_t size = ::recv(m_window.get(), packet.data(), packet.size(), 0);
        if (size <= 0 || static_cast<SupervisorPacket>(packet.front()) != SupervisorPacket::Launch)
            return false;
        const auto asked = readLaunch(std::string_view(packet).substr(1, static_cast<size_t>(size) - 1));
        if (!asked)
            return refuse("the launch cannot be read");
        m_terminal = FileDescriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
        if (!m_terminal.isOpen() || ::grantpt(m_terminal.get()) != 0 || ::unlockpt(m_terminal.get()) != 0)
            return refuse("there is no terminal for its output: " + systemErrorText(errno));
        const char* name = ::ptsname(m_terminal.get());
        // Held open until the program has it: a terminal that nobody holds reads as ended.
        const FileDescriptor held(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
        const auto pid = launchProgram(asked->request, asked->path, asked->wiring, {name});
        if (!pid)
            return refuse(pid.error().message());
        m_pid = *pid;
        return say(numbersPacket(SupervisorPacket::Started, m_pid));
    }

    bool refuse(const std::string& why)
    {
        say(static_cast<char>(SupervisorPacket::Refused) + why);
        return false;
    }
    bool say(const std::string& packet)
    {
        return ::send(m_window.get(), packet.data(), packet.size(), MSG_NOSIGNAL) >= 0;
    }

    [[nodiscard]] bool isOver() const
    {
        return m_hasEnded && !m_terminal.isOpen() && (!m_window.isOpen() || m_backlog.empty());
    }

    void await()
    {
        std::array<pollfd, 2> waited{pollfd{m_window.get(), POLLIN, 0}, pollfd{m_terminal.get(), POLLIN, 0}};
        if (!m_backlog.empty())
            waited[0].events |= POLLOUT;
        if (!m_input.empty())
            waited[1].events |= POLLOUT;
        ::poll(waited.data(), waited.size(), kTurnMs);
    }

    void hear()
    {
        std::array<char, kMostSupervisorBytes> packet{};
        while (m_window.isOpen()) {
            const ssize_t size = ::recv(m_window.get(), packet.data(), packet.size(), MSG_DONTWAIT);
            if (size < 0 && (errno == EAGAIN || errno == EINTR))
                return;
            if (size <= 0)
                loseWindow();
            else
                obey(std::string_view(packet.data(), static_cast<size_t>(size)));
        }
    }

    void obey(std::string_view packet)
    {
        switch (static_cast<SupervisorPacket>(packet.front())) {
        case SupervisorPacket::Input:
            if (m_input.size() < kMostInputBytes)
                m_input += packet.substr(1);
            break;
        case SupervisorPacket::Signal:
            if (!m_hasEnded)
                ::kill(m_pid, numberOf(packet, 0));
            break;
        case SupervisorPacket::Size: {
            winsize size{};
            size.ws_col = static_cast<unsigned short>(numberOf(packet, 0));
            size.ws_row = static_cast<unsigned short>(numberOf(packet, 1));
            ::ioctl(m_terminal.get(), TIOCSWINSZ, &size);
            break;
        }
        default:
            break;
        }
    }

    /// Who waits for input that nobody can give any more is told that there is none.
    void loseWindow()
    {
        m_window.close();
        m_backlog.clear();
        m_backlogBytes = 0;
        m_input += kEndOfInput;
    }

    void readProgram()
    {
        std::string chunk(kChunkBytes, '\0');
        for (int i = 0; i < kMostChunksAtOnce && m_terminal.isOpen(); ++i) {
            const ssize_t size = ::read(m_terminal.get(), chunk.data(), chunk.size());
            if (size < 0 && (errno == EAGAIN || errno == EINTR))
                return;
            if (size <= 0) { // EIO: nobody holds the other end
                m_terminal.close();
                return;
            }
            keep(static_cast<char>(SupervisorPacket::Output) + chunk.substr(0, static_cast<size_t>(size)));
            if (m_backlogBytes > kMostBacklogBytes / 2)
                sendBacklog();
        }
    }

    void keep(std::string packet)
    {
        if (!m_window.isOpen())
            return;
        m_backlogBytes += packet.size();
        m_backlog.push_back(std::move(packet));
        while (m_backlogBytes > kMostBacklogBytes) {
            m_backlogBytes -= m_backlog.front().size();
            m_backlog.pop_front();
        }
    }

    void writeProgram()
    {
        if (m_input.empty() || !m_terminal.isOpen())
            return;
        const ssize_t size = ::write(m_terminal.get(), m_input.data(), m_input.size());
        if (size > 0)
            m_input.erase(0, static_cast<size_t>(size));
    }

    void lookForEnd()
    {
        int status = 0;
        if (m_hasEnded || ::waitpid(m_pid, &status, WNOHANG) != m_pid)
            return;
        readProgram(); // its last words
        m_hasEnded = true;
        keep(numbersPacket(SupervisorPacket::Ended, status));
    }

    void sendBacklog()
    {
        while (m_window.isOpen() && !m_backlog.empty()) {
            const std::string& packet = m_backlog.front();
            const ssize_t sent = ::send(m_window.get(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent < 0 && errno == EAGAIN)
                return;
            if (sent < 0) {
                loseWindow();
                return;
            }
            m_backlogBytes -= packet.size();
            m_backlog.pop_front();
        }
    }

    FileDescriptor m_window;
    FileDescriptor m_terminal;
    pid_t m_pid = 0;
    bool m_hasEnded = false;
    std::deque<std::string> m_backlog;
    size_t m_backlogBytes = 0;
    std::string m_input;
};

} // namespace

int main()
{
    // Handled, not ignored: what is ignored would be so in the program too.
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGPIPE})
        std::signal(number, [](int) {});
    ::fcntl(kSupervisorSocket, F_SETFD, FD_CLOEXEC);
    return Supervisor(FileDescriptor(kSupervisorSocket)).run();
}
