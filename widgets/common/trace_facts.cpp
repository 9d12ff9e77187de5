#include "common/trace_facts.h"

#include <algorithm>
#include <utility>

namespace torchline {

TraceFacts::TraceFacts(std::shared_ptr<const TraceSnapshot> trace, WorkClasses classes, std::vector<StepMark> steps)
    : m_trace(std::move(trace))
{
    std::call_once(m_classesOnce, [&] { m_classes = std::move(classes); });
    std::call_once(m_stepsOnce, [&] { m_steps = std::move(steps); });
}

const WorkClasses& TraceFacts::workClasses() const
{
    std::call_once(m_classesOnce, [this] { m_classes = WorkClasses(*m_trace); });
    return m_classes;
}

const std::vector<StepMark>& TraceFacts::steps() const
{
    std::call_once(m_stepsOnce, [this] { m_steps = profilerSteps(*m_trace); });
    return m_steps;
}

const StepMark* TraceFacts::stepAt(int64_t timeNs) const
{
    const std::vector<StepMark>& marks = steps();
    auto at = std::upper_bound(marks.begin(), marks.end(), timeNs,
        [](int64_t time, const StepMark& mark) { return time < mark.range.beginNs; });
    while (at != marks.begin()) {
        --at;
        if (at->range.contains(timeNs))
            return &*at;
    }
    return nullptr;
}

} // namespace torchline
