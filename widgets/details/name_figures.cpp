#include "details/name_figures.h"

#include "analysis/name_totals.h"

#include <algorithm>
#include <cmath>

namespace torchline {

namespace {

constexpr size_t kMostBins = 24;
constexpr int64_t kWideSpread = 20;

template <typename Take> void forEachOf(const TraceSnapshot& trace, NameId name, const std::stop_token& stop, Take take)
{
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (i % 65536 == 0 && stop.stop_requested())
                return;
            if (lane.name(i) == name)
                take(SliceRef{LaneId(l), i}, lane.durationNs(i));
        }
    }
}

} // namespace

std::vector<DurationBin> emptyBins(int64_t minNs, int64_t maxNs, size_t atMost)
{
    const int64_t from = std::max<int64_t>(minNs, 1);
    const bool isByFactor = maxNs / from >= kWideSpread;
    const auto width = static_cast<double>(subSaturated(maxNs, minNs)) + 1;
    const double factor = static_cast<double>(maxNs) / static_cast<double>(from);
    std::vector<DurationBin> bins;
    int64_t begin = minNs;
    for (size_t i = 1; i <= atMost; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(atMost);
        const double edge = isByFactor ? static_cast<double>(from) * std::pow(factor, share)
                                       : static_cast<double>(minNs) + width * share;
        constexpr double kMost = 9e18;
        const int64_t end = i == atMost ? addSaturated(maxNs, 1) : static_cast<int64_t>(std::min(edge, kMost));
        if (end <= begin)
            continue;
        bins.push_back({begin, end, 0});
        begin = end;
    }
    return bins;
}

std::optional<size_t> NameFigures::binOf(int64_t durationNs) const
{
    const auto after = std::ranges::upper_bound(bins, durationNs, {}, &DurationBin::beginNs);
    if (after == bins.begin() || durationNs >= std::prev(after)->endNs)
        return std::nullopt;
    return static_cast<size_t>(after - bins.begin() - 1);
}

NameFigures nameFigures(const TraceSnapshot& trace, NameId name, const std::stop_token& stop)
{
    NameFigures figures;
    figures.name = name;
    std::vector<int64_t> durations;
    forEachOf(trace, name, stop, [&](SliceRef slice, int64_t durationNs) {
        if (durations.empty() || durationNs < figures.minNs) {
            figures.minNs = durationNs;
            figures.shortest = slice;
        }
        if (durations.empty() || durationNs > figures.maxNs) {
            figures.maxNs = durationNs;
            figures.longest = slice;
        }
        figures.sumNs = addSaturated(figures.sumNs, durationNs);
        durations.push_back(durationNs);
    });
    figures.count = durations.size();
    if (durations.empty())
        return figures;
    figures.bins = emptyBins(figures.minNs, figures.maxNs, kMostBins);
    for (const int64_t durationNs : durations)
        ++figures.bins[figures.binOf(durationNs).value()].count;
    figures.medianNs = torchline::medianNs(durations);
    return figures;
}

std::shared_ptr<const SliceMask> slicesOf(
    const TraceSnapshot& trace, NameId name, const DurationBin& bin, const std::stop_token& stop)
{
    auto mask = std::make_shared<SliceMask>(trace);
    forEachOf(trace, name, stop, [&](SliceRef slice, int64_t durationNs) {
        if (durationNs >= bin.beginNs && durationNs < bin.endNs)
            mask->insert(slice);
    });
    return mask;
}

} // namespace torchline
