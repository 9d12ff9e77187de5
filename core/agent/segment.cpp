#include "agent/segment.h"

#include "agent/clock.h"

#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace torchline::agent {
namespace {

struct Private {
    Segment segment;
    alignas(64) Dictionary::Memory dictionary;
};

char* map(uint64_t size, int flags, int fd)
{
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

int sealedFile(uint64_t size)
{
    const int fd = memfd_create("torchline", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, static_cast<off_t>(size)) != 0
        || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

} // namespace

Segment* makeSegment(const SegmentSize& size, uint32_t number, wire::ClockKind clock, MarkName markName)
{
    const uint64_t stride = wire::kRingAt + size.ringBytes;
    const uint64_t slotsAt = wire::kPage + wire::kArenaBytes;
    const uint64_t total = slotsAt + stride * size.slots;
    char* const own = map(sizeof(Private), MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!own)
        return nullptr;
    const int fd = sealedFile(total);
    char* const base = fd < 0 ? nullptr : map(total, MAP_SHARED, fd);
    if (!base) {
        if (fd >= 0)
            close(fd);
        munmap(own, sizeof(Private));
        return nullptr;
    }
    madvise(base, total, MADV_DONTFORK);

    auto* const memory = reinterpret_cast<Private*>(own);
    auto* const segment = new (&memory->segment) Segment{};
    auto* const header = new (base) wire::SegmentHeader{};
    segment->header = header;
    segment->base = base;
    segment->slotsAt = slotsAt;
    segment->slotStride = stride;
    segment->slotCount = size.slots;
    segment->ringBytes = size.ringBytes;
    segment->file.take(fd);
    header->version = wire::kVersion;
    header->pid = static_cast<uint32_t>(getpid());
    header->slotCount = size.slots;
    header->ringBytes = size.ringBytes;
    header->slotsAt = slotsAt;
    header->slotStride = stride;
    header->arenaAt = wire::kPage;
    header->arenaBytes = wire::kArenaBytes;
    header->clock = clock;
    header->number = number;
    refreshPair(header->first, clock);
    refreshPair(header->last, clock);
    segment->dictionary.begin(&memory->dictionary, base + wire::kPage, *header, markName);
    __atomic_store_n(&header->magic, wire::kMagic, __ATOMIC_RELEASE);
    return segment;
}

} // namespace torchline::agent
