// SegmentReader against segments as an agent writes them, and against segments that nobody should write.

#include "capture/segment_reader.h"
#include "segment_writer.h"

#include <QTest>

#include <random>
#include <thread>

using namespace torchline;
using torchline::test::SegmentOptions;
using torchline::test::SegmentWriter;

namespace {

struct KeptFrame {
    FrameKind kind;
    std::vector<std::byte> payload;
};

class Kept : public FrameSink {
public:
    void take(const Frame& frame) override
    {
        frames.push_back({frame.kind, {frame.payload.begin(), frame.payload.end()}});
    }

    [[nodiscard]] size_t count(FrameKind kind) const
    {
        return static_cast<size_t>(
            std::count_if(frames.begin(), frames.end(), [kind](const KeptFrame& f) { return f.kind == kind; }));
    }

    /// Bytes of all records of a slot, one after the other.
    [[nodiscard]] std::vector<std::byte> records(uint32_t slot) const
    {
        std::vector<std::byte> all;
        for (const KeptFrame& frame : frames) {
            if (frame.kind != FrameKind::Records)
                continue;
            const auto part = readPart<RecordsPart>(frame.payload);
            if (part->part.slot == slot)
                all.insert(all.end(), part->rest.begin(), part->rest.end());
        }
        return all;
    }

    std::vector<KeptFrame> frames;
};

SegmentReader opened(const SegmentWriter& writer)
{
    Result<SegmentReader> reader = SegmentReader::open(writer.duplicate(), 3, 4711);
    if (!reader)
        qFatal("%s", reader.error().message().c_str());
    return std::move(*reader);
}

QString refusal(const SegmentWriter& writer, uint32_t pid = 4711)
{
    const Result<SegmentReader> reader = SegmentReader::open(writer.duplicate(), 0, pid);
    return reader ? QString() : QString::fromStdString(reader.error().message());
}

std::string damageText(const Kept& kept)
{
    for (const KeptFrame& frame : kept.frames) {
        if (frame.kind == FrameKind::Damage)
            return std::string(textOf(readPart<DamagePart>(frame.payload)->rest));
    }
    return {};
}

} // namespace

class TestSegmentReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesOnWhatWasWritten();
    void recordsSurviveTheEndOfTheRing();
    void takesNothingTwiceAndMakesRoom();
    void tellsWhatRuns();
    void tellsOnlySteadyOperatorsWhileTheProgramRuns();
    void skipsUnknownRecords();
    void countsWhatTheWriterDropped();
    void refusesWhatIsNoSegment();
    void closesASlotThatBreaksTheRules_data();
    void closesASlotThatBreaksTheRules();
    void closesAllWhenTheArenaBreaksTheRules_data();
    void closesAllWhenTheArenaBreaksTheRules();
    void survivesNoise();
    void readsWhileAnotherThreadWrites();
};

void TestSegmentReader::passesOnWhatWasWritten()
{
    SegmentWriter writer;
    const uint32_t slot = writer.takeSlot(4711, 1, "python");
    const uint32_t name = writer.name("aten::add");
    wire::OpRecord op = test::opRecord(name, 100, 200, 0, 1);
    op.shapes = writer.shapes({{{2, 3}}, {{3}}});
    QVERIFY(writer.put(slot, op));
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::Arena), size_t{1});
    QCOMPARE(kept.count(FrameKind::Clock), size_t{1});
    QCOMPARE(kept.count(FrameKind::Slot), size_t{1});
    QCOMPARE(kept.count(FrameKind::Records), size_t{1});
    const std::vector<std::byte> records = kept.records(slot);
    QCOMPARE(records.size(), sizeof(op));
    op.head.size = sizeof(op);
    QVERIFY(std::memcmp(records.data(), &op, sizeof(op)) == 0);
    for (const KeptFrame& frame : kept.frames) {
        if (frame.kind != FrameKind::Slot)
            continue;
        const SlotPart part = readPart<SlotPart>(frame.payload)->part;
        QCOMPARE(part.tid, 4711u);
        QCOMPARE(part.torchThread, uint64_t{1});
        QCOMPARE(std::string(part.threadName), std::string("python"));
    }
    QCOMPARE(reader.counters().records, uint64_t{1});
    QCOMPARE(reader.counters().damagedSlots, 0u);
    QCOMPARE(reader.state(), wire::RecordState::Recording);
}

