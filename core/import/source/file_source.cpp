#include "import/source/file_source.h"

#include <array>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace torchline {

FileSource::FileSource(FileDescriptor file, const struct stat& status)
    : m_file(std::move(file))
    , m_size(static_cast<uint64_t>(std::max<off_t>(status.st_size, 0)))
    , m_changed(status.st_mtim)
{
}

Result<size_t> FileSource::readAt(uint64_t offset, std::span<char> to) const
{
    if (offset >= m_size)
        return size_t{0};
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(to.size(), m_size - offset));
    size_t done = 0;
    while (done < wanted) {
        const ssize_t got = pread(m_file.get(), to.data() + done, wanted - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return Error(ErrorCode::Io,
                "cannot be read: " + systemErrorText(errno) + ", at byte " + std::to_string(offset + done));
        if (got == 0)
            break;
        done += static_cast<size_t>(got);
    }
    m_position.store(offset + done, std::memory_order_relaxed);
    return done;
}

bool FileSource::hasChanged() const
{
    struct stat now { };
    if (fstat(m_file.get(), &now) != 0)
        return true;
    return static_cast<uint64_t>(now.st_size) != m_size || now.st_mtim.tv_sec != m_changed.tv_sec
        || now.st_mtim.tv_nsec != m_changed.tv_nsec;
}

Result<Spool> Spool::create()
{
    const char* variable = std::getenv("TMPDIR");
    Spool spool;
    spool.m_folder = variable != nullptr && *variable != '\0' ? variable : "/tmp";
    int fd = open(spool.m_folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        // File systems without O_TMPFILE: a name for as long as it takes to remove it.
        std::string name = spool.m_folder + "/torchline-XXXXXX";
        fd = mkostemp(name.data(), O_CLOEXEC);
        if (fd < 0)
            return Error(ErrorCode::Io,
                "a temporary copy is needed, but cannot be made in " + spool.m_folder + ": " + systemErrorText(errno));
        unlink(name.c_str());
    }
    spool.m_file = FileDescriptor(fd);
    return spool;
}

Status Spool::append(std::span<const char> bytes)
{
    while (!bytes.empty()) {
        const ssize_t put = write(m_file.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return Error(ErrorCode::Io,
                "the temporary copy in " + m_folder + " failed after " + std::to_string(m_size)
                    + " bytes: " + systemErrorText(put < 0 ? errno : ENOSPC) + " (TMPDIR names another folder)");
        m_size += static_cast<uint64_t>(put);
        bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return {};
}

Result<std::shared_ptr<FileSource>> Spool::finish()
{
    struct stat status { };
    if (fstat(m_file.get(), &status) != 0)
        return Error(ErrorCode::Io, "the temporary copy is lost: " + systemErrorText(errno));
    m_size = 0;
    return std::make_shared<FileSource>(std::move(m_file), status);
}

Result<std::shared_ptr<FileSource>> spoolAll(
    int fd, const std::function<void(uint64_t bytes)>& progress, const std::stop_token& stop)
{
    auto spool = Spool::create();
    if (!spool)
        return spool.error();
    std::array<char, 256 * 1024> buffer; // NOLINT: filled by read
    for (;;) {
        if (stop.stop_requested())
            return Error(ErrorCode::Cancelled, "cancelled");
        struct pollfd waiting = {fd, POLLIN, 0};
        const int ready = poll(&waiting, 1, 50);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t got = read(fd, buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return Error(ErrorCode::Io,
                "cannot be read: " + systemErrorText(errno) + ", at byte " + std::to_string(spool->size()));
        if (got == 0)
            return spool->finish();
        if (auto written = spool->append(std::span(buffer.data(), static_cast<size_t>(got))); !written)
            return written.error();
        if (progress)
            progress(spool->size());
    }
}

} // namespace torchline
