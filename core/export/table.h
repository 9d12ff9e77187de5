#pragma once
// Table: the one form in which figures leave the program: command line, window tables, exports, clipboard.
// Columns carry the JSON key, a title for people and a unit; cells are exact integers or texts, never doubles.
// Thread: values.

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace torchline {

enum class ColumnUnit : uint8_t { Text, Count, Time, Percent, Bytes, Flops, Bandwidth };

struct Column {
    std::string key; ///< JSON key and CSV header: self_cpu_us
    std::string title; ///< for people: Self CPU
    ColumnUnit unit = ColumnUnit::Text;
    bool isOptional = false; ///< TableFormat::Text leaves it out while it holds nothing but unknown values and zeros
};

struct TimeCell {
    int64_t ns = 0;
    friend auto operator<=>(const TimeCell&, const TimeCell&) = default;
};
/// A decimal of two digits after the point: percent, GB/s.
struct HundredthsCell {
    int64_t hundredths = 0;
    friend auto operator<=>(const HundredthsCell&, const HundredthsCell&) = default;
};
/// monostate: not known (null, an empty cell).
using Cell = std::variant<std::monostate, int64_t, TimeCell, HundredthsCell, std::string>;

struct Table {
    std::string command; ///< ops, kernels, memory, steps
    std::vector<std::string> files; ///< as given
    std::string readSoFar; ///< of files that are still being read: what of them the rows are of; empty: all of them
    std::vector<std::string> groupBy; ///< "name", "shape", ...
    std::vector<std::pair<std::string, Cell>> extras; ///< further top-level JSON members, in order
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
    std::vector<uint32_t> sourceRows; ///< row of the analysis result that each row shows
    uint64_t leftOut = 0; ///< rows that a limit cut off

    [[nodiscard]] std::optional<size_t> columnOf(std::string_view key) const;
};

/// KEY, KEY:asc or KEY:desc. Without a direction numbers fall and text rises; ties by name (bytes); null comes last.
struct SortOrder {
    size_t column = 0;
    bool descending = false;
    friend bool operator==(const SortOrder&, const SortOrder&) = default;
};
[[nodiscard]] Result<SortOrder> parseSortOrder(const Table& table, std::string_view text);
/// Order of two rows under the rules above: the permutation of row indexes; O(n log n).
[[nodiscard]] std::vector<uint32_t> sortedOrder(const Table& table, const SortOrder& order);
void sortTable(Table& table, const SortOrder& order);
void limitTable(Table& table, uint64_t limit); ///< 0: all

enum class TableFormat : uint8_t { Text, Csv, Tsv, Json, Markdown };
[[nodiscard]] std::optional<TableFormat> tableFormatOf(std::string_view name); ///< table, csv, tsv, json, markdown

/// The digits of JSON, CSV, TSV and Markdown; a text as it is, nothing for an unknown value.
[[nodiscard]] std::string cellText(const Cell& cell);
/// "12.34" for 1234.
[[nodiscard]] std::string hundredthsText(int64_t hundredths);
/// 100 * a / b in hundredths (percent), or a / b in hundredths, rounded half to even; unknown where b is 0.
[[nodiscard]] Cell percentCell(int64_t a, int64_t b);
[[nodiscard]] Cell ratioCell(int64_t a, int64_t b);

/// Writes the whole table; exact forms as command-line.md has them. Of what readSoFar says JSON has a member "partial",
/// CSV and TSV a last column "partial", the others a line behind the rows. Whoever owns the stream checks it for
/// errors.
void writeTable(const Table& table, TableFormat format, std::ostream& out);
/// Only these rows with a header line, for the clipboard.
void writeTsvRows(const Table& table, const std::vector<uint32_t>& rows, std::ostream& out);

} // namespace torchline
