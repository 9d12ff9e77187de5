#pragma once
// Report: the table of a benchmark, a row a line as soon as it is known: METRIC VALUE BAR pass|fail, then how it came
// about. Thread: one.

#include "measure.h"

#include <string>
#include <string_view>

namespace torchline::bench {

enum class Bar { AtMost, AtLeast };

class Report {
public:
    /// Bars are looser by this factor.
    explicit Report(double slack)
        : m_slack(slack)
    {
    }

    [[nodiscard]] bool passes(double value, Bar kind, double bar) const;
    /// `unit`: "x", " ms", "".
    void add(std::string_view metric, Spread value, std::string_view unit, Bar kind, double bar, std::string_view how);
    /// A row that cannot be measured here: neither passed nor failed.
    void skip(std::string_view metric, std::string_view why);
    /// "N passed, N failed"; the exit status.
    [[nodiscard]] int finish() const;

private:
    double m_slack;
    int m_passed = 0;
    int m_failed = 0;
};

} // namespace torchline::bench
