#include "query/scope.h"

#include "base/text.h"
#include "query/event_args.h"
#include "query/mark_ranges.h"
#include "query/query_matcher.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr TimeRange kAllTime{kMinNs, kMaxNs};

bool isInAny(const std::vector<TimeRange>& ranges, int64_t ns)
{
    const auto after = std::ranges::upper_bound(ranges, ns, {}, &TimeRange::beginNs);
    // The last nanosecond that there is counts as part of a range without an end.
    return after != ranges.begin() && (std::prev(after)->contains(ns) || std::prev(after)->endNs == kMaxNs);
}

Result<std::vector<bool>> filesInScope(const TraceSnapshot& trace, const Scope& scope)
{
    std::vector<bool> isIn(trace.files().size(), scope.files.empty());
    for (const uint32_t file : scope.files) {
        if (file >= isIn.size())
            return notInInput("file " + std::to_string(file), "0 to " + std::to_string(isIn.size() - 1));
        isIn[file] = true;
    }
    if (scope.ranks.empty())
        return isIn;
    std::string known;
    std::vector<int64_t> ranks;
    for (const auto& file : trace.files()) {
        if (file->info.rank && std::ranges::find(ranks, *file->info.rank) == ranks.end()) {
            ranks.push_back(*file->info.rank);
            known += (known.empty() ? "" : ", ") + std::to_string(ranks.back());
        }
    }
    for (const int64_t rank : scope.ranks) {
        if (std::ranges::find(ranks, rank) == ranks.end())
            return notInInput("rank " + std::to_string(rank), known.empty() ? "none: the files state no rank" : known);
    }
    for (size_t i = 0; i < isIn.size(); ++i) {
        const auto rank = trace.files()[i]->info.rank;
        isIn[i] = isIn[i] && rank && std::ranges::find(scope.ranks, *rank) != scope.ranks.end();
    }
    return isIn;
}

/// Slices that start in the ranges of their file, lane by lane: starts of a lane ascend.
SliceMask slicesIn(const TraceSnapshot& trace, const std::vector<std::vector<TimeRange>>& ranges)
{
    SliceMask mask(trace);
    for (uint32_t laneIndex = 0; laneIndex < trace.lanes().size(); ++laneIndex) {
        const Lane& lane = trace.lanes()[laneIndex];
        for (const TimeRange& range : ranges[lane.fileIndex()]) {
            const uint32_t end = range.endNs == kMaxNs ? lane.size() : lane.lowerBound(range.endNs);
            for (uint32_t i = lane.lowerBound(range.beginNs); i < end; ++i)
                mask.insert({LaneId(laneIndex), i});
        }
    }
    return mask;
}

SliceMask deviceWorkIn(const TraceSnapshot& trace, const std::vector<std::vector<TimeRange>>& ranges)
{
    SliceMask mask(trace);
    for (uint32_t fileIndex = 0; fileIndex < trace.files().size(); ++fileIndex) {
        for (const DeviceLink& link : trace.file(fileIndex).links.device) {
            const SliceRef work = trace.toGlobal(fileIndex, link.work);
            const SliceRef counted = link.call.isValid() ? trace.toGlobal(fileIndex, link.call) : work;
            if (isInAny(ranges[fileIndex], trace.startNs(counted)))
                mask.insert(work);
        }
    }
    return mask;
}

/// Answers the filter for a list of markers; reads arguments once for those that need them.
class MarkerFilter {
public:
    MarkerFilter(const TraceSnapshot& trace, const ResolvedScope& scope, uint32_t fileIndex)
        : m_trace(trace)
        , m_scope(scope)
        , m_fileIndex(fileIndex)
        , m_matcher(scope.filter, trace)
    {
    }

    /// recordOf(entry) -> QueryRecord, partsOf(entry) -> EventParts
    template <typename Entries, typename RecordOf, typename PartsOf>
    Result<std::vector<bool>> flags(const Entries& entries, const RecordOf& recordOf, const PartsOf& partsOf)
    {
        std::vector<bool> isIn(entries.size(), false);
        std::vector<size_t> open;
        std::vector<EventParts> parts;
        for (size_t i = 0; i < entries.size(); ++i) {
            const QueryRecord record = recordOf(entries[i]);
            if (record.startNs ? !m_scope.containsTime(m_fileIndex, *record.startNs) : !isTimeless())
                continue;
            const QueryAnswer answer = m_matcher.matches(record);
            isIn[i] = answer == QueryAnswer::Yes;
            if (answer == QueryAnswer::NeedsArgs) {
                open.push_back(i);
                parts.push_back(partsOf(entries[i]));
            }
        }
        if (open.empty())
            return isIn;
        const Status status = argsOfEvents(m_trace.file(m_fileIndex), parts, [&](size_t k, ArgList&& args) {
            isIn[open[k]] = m_matcher.matches(recordOf(entries[open[k]]), &args) == QueryAnswer::Yes;
        });
        if (!status)
            return status.error();
        return isIn;
    }

    /// Whether what has no time is in: only if nothing asks for a time.
    [[nodiscard]] bool isTimeless() const
    {
        const std::vector<TimeRange>& ranges = m_scope.ranges[m_fileIndex];
        return ranges.size() == 1 && ranges.front() == kAllTime;
    }

private:
    const TraceSnapshot& m_trace;
    const ResolvedScope& m_scope;
    uint32_t m_fileIndex;
    QueryMatcher m_matcher;
};

} // namespace

