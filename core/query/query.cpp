#include "query/query.h"

#include "base/text.h"
#include "query/event_args.h"
#include "query/query_matcher.h"
#include "query/query_parser.h"

#include <chrono>
#include <limits>

namespace torchline {

namespace {

constexpr size_t kMostArgsAtOnce = size_t{1} << 20;
constexpr uint32_t kStopInterval = 1u << 14; ///< slices between looks at the stop token

constexpr size_t kMostArgsOfSearch = size_t{1} << 14; ///< fewer: there is something to show sooner
constexpr uint64_t kFirstHits = uint64_t{1} << 15;

constexpr std::string_view kBlanks = " \t\r\n";

Error cancelled()
{
    return Error(ErrorCode::Cancelled, "cancelled");
}

/// Slices whose answer lies in their arguments.
Status insertByArgs(const TraceSnapshot& trace, uint32_t fileIndex, const std::vector<SliceRef>& slices,
    QueryMatcher& matcher, SliceMask& mask)
{
    std::vector<EventParts> parts;
    parts.reserve(slices.size());
    for (const SliceRef slice : slices)
        parts.push_back(partsOfSlice(trace, slice));
    return argsOfEvents(trace.file(fileIndex), parts, [&](size_t i, ArgList&& args) {
        if (matcher.matches(slices[i], &args) == QueryAnswer::Yes)
            mask.insert(slices[i]);
    });
}

/// Decides when what has been found so far is worth showing.
class Publisher {
public:
    explicit Publisher(const Query::Publish& publish)
        : m_publish(publish)
    {
    }

    void count() { ++m_hits; }
    void offer(const SliceMask& mask)
    {
        if (!m_publish || (m_hits < m_hitsNext && Clock::now() < m_next))
            return;
        m_publish(mask);
        m_interval *= 4;
        m_next = Clock::now() + m_interval;
        m_hitsNext = std::numeric_limits<uint64_t>::max();
    }

private:
    using Clock = std::chrono::steady_clock;
    const Query::Publish& m_publish;
    std::chrono::milliseconds m_interval{25};
    Clock::time_point m_next = Clock::now() + m_interval;
    uint64_t m_hits = 0;
    uint64_t m_hitsNext = kFirstHits;
};

std::string_view trimmed(std::string_view text)
{
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

} // namespace

Query::Query() = default;
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;

tl::expected<Query, QueryFault> Query::parse(std::string_view text)
{
    Query query;
    if (trimmed(text).empty())
        return query;
    auto root = parseQuery(text);
    if (!root)
        return tl::make_unexpected(std::move(root.error()));
    query.m_root = std::make_unique<QueryNode>(std::move(*root));
    return query;
}

bool Query::matchesAll() const
{
    return !m_root;
}

Result<SliceMask> Query::evaluate(const TraceSnapshot& trace, std::stop_token stop) const
{
    return search(trace, {}, std::move(stop));
}

Result<SliceMask> Query::search(const TraceSnapshot& trace, const Publish& soFar, std::stop_token stop) const
{
    SliceMask mask(trace, matchesAll());
    if (matchesAll())
        return mask;
    QueryMatcher matcher(*this, trace);
    const bool isByName = matcher.asksForNamesAlone();
    Publisher publisher(soFar);
    std::vector<std::vector<SliceRef>> pending(trace.files().size()); // by file: those that need their arguments
    const auto settle = [&](uint32_t fileIndex) {
        Status status = insertByArgs(trace, fileIndex, pending[fileIndex], matcher, mask);
        pending[fileIndex].clear();
        return status;
    };
    for (const LaneId laneId : trace.laneOrder()) {
        const Lane& lane = trace.lane(laneId);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (i % kStopInterval == 0) {
                if (stop.stop_requested())
                    return cancelled();
                publisher.offer(mask);
            }
            const SliceRef slice{laneId, i};
            const QueryAnswer answer = isByName ? matcher.matchesName(lane.name(i)) : matcher.matches(slice);
            if (answer == QueryAnswer::Yes) {
                mask.insert(slice);
                publisher.count();
            }
            if (answer != QueryAnswer::NeedsArgs)
                continue;
            pending[lane.fileIndex()].push_back(slice);
            if (pending[lane.fileIndex()].size() < (soFar ? kMostArgsOfSearch : kMostArgsAtOnce))
                continue;
            if (Status status = settle(lane.fileIndex()); !status)
                return status.error();
        }
    }
    for (uint32_t fileIndex = 0; fileIndex < pending.size(); ++fileIndex) {
        if (pending[fileIndex].empty())
            continue;
        if (stop.stop_requested())
            return cancelled();
        if (Status status = settle(fileIndex); !status)
            return status.error();
    }
    return mask;
}

Result<TimeRange> parseTimeRange(std::string_view text)
{
    const auto fault = [&](std::string_view what) {
        return Error(ErrorCode::Usage, "'" + escapeControls(text) + "' is no range: " + std::string(what));
    };
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        return fault("write A..B, as in 1.5ms..2ms");
    TimeRange range{kMinNs, kMaxNs};
    const std::string_view begin = trimmed(text.substr(0, dots));
    const std::string_view end = trimmed(text.substr(dots + 2));
    for (const auto& [part, ns] : {std::pair(begin, &range.beginNs), std::pair(end, &range.endNs)}) {
        if (part.empty())
            continue;
        const auto value = parseTime(part);
        if (!value)
            return fault("'" + escapeControls(part) + "' is no time (50us, 1.5ms; nothing finer than a nanosecond)");
        *ns = *value;
    }
    if (range.beginNs > range.endNs)
        return fault("it ends before it begins");
    return range;
}

} // namespace torchline
