#include "lod/overview.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <queue>

namespace torchline::lod {

namespace {

constexpr uint32_t kPiecesBetweenChecks = 1u << 14;

/// Pieces [first, last) of a row lie in the window.
template <typename Row> std::pair<uint32_t, uint32_t> piecesIn(const Row& row, TimeRange window)
{
    const uint32_t first = RowIndex::firstEndingAfter(row, window.beginNs);
    return {first, std::max(first, RowIndex::firstStartingAt(row, window.endNs))};
}

void addClasses(DensitySums& sums, const BusyRow& busy, const std::stop_token& stop)
{
    const auto [first, last] = piecesIn(busy, sums.window());
    for (uint32_t k = first; k < last; ++k) {
        if (k % kPiecesBetweenChecks == 0 && stop.stop_requested())
            return;
        const int64_t start = busy.startNs(k);
        sums.addClass(start, addSaturated(start, busy.durationNs(k)), busy.classIndex(k));
    }
}

/// Time in which at least one of the rows is busy; each is sorted and free of overlaps.
void addUnion(DensitySums& sums, const std::vector<const BusyRow*>& rows, const std::stop_token& stop)
{
    using Next = std::pair<int64_t, size_t>; // start, row
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    std::vector<std::pair<uint32_t, uint32_t>> at(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) {
        at[r] = piecesIn(*rows[r], sums.window());
        if (at[r].first < at[r].second)
            queue.emplace(rows[r]->startNs(at[r].first), r);
    }
    int64_t endNs = kMinNs;
    uint32_t pieces = 0;
    while (!queue.empty()) {
        if (++pieces % kPiecesBetweenChecks == 0 && stop.stop_requested())
            return;
        const auto [start, r] = queue.top();
        queue.pop();
        uint32_t& k = at[r].first;
        const int64_t end = addSaturated(start, std::max<int64_t>(rows[r]->durationNs(k), 1));
        if (end > endNs) {
            sums.addBusy(std::max(start, endNs), end);
            endNs = end;
        }
        if (++k < at[r].second)
            queue.emplace(rows[r]->startNs(k), r);
    }
}

void addHostWork(DensitySums& sums, TimeRange window, const std::vector<std::vector<const BusyRow*>>& processes,
    const std::stop_token& stop)
{
    sums.setWindow(window);
    for (const std::vector<const BusyRow*>& rows : processes) {
        addUnion(sums, rows, stop);
        for (const BusyRow* row : rows)
            addClasses(sums, *row, stop);
    }
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

} // namespace

std::optional<double> StepBar::busyShare() const
{
    const int64_t wholeNs = durationNs();
    if (devices == 0 || wholeNs <= 0)
        return std::nullopt;
    return std::min(1.0, static_cast<double>(busyNs) / (static_cast<double>(wholeNs) * devices));
}

std::shared_ptr<Overview> Overview::begun(const TimelineIndex& index)
{
    std::shared_ptr<Overview> overview(new Overview);
    overview->m_trace = index.traceRef();
    overview->m_range = index.trace().fitSpan();
    if (overview->m_range.isEmpty())
        overview->m_range.endNs = addSaturated(overview->m_range.beginNs, 1);
    overview->m_columnNs = (overview->m_range.spanNs() - 1) / static_cast<int64_t>(kMostColumns) + 1;
    return overview;
}

std::shared_ptr<const Overview> Overview::build(
    const TimelineIndex& index, std::span<const StepMark> steps, std::stop_token stop)
{
    const std::shared_ptr<Overview> overview = begun(index);
    overview->addHost(index, stop);
    overview->addDevices(index, stop);
    overview->addSteps(index, steps);
    return stop.stop_requested() ? nullptr : overview;
}

std::shared_ptr<const Overview> Overview::grown(
    const TimelineIndex& index, std::span<const StepMark> steps, const Overview* before, const SnapshotDelta& delta)
{
    const std::shared_ptr<Overview> overview = begun(index);
    overview->m_columnNs = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(overview->m_columnNs)));
    overview->growHost(index, before, delta);
    overview->addDevices(index, {});
    overview->addSteps(index, steps);
    return overview;
}

/// By process; notes the lanes.
std::vector<Overview::Rows> Overview::chooseHostRows(const TimelineIndex& index)
{
    std::vector<Rows> processes;
    for (const uint16_t kinds : kHostWork) {
        for (const ProcessGroup& group : index.trace().groups()) {
            Rows rows;
            for (const LaneId lane : group.lanes) {
                if (index.trace().lane(lane).isDevice() || (index.kinds(lane) & kinds) == 0)
                    continue;
                rows.push_back(&index.busy(lane));
                m_hostLanes.push_back(lane);
            }
            if (!rows.empty())
                processes.push_back(std::move(rows));
        }
        if (!processes.empty())
            break;
    }
    return processes;
}

