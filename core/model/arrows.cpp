#include "model/arrows.h"

#include "base/huge_pages.h"
#include "base/key_order.h"
#include "model/trace_snapshot.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace torchline {

namespace {

// How well a slice fits an end of an arrow; more is better.
enum Fit : int {
    NoSlice,
    Around,
    StartsThere,
    StartsThereAsMeant, ///< a call or device work; an operator for arrows from forward to backward
    StartsThereWithNumber, ///< and its correlation is the arrow's id
};

struct Footing {
    StoreRef slice;
    int fit = NoSlice;
};

class Binder {
public:
    Binder(std::span<const LaneStore> stores, std::span<const LaneSides> sides, std::span<const NameId> categories,
        const StringPool& pool)
        : m_pool(pool)
        , m_sides(sides)
        , m_categories(categories)
    {
        for (const LaneStore& store : stores)
            m_lanes.emplace_back(store, 0, 0);
        m_found.resize(m_lanes.size());
    }

    [[nodiscard]] SliceKind kindOf(StoreRef slice) const { return m_lanes[slice.lane].kind(slice.index); }

    [[nodiscard]] StoreRef bind(const LaneFlow& end)
    {
        const LaneSides& sides = m_sides[end.lane];
        const Footing host = bindIn(sides.host, end);
        const Footing device = bindIn(sides.device, end);
        if (host.fit == device.fit)
            return end.phase == FlowPhase::Start ? host.slice : device.slice;
        return host.fit > device.fit ? host.slice : device.slice;
    }

private:
    /// As Lane::lowerBound(); cheapest near the place found last in that lane: arrows mostly come in the order of time.
    [[nodiscard]] uint32_t lowerBound(uint32_t laneIndex, int64_t timeNs)
    {
        const Lane& lane = m_lanes[laneIndex];
        uint32_t& found = m_found[laneIndex];
        uint32_t low = found; // all before begin earlier, as far as is known; none from high on does
        uint32_t high = found;
        if (found < lane.size() && lane.startNs(found) < timeNs) {
            for (uint32_t step = 1; high < lane.size() && lane.startNs(high) < timeNs; step *= 2) {
                low = high + 1;
                high = std::min(high + step, lane.size());
            }
        } else {
            for (uint32_t step = 1; low > 0 && lane.startNs(low - 1) >= timeNs; step *= 2) {
                high = low - 1;
                low -= std::min(step, low);
            }
        }
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (lane.startNs(middle) < timeNs)
                low = middle + 1;
            else
                high = middle;
        }
        found = low;
        return low;
    }

    [[nodiscard]] Footing bindIn(uint32_t laneIndex, const FlowRecord& flow)
    {
        if (laneIndex == kNoSlice)
            return {};
        const Lane& lane = m_lanes[laneIndex];
        uint32_t i = lowerBound(laneIndex, flow.timeNs);
        if (!flow.bindsEnclosing && flow.phase == FlowPhase::Finish)
            return i == lane.size() ? Footing() : Footing{{laneIndex, i}, StartsThere};
        Footing best;
        const bool forward = isForwardBackward(flow.category);
        const uint32_t number = numberOf(flow.id);
        for (uint32_t looked = 0; i < lane.size() && lane.startNs(i) == flow.timeNs && looked < kMostLooked;
             ++i, ++looked) {
            const int fit = forward ? forwardFit(lane.kind(i)) : launchFit(lane, i, number);
            if (fit >= best.fit)
                best = {{laneIndex, i}, fit};
        }
        if (best.fit != NoSlice || i == 0)
            return best;
        // Every slice that began earlier and is still open contains the latest that began, or contains one that does.
        for (uint32_t around = i - 1; around != kNoSlice; around = lane.parent(around)) {
            if (lane.endNs(around) > flow.timeNs)
                return {{laneIndex, around}, Around};
        }
        return {};
    }

    [[nodiscard]] bool isForwardBackward(CategoryId category) const
    {
        const std::string_view text
            = category.isValid() ? m_pool.text(m_categories[category.value()]) : std::string_view();
        return text == "fwdbwd" || text == "forward_backward";
    }

    [[nodiscard]] static int forwardFit(SliceKind kind) { return isOperator(kind) ? StartsThereAsMeant : StartsThere; }

    [[nodiscard]] static int launchFit(const Lane& lane, uint32_t i, uint32_t number)
    {
        if (!isCall(lane.kind(i)) && !isDeviceWork(lane.kind(i)))
            return StartsThere;
        return number != 0 && lane.correlation(i) == number ? StartsThereWithNumber : StartsThereAsMeant;
    }

    // Recorders use the correlation as id of launch arrows.
    [[nodiscard]] static uint32_t numberOf(FlowId id)
    {
        const bool fits = id.isNumber() && id.number() <= std::numeric_limits<uint32_t>::max();
        return fits ? static_cast<uint32_t>(id.number()) : 0;
    }

    static constexpr uint32_t kMostLooked = 1000; ///< of slices that begin at one time
    const StringPool& m_pool;
    std::span<const LaneSides> m_sides;
    std::span<const NameId> m_categories;
    std::vector<Lane> m_lanes;
    std::vector<uint32_t> m_found; ///< by lane
};

auto keyOf(const LaneFlow& f)
{
    return std::tie(f.category, f.name, f.id);
}

