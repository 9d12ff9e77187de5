#pragma once
// AtomicFile: a file that appears whole or not at all: written beside its target, renamed over it by commit().
// Without commit() nothing is left behind. A target that is no regular file (a pipe, /dev/stdout) is written to
// directly. Thread: one at a time. Paths are raw bytes, any encoding. Errors: Io with the file's name and the system's
// words.

#include "base/result.h"

#include <string>
#include <string_view>

namespace torchline {

class AtomicFile {
public:
    [[nodiscard]] static Result<AtomicFile> create(const std::string& path);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    Status write(std::string_view bytes);
    Status commit();

private:
    AtomicFile() = default;
    [[nodiscard]] Error systemError(int number) const;

    std::string m_path; ///< as given, for messages
    std::string m_target; ///< with links resolved
    std::string m_temporary; ///< empty: written directly
    int m_fd = -1;
};

/// All of it in one call.
Status writeFileAtomically(const std::string& path, std::string_view bytes);

} // namespace torchline
