#include "export/info_report.h"

#include "analysis/kernels.h"
#include "base/text.h"
#include "export/counter_figures.h"
#include "model/steps.h"

#include <algorithm>
#include <set>

namespace torchline {

namespace {

InfoFile describe(const FileStore& file)
{
    InfoFile out;
    out.path = toValidUtf8(file.info.path);
    if (file.info.member)
        out.member = toValidUtf8(*file.info.member);
    out.format = file.info.format;
    out.compression = file.info.compression;
    out.sizeBytes = file.info.sizeBytes;
    out.rank = file.info.rank;
    out.header = file.info.header;
    return out;
}

/// Counts of one pass over all slices, by file.
class SliceCounter {
public:
    SliceCounter(const TraceSnapshot& trace, const ResolvedScope* scope, InfoReport& report)
        : m_trace(trace)
        , m_scope(scope)
        , m_report(report)
        , m_isSeen(trace.strings().size(), false)
        , m_extent(trace.files().size())
    {
    }

    void run()
    {
        for (const LaneId id : m_trace.laneOrder()) {
            const InfoLane lane = countLane(id);
            if (lane.slices == 0)
                continue;
            InfoCounts& counts = m_report.files[lane.fileIndex].counts;
            counts.events += lane.slices;
            ++counts.threads;
            m_report.maxDepth = std::max(m_report.maxDepth, lane.maxDepth);
            m_report.lanes.push_back(lane);
        }
        for (const ProcessGroup& group : m_trace.groups()) {
            const bool carries = std::ranges::any_of(group.lanes, [&](LaneId id) { return m_carries.contains(id); });
            if (carries)
                ++m_report.files[group.fileIndex].counts.processes;
        }
        setSpans();
    }

private:
    struct Extent {
        bool isEmpty = true;
        int64_t beginNs = kMaxNs;
        int64_t endNs = kMinNs;
    };

    InfoLane countLane(LaneId id)
    {
        const Lane& lane = m_trace.lane(id);
        InfoLane out{m_trace.groupOf(id).label, std::string(m_trace.pid(id)), m_trace.laneLabel(id),
            std::string(m_trace.tid(id)), lane.fileIndex(), 0, 0};
        Extent& extent = m_extent[lane.fileIndex()];
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (m_scope && !m_scope->slices.contains({id, i}))
                continue;
            ++out.slices;
            out.maxDepth = std::max<uint64_t>(out.maxDepth, lane.depth(i));
            extent.isEmpty = false;
            extent.beginNs = std::min(extent.beginNs, lane.startNs(i));
            extent.endNs = std::max(extent.endNs, lane.endNs(i));
            const uint32_t name = lane.name(i).value();
            if (!m_isSeen[name]) {
                m_isSeen[name] = true;
                ++m_report.distinctNames;
            }
        }
        if (out.slices > 0)
            m_carries.insert(id);
        return out;
    }

    void setSpans()
    {
        Extent all;
        for (uint32_t i = 0; i < m_extent.size(); ++i) {
            const Extent& extent = m_extent[i];
            if (extent.isEmpty)
                continue;
            InfoFile& file = m_report.files[i];
            const FileStore& store = m_trace.file(i);
            const int64_t offsetNs = m_trace.fileOffsetNs(i);
            const TimeRange columns = m_scope
                ? TimeRange{subSaturated(extent.beginNs, offsetNs), subSaturated(extent.endNs, offsetNs)}
                : TimeRange{store.firstNs, store.lastNs};
            file.firstNs = addSaturated(columns.beginNs, store.info.originNs);
            file.lastNs = addSaturated(columns.endNs, store.info.originNs);
            file.offsetNs = extent.beginNs;
            file.spanNs = columns.spanNs();
            all.isEmpty = false;
            all.beginNs = std::min(all.beginNs, extent.beginNs);
            all.endNs = std::max(all.endNs, extent.endNs);
        }
        m_report.spanNs = all.isEmpty ? 0 : subSaturated(all.endNs, all.beginNs);
    }

