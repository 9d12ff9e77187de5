#include "capture/spool.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace torchline {

namespace {

constexpr std::string_view kMagic = "TLSPOOL1";
constexpr std::string_view kPrefix = "torchline-";
constexpr std::string_view kSuffix = ".spool";
constexpr size_t kBufferBytes = size_t{1} << 20;

Error fileError(const std::string& path, const char* what, int errorNumber)
{
    return Error(
        ErrorCode::Io, escapeControls(path) + ": " + what + ": " + std::system_category().message(errorNumber));
}

size_t paddingOf(uint64_t bytes)
{
    return static_cast<size_t>((8 - bytes % 8) % 8);
}

int64_t realNow()
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// An open spool; shared by whoever reads it.
class OpenSpool : public SpoolBytes {
public:
    OpenSpool(int descriptor, std::string path)
        : m_descriptor(descriptor)
        , m_path(std::move(path))
    {
    }
    OpenSpool(const OpenSpool&) = delete;
    OpenSpool& operator=(const OpenSpool&) = delete;
    ~OpenSpool() override { ::close(m_descriptor); }

    [[nodiscard]] Status read(uint64_t place, std::span<std::byte> out) const override
    {
        size_t done = 0;
        while (done < out.size()) {
            const ssize_t got
                = ::pread(m_descriptor, out.data() + done, out.size() - done, static_cast<off_t>(place + done));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return fileError(m_path, "cannot be read", errno);
            if (got == 0)
                return Error(ErrorCode::Io,
                    escapeControls(m_path) + ": the details of this event were not kept: the disk was full");
            done += static_cast<size_t>(got);
        }
        return {};
    }

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    int m_descriptor;
    std::string m_path;
};

} // namespace

struct SpoolWriter::State {
    explicit State(FrameSink& sink)
        : next(sink)
    {
    }

    void append(const void* bytes, size_t count)
    {
        position += count;
        if (isFailed)
            return;
        const auto* from = static_cast<const std::byte*>(bytes);
        buffer.insert(buffer.end(), from, from + count);
    }

    void flush()
    {
        size_t done = 0;
        while (done < buffer.size() && !isFailed) {
            const ssize_t written = ::write(file->descriptor(), buffer.data() + done, buffer.size() - done);
            if (written >= 0)
                done += static_cast<size_t>(written);
            else if (errno != EINTR)
                fail(errno);
        }
        buffer.clear();
    }

    void fail(int errorNumber)
    {
        isFailed = true;
        const std::string path = file->path();
        error = Error(ErrorCode::Io,
            "the recording is no longer kept on disk (" + escapeControls(path) + ": "
                + std::system_category().message(errorNumber)
                + "); it goes on in memory: save it before closing, details of later events are not there");
    }

    FrameSink& next;
    std::shared_ptr<OpenSpool> file;
    std::vector<std::byte> buffer;
    uint64_t position = 0;
    bool isFailed = false;
    bool isDiscarded = false;
    std::optional<Error> error;
};

