#include "strange_segment.h"

#include "capture/record_check.h"
#include "require.h"

#include <algorithm>

namespace torchline::test {

namespace {

constexpr uint32_t kSlots = 2;
constexpr uint32_t kArena = 8192;

void writeSoundly(SegmentWriter& writer)
{
    const uint32_t first = writer.takeSlot(1, 1);
    const uint32_t second = writer.takeSlot(2, 2);
    wire::OpRecord op = opRecord(writer.name("aten::mm"), 100, 200, 0, 1);
    op.shapes = writer.shapes({{{8, 3}}, {{}, wire::kNoDtype, 5}});
    writer.put(first, op);
    writer.module({4096, 8192, 0, 100, 1}, "/usr/bin/none");
    op.number = 3;
    writer.put(first, wire::OpStackRecord{op, writer.stack({4100, 4200, 9000}), 0});
    writer.put(first, memoryRecord(150, 64, 1000));
    writer.put(second, memoryRecord(160, 64, 0));
    writer.put(second, wire::StepRecord{{0, wire::RecordType::Step, 0, 1}, 300, 1});
    writer.put(second, wire::DroppedRecord{{0, wire::RecordType::Dropped, 0, 0}, 310, 5});
    writer.put(second, wire::AsyncRecord{{0, wire::RecordType::AsyncOpen, 0, 1}, 7, 320, -1, 1, 0});
    writer.put(first, wire::AsyncRecord{{0, wire::RecordType::AsyncEnd, 0, 1}, 7, 330, -1, 0, 0});
    writer.pushOpen(first, {9, 400, -1, 1, 0, 0, wire::OpenKept, 1, 2, 1, 0});
}

} // namespace

void CheckedFrames::take(const Frame& frame)
{
    ++m_count;
    Frame placed = frame;
    placed.place = m_place;
    m_place += frame.payload.size();
    if (frame.kind == FrameKind::Records) {
        auto part = readPart<RecordsPart>(frame.payload);
        require(part && !part->rest.empty(), "frames of records hold some");
        while (!part->rest.empty()) {
            require(part->rest.size() >= sizeof(wire::RecordHead), "records are whole");
            require(
                checkRecord(part->rest, {wire::kMaxStrings, wire::kMaxShapes, wire::kMaxStacks}) == RecordVerdict::Good,
                "records obey the rules");
            part->rest = part->rest.subspan(recordHead(part->rest).size);
        }
    }
    if (m_next != nullptr)
        m_next->take(placed);
}

StrangeSegment::StrangeSegment()
    : m_writer({.slots = kSlots, .ringBytes = 4096, .arenaBytes = kArena})
{
    writeSoundly(m_writer);
    m_sound.assign(m_writer.bytes(), m_writer.bytes() + m_writer.size());
}

void StrangeSegment::feed(std::span<const uint8_t> input, FrameSink& sink)
{
    std::ranges::copy(m_sound, m_writer.bytes());
    const size_t slotsAt = m_writer.header().slotsAt;
    const size_t stride = m_writer.header().slotStride;
    const size_t places[]
        = {0, wire::kPage, slotsAt, slotsAt + wire::kRingAt, slotsAt + stride, slotsAt + stride + wire::kRingAt};
    Result<SegmentReader> reader = SegmentReader::open(m_writer.duplicate(), 0);
    require(reader.has_value(), "a sound segment is read");
    reader->drain(sink);
    while (input.size() >= 4) {
        const size_t at = places[input[0] % std::size(places)] + input[2] + input[3] * size_t{256};
        const auto bytes = std::as_bytes(input.subspan(4, std::min<size_t>(input[1], input.size() - 4)));
        if (at + bytes.size() <= m_writer.size())
            std::ranges::copy(bytes, m_writer.bytes() + at);
        input = input.subspan(4 + bytes.size());
        reader->drain(sink);
    }
    reader->drainEnd(sink);
    static_cast<void>(reader->openOps());
    // Who comes now reads the header as it is written over.
    if (Result<SegmentReader> again = SegmentReader::open(m_writer.duplicate(), 0)) {
        CheckedFrames alone;
        again->drainEnd(alone);
    }
}

} // namespace torchline::test
