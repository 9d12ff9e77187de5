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
    case wire::RecordType::Stack:
        return sizeof(wire::StackRecord);
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

/// `bytes` begins with the record and may go on; names and shapes are the highest ids given out.
[[nodiscard]] inline RecordVerdict checkRecord(std::span<const std::byte> bytes, uint32_t names, uint32_t shapes)
{
    const wire::RecordHead head = recordHead(bytes);
    if (head.size < sizeof(head) || head.size % 8 != 0 || head.size > bytes.size())
        return RecordVerdict::Damaged;
    const size_t least = leastRecordBytes(head.type);
    if (least == 0)
        return RecordVerdict::Unknown;
    if (head.size < least)
        return RecordVerdict::Damaged;
    if (head.type != wire::RecordType::Thread && head.name > names)
        return RecordVerdict::Damaged;
    if (head.type == wire::RecordType::Op && readRecord<wire::OpRecord>(bytes).shapes > shapes)
        return RecordVerdict::Damaged;
    return RecordVerdict::Good;
}

} // namespace torchline
