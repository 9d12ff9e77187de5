#include "export/table.h"

#include "export/json_writer.h"
#include "export/table_text.h"

#include <ostream>

namespace torchline {

namespace {

constexpr std::string_view kPartialKey = "partial";

using CellWriter = void (*)(std::string& out, const Cell& cell);

void appendCsvCell(std::string& out, const Cell& cell)
{
    const auto* text = std::get_if<std::string>(&cell);
    if (!text) {
        out += cellText(cell);
        return;
    }
    out += '"';
    for (const char c : *text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

void appendTsvCell(std::string& out, const Cell& cell)
{
    for (const char c : cellText(cell)) {
        switch (c) {
        case '\t':
            out += "\\t";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\\':
            out += "\\\\";
            break;
        default:
            out += c;
        }
    }
}

void appendMarkdownCell(std::string& out, const Cell& cell)
{
    const std::string text = cellText(cell);
    for (size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '|':
            out += "\\|";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\r':
            if (i + 1 < text.size() && text[i + 1] == '\n')
                ++i;
            [[fallthrough]];
        case '\n':
            out += "<br>";
            break;
        default:
            out += text[i];
        }
    }
}

struct LineShape {
    std::string_view begin;
    std::string_view between;
    std::string_view end;
    CellWriter cell;
    bool hasPartialColumn = false; ///< there is no other place for what is said of all lines
};

template <typename CellAt> void writeLine(std::ostream& out, const LineShape& shape, size_t count, const CellAt& cellAt)
{
    std::string line(shape.begin);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0)
            line += shape.between;
        shape.cell(line, cellAt(i));
    }
    line += shape.end;
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
}

size_t cellCount(const Table& table, const LineShape& shape)
{
    return table.columns.size() + (shape.hasPartialColumn && !table.readSoFar.empty() ? 1 : 0);
}

void writeHeader(const Table& table, const LineShape& shape, std::ostream& out)
{
    writeLine(out, shape, cellCount(table, shape),
        [&](size_t i) { return Cell(i < table.columns.size() ? table.columns[i].key : std::string(kPartialKey)); });
}

void writeRow(const Table& table, const LineShape& shape, size_t row, std::ostream& out)
{
    const std::vector<Cell>& cells = table.rows[row];
    const Cell partial(table.readSoFar);
    writeLine(out, shape, cellCount(table, shape),
        [&](size_t i) -> const Cell& { return i < cells.size() ? cells[i] : partial; });
}

void writeMarkdown(const Table& table, std::ostream& out)
{
    constexpr LineShape kShape{"| ", " | ", " |\n", appendMarkdownCell};
    writeHeader(table, kShape, out);
    writeLine(out, kShape, table.columns.size(),
        [&](size_t i) { return Cell(table.columns[i].unit == ColumnUnit::Text ? "---" : "---:"); });
    for (size_t row = 0; row < table.rows.size(); ++row)
        writeRow(table, kShape, row, out);
    if (table.leftOut > 0)
        out << '\n' << leftOutText(table) << '\n';
    if (!table.readSoFar.empty())
        out << '\n' << partialText(table) << '\n';
}

constexpr LineShape kCsv{"", ",", "\n", appendCsvCell, true};
constexpr LineShape kTsv{"", "\t", "\n", appendTsvCell, true};

void writeLines(const Table& table, const LineShape& shape, std::ostream& out)
{
    writeHeader(table, shape, out);
    for (size_t row = 0; row < table.rows.size(); ++row)
        writeRow(table, shape, row, out);
}

void writeJsonCell(JsonWriter& json, const Cell& cell)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        json.text(*text);
    else if (std::holds_alternative<std::monostate>(cell))
        json.null();
    else
        json.number(cellText(cell));
}

void writeJsonTexts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts)
{
    json.key(key);
    json.beginArray();
    for (const std::string& text : texts)
        json.text(text);
    json.endArray();
}

void writeJson(const Table& table, std::ostream& out)
{
    JsonWriter json(out, 2);
    json.beginObject();
    json.key("command");
    json.text(table.command);
    writeJsonTexts(json, "files", table.files);
    writeJsonTexts(json, "group_by", table.groupBy);
    if (!table.readSoFar.empty()) {
        json.key(kPartialKey);
        json.text(table.readSoFar);
    }
    for (const auto& [key, cell] : table.extras) {
        json.key(key);
        writeJsonCell(json, cell);
    }
    json.key("rows");
    json.beginArray();
    for (const std::vector<Cell>& row : table.rows) {
        json.beginObject();
        for (size_t i = 0; i < row.size(); ++i) {
            json.key(table.columns[i].key);
            writeJsonCell(json, row[i]);
        }
        json.endObject();
    }
    json.endArray();
    json.endObject();
    json.newLine();
}

} // namespace

std::optional<TableFormat> tableFormatOf(std::string_view name)
{
    if (name == "table")
        return TableFormat::Text;
    if (name == "csv")
        return TableFormat::Csv;
    if (name == "tsv")
        return TableFormat::Tsv;
    if (name == "json")
        return TableFormat::Json;
    if (name == "markdown")
        return TableFormat::Markdown;
    return std::nullopt;
}

void writeTable(const Table& table, TableFormat format, std::ostream& out)
{
    switch (format) {
    case TableFormat::Text:
        writeTextTable(table, out);
        return;
    case TableFormat::Csv:
        writeLines(table, kCsv, out);
        return;
    case TableFormat::Tsv:
        writeLines(table, kTsv, out);
        return;
    case TableFormat::Json:
        writeJson(table, out);
        return;
    case TableFormat::Markdown:
        writeMarkdown(table, out);
        return;
    }
}

void writeTsvRows(const Table& table, const std::vector<uint32_t>& rows, std::ostream& out)
{
    writeHeader(table, kTsv, out);
    for (const uint32_t row : rows)
        writeRow(table, kTsv, row, out);
}

} // namespace torchline
