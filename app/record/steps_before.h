#pragma once
// StepsBefore: how long a step of the program takes while LibTorch is there and nothing is recorded yet, as the
// schedule's wait lets it run. Read off how far the program comes between two looks at it. Thread: GUI thread only.

#include "capture/session_status.h"

namespace torchline {

class StepsBefore {
public:
    static constexpr uint64_t kLeast = 10; ///< fewer say nothing: each end is off by up to one step

    void take(const capture::SessionStatus& status)
    {
        const bool isWaiting = status.phase == capture::Phase::Waiting && status.step > 0;
        if (isWaiting && m_isWaiting) {
            m_steps += status.step - m_step;
            m_spentNs += status.elapsedNs - m_atNs;
        }
        m_isWaiting = isWaiting;
        m_step = status.step;
        m_atNs = status.elapsedNs;
    }
    [[nodiscard]] uint64_t steps() const { return m_steps; }
    /// Mean; 0: not known.
    [[nodiscard]] int64_t stepNs() const { return m_steps < kLeast ? 0 : m_spentNs / static_cast<int64_t>(m_steps); }

private:
    bool m_isWaiting = false;
    uint64_t m_step = 0;
    int64_t m_atNs = 0;
    uint64_t m_steps = 0;
    int64_t m_spentNs = 0;
};

} // namespace torchline
