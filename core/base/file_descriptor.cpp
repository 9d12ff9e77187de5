#include "base/file_descriptor.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace torchline {

void FileDescriptor::close()
{
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

std::string systemErrorText(int error)
{
    switch (error) {
    case ENOENT:
        return "no such file";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EISDIR:
        return "is a folder";
    case ENOSPC:
    case EDQUOT:
        return "no space left";
    default:
        return std::generic_category().message(error);
    }
}

} // namespace torchline
