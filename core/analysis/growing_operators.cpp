#include "analysis/growing_operators.h"

#include "analysis/operator_rows.h"
#include "model/snapshot_delta.h"

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

constexpr int64_t kUnsettledNs = 250'000'000; ///< what comes late mostly is no older

/// What is summed of a lane: the slices before `count`, of which the last ends at endNs.
struct SettledLane {
    uint32_t count = 0;
    int64_t endNs = kMinNs;
};

bool canBeSettled(const TraceSnapshot& trace, const OperatorOptions& options)
{
    return std::ranges::find(options.groupBy, GroupKey::Stack) == options.groupBy.end()
        && std::ranges::none_of(
            trace.lanes(), [](const Lane& lane) { return lane.isDevice() || carriesCalls(lane); });
}

/// Up to the first outermost operator that ends after a time, or has not ended. Whatever lies inside another slice lies
/// inside the outermost one, so that one alone has to be looked at.
SettledLane settledUntil(OperatorRows& rows, const Lane& lane, SettledLane from, int64_t untilNs)
{
    const bool isTorch = rows.options().totals == OperatorTotals::Torch;
    const auto nests = [&](uint32_t i) {
        return isOperator(lane.kind(i)) && !(isTorch && rows.names().isHidden(lane.name(i)));
    };
    SettledLane now = from;
    int64_t outermostEndNs = kMinNs;
    for (uint32_t i = from.count; i < lane.size(); ++i) {
        const int64_t endNs = lane.endNs(i);
        const bool isInside = lane.startNs(i) < outermostEndNs && endNs <= outermostEndNs;
        if (isInside || !nests(i))
            continue;
        now = {i, std::max(now.endNs, outermostEndNs)};
        if (endNs > untilNs || (lane.flags(i) & SliceUnfinished) != 0)
            return now;
        outermostEndNs = endNs;
    }
    return {lane.size(), std::max(now.endNs, outermostEndNs)};
}

bool isSameFile(const TraceSnapshot& a, const TraceSnapshot& b, uint32_t file)
{
    const FileInfo& infoA = a.file(file).info;
    const FileInfo& infoB = b.file(file).info;
    return infoA.path == infoB.path && infoA.member == infoB.member && infoA.rank == infoB.rank
        && a.fileOffsetNs(file) == b.fileOffsetNs(file);
}

bool isSameSample(const MemorySample& a, const MemorySample& b)
{
    return a.timeNs == b.timeNs && a.bytes == b.bytes && a.origin == b.origin;
}

/// The first so many samples, which are all up to a time.
bool isSameMemory(const TraceSnapshot& before, const TraceSnapshot& now, uint32_t file, size_t count, int64_t untilNs)
{
    const MemorySamples& a = before.file(file).memory;
    const MemorySamples& b = now.file(file).memory;
    const auto& origins = before.file(file).memoryOrigins;
    const auto& originsNow = now.file(file).memoryOrigins;
    if (b.size() < count || originsNow.size() < origins.size()
        || !std::equal(origins.begin(), origins.end(), originsNow.begin()))
        return false;
    for (size_t i = 0; i < count;) {
        const size_t block = i / MemorySamples::kBlock;
        if (!a.sharesBlock(b, block) && !isSameSample(a[i], b[i]))
            return false;
        i = a.sharesBlock(b, block) ? (block + 1) * MemorySamples::kBlock : i + 1;
    }
    return b.size() == count || addSaturated(b[count].timeNs, now.fileOffsetNs(file)) > untilNs;
}

} // namespace

struct GrowingOperators::Settled {
    std::shared_ptr<const TraceSnapshot> trace; ///< what they were summed from
    std::vector<SettledLane> lanes; ///< by LaneId
    int64_t untilNs = kMinNs; ///< they end by then, and hold the memory records until then
    int64_t restBeginsNs = kMinNs; ///< no other slice begins before
    OperatorRows rows;

