#include "model/outliers.h"

#include "model/notice.h"

#include <algorithm>
#include <array>
#include <functional>

namespace torchline {

namespace {

constexpr int64_t kDayNs = 86'400'000'000'000;
constexpr size_t kBuckets = 1024;
constexpr size_t kNarrow = kBuckets / 100;

using Visit = std::function<void(std::span<const int64_t> startNs, std::span<const int64_t> durationNs)>;

void forEachBlock(std::span<const LaneStore> lanes, const Visit& visit)
{
    for (const LaneStore& lane : lanes) {
        for (const std::shared_ptr<const SliceBlock>& block : lane.blocks)
            visit(block->values(block->startNs), block->values(block->durationNs));
    }
}

struct Closed {
    int64_t first = 0;
    int64_t last = 0; ///< inclusive
};

uint64_t spanOf(Closed c)
{
    return static_cast<uint64_t>(c.last) - static_cast<uint64_t>(c.first);
}

// Values are what forEachValue yields; all lie in `all`. Cuts off ends that hold few values and lie far from where at
// least nine tenths of them are: more than a day, or exactly at zeroNs.
template <typename ForEachValue> Closed mainStretch(Closed all, int64_t zeroNs, const ForEachValue& forEachValue)
{
    Closed kept = all;
    for (int round = 0; round < 8; ++round) {
        if (spanOf(kept) <= static_cast<uint64_t>(kDayNs) && kept.first != zeroNs)
            break;
        const uint64_t width = spanOf(kept) / kBuckets + 1;
        std::array<uint64_t, kBuckets> counts{};
        std::array<Closed, kBuckets> extent;
        extent.fill({kMaxNs, kMinNs});
        uint64_t total = 0;
        forEachValue([&](int64_t value) {
            if (value < kept.first || value > kept.last)
                return;
            const size_t bucket = (static_cast<uint64_t>(value) - static_cast<uint64_t>(kept.first)) / width;
            ++counts[bucket];
            ++total;
            extent[bucket] = {std::min(extent[bucket].first, value), std::max(extent[bucket].last, value)};
        });
        if (total < 3)
            break;
        const size_t fullest = static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        size_t begin = fullest;
        size_t end = fullest + 1;
        while (begin > 0 && counts[begin - 1] != 0)
            --begin;
        while (end < kBuckets && counts[end] != 0)
            ++end;
        uint64_t inside = 0;
        Closed main{kMaxNs, kMinNs};
        for (size_t b = begin; b < end; ++b) {
            inside += counts[b];
            main = {std::min(main.first, extent[b].first), std::max(main.last, extent[b].last)};
        }
        if (end - begin > kNarrow || inside < total - total / 10)
            break;
        int64_t before = kMinNs; // the nearest values on both sides
        for (size_t b = 0; b < begin; ++b)
            before = counts[b] != 0 ? extent[b].last : before;
        int64_t after = kMaxNs;
        for (size_t b = kBuckets; b > end; --b)
            after = counts[b - 1] != 0 ? extent[b - 1].first : after;
        Closed next = kept;
        if (main.first > kept.first && (before == zeroNs || subSaturated(main.first, before) > kDayNs))
            next.first = main.first;
        if (main.last < kept.last && subSaturated(after, main.last) > kDayNs)
            next.last = main.last;
        if (next.first == kept.first && next.last == kept.last)
            break;
        kept = next;
    }
    return kept;
}

} // namespace

FitRange fitRange(std::span<const LaneStore> lanes, int64_t zeroNs)
{
    Closed starts{kMaxNs, kMinNs};
    forEachBlock(lanes, [&](std::span<const int64_t> startNs, std::span<const int64_t>) {
        starts = {std::min(starts.first, startNs.front()), std::max(starts.last, startNs.back())};
    });
    if (starts.first > starts.last)
        return {};

    const Closed kept = mainStretch(starts, zeroNs, [&](const auto& use) {
        forEachBlock(lanes, [&](std::span<const int64_t> startNs, std::span<const int64_t>) {
            std::for_each(startNs.begin(), startNs.end(), use);
        });
    });
    const auto forEachKeptEnd = [&](const auto& use) {
        forEachBlock(lanes, [&](std::span<const int64_t> startNs, std::span<const int64_t> durationNs) {
            for (size_t i = 0; i < startNs.size(); ++i) {
                if (startNs[i] >= kept.first && startNs[i] <= kept.last)
                    use(addSaturated(startNs[i], durationNs[i]));
            }
        });
    };
    Closed ends{kMaxNs, kMinNs};
    const bool isAll = kept.first == starts.first && kept.last == starts.last;
    if (isAll) {
        for (const LaneStore& lane : lanes) {
            for (const BlockFacts& facts : lane.facts)
                ends = {std::min(ends.first, facts.firstEndNs), std::max(ends.last, facts.lastEndNs)};
        }
    } else {
        forEachKeptEnd([&](int64_t endNs) { ends = {std::min(ends.first, endNs), std::max(ends.last, endNs)}; });
    }

    FitRange result;
    result.range = {kept.first, std::max(kept.last, mainStretch(ends, kMinNs, forEachKeptEnd).last)};
    if (isAll)
        return result;
    for (const LaneStore& lane : lanes) {
        for (const std::shared_ptr<const SliceBlock>& block : lane.blocks) {
            for (size_t i = 0; i < block->size(); ++i) {
                if (block->startNs[i] >= kept.first && block->startNs[i] <= kept.last)
                    continue;
                ++result.farOff;
                if (result.places.size() < Notice::kMostPlaces)
                    result.places.push_back(block->eventOffset[i]);
            }
        }
    }
    return result;
}

} // namespace torchline
