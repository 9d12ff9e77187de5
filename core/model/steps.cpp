#include "model/steps.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace torchline {

namespace {

constexpr std::string_view kPrefix = "ProfilerStep#";

std::optional<int64_t> stepNumber(std::string_view name)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

/// Those of a lane from an index on.
void addSteps(const TraceSnapshot& trace, LaneId id, uint32_t from, std::vector<StepMark>& steps)
{
    const Lane& lane = trace.lane(id);
    if (!lane.store().carriesSteps)
        return;
    for (uint32_t i = from; i < lane.size(); ++i) {
        const std::string_view name = isOperator(lane.kind(i)) ? trace.text(lane.name(i)) : std::string_view();
        if (isStepName(name))
            steps.push_back({{id, i}, stepNumber(name), {lane.startNs(i), lane.endNs(i)}});
    }
}

void sortSteps(const TraceSnapshot& trace, std::vector<StepMark>& steps)
{
    const auto keyOf = [&](const StepMark& mark) {
        return std::tuple(mark.range.beginNs, trace.lane(mark.slice.lane).fileIndex(), mark.slice);
    };
    std::ranges::sort(steps, {}, keyOf);
}

} // namespace

bool isStepName(std::string_view name)
{
    return name.starts_with(kPrefix);
}

std::vector<StepMark> profilerSteps(const TraceSnapshot& trace)
{
    std::vector<StepMark> steps;
    for (uint32_t id = 0; id < trace.lanes().size(); ++id)
        addSteps(trace, LaneId(id), 0, steps);
    sortSteps(trace, steps);
    return steps;
}

std::vector<StepMark> profilerSteps(
    const TraceSnapshot& trace, const std::vector<StepMark>& before, const SnapshotDelta& delta)
{
    std::vector<LaneId> laneNow(delta.before().lanes().size());
    std::vector<StepMark> steps;
    for (uint32_t id = 0; id < trace.lanes().size(); ++id) {
        if (const std::optional<LaneId> earlier = delta.laneBefore(LaneId(id)))
            laneNow[earlier->value()] = LaneId(id);
    }
    for (const StepMark& mark : before) {
        const LaneId lane = laneNow[mark.slice.lane.value()];
        if (!lane.isValid() || mark.slice.index >= delta.sameUntil(lane))
            continue;
        steps.push_back(mark);
        steps.back().slice.lane = lane;
    }
    for (uint32_t id = 0; id < trace.lanes().size(); ++id)
        addSteps(trace, LaneId(id), delta.sameUntil(LaneId(id)), steps);
    sortSteps(trace, steps);
    return steps;
}

} // namespace torchline
