#include "operators/kernel_pane.h"

#include "export/analysis_tables.h"
#include "operators/column_help.h"
#include "operators/group_keys.h"

#include <QMenu>

#include <algorithm>
#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array kOffered{
    GroupKey::Device, GroupKey::Stream, GroupKey::Op, GroupKey::Shape, GroupKey::File, GroupKey::Rank};

Result<PaneResult> compute(const PaneInput& input, const std::vector<GroupKey>& groupBy, std::stop_token stop)
{
    const TraceSnapshot& trace = *input.trace;
    const Result<std::optional<ResolvedScope>> part = resolvePart(trace, input.scope, stop);
    if (!part)
        return part.error();
    const std::optional<ResolvedScope>& scope = *part;
    Result<KernelTable> kernels = kernelTable(trace, groupBy, scope ? &scope->deviceWork : nullptr, stop);
    if (!kernels)
        return kernels.error();

    PaneResult result;
    result.table = makeTable(trace, *kernels);
    const WorkClasses& classes = input.facts->workClasses();
    std::vector<SliceRef> firsts;
    for (const KernelRow& row : kernels->rows) {
        firsts.push_back(row.first);
        result.classes.push_back(classes.of(trace, row.first));
    }
    result.footer.title
        = formatCounted(static_cast<int64_t>(kernels->rows.size()), KernelPane::tr("row"), KernelPane::tr("rows"));
    result.footer.cells = {
        {"calls", columnSum(result.table, "calls")},
        {"total_us", TimeCell{kernels->totalNs}},
        {"total_percent", kernels->totalNs != 0 ? Cell(HundredthsCell{10'000}) : Cell()},
        {"bytes", columnSum(result.table, "bytes")},
    };
    result.links = std::make_shared<const SummedRowLinks>(input.trace, kernels->sliceRows, std::move(firsts));
    return result;
}

} // namespace

KernelPane::KernelPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : TablePane(state, themes, parent)
{
    setTitle(tr("Kernels"));
    dataTable()->model()->setColumnHelp([](const std::string& key) { return columnHelp("kernels", key); });
    ColumnPolicy policy;
    policy.always = {"calls", "total_us", "total_percent", "avg_us", "min_us", "max_us"};
    policy.shown = {"kind", "bytes", "gbps", "occupancy_percent"};
    policy.leave
        = {"kind", "gbps", "bytes", "occupancy_percent", "min_us", "max_us", "avg_us", "total_percent", "calls"};
    dataTable()->setColumnPolicy(std::move(policy));
    setGroupText(groupText({}));
}

void KernelPane::setGroupBy(std::vector<GroupKey> keys)
{
    m_groupBy = std::move(keys);
    setGroupText(groupText(m_groupBy));
    invalidate();
}

TablePane::Work KernelPane::work(PaneInput input) const
{
    return [input = std::move(input), groupBy = m_groupBy](
               std::stop_token stop) { return compute(input, groupBy, std::move(stop)); };
}

EmptyText KernelPane::emptyText(const TraceSnapshot&) const
{
    return {tr("No device work in this trace"),
        tr("Record with ProfilerActivity.CUDA (ROCm too) or ProfilerActivity.XPU on a machine with a GPU."), {},
        u"chip"_s};
}

QString KernelPane::busyText() const
{
    if (std::find(m_groupBy.begin(), m_groupBy.end(), GroupKey::Shape) != m_groupBy.end())
        return tr("reading the arguments of the operators…");
    return tr("summing device work…");
}

QString KernelPane::scopeRule() const
{
    return tr("Device work is in the scope when its launch call starts in it (without one: when it starts in it), and "
              "counts whole.");
}

void KernelPane::fillGroupMenu(QMenu* menu)
{
    addGroupActions(menu, kOffered, m_groupBy, [this](std::vector<GroupKey> keys) { setGroupBy(std::move(keys)); });
}

QJsonObject KernelPane::saveState() const
{
    QJsonObject saved = TablePane::saveState();
    saved.insert(u"groupBy"_s, groupKeysToJson(m_groupBy));
    return saved;
}

void KernelPane::restoreState(const QJsonObject& saved)
{
    TablePane::restoreState(saved);
    setGroupBy(groupKeysFromJson(saved.value(u"groupBy"_s).toArray(), kOffered));
}

} // namespace torchline
