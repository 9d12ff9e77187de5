// A recorded process that writes what it likes: SegmentReader takes frames out of it that SpoolWriter, ingest and the
// model can live with; nothing is read outside of the segment, and all that is passed on obeys the rules.
// Input: pieces of {u8 where, u8 count, u16 place, bytes}, written over a sound segment; a drain after each.

#include "capture/ingest.h"
#include "capture/record_check.h"
#include "capture/segment_reader.h"
#include "require.h"
#include "segment_writer.h"

#include <algorithm>
#include <cstdint>

using namespace torchline;
using torchline::test::require;
using torchline::test::SegmentWriter;

namespace {

class Checked : public FrameSink {
public:
    explicit Checked(FrameSink& next)
        : m_next(next)
    {
    }

    void take(const Frame& frame) override
    {
        Frame placed = frame;
        placed.place = m_place;
        m_place += frame.payload.size();
        if (frame.kind == FrameKind::Records) {
            auto part = readPart<RecordsPart>(frame.payload);
            require(part && !part->rest.empty(), "frames of records hold some");
            while (!part->rest.empty()) {
                require(part->rest.size() >= sizeof(wire::RecordHead), "records are whole");
                require(checkRecord(part->rest, {wire::kMaxStrings, wire::kMaxShapes, wire::kMaxStacks})
                        == RecordVerdict::Good,
                    "records obey the rules");
                part->rest = part->rest.subspan(recordHead(part->rest).size);
            }
        }
        m_next.take(placed);
    }

private:
    FrameSink& m_next;
    uint64_t m_place = 64;
};

void write(SegmentWriter& writer)
{
    const uint32_t first = writer.takeSlot(1, 1);
    const uint32_t second = writer.takeSlot(2, 2);
    wire::OpRecord op = test::opRecord(writer.name("aten::mm"), 100, 200, 0, 1);
    op.shapes = writer.shapes({{{8, 3}}, {{}, wire::kNoDtype, 5}});
    writer.put(first, op);
    writer.module({4096, 8192, 0, 100, 1}, "/usr/bin/none");
    op.number = 3;
    writer.put(first, wire::OpStackRecord{op, writer.stack({4100, 4200, 9000}), 0});
    writer.put(first, test::memoryRecord(150, 64, 1000));
    writer.put(second, test::memoryRecord(160, 64, 0));
    writer.put(second, wire::StepRecord{{0, wire::RecordType::Step, 0, 1}, 300, 1});
    writer.put(second, wire::DroppedRecord{{0, wire::RecordType::Dropped, 0, 0}, 310, 5});
    writer.put(second, wire::AsyncRecord{{0, wire::RecordType::AsyncOpen, 0, 1}, 7, 320, -1, 1, 0});
    writer.put(first, wire::AsyncRecord{{0, wire::RecordType::AsyncEnd, 0, 1}, 7, 330, -1, 0, 0});
    writer.pushOpen(first, {9, 400, -1, 1, 0, 0, wire::OpenKept, 1, 2, 1, 0});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    SegmentWriter writer({.slots = 2, .ringBytes = 4096});
    write(writer);
    const size_t slotsAt = writer.header().slotsAt;
    const size_t stride = writer.header().slotStride;
    const size_t places[]
        = {0, wire::kPage, slotsAt, slotsAt + wire::kRingAt, slotsAt + stride, slotsAt + stride + wire::kRingAt};
    const auto pool = std::make_shared<StringPool>();
    Ingest ingest(pool);
    Checked sink(ingest);
    Result<SegmentReader> reader = SegmentReader::open(writer.duplicate(), 0);
    require(reader.has_value(), "a sound segment is read");
    reader->drain(sink);
    while (size >= 4) {
        const size_t at = places[data[0] % std::size(places)] + data[2] + data[3] * size_t{256};
        const size_t count = std::min<size_t>(data[1], size - 4);
        data += 4;
        size -= 4;
        if (at + count <= writer.size())
            std::copy_n(data, count, reinterpret_cast<uint8_t*>(writer.bytes()) + at);
        data += count;
        size -= count;
        reader->drain(sink);
    }
    const Result<SegmentReader> again = SegmentReader::open(writer.duplicate(), 0);
    reader->drainEnd(sink);
    static_cast<void>(reader->openOps());
    const auto live = ingest.snapshot(1);
    const auto trace = ingest.finish(2);
    require(trace->sliceCount() >= live->sliceCount(), "what is there stays there");
    return 0;
}
