#include "capture/listener.h"

#include "base/text.h"
#include "capture/messages.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <csignal>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace torchline::capture {

namespace {

constexpr std::string_view kEnding = ".sock";
constexpr int kWaiting = 64; ///< connections not yet accepted
constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
constexpr size_t kNameBytes = 32; ///< "/PID-COUNT.sock" at most

Result<std::string> ownFolder(const std::string& path)
{
    if (path.size() + kNameBytes > kMaxPathBytes)
        return Error(ErrorCode::Limit, escapeControls(path) + ": the path is too long for a socket");
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return Error(ErrorCode::Io, escapeControls(path) + ": cannot be made: " + systemErrorText(errno));
    struct stat status { };
    if (::lstat(path.c_str(), &status) != 0)
        return Error(ErrorCode::Io, escapeControls(path) + ": " + systemErrorText(errno));
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
        return Error(
            ErrorCode::Io, escapeControls(path) + ": is not a folder of this user; remove it, or set XDG_RUNTIME_DIR");
    if ((status.st_mode & 0777) != 0700 && ::chmod(path.c_str(), 0700) != 0)
        return Error(ErrorCode::Io, escapeControls(path) + ": others can enter it: " + systemErrorText(errno));
    return path;
}

sockaddr_un addressOf(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), kMaxPathBytes));
    return address;
}

FileDescriptor newSocket()
{
    return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool isAnswered(const std::string& path)
{
    const FileDescriptor probe = newSocket();
    const sockaddr_un address = addressOf(path);
    return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
        || errno != ECONNREFUSED;
}

/// The process that made PID-COUNT.sock; 0: it is none of ours.
pid_t makerOf(std::string_view name)
{
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    const bool isOurs = error == std::errc() && *end == '-' && name.ends_with(kEnding);
    return isOurs ? pid : 0;
}

void removeStale(const std::string& folder)
{
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const pid_t maker = makerOf(name);
        // A listener that is just being made does not answer yet, but its process is there.
        const bool isGone = maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH;
        if (isGone && !isAnswered(entry->path().string()))
            ::unlink(entry->path().c_str());
    }
}

} // namespace

Connection::Received Connection::receive()
{
    Received received;
    received.packet.resize(kMaxPacket);
    iovec part{received.packet.data(), received.packet.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 4)> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    ssize_t size = 0;
    do {
        size = ::recvmsg(m_socket.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size < 0) {
        received.packet.clear();
        received.arrival = errno == EAGAIN || errno == EWOULDBLOCK ? Arrival::Nothing : Arrival::Closed;
        return received;
    }
    size_t files = 0;
    for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; at + sizeof(int) <= each->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(each) + at, sizeof fd);
            received.file = FileDescriptor(fd);
            ++files;
        }
    }
    const bool isCut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    if (size == 0 || isCut || files > 1)
        return {Arrival::Closed, {}, {}};
    received.packet.resize(static_cast<size_t>(size));
    received.arrival = Arrival::Packet;
    return received;
}

Status Connection::send(std::string_view line)
{
    ssize_t sent = 0;
    do {
        sent = ::send(m_socket.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return Error(ErrorCode::Io, "the agent cannot be reached: " + systemErrorText(errno));
    return {};
}

Result<std::string> privateFolder()
{
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
        if (auto folder = ownFolder(std::string(runtime) + "/torchline"))
            return folder;
    }
    const char* temporary = std::getenv("TMPDIR");
    const std::string base = temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
    return ownFolder(base + "/torchline-" + std::to_string(::geteuid()));
}

Result<Listener> Listener::open()
{
    const auto folder = privateFolder();
    if (!folder)
        return folder.error();
    removeStale(*folder);
    FileDescriptor socket = newSocket();
    if (!socket.isOpen())
        return Error(ErrorCode::Io, "no socket can be made here: " + systemErrorText(errno));
    static std::atomic<unsigned> s_count{0};
    std::string path = *folder + '/' + std::to_string(::getpid()) + '-' + std::to_string(s_count.fetch_add(1))
        + std::string(kEnding);
    ::unlink(path.c_str()); // of an earlier process with our number
    const sockaddr_un address = addressOf(path);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
        || ::listen(socket.get(), kWaiting) != 0)
        return Error(ErrorCode::Io, escapeControls(path) + ": nobody can connect there: " + systemErrorText(errno));
    return Listener(std::move(socket), std::move(path));
}

Listener::Listener(FileDescriptor socket, std::string path)
    : m_socket(std::move(socket))
    , m_path(std::move(path))
{
}

Listener::~Listener()
{
    if (m_socket.isOpen())
        ::unlink(m_path.c_str());
}

std::optional<Connection> Listener::accept()
{
    for (;;) {
        FileDescriptor socket(::accept4(m_socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket.isOpen()) {
            if (errno == EINTR || errno == ECONNABORTED)
                continue;
            return std::nullopt;
        }
        ucred peer{};
        socklen_t size = sizeof peer;
        if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid())
            return Connection(std::move(socket), peer.pid);
        ++m_refusedPeers;
    }
}

} // namespace torchline::capture
