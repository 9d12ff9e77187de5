#include "report.h"

#include <cstdio>

namespace torchline::bench {

bool Report::passes(double value, Bar kind, double bar) const
{
    return kind == Bar::AtMost ? value <= bar * m_slack : value >= bar / m_slack;
}

void Report::add(
    std::string_view metric, Spread value, std::string_view unit, Bar kind, double bar, std::string_view how)
{
    const bool isMost = kind == Bar::AtMost;
    const double limit = isMost ? bar * m_slack : bar / m_slack;
    const bool isPassed = passes(value.median, kind, bar);
    ++(isPassed ? m_passed : m_failed);
    const int width = static_cast<int>(unit.size());
    std::printf("%-34.*s %8.2f%.*s %s%.2f%.*s %s  [%.2f..%.2f] %.*s\n", static_cast<int>(metric.size()), metric.data(),
        value.median, width, unit.data(), isMost ? "<=" : ">=", limit, width, unit.data(), isPassed ? "pass" : "fail",
        value.lowest, value.highest, static_cast<int>(how.size()), how.data());
    std::fflush(stdout);
}

void Report::skip(std::string_view metric, std::string_view why)
{
    std::printf("%-34.*s skipped: %.*s\n", static_cast<int>(metric.size()), metric.data(), static_cast<int>(why.size()),
        why.data());
    std::fflush(stdout);
}

int Report::finish() const
{
    std::printf("%d passed, %d failed\n", m_passed, m_failed);
    return m_failed == 0 && m_passed > 0 ? 0 : 1;
}

} // namespace torchline::bench
