#include "analysis/operator_rows.h"

#include <algorithm>
#include <numeric>

namespace torchline {

OwnedWork::OwnedWork(const TraceSnapshot& trace, LaneId lane)
{
    if (trace.lane(lane).size() == 0)
        return;
    const StoreLinks& links = trace.file(trace.lane(lane).fileIndex()).links;
    const uint32_t storeLane = trace.toStore({lane, 0}).lane;
    const auto ownedBefore = [&](uint32_t i, uint32_t wanted) { return links.device[i].owner.lane < wanted; };
    auto at = std::lower_bound(links.deviceByOwner.begin(), links.deviceByOwner.end(), storeLane, ownedBefore);
    for (; at != links.deviceByOwner.end() && links.device[*at].owner.lane == storeLane; ++at) {
        const DeviceLink& link = links.device[*at];
        if (m_sums.empty() || m_sums.back().first != link.owner.index)
            m_sums.emplace_back(link.owner.index, 0);
        addTo(m_sums.back().second, trace.durationNs(trace.toGlobal(trace.lane(lane).fileIndex(), link.work)));
    }
}

int64_t OwnedWork::durationNs(uint32_t laneIndex)
{
    while (m_next < m_sums.size() && m_sums[m_next].first < laneIndex)
        ++m_next;
    return m_next < m_sums.size() && m_sums[m_next].first == laneIndex ? m_sums[m_next].second : 0;
}

OperatorRows::OperatorRows(const TraceSnapshot& trace, const OperatorOptions& options, const SliceMask* scope)
    : m_trace(trace)
    , m_options(options)
    , m_scope(scope)
    , m_names(trace)
    , m_keys(trace, options.groupBy)
    , m_memory(trace.files().size())
    , m_sliceRows(std::make_shared<SliceRows>(trace))
{
}

OperatorRows::OperatorRows(const OperatorRows& before, const TraceSnapshot& trace)
    : m_trace(trace)
    , m_options(before.m_options)
    , m_scope(nullptr)
    , m_names(trace)
    , m_keys(before.m_keys, trace)
    , m_memory(before.m_memory)
    , m_rows(before.m_rows)
    , m_firstNs(before.m_firstNs)
    , m_sliceRows(std::make_shared<SliceRows>(*before.m_sliceRows, trace))
{
}

void OperatorRows::readMemory(int64_t untilNs)
{
    for (uint32_t f = 0; f < m_memory.size(); ++f)
        m_memory[f].read(m_trace, f, untilNs);
}

Status OperatorRows::readArgs(std::span<const SlicePart> parts, std::stop_token stop)
{
    const WantedArgs wanted{
        m_keys.has(GroupKey::Shape), m_keys.has(GroupKey::Stack), m_options.withFlops, m_options.stackDepth};
    Result<OperatorArgs> args = OperatorArgs::read(m_trace, wanted, m_names, m_keys, m_scope, parts, std::move(stop));
    if (!args)
        return args.error();
    m_args = std::move(*args);
    return {};
}

bool OperatorRows::knowsTheSameAs(const OperatorRows& other) const
{
    for (uint32_t f = 0; f < m_memory.size(); ++f) {
        if (m_args->hasShapes(f) != other.m_args->hasShapes(f)
            || m_memory[f].hasRecords() != other.m_memory[f].hasRecords())
            return false;
    }
    return true;
}

bool OperatorRows::isFileIn(uint32_t fileIndex) const
{
    if (m_scope == nullptr)
        return true;
    for (uint32_t l = 0; l < m_trace.lanes().size(); ++l) {
        const Lane& lane = m_trace.lanes()[l];
        for (uint32_t i = 0; lane.fileIndex() == fileIndex && i < lane.size(); ++i) {
            if (!m_scope->contains({LaneId(l), i}))
                return false;
        }
    }
    return true;
}

void OperatorRows::setSliceKeys(SliceRef slice, RowKind kind)
{
    if (m_options.groupBy.empty())
        return;
    const bool isOp = kind == RowKind::Op || kind == RowKind::Annotation;
    if (m_keys.has(GroupKey::Shape))
        m_keys.set(GroupKey::Shape, isOp ? m_args->shape(slice) : m_keys.textId({}));
    if (m_keys.has(GroupKey::Stack))
        m_keys.set(GroupKey::Stack, isOp ? m_args->stack(slice) : m_keys.textId({}));
}

uint32_t OperatorRows::rowNumber(NameId shownName, RowKind kind)
{
    const bool isByKind = m_options.totals == OperatorTotals::Torch;
    const uint32_t number = m_keys.rowOf(shownName, isByKind ? static_cast<uint32_t>(kind) : 0);
    if (number == m_rows.size()) {
        OperatorRow row;
        row.name = m_names.text(shownName);
        row.keys = m_keys.texts();
        row.kind = kind;
        if (m_options.withFlops)
            row.flops = 0;
        m_rows.push_back(std::move(row));
        m_firstNs.push_back(kMaxNs);
    }
    return number;
}

uint32_t OperatorRows::rowOf(SliceRef slice, NameId shownName, RowKind kind)
{
    setSliceKeys(slice, kind);
    const uint32_t number = rowNumber(shownName, kind);
    const int64_t startNs = m_trace.startNs(slice);
    OperatorRow& row = m_rows[number];
    if (!row.first.isValid() || std::pair(startNs, slice) < std::pair(m_firstNs[number], row.first)) {
        row.first = slice;
        row.kind = kind;
        m_firstNs[number] = startNs;
    }
    m_sliceRows->set(m_trace, slice, number);
    return number;
}

uint32_t OperatorRows::memoryRowOf(uint32_t fileIndex, NameId name)
{
    m_keys.enterFile(fileIndex);
    m_keys.set(GroupKey::Shape, m_args->hasShapes(fileIndex) ? "[]" : "");
    m_keys.set(GroupKey::Stack, "");
    return rowNumber(name, RowKind::Op);
}

void OperatorRows::addMemory(uint32_t number, uint32_t fileIndex, MemoryBytes total, MemoryBytes self)
{
    if (!m_memory[fileIndex].hasRecords())
        return;
    OperatorRow& row = m_rows[number];
    const auto add = [](std::optional<int64_t>& sum, int64_t bytes) { sum = addSaturated(sum.value_or(0), bytes); };
    add(row.cpuMemBytes, total.cpu);
    add(row.selfCpuMemBytes, self.cpu);
    add(row.cudaMemBytes, total.cuda);
    add(row.selfCudaMemBytes, self.cuda);
}

std::optional<int64_t> OperatorRows::defaultFlops(uint32_t fileIndex) const
{
    return m_args->hasShapes(fileIndex) ? std::optional<int64_t>(0) : std::nullopt;
}

void OperatorRows::addKnownFlops(uint32_t number, std::optional<int64_t> flops)
{
    std::optional<int64_t>& sum = m_rows[number].flops;
    if (sum && flops)
        addTo(*sum, *flops);
    else
        sum.reset();
}

void OperatorRows::addFlops(uint32_t number, SliceRef slice, RowKind kind)
{
    if (!m_options.withFlops)
        return;
    if (kind != RowKind::Op || m_names.formula(m_trace.name(slice)) == FlopFormula::None) {
        addKnownFlops(number, defaultFlops(m_trace.lane(slice.lane).fileIndex()));
        return;
    }
    const int64_t flops = m_args->flops(slice);
    addKnownFlops(number, flops == kNoValue ? std::nullopt : std::optional(flops));
}

void OperatorRows::setFolded(SliceRef slice, SliceRef into)
{
    if (const uint32_t number = m_sliceRows->rowOf(into); number != SliceRows::kNoRow)
        m_sliceRows->set(m_trace, slice, number);
}

OperatorTable OperatorRows::finish()
{
    std::vector<uint32_t> order(m_rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(m_firstNs[a], m_rows[a].first) < std::pair(m_firstNs[b], m_rows[b].first);
    });
    OperatorTable table;
    std::vector<uint32_t> newNumber(m_rows.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
        newNumber[order[i]] = i;
        table.rows.push_back(std::move(m_rows[order[i]]));
    }
    m_sliceRows->renumber(newNumber);
    table.options = m_options;
    table.generation = m_trace.generation();
    table.sliceRows = std::move(m_sliceRows);

