#pragma once
// SegmentWriter: the shared memory of a recorded process, written as an agent writes it; or wrongly, where a test says
// so by writing to its parts directly.
// Thread: one; a reader may read at the same time.

#include "capture/wire/segment.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace torchline::test {

struct SegmentOptions {
    uint32_t slots = 4;
    uint32_t ringBytes = 1u << 16;
    uint64_t arenaBytes = 1u << 20;
    wire::ClockKind clock = wire::ClockKind::Monotonic;
    uint32_t number = 0;
    uint32_t pid = 4711;
    bool isSealed = true;
};

struct TensorShape {
    std::vector<int64_t> sizes;
    uint16_t dtype = 6; ///< float
    uint8_t tag = wire::kTensorTag; ///< others have no sizes
};

template <typename Record> [[nodiscard]] wire::RecordHead& headOf(Record& record)
{
    return record.head;
}
[[nodiscard]] inline wire::RecordHead& headOf(wire::OpStackRecord& record)
{
    return record.op.head;
}

class SegmentWriter {
public:
    explicit SegmentWriter(const SegmentOptions& options = {});
    ~SegmentWriter();
    SegmentWriter(const SegmentWriter&) = delete;
    SegmentWriter& operator=(const SegmentWriter&) = delete;

    [[nodiscard]] int duplicate() const; ///< a descriptor for a reader

    uint32_t name(std::string_view text); ///< the same id for the same text
    uint32_t shapes(const std::vector<TensorShape>& inputs);
    uint32_t stack(const std::vector<uint64_t>& addresses);
    void module(const wire::Module& place, std::string_view path);
    void arenaEntry(uint32_t id, wire::ArenaKind kind, std::string_view bytes);
    void setClock(uint64_t firstTicks, uint64_t firstNs, uint64_t lastTicks, uint64_t lastNs, uint64_t realOffsetNs);

    /// The next free slot, with its Thread record.
    uint32_t takeSlot(uint32_t tid, uint64_t torchThread, std::string_view threadName = "worker");
    /// False, and counted as dropped, if the ring is full.
    template <typename Record> bool put(uint32_t slot, Record record)
    {
        headOf(record).size = sizeof(Record);
        return putBytes(slot, &record, sizeof(Record));
    }
    bool putBytes(uint32_t slot, const void* bytes, uint32_t size);
    void pushOpen(uint32_t slot, const wire::OpenOp& op);
    void popOpen(uint32_t slot);

    [[nodiscard]] wire::SegmentHeader& header() { return *reinterpret_cast<wire::SegmentHeader*>(m_bytes); }
    [[nodiscard]] wire::SlotHeader& slot(uint32_t index);
    [[nodiscard]] std::byte* ring(uint32_t index);
    [[nodiscard]] std::byte* bytes() { return m_bytes; }
    [[nodiscard]] size_t size() const { return m_size; }

private:
    SegmentOptions m_options;
    int m_descriptor = -1;
    size_t m_size = 0;
    std::byte* m_bytes = nullptr;
    std::vector<std::string> m_names;
    uint32_t m_shapes = 0;
    uint32_t m_stacks = 0;
    uint32_t m_modules = 0;
};

/// Records without their size, which put() sets.
[[nodiscard]] wire::OpRecord opRecord(uint32_t name, uint64_t start, uint64_t end, uint16_t depth, uint32_t number);
[[nodiscard]] wire::MemoryRecord memoryRecord(uint64_t time, uint64_t address, int64_t bytes);

} // namespace torchline::test
