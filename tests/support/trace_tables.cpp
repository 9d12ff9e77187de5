#include "trace_tables.h"

#include "export/analysis_tables.h"
#include "export/dump.h"
#include "export/info_report.h"

#include <sstream>

namespace torchline::test {

namespace {

std::string jsonOf(Table table)
{
    table.files.clear();
    std::ostringstream out;
    writeTable(table, TableFormat::Json, out);
    return out.str();
}

} // namespace

std::string tablesOf(const TraceSnapshot& trace)
{
    std::string all;
    for (const OperatorTotals totals : {OperatorTotals::Torch, OperatorTotals::Once}) {
        for (const std::vector<GroupKey>& keys : {std::vector<GroupKey>{}, {GroupKey::Shape}, {GroupKey::Thread}}) {
            OperatorOptions options;
            options.totals = totals;
            options.groupBy = keys;
            const Result<OperatorTable> table = operatorTable(trace, options);
            all += table ? jsonOf(makeTable(trace, *table)) : table.error().message();
        }
    }
    const Result<KernelTable> kernels = kernelTable(trace);
    all += kernels ? jsonOf(makeTable(trace, *kernels)) : kernels.error().message();
    all += jsonOf(makeTable(trace, memorySeries(trace)));
    return all + jsonOf(makeTable(trace, stepBreakdown(trace)));
}

std::string infoOf(const TraceSnapshot& trace)
{
    Result<InfoReport> report = infoReport(trace);
    if (!report)
        return report.error().message();
    for (InfoFile& file : report->files) {
        file.path.clear();
        file.member.reset();
        file.format.clear();
        file.compression.clear();
        file.sizeBytes = 0;
    }
    report->notices.clear();
    std::ostringstream out;
    writeInfoJson(*report, out);
    return out.str();
}

std::string dumpOf(const TraceSnapshot& trace)
{
    std::ostringstream out;
    const Status status = writeDump(trace, nullptr, {.isLines = true, .withPoints = true}, out);
    return status ? out.str() : status.error().message();
}

std::string difference(const std::string& a, const std::string& b)
{
    std::istringstream left(a);
    std::istringstream right(b);
    std::string leftLine;
    std::string rightLine;
    while (true) {
        const bool hasLeft = static_cast<bool>(std::getline(left, leftLine));
        const bool hasRight = static_cast<bool>(std::getline(right, rightLine));
        if (!hasLeft && !hasRight)
            return {};
        if (!hasLeft || !hasRight || leftLine != rightLine)
            return "\n- " + (hasLeft ? leftLine.substr(0, 600) : "") + "\n+ "
                + (hasRight ? rightLine.substr(0, 600) : "");
    }
}

} // namespace torchline::test
