#include "export/table.h"

#include "base/int128.h"
#include "base/text.h"

#include <algorithm>
#include <numeric>

namespace torchline {

namespace {

Cell quotientCell(Int128 a, Int128 b)
{
    if (b == 0)
        return {};
    if (b < 0) {
        a = -a;
        b = -b;
    }
    Int128 quotient = a / b;
    Int128 rest = a % b;
    if (rest < 0) {
        rest += b;
        --quotient;
    }
    if (rest > b - rest || (rest == b - rest && quotient % 2 != 0))
        ++quotient;
    constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
    return HundredthsCell{static_cast<int64_t>(std::clamp(quotient, -kMost, kMost))};
}

bool isKnown(const Cell& cell)
{
    return !std::holds_alternative<std::monostate>(cell);
}

} // namespace

std::optional<size_t> Table::columnOf(std::string_view key) const
{
    const auto found = std::ranges::find(columns, key, &Column::key);
    if (found == columns.end())
        return std::nullopt;
    return static_cast<size_t>(found - columns.begin());
}

Result<SortOrder> parseSortOrder(const Table& table, std::string_view text)
{
    const size_t colon = text.rfind(':');
    const std::string_view key = text.substr(0, colon);
    const auto column = table.columnOf(key);
    if (!column) {
        std::string keys;
        for (const Column& known : table.columns)
            keys += (keys.empty() ? "" : ", ") + known.key;
        return Error(ErrorCode::Usage, "no column is called '" + escapeControls(key) + "' (there are " + keys + ")");
    }
    if (colon == std::string_view::npos)
        return SortOrder{*column, table.columns[*column].unit != ColumnUnit::Text};
    const std::string_view direction = text.substr(colon + 1);
    if (direction != "asc" && direction != "desc") {
        return Error(ErrorCode::Usage, "'" + escapeControls(direction) + "' is no direction (there are asc and desc)");
    }
    return SortOrder{*column, direction == "desc"};
}

std::vector<uint32_t> sortedOrder(const Table& table, const SortOrder& order)
{
    const auto name = table.columnOf("name");
    const auto less = [&](uint32_t i, uint32_t j) {
        const std::vector<Cell>& a = table.rows[i];
        const std::vector<Cell>& b = table.rows[j];
        const Cell& left = a[order.column];
        const Cell& right = b[order.column];
        if (isKnown(left) != isKnown(right))
            return isKnown(left);
        if (left != right)
            return order.descending ? right < left : left < right;
        return name && a[*name] < b[*name];
    };
    std::vector<uint32_t> permutation(table.rows.size());
    std::iota(permutation.begin(), permutation.end(), 0u);
    std::ranges::stable_sort(permutation, less);
    return permutation;
}

void sortTable(Table& table, const SortOrder& order)
{
    const std::vector<uint32_t> permutation = sortedOrder(table, order);
    std::vector<std::vector<Cell>> rows;
    std::vector<uint32_t> sourceRows;
    rows.reserve(permutation.size());
    sourceRows.reserve(permutation.size());
    for (const uint32_t i : permutation) {
        rows.push_back(std::move(table.rows[i]));
        sourceRows.push_back(table.sourceRows[i]);
    }
    table.rows = std::move(rows);
    table.sourceRows = std::move(sourceRows);
}

void limitTable(Table& table, uint64_t limit)
{
    if (limit == 0 || table.rows.size() <= limit)
        return;
    table.leftOut += table.rows.size() - limit;
    table.rows.resize(limit);
    table.sourceRows.resize(limit);
}

std::string hundredthsText(int64_t hundredths)
{
    const bool isNegative = hundredths < 0;
    const uint64_t magnitude
        = isNegative ? uint64_t{0} - static_cast<uint64_t>(hundredths) : static_cast<uint64_t>(hundredths);
    std::string text = isNegative ? "-" : "";
    text += std::to_string(magnitude / 100);
    text += '.';
    text += static_cast<char>('0' + magnitude / 10 % 10);
    text += static_cast<char>('0' + magnitude % 10);
    return text;
}

Cell percentCell(int64_t a, int64_t b)
{
    return quotientCell(Int128{a} * 10000, b);
}

Cell ratioCell(int64_t a, int64_t b)
{
    return quotientCell(Int128{a} * 100, b);
}

std::string cellText(const Cell& cell)
{
    if (const auto* number = std::get_if<int64_t>(&cell))
        return std::to_string(*number);
    if (const auto* time = std::get_if<TimeCell>(&cell))
        return microsecondsText(time->ns);
    if (const auto* hundredths = std::get_if<HundredthsCell>(&cell))
        return hundredthsText(hundredths->hundredths);
    if (const auto* text = std::get_if<std::string>(&cell))
        return *text;
    return {};
}

} // namespace torchline