    const TraceSnapshot& m_trace;
    const ResolvedScope* m_scope;
    InfoReport& m_report;
    std::vector<bool> m_isSeen; ///< by NameId
    std::vector<Extent> m_extent; ///< by file
    std::set<LaneId> m_carries;
};

uint64_t countArrows(const TraceSnapshot& trace, uint32_t fileIndex, const ResolvedScope* scope)
{
    if (!scope)
        return trace.file(fileIndex).links.arrows.size();
    uint64_t count = 0;
    trace.forEachArrow(fileIndex, [&](const Arrow& arrow) {
        if (scope->slices.contains(arrow.from) && scope->slices.contains(arrow.to))
            ++count;
    });
    return count;
}

uint64_t countSet(const std::vector<bool>& flags)
{
    return static_cast<uint64_t>(std::ranges::count(flags, true));
}

Status countMarkers(const TraceSnapshot& trace, const ResolvedScope* scope, InfoReport& report)
{
    std::set<NameId> counterNames;
    for (uint32_t i = 0; i < trace.files().size(); ++i) {
        const FileStore& file = trace.file(i);
        InfoCounts& counts = report.files[i].counts;
        if (!scope) {
            counts.instants = file.instants.size() + file.memory.size();
            counts.asyncSlices = file.asyncSlices.size();
            for (const Counter& counter : file.counters)
                counterNames.insert(counter.name);
            continue;
        }
        const auto markers = resolveMarkers(trace, *scope, i);
        if (!markers)
            return markers.error();
        counts.instants = countSet(markers->instants) + countSet(markers->memory);
        counts.asyncSlices = countSet(markers->asyncSlices);
        for (size_t k = 0; k < file.counters.size(); ++k) {
            if (markers->counters[k] && counterFigures(trace, i, file.counters[k], scope).records > 0)
                counterNames.insert(file.counters[k].name);
        }
    }
    report.counters = counterNames.size();
    return {};
}

void sumUp(InfoReport& report)
{
    for (const InfoFile& file : report.files) {
        report.counts.events += file.counts.events;
        report.counts.threads += file.counts.threads;
        report.counts.processes += file.counts.processes;
        report.counts.flows += file.counts.flows;
        report.counts.instants += file.counts.instants;
        report.counts.asyncSlices += file.counts.asyncSlices;
    }
}

void addDeviceTimes(const TraceSnapshot& trace, const ResolvedScope* scope, InfoReport& report)
{
    const DeviceTotals totals = deviceTotals(trace, scope ? &scope->deviceWork : nullptr);
    const bool severalFiles = trace.files().size() > 1;
    for (const DeviceTotals::Busy& busy : totals.busy) {
        report.files[busy.fileIndex].busy.emplace_back(busy.device, busy.busyNs);
        const std::string prefix = severalFiles ? std::to_string(busy.fileIndex) + '/' : std::string();
        report.busy.emplace_back(prefix + busy.device, busy.busyNs);
    }
    report.workSumNs = totals.workSumNs;
    report.unattributedNs = totals.unattributedNs;
}

} // namespace

std::vector<InfoNotice> allNotices(const TraceSnapshot& trace)
{
    std::vector<InfoNotice> out;
    for (const auto& file : trace.files()) {
        for (const Notice& notice : file->notices)
            out.push_back({notice, toValidUtf8(file->info.path)});
    }
    for (const Notice& notice : trace.notices())
        out.push_back({notice, toValidUtf8(trace.files().front()->info.path)});
    return out;
}

Result<InfoReport> infoReport(const TraceSnapshot& trace, const ResolvedScope* scope)
{
    InfoReport report;
    for (const auto& file : trace.files())
        report.files.push_back(describe(*file));
    SliceCounter(trace, scope, report).run();
    for (uint32_t i = 0; i < trace.files().size(); ++i)
        report.files[i].counts.flows = countArrows(trace, i, scope);
    if (Status status = countMarkers(trace, scope, report); !status)
        return status.error();
    sumUp(report);
    addDeviceTimes(trace, scope, report);
    report.fit = trace.fitSpan();
    for (const StepMark& mark : profilerSteps(trace)) {
        if (!scope || scope->slices.contains(mark.slice))
            report.stepNs.push_back(trace.durationNs(mark.slice));
    }
    report.notices = allNotices(trace);
    return report;
}

} // namespace torchline
