#include "agent/modules.h"

#include "agent/interning.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchline::agent {
namespace {

/// Lines of a file, each ended by a zero; longer ones than the buffer are cut.
class Lines {
public:
    explicit Lines(const char* path)
        : m_fd(open(path, O_RDONLY | O_CLOEXEC))
    {
    }
    ~Lines()
    {
        if (m_fd >= 0)
            close(m_fd);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    [[nodiscard]] char* next()
    {
        for (;;) {
            if (char* const end = static_cast<char*>(std::memchr(m_text + m_begin, '\n', m_end - m_begin))) {
                char* const line = m_text + m_begin;
                *end = '\0';
                m_begin = static_cast<size_t>(end - m_text) + 1;
                return line;
            }
            std::memmove(m_text, m_text + m_begin, m_end - m_begin);
            m_end -= m_begin;
            m_begin = 0;
            const ssize_t got = m_fd < 0 ? 0 : read(m_fd, m_text + m_end, sizeof(m_text) - m_end);
            if (got <= 0)
                return nullptr;
            m_end += static_cast<size_t>(got);
        }
    }

private:
    int m_fd;
    size_t m_begin = 0;
    size_t m_end = 0;
    char m_text[2 * wire::kMaxPathBytes];
};

struct Entry {
    wire::Module module;
    char path[wire::kMaxPathBytes];
};

/// "begin-end r-xp offset device inode   path". Bytes of the entry; 0: no code of a file.
uint32_t readMapping(char* line, Entry& out)
{
    char* at = line;
    out.module.begin = std::strtoull(at, &at, 16);
    if (*at++ != '-')
        return 0;
    out.module.end = std::strtoull(at, &at, 16);
    if (std::strlen(at) < 5 || at[3] != 'x')
        return 0;
    out.module.fileOffset = std::strtoull(at + 5, &at, 16);
    const char* const path = std::strchr(at, '/');
    const size_t count = path ? std::strlen(path) : 0;
    if (count == 0 || count > sizeof(out.path))
        return 0;
    struct stat file = {}; // stays empty where the file is gone
    stat(path, &file);
    out.module.fileBytes = static_cast<uint64_t>(file.st_size);
    out.module.modifiedNs = file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
    std::memcpy(out.path, path, count);
    return static_cast<uint32_t>(sizeof(out.module) + count);
}

} // namespace

void noteModules(Dictionary& dictionary)
{
    Lines lines("/proc/self/maps");
    Entry entry = {};
    while (char* const line = lines.next()) {
        if (const uint32_t bytes = readMapping(line, entry))
            dictionary.module(&entry, bytes);
    }
}

} // namespace torchline::agent
