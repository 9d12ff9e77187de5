#include "model/arrows.h"

#include "model/trace_snapshot.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

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
    Binder(std::span<const LaneStore> stores, std::span<const NameId> categories, const StringPool& pool)
        : m_pool(pool)
        , m_categories(categories)
    {
        for (const LaneStore& store : stores)
            m_lanes.emplace_back(store, 0, 0);
    }

    [[nodiscard]] SliceKind kindOf(StoreRef slice) const { return m_lanes[slice.lane].kind(slice.index); }

    [[nodiscard]] StoreRef bind(const LaneFlow& end) const
    {
        const Footing host = bindIn(end.lanes.host, end.flow);
        const Footing device = bindIn(end.lanes.device, end.flow);
        if (host.fit == device.fit)
            return end.flow.phase == FlowPhase::Start ? host.slice : device.slice;
        return host.fit > device.fit ? host.slice : device.slice;
    }

private:
    [[nodiscard]] Footing bindIn(uint32_t laneIndex, const FlowRecord& flow) const
    {
        if (laneIndex == kNoSlice)
            return {};
        const Lane& lane = m_lanes[laneIndex];
        uint32_t i = lane.lowerBound(flow.timeNs);
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
    [[nodiscard]] uint32_t numberOf(NameId id) const
    {
        const std::string_view text = m_pool.text(id);
        uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc() && end == text.data() + text.size() ? number : 0;
    }

    static constexpr uint32_t kMostLooked = 1000; ///< of slices that begin at one time
    const StringPool& m_pool;
    std::span<const NameId> m_categories;
    std::vector<Lane> m_lanes;
};

auto keyOf(const LaneFlow& f)
{
    return std::tie(f.flow.category, f.flow.name, f.flow.id);
}

} // namespace

ArrowFaults matchArrows(std::span<const LaneStore> lanes, std::span<const NameId> categories,
    std::vector<LaneFlow> flows, const StringPool& pool, StoreLinks& links)
{
    ArrowFaults faults;
    std::sort(flows.begin(), flows.end(), [](const LaneFlow& a, const LaneFlow& b) {
        return std::tuple(keyOf(a), a.flow.phase, a.flow.timeNs, a.flow.eventOffset)
            < std::tuple(keyOf(b), b.flow.phase, b.flow.timeNs, b.flow.eventOffset);
    });
    const Binder binder(lanes, categories, pool);
    for (auto first = flows.begin(); first != flows.end();) {
        const auto last
            = std::find_if(first, flows.end(), [&](const LaneFlow& f) { return keyOf(f) != keyOf(*first); });
        const auto endOfStarts
            = std::find_if(first, last, [](const LaneFlow& f) { return f.flow.phase != FlowPhase::Start; });
        auto start = first;
        for (auto f = endOfStarts; f != last; ++f) {
            if (f->flow.phase == FlowPhase::Step) {
                faults.steps.push_back(f->flow.eventOffset);
                continue;
            }
            const StoreRef to = binder.bind(*f);
            if (first == endOfStarts || !f->flow.id.isValid()) {
                if (to.isValid() && isDeviceWork(binder.kindOf(to)))
                    faults.finishesWithoutStart.push_back(f->flow.eventOffset);
                continue;
            }
            while (start + 1 != endOfStarts && (start + 1)->flow.timeNs <= f->flow.timeNs)
                ++start;
            const StoreRef from = binder.bind(*start);
            if (!from.isValid() || !to.isValid()) {
                faults.withoutSlice.push_back(f->flow.eventOffset);
                continue;
            }
            links.arrows.push_back(
                {from, to, start->flow.timeNs, f->flow.timeNs, f->flow.category, f->flow.name, f->flow.id});
        }
        first = last;
    }
    std::sort(links.arrows.begin(), links.arrows.end(), [](const StoreArrow& a, const StoreArrow& b) {
        return std::tie(a.from, a.to, a.fromNs, a.toNs, a.category, a.name, a.id)
            < std::tie(b.from, b.to, b.fromNs, b.toNs, b.category, b.name, b.id);
    });
    links.arrows.shrink_to_fit();
    links.arrowsByEnd.resize(links.arrows.size());
    std::iota(links.arrowsByEnd.begin(), links.arrowsByEnd.end(), 0u);
    std::sort(links.arrowsByEnd.begin(), links.arrowsByEnd.end(),
        [&](uint32_t a, uint32_t b) { return std::tie(links.arrows[a].to, a) < std::tie(links.arrows[b].to, b); });
    for (std::vector<uint64_t>* offsets : {&faults.finishesWithoutStart, &faults.withoutSlice, &faults.steps})
        std::sort(offsets->begin(), offsets->end());
    return faults;
}

} // namespace torchline
