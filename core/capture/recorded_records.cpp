// Single records of a process into its store: see recorded_process.h.

#include "capture/record_check.h"
#include "capture/recorded_process.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr uint8_t kUserScope = 7; ///< at::RecordScope::USER_SCOPE

} // namespace

const RecordedProcess::Name& RecordedProcess::nameOf(const Segment& from, uint32_t id) const
{
    return id == 0 || id > from.names.size() ? m_noName : from.names[id - 1];
}

SliceRecord RecordedProcess::sliceOf(const Name& name, uint8_t scope, int64_t startNs, uint64_t place) const
{
    SliceRecord slice;
    slice.startNs = startNs;
    slice.name = name.id;
    slice.category = scope == kUserScope ? m_annotationCategory : m_opCategory;
    slice.kind = scope == kUserScope ? SliceKind::UserAnnotation : SliceKind::CpuOp;
    slice.eventOffset = place;
    return slice;
}

void RecordedProcess::addRecord(Segment& from, Slot& slot, std::span<const std::byte> bytes, uint64_t place)
{
    switch (recordHead(bytes).type) {
    case wire::RecordType::Op:
        addOperator(from, slot, readRecord<wire::OpRecord>(bytes), place);
        break;
    case wire::RecordType::Memory:
        addMemory(slot, readRecord<wire::MemoryRecord>(bytes), place);
        break;
    case wire::RecordType::AsyncOpen:
    case wire::RecordType::AsyncEnd:
        addAsync(from, slot, readRecord<wire::AsyncRecord>(bytes), place);
        break;
    case wire::RecordType::Step:
        addStep(from, slot, readRecord<wire::StepRecord>(bytes), place);
        break;
    case wire::RecordType::Dropped:
        addDropped(slot, readRecord<wire::DroppedRecord>(bytes), place);
        break;
    case wire::RecordType::Pad:
    case wire::RecordType::Thread:
    case wire::RecordType::Kernel:
        break;
    }
}

void RecordedProcess::addOperator(const Segment& from, Slot& slot, const wire::OpRecord& op, uint64_t place)
{
    ++m_counters.operators;
    const Name& name = nameOf(from, op.head.name);
    const int64_t startNs = m_clock.nsOf(op.start);
    SliceRecord slice = sliceOf(name, op.head.scope, startNs, place);
    slice.durationNs = subSaturated(m_clock.nsOf(op.end), startNs);
    slice.externalId = linkIdOf(from.number, slot.index, op.number);
    m_builder.addSlice(slot.lane, slice);
    slot.firstNs = std::min(slot.firstNs, startNs);
    m_range = {std::min(m_range.beginNs, startNs), std::max(m_range.endNs, startNs)};

    if (op.sequence >= 0 && op.forwardThread == 0 && slot.torchThread != 0)
        m_arrows.addForward(slot.torchThread, op.sequence, {startNs, place, slot.lane});
    if (op.sequence >= 0 && op.forwardThread != 0) {
        m_arrows.addBackward(op.forwardThread, op.sequence, {startNs, place, slot.lane});
        slot.backward = {name.id, op.start, place, op.depth};
    }
    if (name.evaluated.isValid() && m_source && slot.backward.place != 0 && slot.backward.name == name.evaluated
        && slot.backward.start >= op.start && slot.backward.depth == op.depth + 1)
        m_source->addInner(place, slot.backward.place);

    if (!slot.open.empty())
        std::erase_if(slot.open, [&](const OpenOp& open) { return open.op.number == op.number; });
    slot.endedLast[slot.endedCount++ % slot.endedLast.size()] = op.number + 1;
}

