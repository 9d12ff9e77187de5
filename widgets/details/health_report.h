#pragma once
// HealthReport: how complete a trace is, and every notice about it, worst first, with where its places lead.
// Thread: any but the GUI thread. Cost: one pass over the slices if a notice has places.

#include "export/table.h"
#include "model/trace_snapshot.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace torchline {

struct HealthRow {
    NoticeSeverity severity = NoticeSeverity::Info;
    QString title; ///< of the code: "Truncated input"
    QString text; ///< the sentence of the notice
    QString places; ///< "first at byte 1 234 (aten::mm), ..."; may be empty
    QString file; ///< where there are several; may be empty
    uint64_t count = 0;
    SliceRef target; ///< a slice at one of the places; invalid: none
};

struct HealthReport {
    bool isComplete = true; ///< everything was read and nothing was lost
    bool isCutShort = false; ///< the end is missing
    QString summary; ///< "The file was read completely: 53 353 slices, 0 damaged records"
    std::vector<HealthRow> rows; ///< errors, warnings, hints; then by count
    Table table; ///< the same rows for copy and export: severity, code, text, count, offset, file
};

[[nodiscard]] HealthReport healthReport(const TraceSnapshot& trace, std::stop_token stop = {});

} // namespace torchline
