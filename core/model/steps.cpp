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

} // namespace

bool isStepName(std::string_view name)
{
    return name.starts_with(kPrefix);
}

std::vector<StepMark> profilerSteps(const TraceSnapshot& trace)
{
    std::vector<StepMark> steps;
    for (uint32_t id = 0; id < trace.lanes().size(); ++id) {
        const Lane& lane = trace.lanes()[id];
        if (!lane.store().carriesSteps)
            continue;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const std::string_view name = isOperator(lane.kind(i)) ? trace.text(lane.name(i)) : std::string_view();
            if (isStepName(name))
                steps.push_back({{LaneId(id), i}, stepNumber(name), {lane.startNs(i), lane.endNs(i)}});
        }
    }
    std::stable_sort(steps.begin(), steps.end(), [&](const StepMark& a, const StepMark& b) {
        return std::tuple(a.range.beginNs, trace.lane(a.slice.lane).fileIndex())
            < std::tuple(b.range.beginNs, trace.lane(b.slice.lane).fileIndex());
    });
    return steps;
}

} // namespace torchline