void TestSegmentReader::recordsSurviveTheEndOfTheRing()
{
    SegmentWriter writer({.ringBytes = 4096});
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    SegmentReader reader = opened(writer);
    Kept kept;
    uint32_t number = 0;
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 60; ++i, ++number)
            QVERIFY(i % 3 == 0 ? writer.put(slot, test::memoryRecord(number, 64, 8))
                               : writer.put(slot, test::opRecord(name, number, number + 1, 0, number)));
        reader.drain(kept);
    }
    const std::vector<std::byte> records = kept.records(slot);
    size_t at = 0;
    for (uint32_t i = 0; i < number; ++i) {
        wire::RecordHead head;
        std::memcpy(&head, records.data() + at, sizeof(head));
        uint64_t time = 0;
        std::memcpy(&time, records.data() + at + sizeof(head), sizeof(time));
        QCOMPARE(time, uint64_t{i});
        at += head.size;
    }
    QCOMPARE(at, records.size());
}

void TestSegmentReader::takesNothingTwiceAndMakesRoom()
{
    SegmentWriter writer({.ringBytes = 4096});
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    SegmentReader reader = opened(writer);
    uint32_t fitted = 0;
    while (writer.put(slot, test::opRecord(name, 1, 2, 0, fitted)))
        ++fitted;
    QVERIFY(fitted > 80);
    Kept kept;
    reader.drain(kept);
    QCOMPARE(reader.counters().records, uint64_t{fitted});
    reader.drain(kept);
    QCOMPARE(reader.counters().records, uint64_t{fitted});
    QVERIFY(writer.put(slot, test::opRecord(name, 1, 2, 0, 0)));
}

void TestSegmentReader::tellsWhatRuns()
{
    SegmentWriter writer;
    const uint32_t slot = writer.takeSlot(12, 1, "trainer");
    writer.pushOpen(slot, {1, 100, -1, writer.name("outer"), 7, 0, 0, 0, 1, 0, 0});
    writer.pushOpen(slot, {2, 110, 5, writer.name("inner"), 0, 0, 0, 0, 2, 0, 0});
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drainEnd(kept);
    const std::vector<OpenOpsOfThread> open = reader.openOps();
    QCOMPARE(open.size(), size_t{1});
    QCOMPARE(open[0].tid, 12u);
    QCOMPARE(open[0].threadName, std::string("trainer"));
    QCOMPARE(open[0].ops.size(), size_t{2});
    QCOMPARE(open[0].ops[0].name, std::string("outer"));
    QCOMPARE(open[0].ops[1].name, std::string("inner"));
    QCOMPARE(kept.count(FrameKind::OpenOps), size_t{1});
    const auto part = readPart<OpenOpsPart>(kept.frames.back().payload);
    QCOMPARE(part->part.depth, 2u);
    QCOMPARE(part->rest.size(), 2 * sizeof(wire::OpenOp));
}

