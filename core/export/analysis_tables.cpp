#include "export/analysis_tables.h"

#include "base/text.h"
#include "query/query_fields.h"

#include <charconv>

namespace torchline {

namespace {

Column column(std::string_view key, std::string_view title, ColumnUnit unit)
{
    return {std::string(key), std::string(title), unit};
}

Column optionalColumn(std::string_view key, std::string_view title, ColumnUnit unit)
{
    return {std::string(key), std::string(title), unit, true};
}

std::string_view titleOf(GroupKey key)
{
    switch (key) {
    case GroupKey::Shape:
        return "Input Shapes";
    case GroupKey::Stack:
        return "Source Location";
    case GroupKey::Thread:
        return "Thread";
    case GroupKey::Process:
        return "Process";
    case GroupKey::File:
        return "File";
    case GroupKey::Rank:
        return "Rank";
    case GroupKey::Overload:
        return "Overload Name";
    case GroupKey::Node:
        return "Node ID";
    case GroupKey::Device:
        return "Device";
    case GroupKey::Stream:
        return "Stream";
    case GroupKey::Op:
        return "Operator";
    }
    return {};
}

void startGroups(Table& table, const std::vector<GroupKey>& groupBy)
{
    table.columns.push_back(column("name", "Name", ColumnUnit::Text));
    table.groupBy.emplace_back("name");
    for (const GroupKey key : groupBy) {
        const bool isNumber = key == GroupKey::Rank;
        table.columns.push_back(
            column(groupKeyText(key), titleOf(key), isNumber ? ColumnUnit::Count : ColumnUnit::Text));
        table.groupBy.emplace_back(groupKeyText(key));
    }
    table.columns.push_back(column("kind", "Kind", ColumnUnit::Text));
    table.columns.push_back(column("calls", "Calls", ColumnUnit::Count));
}

/// Where an empty text means that the file does not say.
bool isUnknownIfEmpty(GroupKey key)
{
    return key == GroupKey::Op || key == GroupKey::Device || key == GroupKey::Stream || key == GroupKey::Overload
        || key == GroupKey::Node;
}

/// The rank is a number, as in the header of a file; other keys are texts.
Cell groupCell(GroupKey key, const std::string& text)
{
    if (text.empty() && isUnknownIfEmpty(key))
        return {};
    if (key != GroupKey::Rank)
        return toValidUtf8(text);
    int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end)
        return {};
    return number;
}

void appendGroups(std::vector<Cell>& cells, std::string_view name, const std::vector<GroupKey>& groupBy,
    const std::vector<std::string>& keys)
{
    cells.emplace_back(std::string(name));
    for (size_t i = 0; i < groupBy.size(); ++i)
        cells.push_back(groupCell(groupBy[i], keys[i]));
}

Cell known(const std::optional<int64_t>& value)
{
    return value ? Cell(*value) : Cell();
}

Cell meanOf(int64_t totalNs, int64_t calls)
{
    return calls > 0 ? Cell(TimeCell{divideHalfEven(totalNs, calls)}) : Cell();
}

void addRow(Table& table, std::vector<Cell> cells)
{
    table.sourceRows.push_back(static_cast<uint32_t>(table.rows.size()));
    table.rows.push_back(std::move(cells));
}

std::string_view kernelKindText(SliceKind kind)
{
    if (kind == SliceKind::Memcpy)
        return "memcpy";
    return kind == SliceKind::Memset ? "memset" : "kernel";
}

} // namespace

void nameFiles(Table& table, const TraceSnapshot& trace)
{
    for (const auto& file : trace.files()) {
        const std::string path = toValidUtf8(file->info.path);
        table.files.push_back(path);
        if (const auto bytes = file->info.partBytes)
            table.readSoFar += (table.readSoFar.empty() ? "only the first " : ", the first ") + std::to_string(*bytes)
                + " bytes of the text of " + path;
    }
    if (!table.readSoFar.empty())
        table.readSoFar += " are read so far";
}

Result<std::vector<MemorySeries>> memoryInScope(const TraceSnapshot& trace, const ResolvedScope* scope)
{
    if (!scope)
        return memorySeries(trace);
    std::vector<MarkerScope> markers;
    for (uint32_t i = 0; i < trace.files().size(); ++i) {
        auto resolved = resolveMarkers(trace, *scope, i);
        if (!resolved)
            return resolved.error();
        markers.push_back(std::move(*resolved));
    }
    return memorySeriesWhere(trace, [&](uint32_t file, size_t sample) { return markers[file].memory[sample]; });
}