bool ResolvedScope::containsTime(uint32_t fileIndex, int64_t ns) const
{
    return isInAny(ranges[fileIndex], ns);
}

Result<ResolvedScope> resolveScope(const TraceSnapshot& trace, const Scope& scope, std::stop_token stop)
{
    auto filter = Query::parse(scope.filter);
    if (!filter) {
        const QueryFault& fault = filter.error();
        return Error(ErrorCode::Usage,
            "the filter is wrong at byte " + std::to_string(fault.begin + 1) + ": " + escapeControls(fault.message));
    }
    auto files = filesInScope(trace, scope);
    if (!files)
        return files.error();
    FileRanges ranges(trace.files().size(), {kAllTime});
    const auto narrow = [&ranges](const FileRanges& marks) {
        for (size_t i = 0; i < ranges.size(); ++i)
            ranges[i] = commonRanges(ranges[i], marks[i]);
    };
    if (scope.range)
        narrow(FileRanges(ranges.size(), {*scope.range}));
    if (scope.step) {
        const auto marks = stepRanges(trace, *scope.step);
        if (!marks)
            return marks.error();
        narrow(*marks);
    }
    if (scope.annotation) {
        const auto marks = annotationRanges(trace, *scope.annotation);
        if (!marks)
            return marks.error();
        narrow(*marks);
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
        if (!(*files)[i])
            ranges[i].clear();
    }
    SliceMask slices = slicesIn(trace, ranges);
    SliceMask deviceWork = deviceWorkIn(trace, ranges);
    if (!filter->matchesAll()) {
        const auto mask = filter->evaluate(trace, std::move(stop));
        if (!mask)
            return mask.error();
        slices.intersect(*mask);
        deviceWork.intersect(*mask);
    }
    return ResolvedScope{
        std::move(slices), std::move(deviceWork), std::move(ranges), std::move(*files), std::move(*filter)};
}

Result<std::optional<ResolvedScope>> resolvePart(const TraceSnapshot& trace, const Scope& scope, std::stop_token stop)
{
    if (scope.isWhole())
        return std::optional<ResolvedScope>();
    Result<ResolvedScope> resolved = resolveScope(trace, scope, std::move(stop));
    if (!resolved)
        return resolved.error();
    return std::optional(std::move(*resolved));
}

Result<MarkerScope> resolveMarkers(const TraceSnapshot& trace, const ResolvedScope& scope, uint32_t fileIndex)
{
    const FileStore& file = trace.file(fileIndex);
    const int64_t offsetNs = trace.fileOffsetNs(fileIndex);
    MarkerFilter filter(trace, scope, fileIndex);
    const auto record = [&](NameId name, std::string_view category, NameId pid, NameId tid) {
        QueryRecord out;
        out.fileIndex = fileIndex;
        out.name = name;
        out.category = category;
        out.pid = pid;
        out.tid = tid;
        return out;
    };
    const auto ownParts = [](const auto& event) { return EventParts{event.eventOffset, event.eventOffset}; };

    auto memory = filter.flags(
        file.memory,
        [&](const MemorySample& sample) {
            const MemoryOrigin& origin = file.memoryOrigins[sample.origin];
            QueryRecord out
                = record(origin.name, trace.categoryText(fileIndex, origin.category), origin.pid, origin.tid);
            out.startNs = addSaturated(sample.timeNs, offsetNs);
            out.bytes = sample.bytes;
            if (origin.deviceId >= 0)
                out.device = std::to_string(origin.deviceId);
            return out;
        },
        ownParts);
    if (!memory)
        return memory.error();
    auto instants = filter.flags(
        file.instants,
        [&](const Instant& instant) {
            QueryRecord out
                = record(instant.name, trace.categoryText(fileIndex, instant.category), instant.pid, instant.tid);
            if (instant.hasTime)
                out.startNs = addSaturated(instant.timeNs, offsetNs);
            return out;
        },
        ownParts);
    if (!instants)
        return instants.error();
    auto asyncSlices = filter.flags(
        file.asyncSlices,
        [&](const AsyncSlice& slice) {
            QueryRecord out = record(slice.name, trace.categoryText(fileIndex, slice.category), slice.pid, {});
            out.startNs = addSaturated(slice.startNs, offsetNs);
            out.durationNs = slice.durationNs;
            out.isUnfinished = slice.isUnfinished;
            return out;
        },
        [](const AsyncSlice& slice) {
            return EventParts{slice.eventOffset, slice.endOffset};
        });
    if (!asyncSlices)
        return asyncSlices.error();
    std::vector<bool> counters;
    QueryMatcher matcher(scope.filter, trace);
    for (const Counter& counter : file.counters) {
        const ArgList none; // the arguments of a counter are its series
        const QueryAnswer answer = matcher.matches(record(counter.name, {}, counter.pid, {}), &none);
        counters.push_back(scope.files[fileIndex] && answer == QueryAnswer::Yes);
    }
    return MarkerScope{std::move(*memory), std::move(*instants), std::move(*asyncSlices), std::move(counters)};
}

} // namespace torchline
