#include "operators/slice_pane.h"

#include "export/analysis_tables.h"
#include "operators/column_help.h"

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRestMs = 120;

Result<PaneResult> compute(const PaneInput& input, std::stop_token stop)
{
    const TraceSnapshot& trace = *input.trace;
    std::optional<ResolvedScope> scope;
    if (!input.scope.isWhole()) {
        Result<ResolvedScope> resolved = resolveScope(trace, input.scope, stop);
        if (!resolved)
            return resolved.error();
        scope = std::move(*resolved);
    }
    const NameTotals names = nameTotals(trace, scope ? &scope->slices : nullptr, stop);
    if (stop.stop_requested())
        return Error(ErrorCode::Cancelled, "cancelled");
    PaneResult result;
    result.table = makeTable(trace, names);
    const WorkClasses& classes = input.facts->workClasses();
    std::vector<SliceRef> firsts;
    for (const NameRow& row : names.rows) {
        firsts.push_back(row.first);
        result.classes.push_back(classes.of(trace, row.first));
    }
    result.footer.title
        = formatCounted(static_cast<int64_t>(names.rows.size()), SlicePane::tr("name"), SlicePane::tr("names"));
    result.footer.cells = {{"calls", names.calls}, {"total_us", TimeCell{names.totalNs}}};
    result.links = std::make_shared<const SummedRowLinks>(input.trace, names.sliceRows, std::move(firsts));
    return result;
}

} // namespace

SlicePane::SlicePane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : TablePane(state, themes, parent)
{
    setAccessibleName(tr("Slices"));
    dataTable()->view()->setAccessibleName(tr("Slices"));
    dataTable()->model()->setColumnHelp([](const std::string& key) { return columnHelp("slices", key); });
    ColumnPolicy policy;
    policy.always = {"kind", "calls", "total_us", "avg_us", "min_us", "median_us", "max_us"};
    policy.leave = {"kind", "min_us", "avg_us", "median_us", "max_us", "calls"};
    dataTable()->setColumnPolicy(std::move(policy));
    head()->setParts(true, false, true);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &SlicePane::invalidate);
    connect(state, &ViewState::rangeChanged, &m_rest, qOverload<>(&QTimer::start));
    connect(state, &ViewState::sliceListRequested, this, &SlicePane::listSlices);
}

/// A condition that a person typed over is theirs to take back.
void SlicePane::listSlices(const QString& condition)
{
    if (condition.isEmpty() && filter() != m_listed)
        return;
    m_listed = condition;
    setFilter(condition);
}

TablePane::Work SlicePane::work(PaneInput input) const
{
    return [input = std::move(input)](std::stop_token stop) { return compute(input, std::move(stop)); };
}

EmptyText SlicePane::emptyText(const TraceSnapshot&) const
{
    return {tr("No slices in this trace"), tr("The file holds no complete events with a duration."), {}, u"file"_s};
}

QString SlicePane::busyText() const
{
    return tr("summing slices by name…");
}

QString SlicePane::scopeRule() const
{
    return tr("A slice is in when it starts in the range, and counts whole.");
}

Scope SlicePane::ownScope() const
{
    Scope scope = state()->scope();
    if (state()->range())
        scope.range = state()->range();
    return scope;
}

std::vector<PaneHead::Chip> SlicePane::chips() const
{
    std::vector<PaneHead::Chip> chips;
    if (state()->range())
        chips.push_back({tr("drawn range %1").arg(formatDuration(state()->range()->spanNs())), scopeRule(),
            [state = state()] { state->setRange(std::nullopt); }});
    for (PaneHead::Chip& chip : TablePane::chips())
        chips.push_back(std::move(chip));
    return chips;
}

void SlicePane::clearScope()
{
    state()->setRange(std::nullopt);
    TablePane::clearScope();
}

} // namespace torchline
