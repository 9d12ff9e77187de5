#pragma once
// TraceFacts: what several views derive from one snapshot, derived once, by whoever asks first.
// Thread: any; the first call of each accessor blocks for as long as the derivation takes (a pass over names or host
// lanes), so GUI code asks from a worker.

#include "lod/work_class.h"
#include "model/steps.h"

#include <memory>
#include <mutex>
#include <vector>

namespace torchline {

class TraceFacts {
public:
    explicit TraceFacts(std::shared_ptr<const TraceSnapshot> trace)
        : m_trace(std::move(trace))
    {
    }

    /// With what somebody has derived already.
    TraceFacts(std::shared_ptr<const TraceSnapshot> trace, WorkClasses classes, std::vector<StepMark> steps);

    [[nodiscard]] const TraceSnapshot& trace() const { return *m_trace; }
    [[nodiscard]] const std::shared_ptr<const TraceSnapshot>& traceRef() const { return m_trace; }
    [[nodiscard]] const WorkClasses& workClasses() const;
    [[nodiscard]] const std::vector<StepMark>& steps() const; ///< in order of start
    /// The last step that holds this time, or null.
    [[nodiscard]] const StepMark* stepAt(int64_t timeNs) const;

private:
    std::shared_ptr<const TraceSnapshot> m_trace;
    mutable std::once_flag m_classesOnce;
    mutable WorkClasses m_classes;
    mutable std::once_flag m_stepsOnce;
    mutable std::vector<StepMark> m_steps;
};

} // namespace torchline
