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

// Operators around the current place of a lane; ends fall from front to back (see OpenSlices in nesting.cpp).
class OpenOperators {
public:
    void enter(int64_t startNs, int64_t endNs, uint32_t index)
    {
        while (!m_open.empty() && (m_open.back().first <= startNs || m_open.back().first < endNs))
            m_open.pop_back();
        if (endNs > startNs)
            m_open.emplace_back(endNs, index);
    }
    [[nodiscard]] uint32_t innermostAround(int64_t startNs, int64_t endNs) const
    {
        const auto tooShort = std::partition_point(m_open.begin(), m_open.end(),
            [&](const auto& open) { return open.first >= endNs && open.first > startNs; });
        return tooShort == m_open.begin() ? kNoSlice : (tooShort - 1)->second;
    }

private:
    std::vector<std::pair<int64_t, uint32_t>> m_open;
};

std::vector<Numbered> collectCalls(const std::vector<Lane>& lanes, const std::unordered_set<uint32_t>& correlations)
{
    std::vector<Numbered> calls;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        const Lane& lane = lanes[l];
        if (lane.isDevice())
            continue;
        OpenOperators operators;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (isOperator(lane.kind(i)))
                operators.enter(lane.startNs(i), lane.endNs(i), i);
            else if (isCall(lane.kind(i)) && correlations.contains(lane.correlation(i)))
                calls.push_back({lane.correlation(i), lane.startNs(i), {l, i},
                    operators.innermostAround(lane.startNs(i), lane.endNs(i))});
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
                operators.push_back({lane.externalId(i), lane.startNs(i), {l, i}, kNoSlice});
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
        const std::span<const Numbered> sameId = withNumber(m_operators, externalId);
        if (externalId == correlation)
            return call ? aroundCall(sameId, *call) : StoreRef();
        const Numbered* found = nearest(sameId, startNs);
        return found ? found->ref : StoreRef();
    }

    [[nodiscard]] StoreRef aroundCall(std::span<const Numbered> sameId, const Numbered& call) const
    {
        const Lane& lane = m_lanes[call.ref.lane];
        const int64_t endNs = lane.endNs(call.ref.index);
        const auto after = std::partition_point(
            sameId.begin(), sameId.end(), [&](const Numbered& n) { return n.startNs <= call.startNs; });
        for (auto n = std::make_reverse_iterator(after); n != sameId.rend(); ++n) {
            if (n->ref.lane != call.ref.lane)
                continue;
            const int64_t operatorEndNs = lane.endNs(n->ref.index);
            if (operatorEndNs > call.startNs && operatorEndNs >= endNs)
                return n->ref;
        }
        return {};
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
    const std::vector<Numbered> calls = collectCalls(lanes, correlations);
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