void TestSegmentReader::tellsOnlySteadyOperatorsWhileTheProgramRuns()
{
    SegmentWriter writer;
    const uint32_t slot = writer.takeSlot(12, 1);
    const uint32_t name = writer.name("op");
    writer.pushOpen(slot, {1, 100, -1, name, 0, 0, 0, 0, 1, 0, 0});
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::OpenOps), size_t{0});
    writer.pushOpen(slot, {2, 200, -1, name, 0, 0, 0, 0, 2, 0, 0});
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::OpenOps), size_t{1});
    QCOMPARE(readPart<OpenOpsPart>(kept.frames.back().payload)->rest.size(), sizeof(wire::OpenOp));
    writer.popOpen(slot);
    writer.pushOpen(slot, {2, 300, -1, name, 0, 0, 0, 0, 3, 0, 0});
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::OpenOps), size_t{1});
    writer.popOpen(slot);
    writer.popOpen(slot);
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::OpenOps), size_t{2});
    QVERIFY(readPart<OpenOpsPart>(kept.frames.back().payload)->rest.empty());
}

void TestSegmentReader::skipsUnknownRecords()
{
    SegmentWriter writer;
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    writer.put(slot, test::opRecord(name, 1, 2, 0, 0));
    std::array<uint64_t, 5> unknown{};
    const wire::RecordHead head{sizeof(unknown), static_cast<wire::RecordType>(200), 0, 0xFFFFFFFF};
    std::memcpy(unknown.data(), &head, sizeof(head));
    writer.putBytes(slot, unknown.data(), sizeof(unknown));
    writer.put(slot, test::opRecord(name, 3, 4, 0, 1));
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drain(kept);
    QCOMPARE(reader.counters().unknownRecords, uint64_t{1});
    QCOMPARE(kept.records(slot).size(), 2 * sizeof(wire::OpRecord));
    QCOMPARE(reader.counters().damagedSlots, 0u);
}

void TestSegmentReader::countsWhatTheWriterDropped()
{
    SegmentWriter writer({.ringBytes = 4096});
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    uint64_t dropped = 0;
    for (int i = 0; i < 200; ++i)
        dropped += writer.put(slot, test::opRecord(name, 1, 2, 0, 0)) ? 0 : 1;
    writer.header().threadsWithoutSlot.store(3);
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drain(kept);
    QVERIFY(dropped > 0);
    QCOMPARE(reader.counters().dropped, dropped);
    QCOMPARE(reader.counters().threadsWithoutSlot, uint64_t{3});
    QCOMPARE(kept.count(FrameKind::Counts), size_t{1});
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::Counts), size_t{1});
}

void TestSegmentReader::refusesWhatIsNoSegment()
{
    QVERIFY(refusal(SegmentWriter()).isEmpty());
    QVERIFY(refusal(SegmentWriter(), 1).contains(QStringLiteral("belongs to process 4711, not 1")));
    QVERIFY(refusal(SegmentWriter({.isSealed = false})).contains(QStringLiteral("not sealed")));
    const auto changed = [](auto&& change) {
        SegmentWriter writer;
        change(writer.header());
        return refusal(writer);
    };
    QVERIFY(changed([](wire::SegmentHeader& h) { h.version = 1; }).contains(QStringLiteral("version 1")));
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.magic = 0; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotCount = 0; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotCount = 5; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotCount = 0xFFFFFFFF; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.ringBytes = 12345; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.ringBytes *= 2; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotsAt = 1u << 30; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotsAt = ~uint64_t{63}; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotsAt += 8; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotStride = 64; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.slotStride = ~uint64_t{63}; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.arenaAt = 0; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.arenaBytes = ~uint64_t{0}; }).isEmpty());
    QVERIFY(!changed([](wire::SegmentHeader& h) { h.clock = static_cast<wire::ClockKind>(9); }).isEmpty());
    QVERIFY(!SegmentReader::open(-1, 0));
}

void TestSegmentReader::closesASlotThatBreaksTheRules_data()
{
    QTest::addColumn<int>("fault");
    const char* faults[] = {"head far ahead", "head goes back", "head not aligned", "size zero", "size not aligned",
        "size beyond head", "size below its type", "name beyond arena", "shapes beyond arena", "stack beyond arena",
        "stack of an async operator beyond arena"};
    for (int i = 0; i < 11; ++i)
        QTest::newRow(faults[i]) << i;
}

