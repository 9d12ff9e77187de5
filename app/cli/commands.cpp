#include "cli/commands.h"

#include "export/analysis_tables.h"
#include "export/dump.h"
#include "export/info_report.h"

namespace torchline::cli {

namespace {

Result<Table> computeTable(const TraceSnapshot& trace, const ResolvedScope* scope, const Options& options)
{
    const SliceMask* slices = scope ? &scope->slices : nullptr;
    if (options.command == Command::Ops) {
        const auto operators = operatorTable(trace, options.operators, slices);
        if (!operators)
            return operators.error();
        return makeTable(trace, *operators);
    }
    if (options.command == Command::Kernels) {
        const auto kernels = kernelTable(trace, options.kernelGroups, scope ? &scope->deviceWork : nullptr);
        if (!kernels)
            return kernels.error();
        return makeTable(trace, *kernels);
    }
    if (options.command == Command::Steps)
        return makeTable(trace, stepBreakdown(trace, slices));
    const auto memory = memoryInScope(trace, scope);
    if (!memory)
        return memory.error();
    return makeTable(trace, *memory);
}

Result<Answer> answerTable(const TraceSnapshot& trace, const ResolvedScope* scope, const Options& options)
{
    auto table = computeTable(trace, scope, options);
    if (!table)
        return table.error();
    auto order = defaultSort(*table);
    if (options.sort) {
        const auto asked = parseSortOrder(*table, *options.sort);
        if (!asked)
            return asked.error().within("--sort");
        order = *asked;
    }
    if (order)
        sortTable(*table, *order);
    limitTable(*table, options.limit);
    return Answer([table = std::move(*table), format = options.format](std::ostream& out) {
        writeTable(table, format, out);
        return Status();
    });
}

Result<Answer> answerInfo(const TraceSnapshot& trace, const ResolvedScope* scope, const Options& options)
{
    auto report = infoReport(trace, scope);
    if (!report)
        return report.error();
    const bool isJson = options.format == TableFormat::Json;
    return Answer([report = std::move(*report), isJson](std::ostream& out) {
        if (isJson)
            writeInfoJson(report, out);
        else
            writeInfoText(report, out);
        return Status();
    });
}

} // namespace

Result<Answer> answerTo(const TraceSnapshot& trace, const ResolvedScope* scope, const Options& options)
{
    if (options.command == Command::Info)
        return answerInfo(trace, scope, options);
    if (options.command != Command::Dump)
        return answerTable(trace, scope, options);
    return Answer([&trace, scope, form = DumpOptions{options.isLines, options.withPoints}](
                      std::ostream& out) { return writeDump(trace, scope, form, out); });
}

} // namespace torchline::cli
