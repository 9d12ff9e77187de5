#include "atomic_file.h"

#include "base/text.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchline {

namespace {

Error fileError(const std::string& path, int number)
{
    const ErrorCode code = number == EFBIG ? ErrorCode::Limit : ErrorCode::Io;
    return Error(code, escapeControls(path) + ": cannot write: " + std::generic_category().message(number));
}

/// Where a chain of links leads, so that saving keeps the link; the path itself if it leads nowhere yet.
std::string resolved(const std::string& path)
{
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real ? std::string(real.get()) : path;
}

mode_t defaultMode()
{
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path)
{
    AtomicFile file;
    file.m_path = path;
    file.m_target = resolved(path);
    struct stat info { };
    const bool exists = ::stat(file.m_target.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return fileError(path, EISDIR);
    if (exists && !S_ISREG(info.st_mode)) {
        file.m_fd = ::open(file.m_target.c_str(), O_WRONLY | O_CLOEXEC);
        if (file.m_fd < 0)
            return fileError(path, errno);
        return file;
    }
    if (exists && ::access(file.m_target.c_str(), W_OK) != 0)
        return fileError(path, errno);
    file.m_temporary = file.m_target + ".XXXXXX";
    const size_t slash = file.m_target.rfind('/');
    const size_t nameBegin = slash == std::string::npos ? 0 : slash + 1;
    if (file.m_target.size() - nameBegin > NAME_MAX - 8)
        file.m_temporary = file.m_target.substr(0, nameBegin) + ".torchline-XXXXXX";
    file.m_fd = ::mkostemp(file.m_temporary.data(), O_CLOEXEC);
    if (file.m_fd < 0) {
        const int number = errno;
        file.m_temporary.clear();
        return fileError(path, number);
    }
    if (::fchmod(file.m_fd, exists ? info.st_mode & 07777 : defaultMode()) != 0)
        return fileError(path, errno);
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_target(std::move(other.m_target))
    , m_temporary(std::exchange(other.m_temporary, {}))
    , m_fd(std::exchange(other.m_fd, -1))
{
}

AtomicFile::~AtomicFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Error AtomicFile::systemError(int number) const
{
    return fileError(m_path, number);
}

Status AtomicFile::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_fd, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return systemError(errno);
        }
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
}

Status AtomicFile::commit()
{
    // A full disk may show only here; pipes and terminals cannot be synchronised.
    if (!m_temporary.empty() && ::fsync(m_fd) != 0 && errno != EINVAL && errno != ENOSYS)
        return systemError(errno);
    if (::close(std::exchange(m_fd, -1)) != 0)
        return systemError(errno);
    if (m_temporary.empty())
        return {};
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        return systemError(errno);
    m_temporary.clear();
    return {};
}

Status writeFileAtomically(const std::string& path, std::string_view bytes)
{
    auto file = AtomicFile::create(path);
    if (!file)
        return file.error();
    if (const Status written = file->write(bytes); !written)
        return written;
    return file->commit();
}

} // namespace torchline
