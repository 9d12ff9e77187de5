#include "agent/descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchline::agent {
namespace {

/// Beyond what a program counts on, below what makes the kernel's table large.
int highNumber()
{
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    const rlim_t top = limit.rlim_cur < 4096 ? limit.rlim_cur : 4096;
    return top > 64 ? static_cast<int>(top) - 32 : 0;
}

} // namespace

void Descriptor::take(int fd)
{
    m_fd = fd;
    if (fd < 0)
        return;
    if (const int moved = fcntl(fd, F_DUPFD_CLOEXEC, highNumber()); moved >= 0) {
        ::close(fd);
        m_fd = moved;
    }
    struct stat status;
    if (fstat(m_fd, &status) != 0) {
        m_fd = -1;
        return;
    }
    m_device = status.st_dev;
    m_file = status.st_ino;
}

int Descriptor::get() const
{
    struct stat status;
    if (m_fd < 0 || fstat(m_fd, &status) != 0 || status.st_dev != m_device || status.st_ino != m_file)
        return -1;
    return m_fd;
}

void Descriptor::close()
{
    if (const int fd = get(); fd >= 0)
        ::close(fd);
    m_fd = -1;
}

} // namespace torchline::agent
