#pragma once
// KeptMarks: the spans that a person marked for good, remembered for each trace by the paths of its files; the traces
// looked at last, so many. Thread: GUI thread only.

#include "common/view_state.h"

#include "settings.h"

#include <string>
#include <vector>

namespace torchline {

class KeptMarks {
public:
    static constexpr int kMostTraces = 100;

    explicit KeptMarks(Settings& settings)
        : m_settings(settings)
    {
    }

    [[nodiscard]] std::vector<TimeMark> of(const std::vector<std::string>& paths) const;
    /// Those of the marks that are kept; without any the trace is forgotten.
    void remember(const std::vector<std::string>& paths, const std::vector<TimeMark>& marks);

private:
    Settings& m_settings;
};

} // namespace torchline
