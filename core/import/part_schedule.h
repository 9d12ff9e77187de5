#pragma once
// PartSchedule: when what was loaded so far is worth a trace of its own to look at. The first comes early; each further
// one when twice as much time passed again, as long as making all of them stays a small share of the whole.
// Thread: one.

#include <chrono>

namespace torchline {

class PartSchedule {
public:
    using Clock = std::chrono::steady_clock;

    explicit PartSchedule(Clock::time_point begin = Clock::now())
        : m_begin(begin)
    {
    }

    /// `share`: of the whole that was read, 0 to 1.
    [[nodiscard]] bool isDue(double share, Clock::time_point now = Clock::now()) const;
    /// One was made; it began then and is done now.
    void made(Clock::time_point began, Clock::time_point now = Clock::now());

private:
    static constexpr Clock::duration kFirst = std::chrono::milliseconds(20);
    static constexpr double kMoment = 0.1; ///< seconds: what is whole then is not shown in parts before
    static constexpr double kMostCostShare = 0.05;

    Clock::time_point m_begin;
    Clock::time_point m_next = m_begin + kFirst;
    Clock::duration m_spent{};
    double m_lastCost = 0; ///< as a share of the time that had passed; 0: there was none
};

} // namespace torchline