void Overview::addHost(const TimelineIndex& index, const std::stop_token& stop)
{
    const std::vector<Rows> processes = chooseHostRows(index);
    if (processes.empty())
        return;
    DensitySums sums(m_range.beginNs, m_columnNs);
    addHostWork(sums, m_range, processes, stop);
    DensityBand& band = m_bands.emplace_back();
    band.sources = static_cast<uint32_t>(processes.size());
    band.busyNs = sums.busyNs();
    band.columns = sums.resolve(m_range.endNs, band.sources);
}

int64_t Overview::sameUntilNs(const TimelineIndex& index, const Overview& before, const SnapshotDelta& delta) const
{
    int64_t sameNs = kMaxNs;
    size_t known = 0;
    for (const LaneId lane : m_hostLanes) {
        const BusyRow& busy = index.busy(lane);
        const std::optional<LaneId> earlier = delta.laneBefore(lane);
        const bool isKnown = earlier && std::ranges::find(before.m_hostLanes, *earlier) != before.m_hostLanes.end();
        known += isKnown ? 1 : 0;
        if (isKnown)
            sameNs = std::min(sameNs, busy.sameUntilNs());
        else if (busy.size() > 0)
            sameNs = std::min(sameNs, busy.startNs(0));
    }
    return known == before.m_hostLanes.size() ? sameNs : kMinNs;
}

void Overview::growHost(const TimelineIndex& index, const Overview* before, const SnapshotDelta& delta)
{
    constexpr int64_t kUnsettledNs = 250'000'000; // what comes late mostly is no older
    const std::vector<Rows> processes = chooseHostRows(index);
    if (processes.empty())
        return;
    DensitySums sums(m_range.beginNs, m_columnNs);
    int64_t doneNs = m_range.beginNs;
    if (before != nullptr) {
        const int64_t sameNs = sameUntilNs(index, *before, delta);
        std::ranges::copy_if(before->m_seals, std::back_inserter(m_seals), [&](const Seal& seal) {
            return seal.untilNs <= sameNs && seal.sums->beginNs() == m_range.beginNs && seal.untilNs < m_range.endNs;
        });
    }
    if (!m_seals.empty()) {
        sums = *m_seals.back().sums;
        sums.widenTo(m_columnNs);
        doneNs = m_seals.back().untilNs;
    }
    const int64_t sealNs = m_range.endNs - kUnsettledNs;
    if (sealNs > doneNs) {
        addHostWork(sums, {doneNs, sealNs}, processes, {});
        m_seals.push_back({sealNs, std::make_shared<const DensitySums>(sums)});
        doneNs = sealNs;
        thinSeals(m_range.endNs);
    }
    addHostWork(sums, {doneNs, m_range.endNs}, processes, {});
    DensityBand& band = m_bands.emplace_back();
    band.sources = static_cast<uint32_t>(processes.size());
    band.busyNs = sums.busyNs();
    band.columns = sums.resolve(m_range.endNs, band.sources);
}

/// Leaves few, each about twice as old as the one behind it: so one serves changes of any age.
void Overview::thinSeals(int64_t nowNs)
{
    std::vector<Seal> kept;
    for (size_t i = m_seals.size(); i-- > 0;) {
        const bool isBetween = i > 0 && !kept.empty();
        if (!isBetween || nowNs - m_seals[i - 1].untilNs > 2 * (nowNs - kept.back().untilNs))
            kept.push_back(m_seals[i]);
    }
    m_seals.assign(kept.rbegin(), kept.rend());
}

void Overview::addDevices(const TimelineIndex& index, const std::stop_token& stop)
{
    if (index.devices().empty())
        return;
    DensitySums sums(m_range.beginNs, m_columnNs);
    sums.setWindow(m_range);
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
            sums.addBusy(device.busy.startNs(k), device.busy.endNs(k));
        }
    }
    for (uint32_t lane = 0; lane < index.trace().lanes().size(); ++lane) {
        if (index.trace().lane(LaneId(lane)).isDevice())
            addClasses(sums, index.busy(LaneId(lane)), stop);
    }
    band.busyNs = sums.busyNs();
    band.columns = sums.resolve(m_range.endNs, band.sources);
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
