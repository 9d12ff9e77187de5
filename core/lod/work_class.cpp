#include "lod/work_class.h"

namespace torchline {

WorkClasses::WorkClasses(const TraceSnapshot& trace)
{
    std::vector<uint16_t> used(trace.strings().size(), 0);
    for (const Lane& lane : trace.lanes()) {
        for (const auto& block : lane.store().blocks) {
            for (size_t i = 0; i < block->size(); ++i) {
                const uint32_t name = block->name[i].value();
                if (name < used.size())
                    used[name] = static_cast<uint16_t>(used[name] | 1u << static_cast<unsigned>(block->kind[i]));
            }
        }
    }
    std::array<WorkClass, kKinds> none;
    none.fill(WorkClass::Op);
    m_byName.assign(used.size(), none);
    for (size_t id = 0; id < used.size(); ++id) {
        if (used[id] == 0)
            continue;
        const std::string_view text = trace.text(NameId(static_cast<uint32_t>(id)));
        for (unsigned kind = 0; kind < kKinds; ++kind) {
            if ((used[id] >> kind & 1u) != 0)
                m_byName[id][kind] = workClassOf(text, static_cast<SliceKind>(kind));
        }
    }
}

WorkClass WorkClasses::of(NameId name, SliceKind kind) const
{
    return name.value() < m_byName.size() ? m_byName[name.value()][static_cast<size_t>(kind)] : WorkClass::Op;
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
