#include "model/device_links.h"

#include "base/huge_pages.h"
#include "base/key_order.h"
#include "base/number_set.h"
#include "model/trace_snapshot.h"

#include <algorithm>

namespace torchline {

namespace {

struct Numbered {
    uint32_t number = 0; ///< External id of an operator, correlation of a call
    int64_t startNs = 0;
    StoreRef ref;
    uint32_t around = kNoSlice; ///< of a call: the innermost operator around it, in its lane
    uint32_t namesake = kNoSlice; ///< of a call: the innermost around it whose External id is the call's correlation
};

/// Numbered slices by number, then start, then ref; looked up by number.
class NumberedSlices {
public:
    /// In the order of their refs.
    explicit NumberedSlices(std::vector<Numbered> slices)
    {
        std::vector<uint64_t> keys(slices.size());
        std::transform(slices.begin(), slices.end(), keys.begin(), [](const Numbered& n) { return n.number; });
        reserveLarge(m_slices, slices.size());
        for (const uint32_t i : orderByKey(keys))
            m_slices.push_back(slices[i]);
        // Few numbers occur twice, and most of those in order.
        const auto isEarlier = [](const Numbered& a, const Numbered& b) { return a.startNs < b.startNs; };
        for (auto first = m_slices.begin(); first != m_slices.end();) {
            auto last = first + 1;
            while (last != m_slices.end() && last->number == first->number)
                ++last;
            if (!std::is_sorted(first, last, isEarlier))
                std::stable_sort(first, last, isEarlier);
            first = last;
        }
    }

    [[nodiscard]] const std::vector<Numbered>& all() const { return m_slices; }

    /// Cheapest when asked in the order of the numbers.
    [[nodiscard]] std::span<const Numbered> withNumber(uint32_t number)
    {
        auto first = m_slices.cbegin() + static_cast<std::ptrdiff_t>(m_lastFound);
        if (first == m_slices.end() || first->number > number)
            first = std::lower_bound(m_slices.cbegin(), first, number, isBelow);
        else if (first->number < number)
            first = lowerBoundBehind(first, number);
        m_lastFound = static_cast<size_t>(first - m_slices.begin());
        auto last = first;
        if (last != m_slices.end() && last->number == number)
            ++last;
        if (last != m_slices.end() && last->number == number)
            last = std::upper_bound(
                last, m_slices.cend(), number, [](uint32_t value, const Numbered& n) { return value < n.number; });
        return {first, last};
    }

private:
    using Place = std::vector<Numbered>::const_iterator;

    static bool isBelow(const Numbered& n, uint32_t number) { return n.number < number; }

    [[nodiscard]] Place lowerBoundBehind(Place first, uint32_t number) const
    {
        std::ptrdiff_t step = 1;
        while (m_slices.end() - first > step && (first + step)->number < number) {
            first += step;
            step *= 2;
        }
        return std::lower_bound(first, first + std::min(step + 1, m_slices.end() - first), number, isBelow);
    }

    std::vector<Numbered> m_slices;
    size_t m_lastFound = 0; ///< a first one of its number
};

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
NumberedSlices collectCalls(const std::vector<Lane>& lanes, const NumberSet& correlations, const NumberSet& externalIds)
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
            growLarge(calls);
            calls.push_back(call);
        }
    }
    return NumberedSlices(std::move(calls));
}

NumberedSlices collectOperators(const std::vector<Lane>& lanes, const NumberSet& externalIds)
{
    std::vector<Numbered> operators;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        const Lane& lane = lanes[l];
        for (uint32_t i = 0; i < lane.size() && !lane.isDevice(); ++i) {
            if (!isOperator(lane.kind(i)) || !externalIds.contains(lane.externalId(i)))
                continue;
            growLarge(operators);
            operators.push_back({lane.externalId(i), lane.startNs(i), {l, i}});
        }
    }
    return NumberedSlices(std::move(operators));
}

class OwnerFinder {
public:
    OwnerFinder(const std::vector<Lane>& lanes, NumberedSlices operators)
        : m_lanes(lanes)
        , m_operators(std::move(operators))
    {
    }

    [[nodiscard]] StoreRef ownerOf(uint32_t externalId, uint32_t correlation, int64_t startNs, const Numbered* call)
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
    [[nodiscard]] StoreRef withId(uint32_t externalId, uint32_t correlation, int64_t startNs, const Numbered* call)
    {
        if (externalId == 0)
            return {};
        if (externalId == correlation)
            return call && call->namesake != kNoSlice ? StoreRef{call->ref.lane, call->namesake} : StoreRef();
        const Numbered* found = nearest(m_operators.withNumber(externalId), startNs);
        return found ? found->ref : StoreRef();
    }

    const std::vector<Lane>& m_lanes;
    NumberedSlices m_operators;
};

} // namespace

std::vector<DeviceLink> linkDeviceWork(std::span<const LaneStore> stores)
{
    std::vector<DeviceLink> links;
    std::vector<Lane> lanes;
    for (const LaneStore& store : stores)
        lanes.emplace_back(store, 0, 0);

    NumberSet correlations;
    NumberSet externalIds;
    for (uint32_t l = 0; l < lanes.size(); ++l) {
        for (uint32_t i = 0; i < lanes[l].size() && lanes[l].isDevice(); ++i) {
            if (!isDeviceWork(lanes[l].kind(i)))
                continue;
            growLarge(links);
            links.push_back({{l, i}, {}, {}});
            correlations.insert(lanes[l].correlation(i));
            externalIds.insert(lanes[l].externalId(i));
        }
    }
    links.shrink_to_fit();
    if (links.empty())
        return links;
    NumberedSlices calls = collectCalls(lanes, correlations, externalIds);
    for (const Numbered& call : calls.all())
        externalIds.insert(lanes[call.ref.lane].externalId(call.ref.index));
    OwnerFinder owners(lanes, collectOperators(lanes, externalIds));
    for (DeviceLink& link : links) {
        const Lane& lane = lanes[link.work.lane];
        const uint32_t i = link.work.index;
        const uint32_t correlation = lane.correlation(i);
        const Numbered* call = correlation == 0 ? nullptr : nearest(calls.withNumber(correlation), lane.startNs(i));
        if (call)
            link.call = call->ref;
        link.owner = owners.ownerOf(lane.externalId(i), correlation, lane.startNs(i), call);
    }
    return links;
}

} // namespace torchline
