#include "import/part_schedule.h"

#include <algorithm>

namespace torchline {

namespace {

double seconds(PartSchedule::Clock::duration time)
{
    return std::chrono::duration<double>(time).count();
}

} // namespace

bool PartSchedule::isDue(double share, Clock::time_point now) const
{
    if (now < m_next || share <= 0)
        return false;
    const double elapsed = seconds(now - m_begin);
    const double whole = elapsed / std::min(share, 1.0);
    if (m_lastCost == 0)
        return whole - elapsed > std::max(2 * elapsed, kMoment);
    return seconds(m_spent) + m_lastCost * elapsed <= kMostCostShare * whole;
}

void PartSchedule::made(Clock::time_point began, Clock::time_point now)
{
    const Clock::duration elapsed = began - m_begin;
    m_lastCost = seconds(now - began) / std::max(seconds(elapsed), 1e-9);
    m_spent += now - began;
    m_next = m_begin + 3 * elapsed;
}

} // namespace torchline