void TestSegmentReader::closesASlotThatBreaksTheRules()
{
    QFETCH(int, fault);
    SegmentWriter writer;
    const uint32_t good = writer.takeSlot(1, 1);
    const uint32_t bad = writer.takeSlot(2, 2);
    const uint32_t name = writer.name("op");
    SegmentReader reader = opened(writer);
    writer.put(bad, test::opRecord(name, 1, 2, 0, 0));
    Kept kept;
    reader.drain(kept);
    const size_t before = kept.records(bad).size();
    const uint64_t place = writer.slot(bad).head.load();
    wire::OpRecord op = test::opRecord(name, 3, 4, 0, 1);
    if (fault == 7)
        op.head.name = name + 1;
    if (fault == 8)
        op.shapes = 1;
    if (fault == 9)
        writer.put(bad, wire::OpStackRecord{op, 1, 0});
    else if (fault == 10)
        writer.put(bad, wire::AsyncRecord{{0, wire::RecordType::AsyncOpen, 0, name}, 1, 3, -1, 1, 0});
    else
        writer.put(bad, op);
    wire::RecordHead head{sizeof(op), wire::RecordType::Op, 0, name};
    const uint16_t sizes[] = {sizeof(op), sizeof(op), sizeof(op), 0, 50, 56, 40};
    if (fault >= 3 && fault < 7) {
        head.size = sizes[fault];
        std::memcpy(writer.ring(bad) + place, &head, sizeof(head));
    }
    if (fault == 0)
        writer.slot(bad).head.store(place + (1u << 30));
    if (fault == 1)
        writer.slot(bad).head.store(place - 8);
    if (fault == 2)
        writer.slot(bad).head.store(place + 4);
    writer.put(good, test::opRecord(name, 5, 6, 0, 2));
    reader.drain(kept);
    QCOMPARE(reader.counters().damagedSlots, 1u);
    QCOMPARE(kept.records(bad).size(), before);
    QCOMPARE(kept.records(good).size(), sizeof(op));
    QVERIFY(!damageText(kept).empty());
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::Damage), size_t{1});
}

void TestSegmentReader::closesAllWhenTheArenaBreaksTheRules_data()
{
    QTest::addColumn<int>("fault");
    const char* faults[] = {"id skipped", "id given twice", "entry longer than the arena", "shapes cut",
        "rank too large", "head beyond the arena", "head goes back", "stack of no frames", "stack of too many frames",
        "frame cut", "stack id skipped", "module without a path", "module that ends before it begins", "path too long"};
    for (int i = 0; i < 14; ++i)
        QTest::newRow(faults[i]) << i;
}

void TestSegmentReader::closesAllWhenTheArenaBreaksTheRules()
{
    QFETCH(int, fault);
    SegmentWriter writer;
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    SegmentReader reader = opened(writer);
    Kept kept;
    reader.drain(kept);
    if (fault == 0)
        writer.arenaEntry(3, wire::ArenaKind::Name, "x");
    if (fault == 1)
        writer.arenaEntry(1, wire::ArenaKind::Name, "x");
    if (fault == 2) {
        const uint64_t at = writer.header().arenaHead.load();
        writer.arenaEntry(2, wire::ArenaKind::Name, "x");
        const wire::ArenaEntry entry{2, uint32_t{1} << 24 | 5000};
        std::memcpy(writer.bytes() + wire::kPage + at, &entry, sizeof(entry));
    }
    const wire::InputShape shape{wire::kTensorTag, static_cast<uint8_t>(fault == 4 ? 65 : 2), 6, 0};
    std::string text(reinterpret_cast<const char*>(&shape), sizeof(shape));
    if (fault == 3)
        writer.arenaEntry(1, wire::ArenaKind::Shapes, text + "12345678");
    if (fault == 4)
        writer.arenaEntry(1, wire::ArenaKind::Shapes, text + std::string(65 * 8, 'x'));
    if (fault == 5)
        writer.header().arenaHead.store(uint64_t{1} << 40);
    if (fault == 6)
        writer.header().arenaHead.store(0);
    if (fault >= 7 && fault < 10) {
        const size_t sizes[] = {0, (wire::kMaxStackFrames + 1) * sizeof(uint64_t), 12};
        writer.arenaEntry(1, wire::ArenaKind::Stack, std::string(sizes[fault - 7], 'x'));
    }
    if (fault == 10)
        writer.arenaEntry(2, wire::ArenaKind::Stack, "8 bytes.");
    if (fault >= 11)
        writer.module({4096, uint64_t{fault == 12 ? 4096u : 8192u}, 0, 1, 1},
            fault == 11 ? std::string() : std::string(fault == 13 ? wire::kMaxPathBytes + 1 : 9, '/'));
    writer.put(slot, test::opRecord(name, 1, 2, 0, 0));
    reader.drain(kept);
    QCOMPARE(kept.count(FrameKind::Damage), size_t{1});
    QCOMPARE(kept.records(slot).size(), size_t{0});
    reader.drain(kept);
    reader.drainEnd(kept);
    QVERIFY(reader.openOps().empty());
    QCOMPARE(kept.count(FrameKind::Damage), size_t{1});
}

