#include "model/device_links.h"

#include "model/trace_snapshot.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace torchline {

namespace {

struct Numbered {
    uint32_t number = 0; ///< External id of an operator, correlation of a call
    int64_t startNs = 0;
    StoreRef ref;
    uint32_t around = kNoSlice; ///< of a call: the innermost operator around it, in its lane
    uint32_t namesake = kNoSlice; ///< of a call: the innermost around it whose External id is the call's correlation
};

bool byNumberAndTime(const Numbered& a, const Numbered& b)
{
    return std::tie(a.number, a.startNs, a.ref) < std::tie(b.number, b.startNs, b.ref);
}

std::span<const Numbered> withNumber(const std::vector<Numbered>& sorted, uint32_t number)
{
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), Numbered{number, 0, {}, kNoSlice},
        [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    return {first, last};
}

// The last that starts at or before t, else the first.
const Numbered* nearest(std::span<const Numbered> sameNumber, int64_t timeNs)
{
    if (sameNumber.empty())
        return nullptr;
    const auto after = std::partition_point(
        sameNumber.begin(), sameNumber.end(), [timeNs](const Numbered& n) { return n.startNs <= timeNs; });
    return after == sameNumber.begin() ? &*after : &*(after - 1);
}

// Operators that may still be open at the current place of a lane, the latest at the back.
class OpenOperators {
public:
    explicit OpenOperators(const Lane& lane)
        : m_lane(lane)
    {
    }

    void enter(uint32_t index)
    {
        while (!m_open.empty() && m_lane.endNs(m_open.back()) <= m_lane.startNs(index))
            m_open.pop_back();
        m_open.push_back(index);
    }

    template <typename Accept> [[nodiscard]] uint32_t innermostAround(uint32_t call, const Accept& accept) const
    {
        const int64_t startNs = m_lane.startNs(call);
        const int64_t endNs = m_lane.endNs(call);
        const auto found = std::find_if(m_open.rbegin(), m_open.rend(), [&](uint32_t i) {
            const int64_t operatorEndNs = m_lane.endNs(i);
            return operatorEndNs > startNs && operatorEndNs >= endNs && accept(i);
        });
        return found == m_open.rend() ? kNoSlice : *found;
    }

private:
    const Lane& m_lane;
    std::vector<uint32_t> m_open;
};

/// The sets are those that device work states.
std::vector<Numbered> collectCalls(const std::vector<Lane>& lanes, const std::unordered_set<uint32_t>& correlations,
    const std::unordered_set<uint32_t>& externalIds)
{
    std::vector<Numbered> calls;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        const Lane& lane = lanes[l];
        if (lane.isDevice())
            continue;
        OpenOperators operators(lane);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (isOperator(lane.kind(i)))
                operators.enter(i);
            if (!isCall(lane.kind(i)) || !correlations.contains(lane.correlation(i)))
                continue;
            const uint32_t number = lane.correlation(i);
            Numbered call{number, lane.startNs(i), {l, i}, kNoSlice, kNoSlice};
            call.around = operators.innermostAround(i, [](uint32_t) { return true; });
            if (lane.externalId(i) == number || externalIds.contains(number))
                call.namesake
                    = operators.innermostAround(i, [&](uint32_t op) { return lane.externalId(op) == number; });
            calls.push_back(call);
        }
    }
    std::sort(calls.begin(), calls.end(), byNumberAndTime);
    return calls;
}

std::vector<Numbered> collectOperators(const std::vector<Lane>& lanes, const std::unordered_set<uint32_t>& externalIds)
{
    std::vector<Numbered> operators;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        const Lane& lane = lanes[l];
        for (uint32_t i = 0; i < lane.size() && !lane.isDevice(); ++i) {
            if (isOperator(lane.kind(i)) && externalIds.contains(lane.externalId(i)))
                operators.push_back({lane.externalId(i), lane.startNs(i), {l, i}});
        }
    }
    std::sort(operators.begin(), operators.end(), byNumberAndTime);
    return operators;
}

class OwnerFinder {
public:
    OwnerFinder(const std::vector<Lane>& lanes, std::vector<Numbered> operators)
        : m_lanes(lanes)
        , m_operators(std::move(operators))
    {
    }

    [[nodiscard]] StoreRef ownerOf(
        uint32_t externalId, uint32_t correlation, int64_t startNs, const Numbered* call) const
    {
        if (const StoreRef owner = withId(externalId, correlation, startNs, call); owner.isValid())
            return owner;
        if (!call)
            return {};
        const uint32_t callId = m_lanes[call->ref.lane].externalId(call->ref.index);
        if (const StoreRef owner = withId(callId, call->number, call->startNs, call); owner.isValid())
            return owner;
        return call->around == kNoSlice ? StoreRef() : StoreRef{call->ref.lane, call->around};
    }

private:
    [[nodiscard]] StoreRef withId(
        uint32_t externalId, uint32_t correlation, int64_t startNs, const Numbered* call) const
    {
        if (externalId == 0)
            return {};
        if (externalId == correlation)
            return call && call->namesake != kNoSlice ? StoreRef{call->ref.lane, call->namesake} : StoreRef();
        const Numbered* found = nearest(withNumber(m_operators, externalId), startNs);
        return found ? found->ref : StoreRef();
    }

    const std::vector<Lane>& m_lanes;
    std::vector<Numbered> m_operators;
};

std::vector<uint32_t> indexesBy(const std::vector<DeviceLink>& device, StoreRef DeviceLink::*key)
{
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < device.size(); ++i) {
        if ((device[i].*key).isValid())
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::tie(device[a].*key, device[a].work) < std::tie(device[b].*key, device[b].work);
    });
    order.shrink_to_fit();
    return order;
}

} // namespace

void linkDeviceWork(std::span<const LaneStore> stores, StoreLinks& links)
{
    std::vector<Lane> lanes;
    for (const LaneStore& store : stores)
        lanes.emplace_back(store, 0, 0);

    std::unordered_set<uint32_t> correlations;
    std::unordered_set<uint32_t> externalIds;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        for (uint32_t i = 0; i < lanes[l].size() && lanes[l].isDevice(); ++i) {
            if (!isDeviceWork(lanes[l].kind(i)))
                continue;
            links.device.push_back({{l, i}, {}, {}});
            correlations.insert(lanes[l].correlation(i));
            externalIds.insert(lanes[l].externalId(i));
        }
    }
    links.device.shrink_to_fit();
    if (links.device.empty())
        return;
    correlations.erase(0);
    const std::vector<Numbered> calls = collectCalls(lanes, correlations, externalIds);
    for (const Numbered& call : calls)
        externalIds.insert(lanes[call.ref.lane].externalId(call.ref.index));
    externalIds.erase(0);
    const OwnerFinder owners(lanes, collectOperators(lanes, externalIds));
    for (DeviceLink& link : links.device) {
        const Lane& lane = lanes[link.work.lane];
        const uint32_t i = link.work.index;
        const uint32_t correlation = lane.correlation(i);
        const Numbered* call = correlation == 0 ? nullptr : nearest(withNumber(calls, correlation), lane.startNs(i));
        if (call)
            link.call = call->ref;
        link.owner = owners.ownerOf(lane.externalId(i), correlation, lane.startNs(i), call);
    }
    links.deviceByCall = indexesBy(links.device, &DeviceLink::call);
    links.deviceByOwner = indexesBy(links.device, &DeviceLink::owner);
}

} // namespace torchline
