#pragma once
// Which records a reader takes for whole: the rules of PROTOCOL.md for one record that was copied out of a ring.
// Thread: any.

#include "capture/wire/segment.h"

#include <cstring>
#include <span>

namespace torchline {

enum class RecordVerdict : uint8_t { Good, Unknown, Damaged };

/// Bytes that a record of this type has at least; 0 for types that nothing here reads.
[[nodiscard]] constexpr size_t leastRecordBytes(wire::RecordType type)
{
    switch (type) {
    case wire::RecordType::Op:
        return sizeof(wire::OpRecord);
    case wire::RecordType::Memory:
        return sizeof(wire::MemoryRecord);
    case wire::RecordType::AsyncOpen:
    case wire::RecordType::AsyncEnd:
        return sizeof(wire::AsyncRecord);
    case wire::RecordType::Step:
        return sizeof(wire::StepRecord);
    case wire::RecordType::Dropped:
        return sizeof(wire::DroppedRecord);
    case wire::RecordType::Thread:
        return sizeof(wire::ThreadRecord);
    case wire::RecordType::Pad:
    case wire::RecordType::Kernel:
        break;
    }
    return 0;
}

/// The head of the record at the beginning of these bytes, of which there are 8 at least.
[[nodiscard]] inline wire::RecordHead recordHead(std::span<const std::byte> bytes)
{
    wire::RecordHead head;
    std::memcpy(&head, bytes.data(), sizeof(head));
    return head;
}

template <typename Record> [[nodiscard]] Record readRecord(std::span<const std::byte> bytes)
{
    Record record;
    std::memcpy(&record, bytes.data(), sizeof(record));
    return record;
}

/// The stack of an Op record; 0: none.
[[nodiscard]] inline uint32_t stackOfOperator(std::span<const std::byte> bytes)
{
    return recordHead(bytes).size >= sizeof(wire::OpStackRecord) && bytes.size() >= sizeof(wire::OpStackRecord)
        ? readRecord<wire::OpStackRecord>(bytes).stack
        : 0;
}

/// The highest ids that an arena has given out.
struct ArenaIds {
    uint32_t names = 0;
    uint32_t shapes = 0;
    uint32_t stacks = 0;
};

/// `bytes` begins with the record and may go on.
[[nodiscard]] inline RecordVerdict checkRecord(std::span<const std::byte> bytes, const ArenaIds& ids)
{
    const wire::RecordHead head = recordHead(bytes);
    if (head.size < sizeof(head) || head.size % 8 != 0 || head.size > bytes.size())
        return RecordVerdict::Damaged;
    const size_t least = leastRecordBytes(head.type);
    if (least == 0)
        return RecordVerdict::Unknown;
    if (head.size < least)
        return RecordVerdict::Damaged;
    if (head.type != wire::RecordType::Thread && head.name > ids.names)
        return RecordVerdict::Damaged;
    if (head.type == wire::RecordType::Op
        && (readRecord<wire::OpRecord>(bytes).shapes > ids.shapes || stackOfOperator(bytes) > ids.stacks))
        return RecordVerdict::Damaged;
    if (head.type == wire::RecordType::AsyncOpen && readRecord<wire::AsyncRecord>(bytes).stack > ids.stacks)
        return RecordVerdict::Damaged;
    return RecordVerdict::Good;
}

} // namespace torchline
