#include "agent/connection.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace torchline::agent {
namespace {

bool isOfThisUser(int fd)
{
    ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

} // namespace

bool Connection::open(const char* path)
{
    close();
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof(address.sun_path))
        return false;
    std::strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || !isOfThisUser(fd)) {
        ::close(fd);
        return false;
    }
    timeval patience = {2, 0}; // with a window that is stopped
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    m_socket.take(fd);
    return m_socket.wasTaken();
}

bool Connection::send(const char* text, size_t count, int file)
{
    const int fd = m_socket.get();
    if (fd < 0)
        return false;
    iovec part = {const_cast<char*>(text), count};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (file >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &file, sizeof(int));
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(count);
}

Connection::Event Connection::receive(char* text, size_t room, size_t& count, int timeoutMs)
{
    pollfd waiting = {m_socket.get(), POLLIN, 0};
    if (waiting.fd < 0)
        return Event::Lost;
    const int ready = poll(&waiting, 1, timeoutMs);
    if (m_socket.get() < 0)
        return Event::Lost;
    if (ready <= 0)
        return Event::Nothing;
    const ssize_t got = recv(waiting.fd, text, room, MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return Event::Nothing;
    if (got <= 0)
        return Event::Closed;
    count = static_cast<size_t>(got) < room ? static_cast<size_t>(got) : 0; // a message that was cut is none
    return Event::Message;
}

} // namespace torchline::agent
