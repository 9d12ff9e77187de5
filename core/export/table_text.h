#pragma once
// The aligned `table` format for people: torch.profiler's units and widths, long texts elided, control characters
// escaped. Thread: any.

#include "export/table.h"

#include <string>

namespace torchline {

void writeTextTable(const Table& table, std::ostream& out);
/// "12 more rows are left out (--limit 0 shows all)"; meant for leftOut > 0.
[[nodiscard]] std::string leftOutText(const Table& table);
/// "Partial: ..."; meant for tables of files that are still being read.
[[nodiscard]] std::string partialText(const Table& table);

/// Aligns columns: numbers to the right, the rest to the left. Every line has one cell for each column.
struct TextColumn {
    std::string title;
    bool isNumber = false;
    size_t leastWidth = 0;
};
void writeAligned(
    const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& lines, std::ostream& out);

} // namespace torchline
