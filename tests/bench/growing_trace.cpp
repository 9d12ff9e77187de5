#include "growing_trace.h"

#include "base/string_pool.h"

#include <string>

namespace torchline::bench {

namespace {

constexpr uint32_t kNames = 200;
constexpr uint64_t kStepNs = 10'000'000;
constexpr uint64_t kRecordsPerSecond = 200'000;
constexpr uint8_t kUserScope = 7;
constexpr uint64_t kUnlimited = uint64_t{1} << 40;

template <typename Record> void put(std::vector<std::byte>& payload, const Record& record)
{
    const auto bytes = std::as_bytes(std::span(&record, 1));
    payload.insert(payload.end(), bytes.begin(), bytes.end());
}

} // namespace

GrowingTrace::GrowingTrace(GrowingShape shape)
    : m_shape(shape)
    , m_ingest(std::make_shared<StringPool>(), {.memoryBytes = kUnlimited, .path = "run"})
    , m_threads(shape.threads)
{
    sendText(m_ingest, FrameKind::Hello, 0, R"({"type":"hello","protocol":1,"pid":1,"exe":"/bin/train"})");
    ClockPart clock{};
    clock.kind = wire::ClockKind::Monotonic;
    clock.last = {1'000'000'000, 1'000'000'000, 1'000'000'000};
    sendPart(m_ingest, FrameKind::Clock, 0, clock);
    std::vector<std::byte> arena;
    for (uint32_t id = 1; id <= kNames; ++id) {
        const std::string name = (id % 5 == 0 ? "block_" : "aten::op_") + std::to_string(id);
        put(arena,
            wire::ArenaEntry{
                id, static_cast<uint32_t>(wire::ArenaKind::Name) << 24 | static_cast<uint32_t>(name.size())});
        const auto bytes = bytesOf(name);
        arena.insert(arena.end(), bytes.begin(), bytes.end());
        arena.resize((arena.size() + 7) / 8 * 8);
    }
    sendPart(m_ingest, FrameKind::Arena, 0, ArenaPart{}, arena);
    for (uint32_t slot = 0; slot < m_threads.size(); ++slot) {
        SlotPart part{};
        part.slot = slot;
        part.tid = 1 + slot;
        part.torchThread = 1 + slot;
        sendPart(m_ingest, FrameKind::Slot, 0, part);
        m_threads[slot].nowNs = 1'000'000 + slot * 1000;
    }
    if (m_shape.hasOpenScope) {
        wire::OpenOp open{};
        open.start = 1'000'000;
        open.sequence = -1;
        open.name = 1;
        open.scope = kUserScope;
        open.mark = wire::OpenKept;
        sendPart(m_ingest, FrameKind::OpenOps, 0, OpenOpsPart{0, 0, 1, 0}, std::as_bytes(std::span(&open, 1)));
    }
}

void GrowingTrace::growTo(uint64_t records)
{
    while (m_records < records) {
        for (uint32_t slot = 0; slot < m_threads.size(); ++slot)
            addStep(slot);
    }
}

void GrowingTrace::addOperator(
    Thread& thread, uint32_t name, uint8_t scope, uint64_t startNs, uint64_t endNs, uint16_t depth)
{
    wire::OpRecord record{};
    record.head = {sizeof(record), wire::RecordType::Op, scope, name};
    record.start = startNs;
    record.end = endNs;
    record.sequence = -1;
    record.depth = depth;
    record.number = ++thread.number;
    put(thread.payload, record);
    ++m_records;
}

// Inner operators end first; a step holds as many as come in its time on all threads together.
void GrowingTrace::addStep(uint32_t slot)
{
    Thread& thread = m_threads[slot];
    thread.payload.clear();
    const uint64_t operators = kRecordsPerSecond * kStepNs / 1'000'000'000 / m_threads.size();
    const uint64_t eachNs = kStepNs / operators;
    const uint64_t beginNs = thread.nowNs;
    for (uint64_t i = 0; i + 5 <= operators; i += 5) {
        const uint64_t startNs = beginNs + i * eachNs;
        const uint64_t endNs = startNs + 5 * eachNs - eachNs / 4;
        for (uint64_t depth = 5; depth-- > 0;) {
            const auto name = static_cast<uint32_t>(1 + (i * 7 + depth * 31 + thread.step) % kNames);
            addOperator(thread, name, 0, startNs + depth * eachNs / 8, endNs - depth * eachNs / 8,
                static_cast<uint16_t>(depth + 1));
        }
        if (m_shape.hasMemory) {
            wire::MemoryRecord record{};
            record.head = {sizeof(record), wire::RecordType::Memory, 0, 1};
            record.time = startNs + eachNs;
            record.address = 64 * (1 + i % 64);
            record.bytes = i / 64 % 2 == 0 ? 4096 : 0;
            put(thread.payload, record);
            ++m_records;
        }
    }
    thread.nowNs += kStepNs;
    addOperator(thread, 5, kUserScope, beginNs, thread.nowNs - eachNs / 8, 0);
    ++thread.step;
    std::vector<std::byte> frame;
    appendPart(frame, RecordsPart{0, slot}, thread.payload);
    m_ingest.take({FrameKind::Records, 0, frame, m_place += 8 + frame.size()});
}

} // namespace torchline::bench
