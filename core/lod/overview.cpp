#include "lod/overview.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>

namespace torchline::lod {

namespace {

constexpr size_t kClasses = static_cast<size_t>(WorkClass::Count);
constexpr uint32_t kPiecesBetweenChecks = 1u << 14;

/// Time by column, added from pieces whose starts rise.
class Columns {
public:
    Columns(TimeRange range, int64_t columnNs)
        : m_range(range)
        , m_columnNs(columnNs)
        , m_busyNs(static_cast<size_t>((range.spanNs() - 1) / columnNs + 1))
        , m_byClass(m_busyNs.size())
    {
    }

    [[nodiscard]] TimeRange range() const { return m_range; }

    /// Calls visit(column, ns) for what of [beginNs, endNs) lies in each column; at least 1 ns of each piece counts.
    template <typename Visit> void split(int64_t beginNs, int64_t endNs, Visit visit) const
    {
        endNs = std::max(endNs, addSaturated(beginNs, 1));
        beginNs = std::max(beginNs, m_range.beginNs);
        endNs = std::min(endNs, m_range.endNs);
        if (beginNs >= endNs)
            return;
        auto column = static_cast<size_t>((beginNs - m_range.beginNs) / m_columnNs);
        int64_t edge = m_range.beginNs + static_cast<int64_t>(column) * m_columnNs;
        while (edge < endNs) {
            const int64_t next = edge + std::min(m_columnNs, m_range.endNs - edge);
            visit(column, std::min(endNs, next) - std::max(beginNs, edge));
            ++column;
            edge = next;
        }
    }

    /// Time that counts as busy: no instant of one source twice.
    int64_t addBusy(int64_t beginNs, int64_t endNs)
    {
        int64_t added = 0;
        split(beginNs, endNs, [&](size_t column, int64_t ns) {
            m_busyNs[column] += ns;
            added += ns;
        });
        return added;
    }
    void addClass(int64_t beginNs, int64_t endNs, uint8_t cls)
    {
        split(beginNs, endNs, [&](size_t column, int64_t ns) { m_byClass[column][cls] += ns; });
    }

