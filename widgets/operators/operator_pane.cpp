#include "operators/operator_pane.h"

#include "export/analysis_tables.h"
#include "operators/column_help.h"
#include "operators/group_keys.h"

#include <QActionGroup>
#include <QMenu>

#include <algorithm>
#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array kOffered{
    GroupKey::Shape, GroupKey::Stack, GroupKey::Thread, GroupKey::Process, GroupKey::File, GroupKey::Rank};

Result<OperatorTable> operatorsOf(
    const PaneInput& input, const SliceMask* scope, GrowingOperators& growing, const std::stop_token& stop)
{
    if (input.isGrowing && scope == nullptr)
        return growing.table(input.trace, stop);
    growing.forget();
    return operatorTable(*input.trace, growing.options(), scope, stop);
}

Result<PaneResult> compute(const PaneInput& input, GrowingOperators& growing, std::stop_token stop)
{
    const TraceSnapshot& trace = *input.trace;
    const Result<std::optional<ResolvedScope>> part = resolvePart(trace, input.scope, stop);
    if (!part)
        return part.error();
    const std::optional<ResolvedScope>& scope = *part;
    Result<OperatorTable> operators = operatorsOf(input, scope ? &scope->slices : nullptr, growing, stop);
    if (!operators)
        return operators.error();

    PaneResult result;
    result.table = makeTable(trace, *operators);
    const WorkClasses& classes = input.facts->workClasses();
    std::vector<SliceRef> firsts;
    for (const OperatorRow& row : operators->rows) {
        firsts.push_back(row.first);
        result.classes.push_back(row.first.isValid() ? classes.of(trace, row.first) : WorkClass::Op);
    }

    const auto whole = [](int64_t ns) { return ns != 0 ? Cell(HundredthsCell{10'000}) : Cell(); };
    result.footer.title = formatCounted(
        static_cast<int64_t>(operators->rows.size()), OperatorPane::tr("row"), OperatorPane::tr("rows"));
    result.footer.cells = {
        {"calls", columnSum(result.table, "calls")},
        {"self_cpu_us", TimeCell{operators->selfCpuTotalNs}},
        {"self_cpu_percent", whole(operators->selfCpuTotalNs)},
        {"self_cuda_us", TimeCell{operators->selfCudaTotalNs}},
        {"self_cuda_percent", whole(operators->selfCudaTotalNs)},
        {"self_cpu_mem_bytes", columnSum(result.table, "self_cpu_mem_bytes")},
        {"self_cuda_mem_bytes", columnSum(result.table, "self_cuda_mem_bytes")},
        {"flops", columnSum(result.table, "flops")},
    };
    result.links = std::make_shared<const SummedRowLinks>(input.trace, operators->sliceRows, std::move(firsts));
    return result;
}

} // namespace

OperatorPane::OperatorPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : TablePane(state, themes, parent)
{
    setTitle(tr("Operators"));
    dataTable()->model()->setColumnHelp([this](const std::string& key) {
        return columnHelp(options().totals == OperatorTotals::Once ? "once" : "ops", key);
    });
    ColumnPolicy policy;
    policy.always = {"calls", "self_cpu_us", "self_cpu_percent", "cpu_total_us", "cpu_avg_us"};
    policy.shown = {"self_cuda_us", "self_cuda_percent", "cuda_total_us", "cuda_avg_us", "cpu_mem_bytes",
        "self_cpu_mem_bytes", "cuda_mem_bytes", "self_cuda_mem_bytes", "flops", "kind"};
    policy.leave = {"flops", "cpu_mem_bytes", "cuda_mem_bytes", "self_cpu_mem_bytes", "self_cuda_mem_bytes", "kind",
        "cpu_avg_us", "cuda_avg_us", "cpu_total_us", "cuda_total_us", "self_cpu_percent", "calls", "self_cuda_percent"};
    dataTable()->setColumnPolicy(std::move(policy));
    setGroupText(groupText({}));
}

void OperatorPane::setOptions(const OperatorOptions& options)
{
    QString text = groupText(options.groupBy);
    if (options.totals == OperatorTotals::Once)
        text += u", "_s + tr("once");
    setGroupText(text);
    m_growing = std::make_shared<GrowingOperators>(options);
    invalidate();
}

TablePane::Work OperatorPane::work(PaneInput input) const
{
    return [input = std::move(input), growing = m_growing](
               std::stop_token stop) { return compute(input, *growing, std::move(stop)); };
}

EmptyText OperatorPane::emptyText(const TraceSnapshot&) const
{
    return {tr("No operators in this trace"), tr("Record with torch.profiler and ProfilerActivity.CPU."), {}, u"cpu"_s};
}

QString OperatorPane::busyText() const
{
    const auto readsArgs = [](GroupKey key) { return key == GroupKey::Shape || key == GroupKey::Stack; };
    if (std::any_of(options().groupBy.begin(), options().groupBy.end(), readsArgs))
        return tr("reading the arguments of all operators…");
    return tr("summing operators…");
}

void OperatorPane::fillGroupMenu(QMenu* menu)
{
    addGroupActions(menu, kOffered, options().groupBy, [this](std::vector<GroupKey> keys) {
        OperatorOptions options = m_growing->options();
        options.groupBy = std::move(keys);
        setOptions(options);
    });
    menu->addSeparator();
    auto* totals = new QActionGroup(menu);
    const auto add = [&](const QString& title, OperatorTotals value) {
        QAction* action = menu->addAction(title);
        action->setCheckable(true);
        action->setChecked(options().totals == value);
        totals->addAction(action);
        connect(action, &QAction::triggered, this, [this, value] {
            OperatorOptions options = m_growing->options();
            options.totals = value;
            setOptions(options);
        });
    };
    add(tr("Totals as torch.profiler sums them"), OperatorTotals::Torch);
    add(tr("Each instant counted once"), OperatorTotals::Once);
}

QJsonObject OperatorPane::saveState() const
{
    QJsonObject saved = TablePane::saveState();
    saved.insert(u"groupBy"_s, groupKeysToJson(options().groupBy));
    saved.insert(u"once"_s, options().totals == OperatorTotals::Once);
    return saved;
}

void OperatorPane::restoreState(const QJsonObject& saved)
{
    TablePane::restoreState(saved);
    OperatorOptions options = m_growing->options();
    options.groupBy = groupKeysFromJson(saved.value(u"groupBy"_s).toArray(), kOffered);
    options.totals = saved.value(u"once"_s).toBool() ? OperatorTotals::Once : OperatorTotals::Torch;
    setOptions(options);
}

} // namespace torchline
