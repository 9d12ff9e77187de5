#include "analysis/call_places.h"

#include "analysis/host_nesting.h"

#include <algorithm>
#include <unordered_set>

namespace torchline {

namespace {

struct FarCall {
    uint32_t externalId;
    SliceRef call;
};

struct Candidate {
    uint32_t externalId;
    int64_t startNs;
    SliceRef op;
};

struct OpenOperator {
    int64_t endNs;
    uint32_t externalId;
};

/// Calls of a lane that lie in the operator they name; those that name another one go to far.
void findAround(const TraceSnapshot& trace, LaneId laneId, SliceMask& here, std::vector<FarCall>& far)
{
    OpenSlices<OpenOperator> open;
    const auto drop = [](const OpenOperator&, OpenOperator*) {};
    const Lane& lane = trace.lane(laneId);
    forEachHostSlice(trace, laneId, {}, {}, [&](const HostSlice& slice) {
        if (isOperator(slice.kind)) {
            open.makeRoomFor(slice.startNs, slice.endNs, drop);
            open.open({slice.endNs, slice.externalId});
            return true;
        }
        if (slice.externalId == 0)
            return true;
        const auto frames = open.frames();
        const bool isInside = std::any_of(frames.rbegin(), frames.rend(), [&](const OpenOperator& op) {
            return op.externalId == slice.externalId && slice.startNs < op.endNs && slice.endNs <= op.endNs;
        });
        if (isInside)
            here.insert(slice.ref);
        else if (slice.externalId != lane.correlation(slice.ref.index))
            far.push_back({slice.externalId, slice.ref});
        return true;
    });
}

/// Operators of a file with one of these ids, by id, then start.
std::vector<Candidate> operatorsWithIds(
    const TraceSnapshot& trace, uint32_t fileIndex, const std::unordered_set<uint32_t>& ids)
{
    std::vector<Candidate> found;
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lanes()[l];
        if (lane.fileIndex() != fileIndex || lane.isDevice())
            continue;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (isOperator(lane.kind(i)) && ids.contains(lane.externalId(i)))
                found.push_back({lane.externalId(i), lane.startNs(i), {LaneId(l), i}});
        }
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.externalId, a.startNs, a.op) < std::tie(b.externalId, b.startNs, b.op);
    });
    return found;
}

} // namespace

CallPlaces::CallPlaces(const TraceSnapshot& trace, std::stop_token stop)
    : here(trace)
    , elsewhere(trace)
    , joining(trace.lanes().size())
{
    std::vector<std::vector<FarCall>> far(trace.files().size());
    for (uint32_t l = 0; l < trace.lanes().size() && !stop.stop_requested(); ++l) {
        const Lane& lane = trace.lanes()[l];
        if (!lane.isDevice() && carriesCalls(lane))
            findAround(trace, LaneId(l), here, far[lane.fileIndex()]);
    }
    for (uint32_t f = 0; f < far.size() && !stop.stop_requested(); ++f) {
        if (far[f].empty())
            continue;
        std::unordered_set<uint32_t> ids;
        for (const FarCall& call : far[f])
            ids.insert(call.externalId);
        const std::vector<Candidate> ops = operatorsWithIds(trace, f, ids);
        for (const FarCall& call : far[f]) {
            // Of several operators with the id the nearest earlier one.
            const Candidate last{call.externalId, trace.startNs(call.call), {LaneId(), 0}};
            const auto after
                = std::upper_bound(ops.begin(), ops.end(), last, [](const Candidate& a, const Candidate& b) {
                      return std::tie(a.externalId, a.startNs) < std::tie(b.externalId, b.startNs);
                  });
            if (after == ops.begin() || std::prev(after)->externalId != call.externalId)
                continue;
            const LaneId home = std::prev(after)->op.lane;
            if (home == call.call.lane) {
                here.insert(call.call);
            } else {
                elsewhere.insert(call.call);
                joining[home.value()].push_back(call.call);
            }
        }
    }
    for (std::vector<SliceRef>& calls : joining) {
        std::sort(calls.begin(), calls.end(), [&](SliceRef a, SliceRef b) {
            const int64_t startA = trace.startNs(a);
            const int64_t startB = trace.startNs(b);
            if (startA != startB)
                return startA < startB;
            return std::pair(-trace.durationNs(a), a) < std::pair(-trace.durationNs(b), b);
        });
    }
}

} // namespace torchline
