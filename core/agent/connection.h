#pragma once
// The socket to the window. Never blocks for long, never raises SIGPIPE. Thread: the control thread.

#include "agent/descriptor.h"

#include <cstddef>

namespace torchline::agent {

class Connection {
public:
    /// Refuses a peer of another user.
    [[nodiscard]] bool open(const char* path);
    /// file: a descriptor that travels along, or -1.
    [[nodiscard]] bool send(const char* text, size_t count, int file = -1);

    enum class Event { Nothing, Message, Closed, Lost };
    /// Waits up to timeoutMs. Closed: by the window. Lost: the program closed our descriptor.
    [[nodiscard]] Event receive(char* text, size_t room, size_t& count, int timeoutMs);

    void close() { m_socket.close(); }
    [[nodiscard]] bool isOpen() const { return m_socket.wasTaken(); }

private:
    Descriptor m_socket;
};

} // namespace torchline::agent
