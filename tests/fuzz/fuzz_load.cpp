// The whole load of any bytes: it ends in a sound store or one sentence of refusal, and in the same one whatever the
// chunks and threads; every event can be read again.

#include "import/load.h"
#include "lod/timeline_index.h"
#include "lod/work_class.h"
#include "require.h"
#include "store_promises.h"
#include "store_text.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace torchline;
using torchline::test::require;

namespace {

/// A file in memory that can be opened by its path.
class MemoryFile {
public:
    MemoryFile(const uint8_t* data, size_t size)
        : m_fd(memfd_create("trace", MFD_CLOEXEC))
    {
        require(m_fd >= 0 && write(m_fd, data, size) == static_cast<ssize_t>(size), "there is memory for the input");
    }
    ~MemoryFile() { close(m_fd); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(m_fd); }

private:
    int m_fd;
};

void readSomeArgs(const TraceSnapshot& trace)
{
    constexpr uint32_t kMost = 8;
    for (uint32_t l = 0; l < std::min<size_t>(trace.lanes().size(), kMost); ++l) {
        const SliceRef last{LaneId(l), trace.lanes()[l].size() - 1};
        require(trace.args(last).has_value(), "an event that was read can be read again");
    }
}

/// Whatever a load ends in, as text.
std::string outcome(const std::string& path, const LoadOptions& options, bool isLookedAt)
{
    const auto trace = loadTraces({path}, options);
    if (!trace) {
        const std::string& message = trace.error().message();
        require(message.starts_with(path + ": "), "a refusal names the file");
        require(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }),
            "a refusal is one line");
        return message;
    }
    if (isLookedAt) {
        test::requireSoundStore(**trace);
        readSomeArgs(**trace);
        require(lod::TimelineIndex::build(*trace, WorkClasses(**trace)) != nullptr, "the store can be drawn");
    }
    return storeText(**trace);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const MemoryFile file(data, size);
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ data[i]) * 16777619U;
    LoadOptions options;
    options.threads = 1;
    const std::string usual = outcome(file.path(), options, true);
    options.chunkBytes = 1 + hash % 509;
    options.threads = 1 + hash / 512 % 3;
    const std::string other = outcome(file.path(), options, false);
    // What comes out of damaged packed data does depend on the room there is, see fuzz_unpack.
    const auto notes = [&](const char* code) { return usual.find(code) != std::string::npos; };
    const bool isRefusedPacked = size > 0 && data[0] != '{' && data[0] != '[' && usual.starts_with(file.path());
    const bool isUnsure = isRefusedPacked || notes("notice damaged-gzip") || notes("notice damaged-zstd")
        || notes("notice gzip-checksum");
    require(other == usual || isUnsure, "what is found does not depend on chunks and threads");
    return 0;
}
