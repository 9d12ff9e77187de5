#include "analysis/name_totals.h"

#include <algorithm>
#include <unordered_map>

namespace torchline {

namespace {

constexpr uint32_t kSlicesBetweenChecks = 1u << 14;

} // namespace

int64_t medianNs(std::vector<int64_t>& durations)
{
    if (durations.empty())
        return 0;
    const auto half = static_cast<ptrdiff_t>(durations.size() / 2);
    std::ranges::nth_element(durations, durations.begin() + half);
    const int64_t above = durations[static_cast<size_t>(half)];
    if (durations.size() % 2 != 0)
        return above;
    const int64_t below = *std::max_element(durations.begin(), durations.begin() + half);
    // Half the distance, to the even of the two sums.
    const int64_t distance = subSaturated(above, below);
    const int64_t middle = below + distance / 2;
    return distance % 2 != 0 && middle % 2 != 0 ? middle + 1 : middle;
}

NameTotals nameTotals(const TraceSnapshot& trace, const SliceMask* scope, std::stop_token stop)
{
    NameTotals out;
    const auto sliceRows = std::make_shared<SliceRows>(trace);
    std::unordered_map<uint64_t, uint32_t> rowOfKey;
    std::vector<std::vector<int64_t>> durations; // by row
    for (const LaneId id : trace.laneOrder()) {
        const Lane& lane = trace.lane(id);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (i % kSlicesBetweenChecks == 0 && stop.stop_requested())
                return out;
            const SliceRef slice{id, i};
            if (scope != nullptr && !scope->contains(slice))
                continue;
            const uint64_t key = uint64_t{lane.name(i).value()} << 8 | static_cast<uint64_t>(lane.kind(i));
            const auto [at, isNew] = rowOfKey.try_emplace(key, static_cast<uint32_t>(out.rows.size()));
            const int64_t ns = lane.durationNs(i);
            if (isNew) {
                out.rows.push_back({.name = lane.name(i),
                    .kind = lane.kind(i),
                    .minNs = ns,
                    .maxNs = ns,
                    .first = slice,
                    .longest = slice});
                durations.emplace_back();
            }
            NameRow& row = out.rows[at->second];
            ++row.calls;
            row.totalNs = addSaturated(row.totalNs, ns);
            row.minNs = std::min(row.minNs, ns);
            if (ns > row.maxNs) {
                row.maxNs = ns;
                row.longest = slice;
            }
            if (lane.startNs(i) < trace.startNs(row.first))
                row.first = slice;
            durations[at->second].push_back(ns);
            sliceRows->set(trace, slice, at->second);
        }
    }
    for (size_t r = 0; r < out.rows.size(); ++r) {
        out.rows[r].medianNs = medianNs(durations[r]);
        out.calls += out.rows[r].calls;
        out.totalNs = addSaturated(out.totalNs, out.rows[r].totalNs);
    }
    out.sliceRows = sliceRows;
    return out;
}

} // namespace torchline