Table operatorTableFrame(const OperatorOptions& options)
{
    Table table;
    table.command = "ops";
    startGroups(table, options.groupBy);
    for (Column& each : std::vector<Column>{
             column("self_cpu_us", "Self CPU", ColumnUnit::Time),
             column("self_cpu_percent", "Self CPU %", ColumnUnit::Percent),
             column("cpu_total_us", "CPU total", ColumnUnit::Time),
             column("cpu_total_percent", "CPU total %", ColumnUnit::Percent),
             column("cpu_avg_us", "CPU time avg", ColumnUnit::Time),
             optionalColumn("self_cuda_us", "Self CUDA", ColumnUnit::Time),
             optionalColumn("self_cuda_percent", "Self CUDA %", ColumnUnit::Percent),
             optionalColumn("cuda_total_us", "CUDA total", ColumnUnit::Time),
             optionalColumn("cuda_avg_us", "CUDA time avg", ColumnUnit::Time),
             optionalColumn("cpu_mem_bytes", "CPU Mem", ColumnUnit::Bytes),
             optionalColumn("self_cpu_mem_bytes", "Self CPU Mem", ColumnUnit::Bytes),
             optionalColumn("cuda_mem_bytes", "CUDA Mem", ColumnUnit::Bytes),
             optionalColumn("self_cuda_mem_bytes", "Self CUDA Mem", ColumnUnit::Bytes),
             optionalColumn("flops", "Total FLOPs", ColumnUnit::Flops),
         })
        table.columns.push_back(std::move(each));
    table.extras.emplace_back("totals", options.totals == OperatorTotals::Torch ? "torch" : "once");
    return table;
}

Table kernelTableFrame(const std::vector<GroupKey>& groupBy)
{
    Table table;
    table.command = "kernels";
    startGroups(table, groupBy);
    for (Column& each : std::vector<Column>{
             column("total_us", "Total", ColumnUnit::Time),
             column("total_percent", "Total %", ColumnUnit::Percent),
             column("avg_us", "Average", ColumnUnit::Time),
             column("min_us", "Min", ColumnUnit::Time),
             column("max_us", "Max", ColumnUnit::Time),
             optionalColumn("bytes", "Bytes", ColumnUnit::Bytes),
             optionalColumn("gbps", "GB/s", ColumnUnit::Bandwidth),
             optionalColumn("occupancy_percent", "Occupancy", ColumnUnit::Percent),
         })
        table.columns.push_back(std::move(each));
    return table;
}

Table memoryTableFrame(bool severalFiles)
{
    Table table;
    table.command = "memory";
    table.columns = {
        column("device", "Device", ColumnUnit::Text),
        column("label", "Label", ColumnUnit::Text),
        column("samples", "Samples", ColumnUnit::Count),
        column("min_bytes", "Min", ColumnUnit::Bytes),
        column("max_bytes", "Max", ColumnUnit::Bytes),
        column("last_bytes", "Last", ColumnUnit::Bytes),
        column("peak_at_us", "Peak at", ColumnUnit::Time),
        column("reserved_max_bytes", "Reserved max", ColumnUnit::Bytes),
    };
    if (severalFiles)
        table.columns.push_back(column("file", titleOf(GroupKey::File), ColumnUnit::Text));
    return table;
}

Table stepTableFrame(bool severalFiles)
{
    Table table;
    table.command = "steps";
    table.columns = {
        column("name", "Name", ColumnUnit::Text),
        column("number", "Step", ColumnUnit::Count),
        column("start_us", "Start", ColumnUnit::Time),
        column("dur_us", "Duration", ColumnUnit::Time),
        column("kernel_us", "Kernel", ColumnUnit::Time),
        column("memcpy_us", "Memcpy", ColumnUnit::Time),
        column("memset_us", "Memset", ColumnUnit::Time),
        column("communication_us", "Communication", ColumnUnit::Time),
        column("runtime_us", "Runtime", ColumnUnit::Time),
        column("dataloader_us", "DataLoader", ColumnUnit::Time),
        column("cpu_exec_us", "CPU Exec", ColumnUnit::Time),
        column("other_us", "Other", ColumnUnit::Time),
    };
    if (severalFiles)
        table.columns.push_back(column("file", titleOf(GroupKey::File), ColumnUnit::Text));
    return table;
}

