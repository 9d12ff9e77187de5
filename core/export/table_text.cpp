#include "export/table_text.h"

#include "base/text.h"
#include "export/display_text.h"

#include <algorithm>
#include <ostream>

namespace torchline {

namespace {

constexpr size_t kNumberWidth = 12; ///< torch's least width of a column of figures
constexpr size_t kNameWidth = 55;
constexpr size_t kStackWidth = 75;
constexpr size_t kShapeWidth = 80;

size_t widthOfText(std::string_view key)
{
    if (key == "shape")
        return kShapeWidth;
    return key == "stack" ? kStackWidth : kNameWidth;
}

bool saysNothing(const Table& table, size_t column)
{
    return std::ranges::all_of(table.rows, [&](const std::vector<Cell>& row) {
        const Cell& cell = row[column];
        return std::holds_alternative<std::monostate>(cell) || cell == Cell(int64_t{0}) || cell == Cell(TimeCell{})
            || cell == Cell(HundredthsCell{});
    });
}

FlopsUnit flopsUnitOf(const Table& table, size_t column)
{
    std::vector<int64_t> values;
    for (const std::vector<Cell>& row : table.rows) {
        if (const auto* flops = std::get_if<int64_t>(&row[column]))
            values.push_back(*flops);
    }
    return torchFlopsUnit(values);
}

std::string shownText(const Column& column, const Cell& cell, const FlopsUnit& flops)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return elidedText(escapeControls(*text), widthOfText(column.key));
    if (const auto* time = std::get_if<TimeCell>(&cell))
        return torchTimeText(time->ns);
    if (std::holds_alternative<std::monostate>(cell))
        return "-";
    if (const auto* number = std::get_if<int64_t>(&cell)) {
        if (column.unit == ColumnUnit::Bytes)
            return torchBytesText(*number);
        if (column.unit == ColumnUnit::Flops)
            return torchFlopsText(*number, flops);
    }
    return column.unit == ColumnUnit::Percent ? cellText(cell) + "%" : cellText(cell);
}

std::string extraTitle(std::string_view key)
{
    if (key == "self_cpu_total_us")
        return "Self CPU time total";
    if (key == "self_cuda_total_us")
        return "Self CUDA time total";
    return key == "totals" ? "Totals" : std::string(key);
}

void appendPadded(std::string& line, std::string_view text, size_t width, bool toTheRight)
{
    const size_t blanks = width - std::min(width, textWidth(text));
    if (toTheRight)
        line.append(blanks, ' ');
    line += text;
    if (!toTheRight)
        line.append(blanks, ' ');
}

} // namespace

void writeAligned(
    const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& lines, std::ostream& out)
{
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns.size(); ++i) {
        size_t width = std::max(columns[i].leastWidth, textWidth(columns[i].title));
        for (const std::vector<std::string>& line : lines)
            width = std::max(width, textWidth(line[i]));
        widths.push_back(width);
    }
    const auto write = [&](const auto& cellAt) {
        std::string line;
        for (size_t i = 0; i < columns.size(); ++i) {
            if (i > 0)
                line += "  ";
            appendPadded(line, cellAt(i), widths[i], columns[i].isNumber);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    };
    write([&](size_t i) -> std::string_view { return columns[i].title; });
    write([&](size_t i) { return std::string(widths[i], '-'); });
    for (const std::vector<std::string>& line : lines)
        write([&](size_t i) -> std::string_view { return line[i]; });
}

std::string leftOutText(const Table& table)
{
    const bool isOne = table.leftOut == 1;
    return std::to_string(table.leftOut) + (isOne ? " more row is" : " more rows are")
        + " left out (--limit 0 shows all)";
}

std::string partialText(const Table& table)
{
    return "Partial: " + table.readSoFar;
}

void writeTextTable(const Table& table, std::ostream& out)
{
    std::vector<size_t> shown;
    std::vector<TextColumn> columns;
    std::vector<FlopsUnit> flops;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        if (column.isOptional && saysNothing(table, i))
            continue;
        const bool isFlops = column.unit == ColumnUnit::Flops;
        const bool isText = column.unit == ColumnUnit::Text;
        shown.push_back(i);
        flops.push_back(isFlops ? flopsUnitOf(table, i) : FlopsUnit{});
        columns.push_back(
            {isFlops ? "Total " + std::string(flops.back().name) : column.title, !isText, isText ? 0 : kNumberWidth});
    }
    std::vector<std::vector<std::string>> lines;
    lines.reserve(table.rows.size());
    for (const std::vector<Cell>& row : table.rows) {
        std::vector<std::string>& line = lines.emplace_back();
        for (size_t k = 0; k < shown.size(); ++k)
            line.push_back(shownText(table.columns[shown[k]], row[shown[k]], flops[k]));
    }
    writeAligned(columns, lines, out);
    if (table.rows.empty())
        out << "(no rows)\n";
    if (!table.extras.empty())
        out << '\n';
    for (const auto& [key, cell] : table.extras) {
        const Column plain{key, {}, ColumnUnit::Text};
        out << extraTitle(key) << ": " << shownText(plain, cell, {}) << '\n';
    }
    if (table.leftOut > 0)
        out << leftOutText(table) << '\n';
    if (!table.readSoFar.empty())
        out << partialText(table) << '\n';
}

} // namespace torchline
