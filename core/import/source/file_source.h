#pragma once
// FileSource: a file, read by pread. Never mapped: a mapped file that someone shortens kills the process.
// Spool: a temporary file without a name, for what can be read only once.
// Thread: see ByteSource; Spool: one.

#include "base/file_descriptor.h"
#include "import/source/byte_source.h"

#include <atomic>
#include <functional>
#include <stop_token>

#include <sys/stat.h>

namespace torchline {

class FileSource : public ByteSource {
public:
    /// `status` is what fstat said when it was opened: the text is that long, even if the file grows meanwhile.
    FileSource(FileDescriptor file, const struct stat& status);

    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override;
    [[nodiscard]] std::optional<uint64_t> size() const override { return m_size; }
    [[nodiscard]] bool readsAnywhere() const override { return true; }
    [[nodiscard]] uint64_t diskPosition() const override { return m_position.load(std::memory_order_relaxed); }
    /// Whether its size or its time of change is another than when it was opened.
    [[nodiscard]] bool hasChanged() const;

private:
    FileDescriptor m_file;
    uint64_t m_size;
    struct timespec m_changed;
    mutable std::atomic<uint64_t> m_position{0};
};

class Spool {
public:
    /// In the folder for temporary files (TMPDIR, else /tmp); gone when the last user is.
    [[nodiscard]] static Result<Spool> create();

    [[nodiscard]] Status append(std::span<const char> bytes);
    [[nodiscard]] uint64_t size() const { return m_size; }
    /// The bytes so far. The spool is empty afterwards.
    [[nodiscard]] Result<std::shared_ptr<FileSource>> finish();

private:
    FileDescriptor m_file;
    std::string m_folder;
    uint64_t m_size = 0;
};

/// Everything that comes out of a pipe or the like until its end.
[[nodiscard]] Result<std::shared_ptr<FileSource>> spoolAll(
    int fd, const std::function<void(uint64_t bytes)>& progress, const std::stop_token& stop);

} // namespace torchline