void TestSegmentReader::survivesNoise()
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        SegmentWriter writer({.slots = 2, .ringBytes = 4096});
        for (uint32_t s = 0; s < 2; ++s) {
            writer.takeSlot(s + 1, s + 1);
            writer.pushOpen(s, {1, 1, -1, writer.name("op"), 0, 0, 0, 0, 1, 0, 0});
        }
        SegmentReader reader = opened(writer);
        Kept kept;
        for (int i = 0; i < 20; ++i) {
            const size_t at
                = round % 2 == 0 ? random() % writer.size() : random() % 3000 + (random() % 2 ? 1056768u : 0u);
            writer.bytes()[at] = static_cast<std::byte>(random());
            for (uint32_t s = 0; s < 2; ++s) {
                wire::SlotHeader& slot = *reinterpret_cast<wire::SlotHeader*>(
                    writer.bytes() + wire::kPage + (1u << 20) + s * (wire::kRingAt + 4096));
                slot.head.fetch_add(random() % 8 * 8);
                slot.depth.store(static_cast<uint32_t>(random()));
            }
            reader.drain(kept);
        }
        reader.drainEnd(kept);
        QVERIFY(reader.openOps().size() <= 2);
    }
}

void TestSegmentReader::readsWhileAnotherThreadWrites()
{
    SegmentWriter writer({.ringBytes = 1u << 14});
    const uint32_t slot = writer.takeSlot(1, 1);
    const uint32_t name = writer.name("op");
    SegmentReader reader = opened(writer);
    constexpr uint32_t kRecords = 200'000;
    uint32_t written = 0;
    std::thread thread([&] {
        for (uint32_t i = 0; i < kRecords; ++i)
            written += writer.put(slot, test::opRecord(name, i, i + 1, 0, i)) ? 1 : 0;
    });
    Kept kept;
    for (int i = 0; i < 200; ++i)
        reader.drain(kept);
    thread.join();
    reader.drain(kept);
    const std::vector<std::byte> records = kept.records(slot);
    QCOMPARE(records.size(), written * sizeof(wire::OpRecord));
    QCOMPARE(reader.counters().dropped, uint64_t{kRecords - written});
    uint64_t last = 0;
    for (size_t at = 0; at < records.size(); at += sizeof(wire::OpRecord)) {
        wire::OpRecord op;
        std::memcpy(&op, records.data() + at, sizeof(op));
        QVERIFY(at == 0 || op.start > last);
        QCOMPARE(op.end, op.start + 1);
        last = op.start;
    }
}

QTEST_GUILESS_MAIN(TestSegmentReader)
#include "tst_segment_reader.moc"
