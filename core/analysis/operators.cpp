#include "analysis/operators.h"

#include "analysis/operator_rows.h"

namespace torchline {

std::string_view rowKindText(RowKind kind)
{
    switch (kind) {
    case RowKind::Op:
        return "op";
    case RowKind::Annotation:
        return "annotation";
    case RowKind::Runtime:
        return "runtime";
    case RowKind::Device:
        return "device";
    case RowKind::DeviceAnnotation:
        return "device_annotation";
    }
    return {};
}

std::string_view groupKeyText(GroupKey key)
{
    switch (key) {
    case GroupKey::Shape:
        return "shape";
    case GroupKey::Stack:
        return "stack";
    case GroupKey::Thread:
        return "thread";
    case GroupKey::Process:
        return "process";
    case GroupKey::File:
        return "file";
    case GroupKey::Rank:
        return "rank";
    case GroupKey::Overload:
        return "overload";
    case GroupKey::Node:
        return "node";
    case GroupKey::Device:
        return "device";
    case GroupKey::Stream:
        return "stream";
    case GroupKey::Op:
        return "op";
    }
    return {};
}

Result<OperatorTable> operatorTable(
    const TraceSnapshot& trace, const OperatorOptions& options, const SliceMask* scope, std::stop_token stop)
{
    OperatorRows rows(trace, options, scope);
    rows.readMemory(kMaxNs);
    if (Status status = rows.readArgs({}, stop); !status)
        return status.error();
    if (!addTotals(rows, {}, stop))
        return Error(ErrorCode::Cancelled, "cancelled");
    if (options.totals == OperatorTotals::Torch)
        addMemoryRows(rows);
    return rows.finish();
}

Result<SliceMask> slicesOfOperatorRow(
    const TraceSnapshot& trace, const OperatorTable& table, size_t row, const SliceMask* scope, std::stop_token stop)
{
    if (stop.stop_requested())
        return Error(ErrorCode::Cancelled, "cancelled");
    if (row >= table.rows.size() || table.sliceRows == nullptr || table.generation != trace.generation())
        return SliceMask(trace);
    return table.sliceRows->slicesOf(trace, static_cast<uint32_t>(row), scope);
}

std::optional<size_t> operatorRowOfSlice(const TraceSnapshot& trace, const OperatorTable& table, SliceRef slice)
{
    if (table.sliceRows == nullptr || table.generation != trace.generation())
        return std::nullopt;
    const uint32_t row = table.sliceRows->rowOf(slice);
    return row == SliceRows::kNoRow ? std::nullopt : std::optional<size_t>(row);
}

} // namespace torchline