void RecordedProcess::addMemory(Slot& slot, const wire::MemoryRecord& record, uint64_t place)
{
    ++m_counters.memoryRecords;
    RecordedMemory sample;
    sample.timeNs = m_clock.nsOf(record.time);
    sample.bytes = record.bytes;
    sample.address = record.address;
    sample.totalAllocated = static_cast<int64_t>(record.allocated);
    sample.totalReserved = static_cast<int64_t>(record.reserved);
    sample.eventOffset = place;
    sample.tid = slot.tid;
    sample.deviceType = record.deviceType;
    sample.deviceId = record.deviceIndex;

    std::optional<RecordedMemory> freed;
    if (record.bytes == 0)
        freed = m_blocks.release(sample);
    else if (record.bytes > 0 && record.deviceType == kCpu)
        freed = m_blocks.allocate(sample);
    const auto add = [this](const RecordedMemory& memory) {
        m_builder.addMemory(
            memory, {m_memoryName, m_pid, memory.tid, memory.deviceType, memory.deviceId, m_memoryCategory, 't'});
    };
    if (freed)
        add(*freed);
    if (record.bytes != 0)
        add(sample);
}

void RecordedProcess::addAsync(const Segment& from, Slot& slot, const wire::AsyncRecord& record, uint64_t place)
{
    const bool isOpen = record.head.type == wire::RecordType::AsyncOpen;
    AsyncHalf half;
    half.ticks = record.time;
    half.place = place;
    half.lane = slot.lane;
    if (isOpen)
        half.slice = sliceOf(nameOf(from, record.head.name), record.head.scope, m_clock.nsOf(record.time), place);
    // Addresses are used again: of several ends the first that is not before the beginning, of several beginnings the
    // last that is not after the end.
    auto& others = isOpen ? m_asyncEnd : m_asyncOpen;
    auto best = others.end();
    const auto [begin, end] = others.equal_range(record.key);
    for (auto it = begin; it != end; ++it) {
        const uint64_t ticks = it->second.ticks;
        const bool fits = isOpen ? ticks >= half.ticks : ticks <= half.ticks;
        if (fits && (best == others.end() || (isOpen ? ticks < best->second.ticks : ticks > best->second.ticks)))
            best = it;
    }
    if (best == others.end()) {
        (isOpen ? m_asyncOpen : m_asyncEnd).emplace(record.key, half);
        return;
    }
    const AsyncHalf& opening = isOpen ? half : best->second;
    SliceRecord slice = opening.slice;
    slice.durationNs = subSaturated(m_clock.nsOf(isOpen ? best->second.ticks : half.ticks), slice.startNs);
    m_builder.addSlice(opening.lane, slice);
    ++m_counters.operators;
    if (record.sequence >= 0 && isOpen && slot.torchThread != 0)
        m_arrows.addForward(slot.torchThread, record.sequence, {slice.startNs, place, slot.lane});
    others.erase(best);
}

/// A step that ended with a scope ProfilerStep#N has its mark already. Steps in which nothing was recorded, while a
/// schedule waited, have none.
void RecordedProcess::addStep(const Segment& from, Slot& slot, const wire::StepRecord& step, uint64_t place)
{
    ++m_counters.steps;
    const int64_t endNs = m_clock.nsOf(step.time);
    const int64_t beganNs = m_step && m_step->number + 1 == step.step ? m_step->startNs : slot.firstNs;
    const bool hasOperators = slot.firstNs < endNs;
    if (hasOperators && step.step > 0 && !nameOf(from, step.head.name).isStep) {
        Name name;
        name.id = m_pool->intern("ProfilerStep#" + std::to_string(step.step - 1));
        SliceRecord slice = sliceOf(name, kUserScope, beganNs, place);
        slice.durationNs = subSaturated(endNs, beganNs);
        m_builder.addSlice(slot.lane, slice);
    }
    m_step = OpenStep{endNs, step.step};
    slot.firstNs = kMaxNs;
}

void RecordedProcess::addDropped(Slot& slot, const wire::DroppedRecord& dropped, uint64_t place)
{
    m_lost += dropped.count;
    m_counters.dropped += dropped.count;
    Instant gap;
    gap.timeNs = m_clock.nsOf(dropped.firstTime);
    gap.name = m_pool->intern(std::to_string(dropped.count) + " records lost");
    gap.category = m_lostCategory;
    gap.pid = m_pid;
    gap.tid = slot.tid;
    gap.eventOffset = place;
    m_builder.addInstant(gap);
}

} // namespace torchline