Table makeTable(const TraceSnapshot& trace, const OperatorTable& operators)
{
    Table table = operatorTableFrame(operators.options);
    nameFiles(table, trace);
    table.extras.emplace_back("self_cpu_total_us", TimeCell{operators.selfCpuTotalNs});
    table.extras.emplace_back("self_cuda_total_us", TimeCell{operators.selfCudaTotalNs});
    for (const OperatorRow& row : operators.rows) {
        std::vector<Cell> cells;
        cells.reserve(table.columns.size());
        appendGroups(cells, row.name, operators.options.groupBy, row.keys);
        cells.emplace_back(std::string(rowKindText(row.kind)));
        cells.emplace_back(row.calls);
        cells.emplace_back(TimeCell{row.selfCpuNs});
        cells.push_back(percentCell(row.selfCpuNs, operators.selfCpuTotalNs));
        cells.emplace_back(TimeCell{row.cpuTotalNs});
        cells.push_back(percentCell(row.cpuTotalNs, operators.selfCpuTotalNs));
        cells.push_back(meanOf(row.cpuTotalNs, row.calls));
        cells.emplace_back(TimeCell{row.selfCudaNs});
        cells.push_back(percentCell(row.selfCudaNs, operators.selfCudaTotalNs));
        cells.emplace_back(TimeCell{row.cudaTotalNs});
        cells.push_back(meanOf(row.cudaTotalNs, row.calls));
        for (const auto& value :
            {row.cpuMemBytes, row.selfCpuMemBytes, row.cudaMemBytes, row.selfCudaMemBytes, row.flops})
            cells.push_back(known(value));
        addRow(table, std::move(cells));
    }
    return table;
}

Table makeTable(const TraceSnapshot& trace, const KernelTable& kernels)
{
    Table table = kernelTableFrame(kernels.groupBy);
    nameFiles(table, trace);
    for (const KernelRow& row : kernels.rows) {
        std::vector<Cell> cells;
        cells.reserve(table.columns.size());
        appendGroups(cells, row.name, kernels.groupBy, row.keys);
        cells.emplace_back(std::string(kernelKindText(row.kind)));
        cells.emplace_back(row.calls);
        cells.emplace_back(TimeCell{row.totalNs});
        cells.push_back(percentCell(row.totalNs, kernels.totalNs));
        cells.push_back(meanOf(row.totalNs, row.calls));
        cells.emplace_back(TimeCell{row.minNs});
        cells.emplace_back(TimeCell{row.maxNs});
        cells.push_back(known(row.bytes));
        cells.push_back(row.bytes ? ratioCell(*row.bytes, row.bytesNs) : Cell());
        cells.push_back(ratioCell(row.occupancyWeight, row.occupancyNs));
        addRow(table, std::move(cells));
    }
    return table;
}

Table makeTable(const TraceSnapshot& trace, const std::vector<MemorySeries>& memory)
{
    const bool severalFiles = trace.files().size() > 1;
    Table table = memoryTableFrame(severalFiles);
    nameFiles(table, trace);
    for (const MemorySeries& series : memory) {
        std::vector<Cell> cells{series.device, series.label, static_cast<int64_t>(series.points.size()),
            series.minBytes, series.maxBytes, series.lastBytes, TimeCell{series.peakAtNs},
            known(series.reservedMaxBytes)};
        if (severalFiles)
            cells.emplace_back(table.files[series.fileIndex]);
        addRow(table, std::move(cells));
    }
    return table;
}

Table makeTable(const TraceSnapshot& trace, const std::vector<StepRow>& steps)
{
    const bool severalFiles = trace.files().size() > 1;
    Table table = stepTableFrame(severalFiles);
    nameFiles(table, trace);
    for (const StepRow& step : steps) {
        std::vector<Cell> cells{step.name, known(step.mark.number), TimeCell{step.mark.range.beginNs},
            TimeCell{trace.durationNs(step.mark.slice)}};
        for (const int64_t cost : step.costNs)
            cells.emplace_back(TimeCell{cost});
        if (severalFiles)
            cells.emplace_back(table.files[trace.lane(step.mark.slice.lane).fileIndex()]);
        addRow(table, std::move(cells));
    }
    return table;
}

Table makeTable(const TraceSnapshot& trace, const NameTotals& names)
{
    Table table;
    table.command = "slices";
    startGroups(table, {});
    for (Column& each : std::vector<Column>{
             column("total_us", "Sum", ColumnUnit::Time),
             column("avg_us", "Mean", ColumnUnit::Time),
             column("min_us", "Min", ColumnUnit::Time),
             column("median_us", "Median", ColumnUnit::Time),
             column("max_us", "Max", ColumnUnit::Time),
         })
        table.columns.push_back(std::move(each));
    nameFiles(table, trace);
    for (const NameRow& row : names.rows) {
        addRow(table,
            {toValidUtf8(trace.text(row.name)), std::string(kindName(row.kind)), row.calls, TimeCell{row.totalNs},
                meanOf(row.totalNs, row.calls), TimeCell{row.minNs}, TimeCell{row.medianNs}, TimeCell{row.maxNs}});
    }
    return table;
}

std::optional<SortOrder> defaultSort(const Table& table)
{
    const auto column = table.columnOf(table.command == "ops" ? "self_cpu_us" : "total_us");
    if (!column)
        return std::nullopt;
    return SortOrder{*column, true};
}

} // namespace torchline
