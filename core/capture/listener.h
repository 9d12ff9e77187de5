#pragma once
// Listener: the socket to which agents connect, in a folder that only its user can enter; Connection: one of them.
// Both refuse peers with another user id. Thread: one owner each. Nothing here blocks.

#include "base/file_descriptor.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace torchline::capture {

class Connection {
public:
    Connection(FileDescriptor socket, pid_t peer)
        : m_socket(std::move(socket))
        , m_peer(peer)
    {
    }

    enum class Arrival : uint8_t { Packet, Nothing, Closed };
    struct Received {
        Arrival arrival = Arrival::Nothing;
        std::string packet;
        FileDescriptor file; ///< that came with it
    };
    /// One packet if there is one. A packet that is too long, or that brings more than one file, closes.
    [[nodiscard]] Received receive();
    /// Fails when the peer is gone or reads nothing any more.
    [[nodiscard]] Status send(std::string_view line);

    [[nodiscard]] int descriptor() const { return m_socket.get(); }
    /// As the kernel says.
    [[nodiscard]] pid_t peer() const { return m_peer; }

private:
    FileDescriptor m_socket;
    pid_t m_peer;
};

class Listener {
public:
    /// Makes the folder if it is not there, clears away sockets that nobody listens to any more, and listens.
    [[nodiscard]] static Result<Listener> open();
    Listener(Listener&& other) noexcept = default;
    Listener& operator=(Listener&& other) noexcept = default;
    ~Listener(); ///< removes the socket

    /// None if nobody waits. Peers with another user id are turned away and counted.
    [[nodiscard]] std::optional<Connection> accept();
    [[nodiscard]] uint64_t refusedPeers() const { return m_refusedPeers; }

    [[nodiscard]] int descriptor() const { return m_socket.get(); }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    Listener(FileDescriptor socket, std::string path);

    FileDescriptor m_socket;
    std::string m_path;
    uint64_t m_refusedPeers = 0;
};

/// $XDG_RUNTIME_DIR/torchline, else torchline-UID in the temporary folder; made with mode 0700, ours alone.
[[nodiscard]] Result<std::string> privateFolder();

} // namespace torchline::capture
