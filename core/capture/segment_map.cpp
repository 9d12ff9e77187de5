#include "capture/segment_map.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace torchline {

namespace {

constexpr uint32_t kMostSlots = 1024;
constexpr uint32_t kMostRingBytes = 256u << 20;
constexpr uint64_t kMostArenaBytes = uint64_t{1} << 30;

Error refused(const std::string& why)
{
    return Error(ErrorCode::Format, "the shared memory of the program cannot be read: " + why);
}

Error systemError(const char* what)
{
    return Error(ErrorCode::Io,
        "the shared memory of the program cannot be read: " + std::string(what) + ": "
            + std::system_category().message(errno));
}

/// True if [at, at + bytes) lies behind the header page and inside of the file.
bool liesInside(uint64_t at, uint64_t bytes, uint64_t fileBytes)
{
    return at >= wire::kPage && at <= fileBytes && bytes <= fileBytes - at;
}

const char* layoutFault(const SegmentLayout& layout, uint64_t fileBytes)
{
    if (layout.slotCount == 0 || layout.slotCount > kMostSlots)
        return "its number of slots";
    const bool isPowerOfTwo = layout.ringBytes != 0 && (layout.ringBytes & (layout.ringBytes - 1)) == 0;
    if (!isPowerOfTwo || layout.ringBytes < wire::kPage || layout.ringBytes > kMostRingBytes)
        return "the size of its rings";
    if (layout.slotsAt % 64 != 0 || layout.slotStride % 64 != 0 || layout.arenaAt % 8 != 0)
        return "where its parts lie";
    if (layout.slotStride < wire::kRingAt + layout.ringBytes || layout.slotStride > fileBytes)
        return "the size of its slots";
    if (!liesInside(layout.slotsAt, layout.slotCount * layout.slotStride, fileBytes))
        return "where its slots lie";
    if (layout.arenaBytes > kMostArenaBytes || !liesInside(layout.arenaAt, layout.arenaBytes, fileBytes))
        return "where its names lie";
    if (layout.clock != wire::ClockKind::Tsc && layout.clock != wire::ClockKind::Monotonic)
        return "its clock";
    return nullptr;
}

class Descriptor {
public:
    explicit Descriptor(int descriptor)
        : m_descriptor(descriptor)
    {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    [[nodiscard]] int get() const { return m_descriptor; }

private:
    int m_descriptor;
};

} // namespace

Result<SegmentMap> SegmentMap::open(int descriptor)
{
    const Descriptor file(descriptor);
    const int seals = ::fcntl(file.get(), F_GET_SEALS);
    if (seals < 0)
        return systemError("it is no sealed memory");
    // A file that shrinks would kill whoever reads beyond its end.
    if ((seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_GROW) == 0)
        return refused("it is not sealed against changes of its size");
    struct stat known { };
    if (::fstat(file.get(), &known) != 0)
        return systemError("its size is not known");
    const auto fileBytes = static_cast<uint64_t>(known.st_size);
    if (fileBytes < wire::kPage)
        return refused("it has no header");
    SegmentMap map;
    map.m_size = static_cast<size_t>(fileBytes);
    void* bytes = ::mmap(nullptr, map.m_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (bytes == MAP_FAILED)
        return systemError("it cannot be mapped");
    map.m_bytes = static_cast<std::byte*>(bytes);

    const wire::SegmentHeader& header = map.header();
    if (header.magic != wire::kMagic)
        return refused("it does not begin as a recording does");
    std::atomic_thread_fence(std::memory_order_acquire);
    if (const uint32_t version = header.version; version != wire::kVersion)
        return Error(ErrorCode::Unsupported,
            "the agent in the program writes version " + std::to_string(version)
                + " of the shared memory, this program reads version " + std::to_string(wire::kVersion)
                + ": use the agent that came with it");
    SegmentLayout& layout = map.m_layout;
    layout.pid = header.pid;
    layout.number = header.number;
    layout.slotCount = header.slotCount;
    layout.ringBytes = header.ringBytes;
    layout.slotsAt = header.slotsAt;
    layout.slotStride = header.slotStride;
    layout.arenaAt = header.arenaAt;
    layout.arenaBytes = header.arenaBytes;
    layout.clock = header.clock;
    // Whatever the other side does to the header between the copy and the check changes the copy no more.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (const char* fault = layoutFault(layout, fileBytes))
        return refused(std::string(fault) + " makes no sense");
    return map;
}

SegmentMap::SegmentMap(SegmentMap&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, nullptr))
    , m_size(other.m_size)
    , m_layout(other.m_layout)
{
}

SegmentMap& SegmentMap::operator=(SegmentMap&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_size, other.m_size);
    std::swap(m_layout, other.m_layout);
    return *this;
}

SegmentMap::~SegmentMap()
{
    if (m_bytes != nullptr)
        ::munmap(m_bytes, m_size);
}

} // namespace torchline
