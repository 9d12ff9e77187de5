#include "analysis/slow_steps.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace torchline {

namespace {

using TimeByName = std::unordered_map<uint32_t, int64_t>;

/// Of what lies directly inside a step, on the thread that marks it.
TimeByName timesIn(const TraceSnapshot& trace, SliceRef step)
{
    TimeByName times;
    const Lane& lane = trace.lane(step.lane);
    const int64_t endNs = lane.endNs(step.index);
    for (uint32_t i = step.index + 1; i < lane.size() && lane.startNs(i) < endNs; ++i) {
        if (lane.parent(i) != step.index)
            continue;
        int64_t& sum = times[lane.name(i).value()];
        sum = addSaturated(sum, lane.durationNs(i));
    }
    return times;
}

/// What a name takes in a usual step.
class UsualTimes {
public:
    UsualTimes(const TraceSnapshot& trace, const std::vector<SliceRef>& steps)
    {
        for (const SliceRef step : steps)
            m_times.push_back(timesIn(trace, step));
    }

    [[nodiscard]] int64_t medianOf(uint32_t name) const
    {
        if (m_times.empty())
            return 0;
        std::vector<int64_t> each;
        for (const TimeByName& times : m_times) {
            const auto at = times.find(name);
            each.push_back(at == times.end() ? 0 : at->second);
        }
        const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
        std::ranges::nth_element(each, middle);
        return *middle;
    }

private:
    std::vector<TimeByName> m_times;
};

/// The name that at least half of the time over the median went into.
std::optional<uint32_t> causeOf(const TraceSnapshot& trace, SliceRef step, int64_t medianNs, const UsualTimes& usual)
{
    const int64_t overNs = subSaturated(trace.durationNs(step), medianNs);
    int64_t mostNs = 0;
    std::optional<uint32_t> cause;
    for (const auto& [name, timeNs] : timesIn(trace, step)) {
        const int64_t moreNs = subSaturated(timeNs, usual.medianOf(name));
        if (moreNs > mostNs) {
            mostNs = moreNs;
            cause = name;
        }
    }
    return cause && mostNs >= overNs - mostNs ? cause : std::nullopt;
}

} // namespace

SlowSteps slowSteps(const TraceSnapshot& trace, std::span<const StepMark> steps, int64_t medianNs)
{
    SlowSteps found;
    std::vector<SliceRef> slow;
    std::vector<SliceRef> usual;
    for (size_t i = steps.size(); i-- > 0;) {
        const int64_t durationNs = steps[i].range.spanNs();
        const bool isSlow = isSlowStep(durationNs, medianNs);
        if (isSlow) {
            ++found.count;
            found.longestNs = std::max(found.longestNs, durationNs);
        }
        std::vector<SliceRef>& list = isSlow ? slow : usual;
        if (list.size() < SlowSteps::kMostCompared)
            list.push_back(steps[i].slice);
    }
    if (slow.empty())
        return found;
    found.last = slow.front();
    const UsualTimes times(trace, usual);
    std::optional<uint32_t> cause;
    for (const SliceRef step : slow) {
        const std::optional<uint32_t> its = causeOf(trace, step, medianNs, times);
        if (!its || (cause && *cause != *its))
            return found;
        cause = its;
    }
    found.cause = trace.text(NameId(*cause));
    return found;
}

} // namespace torchline
