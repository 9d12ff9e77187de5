#include "operators/step_pane.h"

#include "analysis/step_breakdown.h"
#include "export/analysis_tables.h"
#include "operators/column_help.h"

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class StepLinks : public RowLinks {
public:
    StepLinks(TracePtr trace, const std::vector<StepRow>& rows)
        : m_trace(std::move(trace))
    {
        for (const StepRow& row : rows)
            m_marks.push_back(row.mark);
    }

    [[nodiscard]] Result<SliceMask> slicesOf(std::span<const uint32_t> rows, std::stop_token) const override
    {
        SliceMask mask(*m_trace);
        for (const uint32_t row : rows)
            mask.insert(m_marks[row].slice);
        return mask;
    }

    /// The step of the same file that the slice, or the call that launched it, starts in.
    [[nodiscard]] std::optional<uint32_t> rowOf(SliceRef slice) const override
    {
        const SliceRef call = isDeviceWork(m_trace->kind(slice)) ? m_trace->callOf(slice) : SliceRef{};
        const int64_t startNs = m_trace->startNs(call.isValid() ? call : slice);
        const uint32_t file = m_trace->lane(slice.lane).fileIndex();
        for (size_t row = 0; row < m_marks.size(); ++row) {
            const StepMark& mark = m_marks[row];
            if (mark.slice == slice
                || (mark.range.contains(startNs) && m_trace->lane(mark.slice.lane).fileIndex() == file))
                return static_cast<uint32_t>(row);
        }
        return std::nullopt;
    }

    [[nodiscard]] SliceRef firstOf(uint32_t row) const override { return m_marks[row].slice; }

private:
    TracePtr m_trace;
    std::vector<StepMark> m_marks;
};

Result<PaneResult> compute(const PaneInput& input, std::stop_token stop)
{
    const TraceSnapshot& trace = *input.trace;
    const Result<std::optional<ResolvedScope>> part = resolvePart(trace, input.scope, stop);
    if (!part)
        return part.error();
    const std::optional<ResolvedScope>& scope = *part;
    const std::vector<StepRow> steps = stepBreakdown(trace, scope ? &scope->slices : nullptr, stop);

    PaneResult result;
    result.table = makeTable(trace, steps);
    result.footer.title
        = formatCounted(static_cast<int64_t>(steps.size()), StepPane::tr("step"), StepPane::tr("steps"));
    for (const Column& column : result.table.columns) {
        if (column.unit == ColumnUnit::Time && column.key != "start_us")
            result.footer.cells.emplace_back(column.key, columnSum(result.table, column.key));
    }
    result.links = std::make_shared<const StepLinks>(input.trace, steps);
    return result;
}

} // namespace

StepPane::StepPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : TablePane(state, themes, parent)
{
    setTitle(tr("Steps"));
    dataTable()->model()->setColumnHelp([](const std::string& key) { return columnHelp("steps", key); });
    ColumnPolicy policy;
    policy.always = {"start_us", "dur_us"};
    policy.shown = {"kernel_us", "memcpy_us", "memset_us", "communication_us", "runtime_us", "dataloader_us",
        "cpu_exec_us", "other_us", "file"};
    policy.leave = {"file", "memset_us", "memcpy_us", "start_us", "runtime_us", "dataloader_us", "communication_us",
        "other_us", "cpu_exec_us"};
    dataTable()->setColumnPolicy(std::move(policy));
    head()->setParts(true, false, true);
}

TablePane::Work StepPane::work(PaneInput input) const
{
    return [input = std::move(input)](std::stop_token stop) { return compute(input, std::move(stop)); };
}

EmptyText StepPane::emptyText(const TraceSnapshot&) const
{
    return {tr("No profiler steps in this trace"),
        tr("Call prof.step() after each iteration: torch.profiler then writes ProfilerStep marks."), {}, u"clock"_s};
}

QString StepPane::busyText() const
{
    return tr("splitting the time of the steps…");
}

QString StepPane::scopeRule() const
{
    return tr("A step is in the scope when its host mark starts in it; its time counts whole.");
}

QString StepPane::activateText() const
{
    return tr("Go to the step");
}

void StepPane::activateRow(uint32_t sourceRow)
{
    const SliceRef mark = firstOf(sourceRow);
    if (!mark.isValid())
        return;
    const TraceSnapshot& trace = *state()->trace();
    state()->select(mark);
    state()->goTo({trace.startNs(mark), trace.endNs(mark)});
}

} // namespace torchline
