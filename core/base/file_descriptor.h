#pragma once
// What core needs of the operating system's files: a descriptor that closes itself, causes in words. Thread: values.

#include <string>
#include <utility>

namespace torchline {

/// Owns a file descriptor.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd)
        : m_fd(fd)
    {
    }
    FileDescriptor(FileDescriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    void close();

private:
    int m_fd = -1;
};

/// The cause that an errno value stands for, as one lower-case phrase without a full stop.
[[nodiscard]] std::string systemErrorText(int error);

} // namespace torchline
