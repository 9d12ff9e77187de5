#include "segment_writer.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace torchline::test {

namespace {

void setMoment(wire::ClockPair& pair, uint64_t ticks, uint64_t ns, uint64_t realNs)
{
    const uint32_t before = pair.sequence.load(std::memory_order_relaxed);
    pair.sequence.store(before + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    pair.ticks.store(ticks, std::memory_order_relaxed);
    pair.monotonicNs.store(ns, std::memory_order_relaxed);
    pair.realNs.store(realNs, std::memory_order_relaxed);
    pair.sequence.store(before + 2, std::memory_order_release);
}

} // namespace

SegmentWriter::SegmentWriter(const SegmentOptions& options)
    : m_options(options)
{
    const uint64_t stride = wire::kRingAt + options.ringBytes;
    const uint64_t arenaAt = wire::kPage;
    const uint64_t slotsAt = arenaAt + options.arenaBytes;
    m_size = slotsAt + options.slots * stride;
    m_descriptor = ::memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m_descriptor < 0 || ::ftruncate(m_descriptor, static_cast<off_t>(m_size)) != 0)
        std::abort();
    if (options.isSealed && ::fcntl(m_descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        std::abort();
    void* bytes = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, m_descriptor, 0);
    if (bytes == MAP_FAILED)
        std::abort();
    m_bytes = static_cast<std::byte*>(bytes);
    wire::SegmentHeader& h = header();
    h.version = wire::kVersion;
    h.pid = options.pid;
    h.slotCount = options.slots;
    h.ringBytes = options.ringBytes;
    h.slotsAt = slotsAt;
    h.slotStride = stride;
    h.arenaAt = arenaAt;
    h.arenaBytes = options.arenaBytes;
    h.clock = options.clock;
    h.number = options.number;
    h.state.store(static_cast<uint32_t>(wire::RecordState::Recording), std::memory_order_relaxed);
    setClock(1, 1, 1'000'000'001, 1'000'000'001, 1'700'000'000'000'000'000);
    std::atomic_thread_fence(std::memory_order_release);
    h.magic = wire::kMagic;
}

SegmentWriter::~SegmentWriter()
{
    ::munmap(m_bytes, m_size);
    ::close(m_descriptor);
}

int SegmentWriter::duplicate() const
{
    return ::fcntl(m_descriptor, F_DUPFD_CLOEXEC, 0);
}

uint32_t SegmentWriter::name(std::string_view text)
{
    const auto known = std::find(m_names.begin(), m_names.end(), text);
    if (known != m_names.end())
        return static_cast<uint32_t>(known - m_names.begin()) + 1;
    m_names.emplace_back(text);
    const auto id = static_cast<uint32_t>(m_names.size());
    arenaEntry(id, wire::ArenaKind::Name, text);
    return id;
}

uint32_t SegmentWriter::shapes(const std::vector<TensorShape>& inputs)
{
    std::string bytes;
    for (const TensorShape& input : inputs) {
        const wire::InputShape head{input.tag, static_cast<uint8_t>(input.sizes.size()), input.dtype, 0};
        bytes.append(reinterpret_cast<const char*>(&head), sizeof(head));
        bytes.append(reinterpret_cast<const char*>(input.sizes.data()), input.sizes.size() * sizeof(int64_t));
    }
    arenaEntry(++m_shapes, wire::ArenaKind::Shapes, bytes);
    return m_shapes;
}

uint32_t SegmentWriter::stack(const std::vector<uint64_t>& addresses)
{
    arenaEntry(++m_stacks, wire::ArenaKind::Stack,
        {reinterpret_cast<const char*>(addresses.data()), addresses.size() * sizeof(uint64_t)});
    return m_stacks;
}

void SegmentWriter::module(const wire::Module& place, std::string_view path)
{
    std::string bytes(reinterpret_cast<const char*>(&place), sizeof(place));
    arenaEntry(++m_modules, wire::ArenaKind::Module, bytes.append(path));
}

void SegmentWriter::arenaEntry(uint32_t id, wire::ArenaKind kind, std::string_view bytes)
{
    const uint64_t head = header().arenaHead.load(std::memory_order_relaxed);
    const wire::ArenaEntry entry{id, static_cast<uint32_t>(kind) << 24 | static_cast<uint32_t>(bytes.size())};
    const uint64_t padded = sizeof(entry) + (bytes.size() + 7) / 8 * 8;
    if (head + padded > m_options.arenaBytes)
        std::abort();
    std::byte* at = m_bytes + wire::kPage + head;
    std::memcpy(at, &entry, sizeof(entry));
    if (!bytes.empty())
        std::memcpy(at + sizeof(entry), bytes.data(), bytes.size());
    header().arenaHead.store(head + padded, std::memory_order_release);
}

void SegmentWriter::setClock(
    uint64_t firstTicks, uint64_t firstNs, uint64_t lastTicks, uint64_t lastNs, uint64_t realOffsetNs)
{
    setMoment(header().first, firstTicks, firstNs, firstNs + realOffsetNs);
    setMoment(header().last, lastTicks, lastNs, lastNs + realOffsetNs);
}

uint32_t SegmentWriter::takeSlot(uint32_t tid, uint64_t torchThread, std::string_view threadName)
{
    const uint32_t index = header().slotsUsed.load(std::memory_order_relaxed);
    if (index == m_options.slots)
        std::abort();
    wire::SlotHeader& s = slot(index);
    s.tid = tid;
    s.torchThread = torchThread;
    s.generation = 1;
    threadName.copy(s.threadName, sizeof(s.threadName) - 1);
    s.state.store(static_cast<uint32_t>(wire::SlotState::Live), std::memory_order_release);
    wire::ThreadRecord record{{0, wire::RecordType::Thread, 0, 0}, torchThread, tid, 1, {}};
    threadName.copy(record.threadName, sizeof(record.threadName) - 1);
    put(index, record);
    header().slotsUsed.store(index + 1, std::memory_order_release);
    return index;
}

bool SegmentWriter::putBytes(uint32_t index, const void* bytes, uint32_t size)
{
    wire::SlotHeader& s = slot(index);
    uint64_t head = s.head.load(std::memory_order_relaxed);
    const uint64_t tail = s.tail.load(std::memory_order_acquire);
    const uint64_t at = head % m_options.ringBytes;
    const uint64_t pad = at + size > m_options.ringBytes ? m_options.ringBytes - at : 0;
    if (head + pad + size - tail > m_options.ringBytes) {
        s.dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    if (pad > 0) {
        const wire::RecordHead filler{8, wire::RecordType::Pad, 0, 0};
        std::memcpy(ring(index) + at, &filler, sizeof(filler));
        head += pad;
    }
    std::memcpy(ring(index) + head % m_options.ringBytes, bytes, size);
    s.head.store(head + size, std::memory_order_release);
    return true;
}

void SegmentWriter::pushOpen(uint32_t index, const wire::OpenOp& op)
{
    wire::SlotHeader& s = slot(index);
    const uint32_t depth = s.depth.load(std::memory_order_relaxed);
    s.open[depth] = op;
    s.depth.store(depth + 1, std::memory_order_release);
}

void SegmentWriter::popOpen(uint32_t index)
{
    slot(index).depth.fetch_sub(1, std::memory_order_release);
}

wire::SlotHeader& SegmentWriter::slot(uint32_t index)
{
    return *reinterpret_cast<wire::SlotHeader*>(m_bytes + header().slotsAt + index * header().slotStride);
}

std::byte* SegmentWriter::ring(uint32_t index)
{
    return reinterpret_cast<std::byte*>(&slot(index)) + wire::kRingAt;
}

wire::OpRecord opRecord(uint32_t name, uint64_t start, uint64_t end, uint16_t depth, uint32_t number)
{
    wire::OpRecord record{};
    record.head = {0, wire::RecordType::Op, 0, name};
    record.start = start;
    record.end = end;
    record.sequence = -1;
    record.depth = depth;
    record.number = number;
    return record;
}

wire::MemoryRecord memoryRecord(uint64_t time, uint64_t address, int64_t bytes)
{
    wire::MemoryRecord record{};
    record.head = {0, wire::RecordType::Memory, 0, 0};
    record.time = time;
    record.address = address;
    record.bytes = bytes;
    record.deviceIndex = -1;
    return record;
}

} // namespace torchline::test
