#include "model/arrows.h"

#include "base/huge_pages.h"
#include "base/key_order.h"
#include "model/order_by_ref.h"
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
    explicit Binder(const ArrowGround& ground)
        : m_sides(ground.sides)
        , m_found(ground.lanes.size())
    {
        for (const LaneStore& store : ground.lanes)
            m_lanes.emplace_back(store, 0, 0);
        for (const NameId category : ground.categories) {
            const std::string_view text = ground.pool.text(category);
            m_isForwardBackward.push_back(text == "fwdbwd" || text == "forward_backward");
        }
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
        return category.isValid() && m_isForwardBackward[category.value()];
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
    std::span<const LaneSides> m_sides;
    std::vector<Lane> m_lanes;
    std::vector<uint32_t> m_found; ///< by lane
    std::vector<bool> m_isForwardBackward; ///< by CategoryId
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

/// Matches flows of one category, name and id, in the order of isBefore.
void matchOneKey(std::span<const uint32_t> order, const Flows& flows, Binder& binder, MatchedArrows& matched)
{
    const auto endOfStarts
        = std::find_if(order.begin(), order.end(), [&](uint32_t i) { return flows[i].phase != FlowPhase::Start; });
    auto start = order.begin();
    for (auto i = endOfStarts; i != order.end(); ++i) {
        const LaneFlow& finish = flows[*i];
        if (finish.phase == FlowPhase::Step) {
            matched.faults.steps.push_back(finish.eventOffset);
            continue;
        }
        const StoreRef to = binder.bind(finish);
        if (endOfStarts == order.begin() || !finish.id.isValid()) {
            if (to.isValid() && isDeviceWork(binder.kindOf(to)))
                matched.faults.finishesWithoutStart.push_back(finish.eventOffset);
            continue;
        }
        while (start + 1 != endOfStarts && flows[*(start + 1)].timeNs <= finish.timeNs)
            ++start;
        const StoreRef from = binder.bind(flows[*start]);
        if (!from.isValid() || !to.isValid()) {
            matched.faults.withoutSlice.push_back(finish.eventOffset);
            continue;
        }
        matched.arrows.push_back(
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

void sortArrows(std::vector<StoreArrow>& arrows)
{
    std::vector<uint32_t> order = orderByRef(arrows, &StoreArrow::from);
    forEachGroup(
        order, [&](uint32_t i) { return arrows[i].from; },
        [&](std::span<uint32_t> group) {
            std::sort(
                group.begin(), group.end(), [&](uint32_t a, uint32_t b) { return isBefore(arrows[a], arrows[b]); });
        });
    moveIntoOrder(arrows, std::move(order));
}

/// Arrows of one run mostly follow each other: they are taken over together.
std::vector<StoreArrow> merged(std::vector<std::vector<StoreArrow>> runs)
{
    std::vector<std::span<const StoreArrow>> rest;
    size_t count = 0;
    for (const std::vector<StoreArrow>& run : runs) {
        count += run.size();
        if (!run.empty())
            rest.emplace_back(run);
    }
    std::vector<StoreArrow> all;
    reserveLarge(all, count);
    const auto before = [](const StoreArrow& a, const StoreArrow& b) { return isBefore(a, b); };
    const auto beginsBefore
        = [&](std::span<const StoreArrow> a, std::span<const StoreArrow> b) { return before(a.front(), b.front()); };
    while (!rest.empty()) {
        std::iter_swap(rest.begin(), std::min_element(rest.begin(), rest.end(), beginsBefore));
        std::span<const StoreArrow>& first = rest.front();
        const auto next = std::min_element(rest.begin() + 1, rest.end(), beginsBefore);
        const auto end
            = next == rest.end() ? first.end() : std::upper_bound(first.begin(), first.end(), next->front(), before);
        all.insert(all.end(), first.begin(), end);
        first = {end, first.end()};
        if (first.empty())
            rest.erase(rest.begin());
    }
    return all;
}

} // namespace

std::vector<uint32_t> orderById(const Flows& flows)
{
    std::vector<uint64_t> ids(flows.size());
    std::transform(flows.begin(), flows.end(), ids.begin(), [](const LaneFlow& f) { return f.id.sortKey(); });
    return orderByKey(ids);
}

std::vector<std::span<uint32_t>> cutBetweenIds(std::span<uint32_t> order, const Flows& flows, size_t count)
{
    std::vector<std::span<uint32_t>> pieces;
    for (size_t begin = 0; begin < order.size();) {
        size_t end = std::max(begin + 1, order.size() * (pieces.size() + 1) / count);
        while (end < order.size() && flows[order[end]].id == flows[order[end - 1]].id)
            ++end;
        pieces.push_back(order.subspan(begin, end - begin));
        begin = end;
    }
    return pieces;
}

MatchedArrows matchArrows(const ArrowGround& ground, const Flows& flows, std::span<uint32_t> piece)
{
    MatchedArrows matched;
    Binder binder(ground);
    reserveLarge(matched.arrows, piece.size() / 2);
    // Nearly all ids are different: by all else only within the few of one id.
    forEachGroup(
        piece, [&](uint32_t i) { return flows[i].id; },
        [&](std::span<uint32_t> sameId) {
            std::sort(
                sameId.begin(), sameId.end(), [&](uint32_t a, uint32_t b) { return isBefore(flows[a], flows[b]); });
            forEachGroup(
                sameId, [&](uint32_t i) { return keyOf(flows[i]); },
                [&](std::span<uint32_t> sameKey) { matchOneKey(sameKey, flows, binder, matched); });
        });
    sortArrows(matched.arrows);
    return matched;
}

ArrowFaults joinArrows(std::vector<MatchedArrows> pieces, StoreLinks& links)
{
    ArrowFaults faults;
    const auto take = [](std::vector<uint64_t>& all, const std::vector<uint64_t>& part) {
        all.insert(all.end(), part.begin(), part.end());
    };
    std::vector<std::vector<StoreArrow>> runs;
    for (MatchedArrows& piece : pieces) {
        runs.push_back(std::move(piece.arrows));
        take(faults.finishesWithoutStart, piece.faults.finishesWithoutStart);
        take(faults.withoutSlice, piece.faults.withoutSlice);
        take(faults.steps, piece.faults.steps);
    }
    for (std::vector<uint64_t>* offsets : {&faults.finishesWithoutStart, &faults.withoutSlice, &faults.steps})
        std::sort(offsets->begin(), offsets->end());
    links.arrows = merged(std::move(runs));
    links.arrowsByEnd = orderByRef(links.arrows, &StoreArrow::to);
    return faults;
}

} // namespace torchline