    [[nodiscard]] std::vector<DensityColumn> resolve(uint32_t sources) const
    {
        constexpr double kWhole = 65535;
        std::vector<DensityColumn> out(m_busyNs.size());
        for (size_t c = 0; c < out.size(); ++c) {
            const int64_t left = m_range.spanNs() - static_cast<int64_t>(c) * m_columnNs;
            const double whole = static_cast<double>(std::min(left, m_columnNs)) * sources;
            const double share = static_cast<double>(m_busyNs[c]) / whole;
            out[c].share = static_cast<uint16_t>(std::min(share * kWhole + 0.5, kWhole));
            if (m_busyNs[c] > 0 && out[c].share == 0)
                out[c].share = 1;
            out[c].cls = static_cast<WorkClass>(std::ranges::max_element(m_byClass[c]) - m_byClass[c].begin());
        }
        return out;
    }

private:
    TimeRange m_range;
    int64_t m_columnNs;
    std::vector<int64_t> m_busyNs;
    std::vector<std::array<int64_t, kClasses>> m_byClass;
};

void addClasses(Columns& columns, const BusyRow& busy, const std::stop_token& stop)
{
    for (uint32_t k = 0; k < busy.size(); ++k) {
        if (k % kPiecesBetweenChecks == 0 && stop.stop_requested())
            return;
        const int64_t start = busy.startNs(k);
        columns.addClass(start, addSaturated(start, busy.durationNs(k)), busy.classIndex(k));
    }
}

/// Time in which at least one of the rows is busy; each is sorted and free of overlaps.
int64_t addUnion(Columns& columns, const std::vector<const BusyRow*>& rows, const std::stop_token& stop)
{
    using Next = std::pair<int64_t, size_t>; // start, row
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    std::vector<uint32_t> at(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) {
        if (rows[r]->size() > 0)
            queue.emplace(rows[r]->startNs(0), r);
    }
    int64_t busyNs = 0;
    int64_t endNs = kMinNs;
    uint32_t pieces = 0;
    while (!queue.empty()) {
        if (++pieces % kPiecesBetweenChecks == 0 && stop.stop_requested())
            return 0;
        const auto [start, r] = queue.top();
        queue.pop();
        const int64_t end = addSaturated(start, std::max<int64_t>(rows[r]->durationNs(at[r]), 1));
        if (end > endNs) {
            busyNs += columns.addBusy(std::max(start, endNs), end);
            endNs = end;
        }
        if (++at[r] < rows[r]->size())
            queue.emplace(rows[r]->startNs(at[r]), r);
    }
    return busyNs;
}

constexpr uint16_t bitOf(SliceKind kind)
{
    return static_cast<uint16_t>(1u << static_cast<unsigned>(kind));
}

/// What a lane must hold to say whether its process is busy, from the first that some lane has. Threads of nothing but
/// Python frames mostly wait, and Kineto writes windows of the profiler as processes of their own ("Spans", "Traces"):
/// they cover everything and say nothing.
constexpr std::array<uint16_t, 3> kHostWork{
    static_cast<uint16_t>(bitOf(SliceKind::CpuOp) | bitOf(SliceKind::Runtime) | bitOf(SliceKind::Driver)),
    bitOf(SliceKind::PythonFunction), 0xFFFF};

std::vector<const BusyRow*> hostRows(const TimelineIndex& index, const ProcessGroup& group, uint16_t kinds)
{
    std::vector<const BusyRow*> rows;
    for (const LaneId lane : group.lanes) {
        if (!index.trace().lane(lane).isDevice() && (index.kinds(lane) & kinds) != 0)
            rows.push_back(&index.busy(lane));
    }
    return rows;
}

} // namespace

std::optional<double> StepBar::busyShare() const
{
    const int64_t wholeNs = durationNs();
    if (devices == 0 || wholeNs <= 0)
        return std::nullopt;
    return std::min(1.0, static_cast<double>(busyNs) / (static_cast<double>(wholeNs) * devices));
}

std::shared_ptr<const Overview> Overview::build(
    const TimelineIndex& index, std::span<const StepMark> steps, std::stop_token stop)
{
    std::shared_ptr<Overview> overview(new Overview);
    overview->m_trace = index.traceRef();
    overview->m_range = index.trace().fitSpan();
    if (overview->m_range.isEmpty())
        overview->m_range.endNs = addSaturated(overview->m_range.beginNs, 1);
    overview->m_columnNs = (overview->m_range.spanNs() - 1) / static_cast<int64_t>(kMostColumns) + 1;
    overview->addHost(index, stop);
    overview->addDevices(index, stop);
    overview->addSteps(index, steps);
    return stop.stop_requested() ? nullptr : overview;
}

void Overview::addHost(const TimelineIndex& index, const std::stop_token& stop)
{
    for (const uint16_t kinds : kHostWork) {
        Columns columns(m_range, m_columnNs);
        DensityBand band;
        for (const ProcessGroup& group : index.trace().groups()) {
            const std::vector<const BusyRow*> rows = hostRows(index, group, kinds);
            if (rows.empty())
                continue;
            ++band.sources;
            band.busyNs += addUnion(columns, rows, stop);
            for (const BusyRow* row : rows)
                addClasses(columns, *row, stop);
        }
        if (band.sources == 0)
            continue;
        band.columns = columns.resolve(band.sources);
        m_bands.push_back(std::move(band));
        return;
    }
}

void Overview::addDevices(const TimelineIndex& index, const std::stop_token& stop)
{
    if (index.devices().empty())
        return;
    Columns columns(m_range, m_columnNs);
    DensityBand band;
    band.isDevice = true;
    band.sources = static_cast<uint32_t>(index.devices().size());
    if (band.sources == 1) {
        const DeviceBusy& device = index.devices().front();
        band.name = device.device;
        const std::string& label = index.trace().groups()[device.group].label;
        if (label.ends_with(' ' + band.name))
            band.title = label;
    }
    for (const DeviceBusy& device : index.devices()) {
        for (uint32_t k = 0; k < device.busy.size(); ++k) {
            if (k % kPiecesBetweenChecks == 0 && stop.stop_requested())
                return;
            band.busyNs += columns.addBusy(device.busy.startNs(k), device.busy.endNs(k));
        }
    }
    for (uint32_t lane = 0; lane < index.trace().lanes().size(); ++lane) {
        if (index.trace().lane(LaneId(lane)).isDevice())
            addClasses(columns, index.busy(LaneId(lane)), stop);
    }
    band.columns = columns.resolve(band.sources);
    m_bands.push_back(std::move(band));
}

void Overview::addSteps(const TimelineIndex& index, std::span<const StepMark> steps)
{
    const TraceSnapshot& trace = index.trace();
    std::map<int64_t, size_t> lastOfNumber;
    for (const StepMark& mark : steps) {
        const auto known = mark.number ? lastOfNumber.find(*mark.number) : lastOfNumber.end();
        if (known != lastOfNumber.end() && mark.range.beginNs < m_steps[known->second].range.endNs) {
            StepBar& bar = m_steps[known->second];
            ++bar.marks;
            bar.range.endNs = std::max(bar.range.endNs, mark.range.endNs);
            if (mark.range.spanNs() > bar.durationNs())
                bar.mark = mark;
            continue;
        }
        if (mark.number)
            lastOfNumber[*mark.number] = m_steps.size();
        m_steps.push_back({.mark = mark, .range = mark.range});
    }
    if (m_steps.empty())
        return;
    std::vector<int64_t> durations;
    for (StepBar& bar : m_steps) {
        durations.push_back(bar.durationNs());
        const uint32_t file = trace.lane(bar.mark.slice.lane).fileIndex();
        for (const DeviceBusy& device : index.devices()) {
            if (trace.groups()[device.group].fileIndex != file)
                continue;
            ++bar.devices;
            bar.busyNs = addSaturated(bar.busyNs, device.busy.coveredNs(bar.mark.range));
        }
    }
    const size_t half = durations.size() / 2;
    std::ranges::nth_element(durations, durations.begin() + static_cast<ptrdiff_t>(half));
    m_medianStepNs = durations[half];
    if (durations.size() % 2 == 0) {
        const int64_t below = *std::max_element(durations.begin(), durations.begin() + static_cast<ptrdiff_t>(half));
        m_medianStepNs = below + divideHalfEven(m_medianStepNs - below, 2);
    }
    for (StepBar& bar : m_steps)
        bar.isSlow = isSlowStep(bar.durationNs(), m_medianStepNs);
}

std::optional<size_t> Overview::stepAt(int64_t timeNs) const
{
    auto at = std::ranges::upper_bound(m_steps, timeNs, {}, [](const StepBar& bar) { return bar.range.beginNs; });
    while (at != m_steps.begin()) {
        --at;
        if (at->range.contains(timeNs))
            return static_cast<size_t>(at - m_steps.begin());
    }
    return std::nullopt;
}

} // namespace torchline::lod