    [[nodiscard]] bool holdIn(const TraceSnapshot& now) const
    {
        if (&now.strings() != &trace->strings() || now.files().size() != trace->files().size()
            || now.lanes().size() < lanes.size())
            return false;
        for (uint32_t f = 0; f < now.files().size(); ++f) {
            if (!isSameFile(*trace, now, f)
                || !isSameMemory(*trace, now, f, rows.memory(f).samplesRead(), untilNs))
                return false;
        }
        const SnapshotDelta delta(*trace, now);
        for (uint32_t l = 0; l < now.lanes().size(); ++l) {
            const LaneId id(l);
            const SettledLane settled = l < lanes.size() ? lanes[l] : SettledLane();
            const uint32_t same = delta.sameUntil(id);
            if (l < lanes.size() && (delta.laneBefore(id) != id || same < settled.count))
                return false;
            if (settled.count == now.lane(id).size())
                continue;
            const int64_t restNs = now.lane(id).startNs(settled.count);
            if (restNs < restBeginsNs || (same == settled.count && restNs < settled.endNs))
                return false;
        }
        return true;
    }
};

GrowingOperators::GrowingOperators(OperatorOptions options)
    : m_options(std::move(options))
{
}

GrowingOperators::~GrowingOperators() = default;

void GrowingOperators::forget()
{
    const std::scoped_lock lock(m_mutex);
    m_settled = nullptr;
}

Result<std::shared_ptr<const GrowingOperators::Settled>> GrowingOperators::settle(
    const std::shared_ptr<const TraceSnapshot>& trace, const Settled* before, const std::stop_token& stop) const
{
    const int64_t untilNs = std::max(
        before != nullptr ? before->untilNs : kMinNs, subSaturated(trace->span().endNs, kUnsettledNs));
    auto settled = std::make_shared<Settled>(Settled{trace, {}, untilNs, untilNs,
        before != nullptr ? OperatorRows(before->rows, *trace) : OperatorRows(*trace, m_options, nullptr)});
    std::vector<SlicePart> parts;
    for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
        const Lane& lane = trace->lanes()[l];
        const SettledLane from = before != nullptr && l < before->lanes.size() ? before->lanes[l] : SettledLane();
        const SettledLane to = settledUntil(settled->rows, lane, from, untilNs);
        settled->lanes.push_back(to);
        parts.push_back({from.count, to.count});
        if (to.count < lane.size())
            settled->restBeginsNs = std::min(settled->restBeginsNs, lane.startNs(to.count));
    }
    OperatorRows& rows = settled->rows;
    rows.readMemory(untilNs);
    if (Status status = rows.readArgs(parts, stop); !status)
        return status.error();
    if (!addTotals(rows, parts, stop))
        return Error(ErrorCode::Cancelled, "cancelled");
    for (uint32_t f = 0; f < trace->files().size(); ++f)
        rows.memory(f).settle(settled->restBeginsNs);
    return std::shared_ptr<const Settled>(std::move(settled));
}

Result<OperatorTable> GrowingOperators::table(const std::shared_ptr<const TraceSnapshot>& trace, std::stop_token stop)
{
    if (!canBeSettled(*trace, m_options))
        return operatorTable(*trace, m_options, nullptr, stop);
    std::shared_ptr<const Settled> before;
    {
        const std::scoped_lock lock(m_mutex);
        before = m_settled;
    }
    if (before && !before->holdIn(*trace))
        before = nullptr;
    auto settled = settle(trace, before.get(), stop);
    // What a row says where nothing was recorded depends on whether anything was, anywhere.
    if (settled && before && !(*settled)->rows.knowsTheSameAs(before->rows))
        settled = settle(trace, nullptr, stop);
    if (!settled)
        return settled.error();

    OperatorRows rows((*settled)->rows, *trace);
    std::vector<SlicePart> parts;
    for (const SettledLane& lane : (*settled)->lanes)
        parts.push_back({lane.count, kNoSlice});
    rows.readMemory(kMaxNs);
    if (Status status = rows.readArgs(parts, stop); !status)
        return status.error();
    if (!rows.knowsTheSameAs((*settled)->rows))
        return operatorTable(*trace, m_options, nullptr, stop);
    {
        const std::scoped_lock lock(m_mutex);
        m_settled = *settled;
    }
    if (!addTotals(rows, parts, stop))
        return Error(ErrorCode::Cancelled, "cancelled");
    if (m_options.totals == OperatorTotals::Torch)
        addMemoryRows(rows);
    return rows.finish();
}

} // namespace torchline