bool isBefore(const LaneFlow& a, const LaneFlow& b)
{
    return std::tuple(keyOf(a), a.phase, a.timeNs, a.eventOffset)
        < std::tuple(keyOf(b), b.phase, b.timeNs, b.eventOffset);
}

bool isBefore(const StoreArrow& a, const StoreArrow& b)
{
    return std::tie(a.from, a.to, a.fromNs, a.toNs, a.category, a.name, a.id)
        < std::tie(b.from, b.to, b.fromNs, b.toNs, b.category, b.name, b.id);
}

uint64_t numberOf(StoreRef ref)
{
    return uint64_t{ref.lane} << 32 | ref.index;
}

/// Matches flows of one category, name and id, in the order of isBefore.
void matchOneKey(std::span<const uint32_t> order, std::span<const LaneFlow> flows, Binder& binder, StoreLinks& links,
    ArrowFaults& faults)
{
    const auto endOfStarts
        = std::find_if(order.begin(), order.end(), [&](uint32_t i) { return flows[i].phase != FlowPhase::Start; });
    auto start = order.begin();
    for (auto i = endOfStarts; i != order.end(); ++i) {
        const LaneFlow& finish = flows[*i];
        if (finish.phase == FlowPhase::Step) {
            faults.steps.push_back(finish.eventOffset);
            continue;
        }
        const StoreRef to = binder.bind(finish);
        if (endOfStarts == order.begin() || !finish.id.isValid()) {
            if (to.isValid() && isDeviceWork(binder.kindOf(to)))
                faults.finishesWithoutStart.push_back(finish.eventOffset);
            continue;
        }
        while (start + 1 != endOfStarts && flows[*(start + 1)].timeNs <= finish.timeNs)
            ++start;
        const StoreRef from = binder.bind(flows[*start]);
        if (!from.isValid() || !to.isValid()) {
            faults.withoutSlice.push_back(finish.eventOffset);
            continue;
        }
        links.arrows.push_back(
            {from, to, flows[*start].timeNs, finish.timeNs, finish.category, finish.name, finish.id});
    }
}

/// Calls use(first, last) for each stretch of equal keys.
template <typename KeyOf, typename Use>
void forEachGroup(std::span<uint32_t> order, const KeyOf& keyOfIndex, const Use& use)
{
    for (size_t first = 0; first < order.size();) {
        size_t last = first + 1;
        while (last < order.size() && keyOfIndex(order[last]) == keyOfIndex(order[first]))
            ++last;
        use(order.subspan(first, last - first));
        first = last;
    }
}

/// Makes values[order[i]] values[i], without a copy of all of them.
void moveIntoOrder(std::vector<StoreArrow>& values, std::vector<uint32_t> order)
{
    for (uint32_t begin = 0; begin < order.size(); ++begin) {
        const StoreArrow first = values[begin];
        uint32_t to = begin;
        while (order[to] != begin) {
            const uint32_t from = std::exchange(order[to], to);
            values[to] = values[from];
            to = from;
        }
        order[to] = to;
        values[to] = first;
    }
}

void sortArrows(StoreLinks& links)
{
    std::vector<uint64_t> keys(links.arrows.size());
    std::transform(
        links.arrows.begin(), links.arrows.end(), keys.begin(), [](const StoreArrow& a) { return numberOf(a.from); });
    std::vector<uint32_t> order = orderByKey(keys);
    forEachGroup(
        order, [&](uint32_t i) { return keys[i]; },
        [&](std::span<uint32_t> group) {
            std::sort(group.begin(), group.end(),
                [&](uint32_t a, uint32_t b) { return isBefore(links.arrows[a], links.arrows[b]); });
        });
    moveIntoOrder(links.arrows, std::move(order));
    links.arrows.shrink_to_fit();
    std::transform(
        links.arrows.begin(), links.arrows.end(), keys.begin(), [](const StoreArrow& a) { return numberOf(a.to); });
    links.arrowsByEnd = orderByKey(keys);
}

} // namespace

ArrowFaults matchArrows(std::span<const LaneStore> lanes, std::span<const LaneSides> sides,
    std::span<const NameId> categories, std::span<const LaneFlow> flows, const StringPool& pool, StoreLinks& links)
{
    ArrowFaults faults;
    Binder binder(lanes, sides, categories, pool);
    reserveLarge(links.arrows, flows.size() / 2);
    // Nearly all ids are different: by them first, and by all else within the few of one id.
    std::vector<uint64_t> ids(flows.size());
    std::transform(flows.begin(), flows.end(), ids.begin(), [](const LaneFlow& f) { return f.id.sortKey(); });
    std::vector<uint32_t> order = orderByKey(ids);
    forEachGroup(
        order, [&](uint32_t i) { return ids[i]; },
        [&](std::span<uint32_t> sameId) {
            std::sort(
                sameId.begin(), sameId.end(), [&](uint32_t a, uint32_t b) { return isBefore(flows[a], flows[b]); });
            forEachGroup(
                sameId, [&](uint32_t i) { return keyOf(flows[i]); },
                [&](std::span<uint32_t> sameKey) { matchOneKey(sameKey, flows, binder, links, faults); });
        });
    sortArrows(links);
    for (std::vector<uint64_t>* offsets : {&faults.finishesWithoutStart, &faults.withoutSlice, &faults.steps})
        std::sort(offsets->begin(), offsets->end());
    return faults;
}

} // namespace torchline