    const bool isTorch = m_options.totals == OperatorTotals::Torch;
    for (const OperatorRow& row : table.rows) {
        addTo(table.selfCpuTotalNs, row.selfCpuNs);
        if (!isTorch || row.kind == RowKind::Device)
            addTo(table.selfCudaTotalNs, row.selfCudaNs);
    }
    m_rows.clear();
    m_firstNs.clear();
    return table;
}

bool addTotals(OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop)
{
    return rows.options().totals == OperatorTotals::Torch ? addTorchTotals(rows, parts, stop)
                                                          : addOnceTotals(rows, parts, stop);
}

/// Records in no operator belong to no slice: a scope that leaves out any slice of the file leaves them out.
void addMemoryRows(OperatorRows& rows)
{
    const std::optional<NameId> name = rows.trace().strings().find("[memory]");
    for (uint32_t f = 0; name && f < rows.trace().files().size(); ++f) {
        const MemoryAttribution::Outside outside = rows.memory(f).outside();
        if (outside.records == 0 || !rows.isFileIn(f))
            continue;
        const uint32_t number = rows.memoryRowOf(f, *name);
        addTo(rows.row(number).calls, outside.records);
        rows.addMemory(number, f, outside.bytes, outside.bytes);
        rows.addNoFlops(number, f);
    }
}

RowKind hostRowKind(SliceKind kind)
{
    if (isCall(kind))
        return RowKind::Runtime;
    return kind == SliceKind::UserAnnotation ? RowKind::Annotation : RowKind::Op;
}

} // namespace torchline