SpoolWriter::SpoolWriter(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

SpoolWriter::~SpoolWriter()
{
    m_state->flush();
}

Result<std::unique_ptr<SpoolWriter>> SpoolWriter::create(const std::string& folder, FrameSink& next)
{
    std::error_code failure;
    if (std::filesystem::create_directories(folder, failure))
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
    if (failure)
        return Error(ErrorCode::Io, escapeControls(folder) + ": cannot be made: " + failure.message());
    const int64_t now = realNow();
    std::string path;
    int descriptor = -1;
    constexpr int kMostTries = 100;
    for (int i = 0; i < kMostTries && descriptor < 0; ++i) {
        path = folder + '/' + std::string(kPrefix) + std::to_string(::getpid()) + '-' + std::to_string(now + i)
            + std::string(kSuffix);
        descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0)
        return fileError(path, "cannot be written", errno);
    auto state = std::make_unique<State>(next);
    state->file = std::make_shared<OpenSpool>(descriptor, path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return fileError(path, "cannot be locked", errno);
    SpoolHeader header{};
    std::copy(kMagic.begin(), kMagic.end(), std::begin(header.magic));
    header.version = kSpoolVersion;
    header.ownerPid = static_cast<uint32_t>(::getpid());
    header.createdRealNs = now;
    state->append(&header, sizeof(header));
    state->flush();
    return std::unique_ptr<SpoolWriter>(new SpoolWriter(std::move(state)));
}

void SpoolWriter::take(const Frame& frame)
{
    State& s = *m_state;
    const FrameHead head{static_cast<uint32_t>(frame.payload.size()), static_cast<uint16_t>(frame.kind), frame.process};
    s.append(&head, sizeof(head));
    Frame placed = frame;
    placed.place = s.position;
    s.append(frame.payload.data(), frame.payload.size());
    constexpr std::array<std::byte, 8> kZeros{};
    s.append(kZeros.data(), paddingOf(frame.payload.size()));
    if (s.buffer.size() >= kBufferBytes)
        s.flush();
    s.next.take(placed);
}

void SpoolWriter::flush()
{
    m_state->flush();
}

std::optional<Error> SpoolWriter::takeError()
{
    return std::exchange(m_state->error, std::nullopt);
}

bool SpoolWriter::isWriting() const
{
    return !m_state->isFailed;
}

uint64_t SpoolWriter::bytes() const
{
    return m_state->position;
}

const std::string& SpoolWriter::path() const
{
    return m_state->file->path();
}

std::shared_ptr<const SpoolBytes> SpoolWriter::spool() const
{
    return m_state->file;
}

void SpoolWriter::discard()
{
    if (!std::exchange(m_state->isDiscarded, true))
        ::unlink(m_state->file->path().c_str());
}

Result<SpoolFile> SpoolFile::open(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fileError(path, "cannot be opened", errno);
    SpoolFile file;
    const auto bytes = std::make_shared<OpenSpool>(descriptor, path);
    file.m_bytes = bytes;
    struct stat known { };
    if (::fstat(descriptor, &known) != 0)
        return fileError(path, "cannot be read", errno);
    file.m_sizeBytes = S_ISREG(known.st_mode) ? static_cast<uint64_t>(known.st_size) : 0;
    if (file.m_sizeBytes < sizeof(SpoolHeader))
        return Error(ErrorCode::Format, escapeControls(path) + ": is no recording: it is too short");
    if (Status status = bytes->read(0, std::as_writable_bytes(std::span(&file.m_header, 1))); !status)
        return status.error();
    if (std::string_view(file.m_header.magic, sizeof(file.m_header.magic)) != kMagic)
        return Error(ErrorCode::Format, escapeControls(path) + ": is no recording");
    if (file.m_header.version != kSpoolVersion)
        return Error(ErrorCode::Unsupported,
            escapeControls(path) + ": is a recording of version " + std::to_string(file.m_header.version)
                + ", this program reads version " + std::to_string(kSpoolVersion));
    return file;
}

Result<SpoolReplay> SpoolFile::replay(FrameSink& sink, const std::function<bool()>& pause) const
{
    SpoolReplay result;
    uint64_t at = sizeof(SpoolHeader);
    result.bytes = at;
    std::vector<std::byte> payload;
    uint64_t sincePause = 0;
    while (m_sizeBytes - at >= sizeof(FrameHead)) {
        FrameHead head{};
        if (Status status = m_bytes->read(at, std::as_writable_bytes(std::span(&head, 1))); !status)
            return status.error();
        const bool isSound = head.kind >= 1 && head.kind <= kLastFrameKind && head.bytes <= kMostFrameBytes;
        if (!isSound) {
            result.damage = "the recording is damaged at byte " + std::to_string(at) + ": what follows was not read";
            return result;
        }
        const uint64_t place = at + sizeof(head);
        if (head.bytes > m_sizeBytes - place)
            break;
        payload.resize(head.bytes);
        if (Status status = m_bytes->read(place, payload); !status)
            return status.error();
        at = place + head.bytes + paddingOf(head.bytes);
        sink.take({static_cast<FrameKind>(head.kind), head.process, payload, place});
        ++result.frames;
        result.bytes = std::min(at, m_sizeBytes);
        sincePause += sizeof(head) + head.bytes;
        if (sincePause >= kBufferBytes) {
            sincePause = 0;
            if (pause && !pause())
                return result;
        }
        if (at >= m_sizeBytes)
            return result;
    }
    result.isCut = at < m_sizeBytes;
    return result;
}

std::vector<StaleSpool> staleSpools(const std::string& folder)
{
    std::vector<StaleSpool> found;
    std::error_code failure;
    for (std::filesystem::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix))
            continue;
        const Result<SpoolFile> file = SpoolFile::open(it->path().string());
        if (!file)
            continue;
        // The lock is free when its owner is gone, however it went; a process number alone may be another's by now.
        const int descriptor = ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC);
        const bool isFree = descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        if (descriptor >= 0)
            ::close(descriptor);
        if (isFree)
            found.push_back(
                {it->path().string(), file->header().ownerPid, file->header().createdRealNs, file->sizeBytes()});
    }
    std::sort(found.begin(), found.end(), [](const StaleSpool& a, const StaleSpool& b) {
        return std::pair(a.createdRealNs, a.path) < std::pair(b.createdRealNs, b.path);
    });
    return found;
}

std::string defaultSpoolFolder()
{
    const auto fromEnvironment = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
    };
    if (const std::string state = fromEnvironment("XDG_STATE_HOME"); !state.empty())
        return state + "/torchline/spool";
    if (const std::string home = fromEnvironment("HOME"); !home.empty())
        return home + "/.local/state/torchline/spool";
    return "/tmp/torchline-" + std::to_string(::getuid()) + "/spool";
}

} // namespace torchline
