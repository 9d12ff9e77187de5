#pragma once
// A file descriptor that lives in a program which may close all it sees, and open others under the same number. So ours
// is kept at a high number, and before each use it must still be the file it was. Thread: one at a time.

#include <sys/types.h>

namespace torchline::agent {

class Descriptor {
public:
    /// Takes fd (or -1) and moves it up, close-on-exec.
    void take(int fd);
    /// The number if it is still our file, else -1.
    [[nodiscard]] int get() const;
    [[nodiscard]] bool wasTaken() const { return m_fd >= 0; }
    /// Closes it if it is still ours.
    void close();

private:
    int m_fd = -1;
    dev_t m_device = 0;
    ino_t m_file = 0;
};

} // namespace torchline::agent
