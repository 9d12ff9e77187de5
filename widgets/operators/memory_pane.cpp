#include "operators/memory_pane.h"

#include "analysis/memory.h"
#include "export/analysis_tables.h"
#include "operators/column_help.h"

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

Result<std::vector<MemorySeries>> seriesOf(const TraceSnapshot& trace, const Scope& scope, std::stop_token stop)
{
    if (scope.isWhole())
        return memorySeries(trace);
    const Result<ResolvedScope> resolved = resolveScope(trace, scope, stop);
    if (!resolved)
        return resolved.error();
    std::vector<MarkerScope> markers;
    for (uint32_t file = 0; file < trace.files().size(); ++file) {
        Result<MarkerScope> marker = resolveMarkers(trace, *resolved, file);
        if (!marker)
            return marker.error();
        markers.push_back(std::move(*marker));
    }
    return memorySeriesWhere(trace, [&](uint32_t file, size_t sample) { return markers[file].memory[sample]; });
}

} // namespace

MemoryPane::MemoryPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : TablePane(state, themes, parent)
{
    setTitle(tr("Memory"));
    dataTable()->model()->setColumnHelp([](const std::string& key) { return columnHelp("memory", key); });
    ColumnPolicy policy;
    policy.always = {"label", "samples", "min_bytes", "max_bytes", "last_bytes", "peak_at_us"};
    policy.shown = {"reserved_max_bytes", "file"};
    policy.leave = {"file", "min_bytes", "samples", "last_bytes", "peak_at_us", "reserved_max_bytes", "label"};
    dataTable()->setColumnPolicy(std::move(policy));
    head()->setParts(true, false, true);
}

TablePane::Work MemoryPane::work(PaneInput input) const
{
    return [input = std::move(input)](std::stop_token stop) -> Result<PaneResult> {
        const Result<std::vector<MemorySeries>> series = seriesOf(*input.trace, input.scope, std::move(stop));
        if (!series)
            return series.error();
        PaneResult result;
        result.table = makeTable(*input.trace, *series);
        result.footer.title
            = formatCounted(static_cast<int64_t>(series->size()), MemoryPane::tr("device"), MemoryPane::tr("devices"));
        return result;
    };
}

EmptyText MemoryPane::emptyText(const TraceSnapshot&) const
{
    return {tr("No memory records in this trace"), tr("Record with profile_memory=True."), {}, u"chip"_s};
}

QString MemoryPane::scopeRule() const
{
    return tr("A memory record is in the scope when its time is; totals are those the records state.");
}

QString MemoryPane::activateText() const
{
    return tr("Go to the peak");
}

void MemoryPane::activateRow(uint32_t sourceRow)
{
    const std::optional<TimeCell> peak = [&]() -> std::optional<TimeCell> {
        const std::optional<size_t> column = table()->columnOf("peak_at_us");
        for (size_t row = 0; row < table()->rows.size(); ++row) {
            if (table()->sourceRows[row] == sourceRow)
                return std::get<TimeCell>(table()->rows[row][*column]);
        }
        return std::nullopt;
    }();
    if (!peak)
        return;
    const int64_t half = state()->visible().spanNs() / 2;
    state()->goTo({subSaturated(peak->ns, half), addSaturated(peak->ns, half)});
    state()->setCursor(peak->ns);
}

} // namespace torchline
