#include "analysis/kernels.h"

#include "analysis/operator_args.h"

#include <algorithm>
#include <numeric>

namespace torchline {

namespace {

int64_t weighted(int64_t percent, int64_t durationNs)
{
    int64_t product = 0;
    return __builtin_mul_overflow(percent, durationNs, &product) ? kMaxNs : product;
}

class KernelRows {
public:
    KernelRows(const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy, const SliceMask* scope)
        : m_trace(trace)
        , m_scope(scope)
        , m_names(trace)
        , m_keys(trace, groupBy)
        , m_noText(m_keys.textId({}))
        , m_sliceRows(std::make_shared<SliceRows>(trace))
    {
        m_table.groupBy = groupBy;
        m_table.generation = trace.generation();
    }

    Status readShapes(std::stop_token stop)
    {
        if (!m_keys.has(GroupKey::Shape))
            return {};
        SliceMask owners(m_trace);
        for (uint32_t f = 0; f < m_trace.files().size(); ++f) {
            for (const DeviceLink& link : m_trace.file(f).links.device) {
                if (link.owner.isValid() && isIn(m_trace.toGlobal(f, link.work)))
                    owners.insert(m_trace.toGlobal(f, link.owner));
            }
        }
        WantedArgs wanted;
        wanted.shape = true;
        Result<OperatorArgs> args = OperatorArgs::read(m_trace, wanted, m_names, m_keys, &owners, {}, std::move(stop));
        if (!args)
            return args.error();
        m_args = std::move(*args);
        return {};
    }

    bool addLane(LaneId laneId, const std::stop_token& stop)
    {
        const Lane& lane = m_trace.lane(laneId);
        m_keys.enterLane(laneId);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if ((i & 0xFFFFu) == 0 && stop.stop_requested())
                return false;
            const SliceRef slice{laneId, i};
            if (isDeviceWork(lane.kind(i)) && isIn(slice))
                add(lane, slice);
        }
        return true;
    }

    KernelTable finish()
    {
        std::vector<uint32_t> order(m_rows.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return std::pair(m_firstNs[a], m_rows[a].first) < std::pair(m_firstNs[b], m_rows[b].first);
        });
        std::vector<uint32_t> newNumber(m_rows.size());
        for (uint32_t i = 0; i < order.size(); ++i) {
            newNumber[order[i]] = i;
            m_table.totalNs = addSaturated(m_table.totalNs, m_rows[order[i]].totalNs);
            m_table.rows.push_back(std::move(m_rows[order[i]]));
        }
        m_sliceRows->renumber(newNumber);
        m_table.sliceRows = std::move(m_sliceRows);
        return std::move(m_table);
    }

private:
    [[nodiscard]] bool isIn(SliceRef slice) const { return m_scope == nullptr || m_scope->contains(slice); }

    void setKeys(SliceRef slice)
    {
        if (m_keys.has(GroupKey::Device))
            m_keys.set(GroupKey::Device, m_trace.deviceOf(slice));
        if (m_keys.has(GroupKey::Stream))
            m_keys.set(GroupKey::Stream, m_trace.streamOf(slice));
        if (!m_keys.has(GroupKey::Op) && !m_keys.has(GroupKey::Shape))
            return;
        const SliceRef owner = m_trace.ownerOf(slice);
        if (m_keys.has(GroupKey::Op))
            m_keys.set(GroupKey::Op, owner.isValid() ? m_trace.text(m_trace.name(owner)) : std::string_view());
        if (m_keys.has(GroupKey::Shape))
            m_keys.set(GroupKey::Shape, owner.isValid() ? m_args->shape(owner) : m_noText);
    }

    void add(const Lane& lane, SliceRef slice)
    {
        const DeviceWork* work = m_trace.deviceWork(slice);
        setKeys(slice);
        const int64_t durationNs = lane.durationNs(slice.index);
        const int64_t startNs = lane.startNs(slice.index);
        const uint32_t number = m_keys.rowOf(lane.name(slice.index), 0);
        if (number == m_rows.size()) {
            KernelRow row;
            row.name = m_trace.text(lane.name(slice.index));
            row.keys = m_keys.texts();
            row.minNs = durationNs;
            row.maxNs = durationNs;
            m_rows.push_back(std::move(row));
            m_firstNs.push_back(kMaxNs);
        }
        KernelRow& row = m_rows[number];
        if (!row.first.isValid() || std::pair(startNs, slice) < std::pair(m_firstNs[number], row.first)) {
            row.first = slice;
            row.kind = lane.kind(slice.index);
            m_firstNs[number] = startNs;
        }
        ++row.calls;
        row.totalNs = addSaturated(row.totalNs, durationNs);
        row.minNs = std::min(row.minNs, durationNs);
        row.maxNs = std::max(row.maxNs, durationNs);
        if (work != nullptr && work->bytes != kNoValue) {
            row.bytes = addSaturated(row.bytes.value_or(0), work->bytes);
            row.bytesNs = addSaturated(row.bytesNs, durationNs);
        }
        if (work != nullptr && work->occupancyPercent >= 0) {
            row.occupancyWeight = addSaturated(row.occupancyWeight, weighted(work->occupancyPercent, durationNs));
            row.occupancyNs = addSaturated(row.occupancyNs, durationNs);
        }
        m_sliceRows->set(m_trace, slice, number);
    }

    const TraceSnapshot& m_trace;
    const SliceMask* m_scope;
    OperatorNames m_names;
    RowKeys m_keys;
    NameId m_noText;
    std::optional<OperatorArgs> m_args;
    std::vector<KernelRow> m_rows;
    std::vector<int64_t> m_firstNs; ///< start of KernelRow::first
    std::shared_ptr<SliceRows> m_sliceRows;
    KernelTable m_table;
};

} // namespace

Result<KernelTable> kernelTable(const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy,
    const SliceMask* deviceScope, std::stop_token stop)
{
    KernelRows rows(trace, groupBy, deviceScope);
    if (Status status = rows.readShapes(stop); !status)
        return status.error();
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        if (trace.lanes()[l].isDevice() && !rows.addLane(LaneId(l), stop))
            return Error(ErrorCode::Cancelled, "cancelled");
    }
    return rows.finish();
}

Result<SliceMask> slicesOfKernelRow(const TraceSnapshot& trace, const KernelTable& table, size_t row,
    const SliceMask* deviceScope, std::stop_token stop)
{
    if (stop.stop_requested())
        return Error(ErrorCode::Cancelled, "cancelled");
    if (row >= table.rows.size() || table.sliceRows == nullptr || table.generation != trace.generation())
        return SliceMask(trace);
    return table.sliceRows->slicesOf(trace, static_cast<uint32_t>(row), deviceScope);
}

std::optional<size_t> kernelRowOfSlice(const TraceSnapshot& trace, const KernelTable& table, SliceRef slice)
{
    if (table.sliceRows == nullptr || table.generation != trace.generation())
        return std::nullopt;
    const uint32_t row = table.sliceRows->rowOf(slice);
    return row == SliceRows::kNoRow ? std::nullopt : std::optional<size_t>(row);
}

} // namespace torchline
