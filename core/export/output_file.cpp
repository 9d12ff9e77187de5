#include "export/output_file.h"

#include "base/text.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <streambuf>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace torchline {

namespace {

Error writeError(const std::string& name, int errorNumber)
{
    return Error(
        ErrorCode::Io, escapeControls(name) + ": cannot be written: " + std::system_category().message(errorNumber));
}

/// The path with links followed, or the path itself if it does not exist yet.
std::string resolved(const std::string& path)
{
    char* real = ::realpath(path.c_str(), nullptr);
    if (!real)
        return path;
    std::string out(real);
    std::free(real);
    return out;
}

/// Opens a new file in the folder of `target`; -1 and errno if that fails.
int openBeside(const std::string& target, std::string& temporary)
{
    constexpr int kMostTries = 1000;
    const size_t slash = target.rfind('/');
    const std::string folder = slash == std::string::npos ? std::string() : target.substr(0, slash + 1);
    for (int i = 0; i < kMostTries; ++i) {
        temporary = folder + ".torchline-" + std::to_string(::getpid()) + '-' + std::to_string(i) + ".part";
        const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

} // namespace

class OutputFile::Buffer : public std::streambuf {
public:
    explicit Buffer(int descriptor)
        : m_descriptor(descriptor)
    {
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
    }

    [[nodiscard]] int errorNumber() const { return m_errorNumber; }

protected:
    int_type overflow(int_type c) override
    {
        if (sync() != 0)
            return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(c);
            pbump(1);
        }
        return traits_type::not_eof(c);
    }

    std::streamsize xsputn(const char* bytes, std::streamsize count) override
    {
        if (count < epptr() - pptr())
            return std::streambuf::xsputn(bytes, count);
        return sync() == 0 && writeAll(bytes, static_cast<size_t>(count)) ? count : 0;
    }

    int sync() override
    {
        const bool ok = writeAll(pbase(), static_cast<size_t>(pptr() - pbase()));
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
        return ok ? 0 : -1;
    }

private:
    bool writeAll(const char* bytes, size_t count)
    {
        while (count > 0 && m_errorNumber == 0) {
            const ssize_t written = ::write(m_descriptor, bytes, count);
            if (written < 0) {
                if (errno == EAGAIN)
                    waitUntilWritable();
                else if (errno != EINTR)
                    m_errorNumber = errno;
                continue;
            }
            bytes += written;
            count -= static_cast<size_t>(written);
        }
        return m_errorNumber == 0;
    }

    /// Whoever shares the other end may have made it non-blocking.
    void waitUntilWritable() const
    {
        pollfd waited{m_descriptor, POLLOUT, 0};
        ::poll(&waited, 1, -1);
    }

    int m_descriptor;
    int m_errorNumber = 0;
    std::array<char, size_t{1} << 16> m_bytes;
};

struct OutputFile::State {
    State(std::string nameForMessages, int fileDescriptor)
        : name(std::move(nameForMessages))
        , descriptor(fileDescriptor)
        , buffer(fileDescriptor)
        , stream(&buffer)
    {
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    ~State()
    {
        if (isOwned && descriptor >= 0)
            ::close(descriptor);
        if (!temporary.empty())
            ::unlink(temporary.c_str());
    }

    std::string name;
    std::string target;
    std::string temporary;
    int descriptor;
    bool isOwned = true;
    Buffer buffer;
    std::ostream stream;
};

OutputFile::OutputFile(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::toPath(const std::string& path)
{
    struct stat known { };
    const bool exists = ::stat(path.c_str(), &known) == 0;
    if (exists && !S_ISREG(known.st_mode)) {
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0)
            return writeError(path, errno);
        return OutputFile(std::make_unique<State>(path, descriptor));
    }
    const std::string target = exists ? resolved(path) : path;
    if (exists && ::access(target.c_str(), W_OK) != 0)
        return writeError(path, errno);
    std::string temporary;
    const int descriptor = openBeside(target, temporary);
    if (descriptor < 0)
        return writeError(path, errno);
    auto state = std::make_unique<State>(path, descriptor);
    state->target = target;
    state->temporary = temporary;
    if (exists && ::fchmod(descriptor, known.st_mode & 07777u) != 0)
        return writeError(path, errno);
    return OutputFile(std::move(state));
}

OutputFile OutputFile::toStandardOutput()
{
    auto state = std::make_unique<State>("standard output", STDOUT_FILENO);
    state->isOwned = false;
    return OutputFile(std::move(state));
}

std::ostream& OutputFile::stream()
{
    return m_state->stream;
}

bool OutputFile::isBrokenPipe() const
{
    return m_state->buffer.errorNumber() == EPIPE;
}

const std::string& OutputFile::temporaryPath() const
{
    return m_state->temporary;
}

Status OutputFile::commit()
{
    m_state->stream.flush();
    if (const int errorNumber = m_state->buffer.errorNumber(); errorNumber != 0)
        return writeError(m_state->name, errorNumber);
    if (!m_state->isOwned)
        return {};
    const int descriptor = std::exchange(m_state->descriptor, -1);
    if (::close(descriptor) != 0)
        return writeError(m_state->name, errno);
    if (m_state->temporary.empty())
        return {};
    if (::rename(m_state->temporary.c_str(), m_state->target.c_str()) != 0)
        return writeError(m_state->name, errno);
    m_state->temporary.clear();
    return {};
}

} // namespace torchline
