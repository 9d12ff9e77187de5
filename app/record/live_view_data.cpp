#include "record/live_view_data.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace torchline {

int64_t steadyNowNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int64_t threadCpuNs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace {

constexpr size_t kMedianOf = 50;

int64_t medianOfLast(const std::vector<LiveStep>& steps)
{
    std::vector<int64_t> lengths;
    for (size_t i = steps.size() - std::min(steps.size(), kMedianOf); i < steps.size(); ++i)
        lengths.push_back(steps[i].endNs - steps[i].beginNs);
    if (lengths.empty())
        return 0;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return *middle;
}

std::shared_ptr<LiveViewData> viewDataOf(std::shared_ptr<const LoadedTrace> loaded)
{
    auto data = std::make_shared<LiveViewData>();
    data->endNs = loaded->trace->span().endNs;
    data->madeAtNs = steadyNowNs();
    for (const StepMark& mark : loaded->facts->steps()) {
        if (mark.range.endNs >= data->endNs - kChartSpanNs)
            data->steps.push_back({mark.range.beginNs, mark.range.endNs});
    }
    data->medianStepNs = medianOfLast(data->steps);
    const auto tracks = loaded->index->memory();
    const auto busiest = std::ranges::max_element(tracks, {}, &lod::MemoryTrack::peakBytes);
    if (busiest != tracks.end())
        data->memory = *busiest;
    data->loaded = std::move(loaded);
    return data;
}

const LoadedTrace* loadedOf(const LiveViewData* data)
{
    return data != nullptr ? data->loaded.get() : nullptr;
}

} // namespace

std::shared_ptr<LiveViewData> liveViewData(
    std::shared_ptr<const TraceSnapshot> trace, const std::string& label, const LiveViewData* before)
{
    return viewDataOf(preparedGrowing(std::move(trace), {label}, loadedOf(before)));
}

std::shared_ptr<LiveViewData> lastViewData(
    std::shared_ptr<const TraceSnapshot> trace, const std::string& label, const LiveViewData* before)
{
    return viewDataOf(preparedGrown(std::move(trace), {label}, loadedOf(before)));
}

} // namespace torchline
