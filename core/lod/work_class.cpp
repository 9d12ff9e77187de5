#include "lod/work_class.h"

#include "base/parallel.h"

#include <algorithm>
#include <atomic>

namespace torchline {

namespace {

/// kinds: bit i for SliceKind i.
void classifyAs(uint16_t kinds, std::string_view name, std::array<WorkClass, kSliceKinds>& classes)
{
    for (unsigned kind = 0; kind < kSliceKinds; ++kind) {
        if ((kinds >> kind & 1u) != 0)
            classes[kind] = workClassOf(name, static_cast<SliceKind>(kind));
    }
}

} // namespace

WorkClasses::WorkClasses(const TraceSnapshot& trace, size_t threads)
    : m_used(trace.strings().size(), 0)
{
    threads = threads > 0 ? threads : usualThreads();
    forEachInParallel(trace.lanes().size(), threads, [&](size_t lane) {
        for (const auto& block : trace.lanes()[lane].store().blocks)
            takeUses(*block);
    });
    classify(trace, threads);
}

WorkClasses::WorkClasses(const TraceSnapshot& trace, const WorkClasses& before, const SnapshotDelta& delta)
    : m_byName(before.m_byName)
    , m_used(trace.strings().size(), 0)
{
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const auto& blocks = trace.lanes()[l].store().blocks;
        for (size_t b = 0; b < blocks.size(); ++b) {
            if (!delta.isSameBlock(LaneId(l), b))
                takeUses(*blocks[b]);
        }
    }
    for (size_t id = 0; id < before.m_used.size(); ++id)
        m_used[id] = static_cast<uint16_t>(m_used[id] & ~before.m_used[id]);
    classify(trace, 1);
    for (size_t id = 0; id < before.m_used.size(); ++id)
        m_used[id] = static_cast<uint16_t>(m_used[id] | before.m_used[id]);
}

void WorkClasses::takeUses(const SliceBlock& block)
{
    for (size_t i = 0; i < block.size(); ++i) {
        const uint32_t name = block.name[i].value();
        if (name >= m_used.size())
            continue;
        const auto bit = static_cast<uint16_t>(1u << static_cast<unsigned>(block.kind[i]));
        const std::atomic_ref<uint16_t> used(m_used[name]);
        if ((used.load(std::memory_order_relaxed) & bit) == 0)
            used.fetch_or(bit, std::memory_order_relaxed);
    }
}

void WorkClasses::classify(const TraceSnapshot& trace, size_t threads)
{
    constexpr size_t kPiece = 4096;
    std::array<WorkClass, kSliceKinds> none;
    none.fill(WorkClass::Op);
    m_byName.resize(m_used.size(), none);
    forEachInParallel((m_used.size() + kPiece - 1) / kPiece, threads, [&](size_t piece) {
        const size_t end = std::min((piece + 1) * kPiece, m_used.size());
        for (size_t id = piece * kPiece; id < end; ++id) {
            if (m_used[id] != 0)
                classifyAs(m_used[id], trace.text(NameId(static_cast<uint32_t>(id))), m_byName[id]);
        }
    });
}

WorkClass WorkClasses::of(NameId name, SliceKind kind) const
{
    return name.value() < m_byName.size() ? m_byName[name.value()][static_cast<size_t>(kind)] : WorkClass::Op;
}

void WorkClasses::ofMany(
    const TraceSnapshot& trace, LaneId lane, uint32_t begin, uint32_t end, std::vector<uint8_t>& classes) const
{
    const SliceBlock& block = *trace.lane(lane).store().blocks[begin / SliceBlock::kRows];
    classes.resize(end - begin);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t k = i % SliceBlock::kRows;
        WorkClass cls = of(block.name[k], block.kind[k]);
        if (cls == WorkClass::Op && block.kind[k] == SliceKind::Kernel)
            cls = of(trace, {lane, i});
        classes[i - begin] = static_cast<uint8_t>(cls);
    }
}

WorkClass WorkClasses::of(const TraceSnapshot& trace, SliceRef slice) const
{
    const SliceKind kind = trace.kind(slice);
    const WorkClass cls = of(trace.name(slice), kind);
    if (kind != SliceKind::Kernel || cls != WorkClass::Op)
        return cls;
    const SliceRef owner = trace.ownerOf(slice);
    if (!owner.isValid())
        return cls;
    const WorkClass ownerClass = of(trace.name(owner), trace.kind(owner));
    return ownerClass == WorkClass::Step || ownerClass == WorkClass::Python ? cls : ownerClass;
}

} // namespace torchline
