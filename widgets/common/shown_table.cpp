#include "common/shown_table.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kNoBreak(0x00A0);
/// A cell shows one line, cut in the middle: of a longer text only its two ends count.
constexpr size_t kMostBytes = 2000;

std::optional<int64_t> numberOf(const Cell& cell)
{
    if (const auto* count = std::get_if<int64_t>(&cell))
        return *count;
    if (const auto* time = std::get_if<TimeCell>(&cell))
        return time->ns;
    if (const auto* hundredths = std::get_if<HundredthsCell>(&cell))
        return hundredths->hundredths;
    return std::nullopt;
}

/// Small rows stand beside large ones: a larger unit is taken only when the largest value has five digits before the
/// point, so that three decimals still tell the small ones apart.
TimeUnit columnTimeUnit(int64_t largestNs)
{
    constexpr int64_t kTenMs = 10'000'000;
    constexpr int64_t kHundredSeconds = 100'000'000'000;
    if (largestNs < 1000)
        return timeUnitFor(largestNs);
    if (largestNs < kTenMs)
        return timeUnitFor(1000);
    return largestNs < kHundredSeconds ? timeUnitFor(1'000'000) : timeUnitFor(1'000'000'000);
}

bool isInsideCharacter(std::string_view text, size_t at)
{
    return at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0u) == 0x80u;
}

QString endsOf(const std::string& text)
{
    if (text.size() <= kMostBytes)
        return displayText(text);
    size_t head = kMostBytes / 2;
    while (head > 0 && isInsideCharacter(text, head))
        --head;
    size_t tail = text.size() - kMostBytes / 2;
    while (isInsideCharacter(text, tail))
        ++tail;
    return displayText(std::string_view(text).substr(0, head)) + u'…'
        + displayText(std::string_view(text).substr(tail));
}

ColumnFormat formatOf(const Table& table, size_t column)
{
    ColumnFormat format;
    format.unit = table.columns[column].unit;
    if (const std::string& key = table.columns[column].key; key.ends_with("_percent"))
        format.partColumn = table.columnOf(key.substr(0, key.size() - std::string_view("percent").size()) + "us");
    int64_t least = 0;
    int64_t most = 0;
    const std::string* longest = nullptr;
    for (const std::vector<Cell>& row : table.rows) {
        const Cell& cell = row[column];
        if (const auto* text = std::get_if<std::string>(&cell)) {
            format.isEmpty = format.isEmpty && text->empty();
            if (longest == nullptr || text->size() > longest->size())
                longest = text;
        } else if (const std::optional<int64_t> number = numberOf(cell)) {
            format.isEmpty = format.isEmpty && *number == 0;
            least = std::min(least, *number);
            most = std::max(most, *number);
        }
    }
    const int64_t largest = most >= subSaturated(0, least) ? most : subSaturated(0, least);
    if (format.unit == ColumnUnit::Time)
        format.time = columnTimeUnit(largest);
    else if (format.unit == ColumnUnit::Bytes)
        format.scaled = byteUnitFor(largest);
    else if (format.unit == ColumnUnit::Flops)
        format.scaled = flopUnitFor(largest);

    if (longest != nullptr) {
        format.widest = endsOf(*longest);
        return format;
    }
    const auto textOf = [&](int64_t n) {
        if (format.unit == ColumnUnit::Time)
            return shownText(TimeCell{n}, format);
        if (format.unit == ColumnUnit::Percent || format.unit == ColumnUnit::Bandwidth)
            return shownText(HundredthsCell{n}, format);
        return shownText(n, format);
    };
    if (format.unit == ColumnUnit::Percent)
        most = std::max<int64_t>(most, 10'000); // the footer's figure, so that bars keep their place
    const QString low = textOf(least);
    const QString high = textOf(most);
    format.widest = low.size() > high.size() ? low : high;
    return format;
}

int64_t largestOf(const Table& table, size_t column)
{
    int64_t largest = 0;
    for (const std::vector<Cell>& row : table.rows) {
        const int64_t number = numberOf(row[column]).value_or(0);
        largest = std::max(largest, number < 0 ? subSaturated(0, number) : number);
    }
    return largest;
}

/// Parts of one whole are read across the row: they need one unit.
void shareTimeUnit(TableTraits& traits, const Table& table)
{
    int64_t largest = 0;
    for (size_t column = 0; column < table.columns.size(); ++column) {
        if (table.columns[column].unit == ColumnUnit::Time)
            largest = std::max(largest, largestOf(table, column));
    }
    for (size_t column = 0; column < table.columns.size(); ++column) {
        ColumnFormat& format = traits.formats[column];
        if (format.unit == ColumnUnit::Time) {
            format.time = columnTimeUnit(largest);
            format.widest = shownText(TimeCell{largestOf(table, column)}, format);
        }
    }
}

std::vector<uint64_t> keysOf(const Table& table)
{
    std::vector<uint64_t> keys(table.rows.size());
    std::unordered_map<uint64_t, uint64_t> seen;
    for (size_t row = 0; row < table.rows.size(); ++row) {
        uint64_t key = 0xCBF29CE484222325u;
        for (const Cell& cell : table.rows[row]) {
            if (const auto* text = std::get_if<std::string>(&cell))
                key = (key ^ std::hash<std::string>()(*text)) * 0x100000001B3u;
        }
        keys[row] = key + seen[key]++ * 0x9E3779B97F4A7C15u;
    }
    return keys;
}

} // namespace

QString shownText(const Cell& cell, const ColumnFormat& format)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return endsOf(*text);
    if (const auto* time = std::get_if<TimeCell>(&cell))
        return formatTime(time->ns, format.time);
    if (const auto* value = std::get_if<HundredthsCell>(&cell)) {
        if (value->hundredths == 0)
            return u"0"_s;
        const QString figure = formatHundredths(value->hundredths);
        if (format.unit == ColumnUnit::Percent)
            return figure + kNoBreak + u'%';
        return format.unit == ColumnUnit::Bandwidth ? QString(figure + kNoBreak + u"GB/s"_s) : figure;
    }
    if (const auto* count = std::get_if<int64_t>(&cell)) {
        if (format.unit == ColumnUnit::Bytes || format.unit == ColumnUnit::Flops)
            return formatScaled(*count, format.scaled);
        return formatCount(*count);
    }
    return QString(QChar(0x2013));
}

bool isZeroShare(const ShownTable& shown, size_t row, size_t column)
{
    const std::vector<Cell>& cells = shown.table.rows[row];
    const auto* share = std::get_if<HundredthsCell>(&cells[column]);
    if (share == nullptr || share->hundredths != 0)
        return false;
    const std::optional<size_t> part = shown.traits->formats[column].partColumn;
    return !part || numberOf(cells[*part]).value_or(0) == 0;
}

QString shownText(const ShownTable& shown, size_t row, size_t column)
{
    const Cell& cell = shown.table.rows[row][column];
    if (const auto* text = std::get_if<std::string>(&cell); column == 0 && text != nullptr && text->empty())
        return QCoreApplication::translate("ShownTable", "(no name)");
    const auto* share = std::get_if<HundredthsCell>(&cell);
    if (share != nullptr && share->hundredths == 0 && !isZeroShare(shown, row, column))
        return u"<0.01"_s + kNoBreak + u'%';
    return shownText(cell, shown.traits->formats[column]);
}

QString exactText(const Cell& cell, ColumnUnit unit)
{
    if (const auto* time = std::get_if<TimeCell>(&cell))
        return formatExact(time->ns);
    if (const auto* count = std::get_if<int64_t>(&cell)) {
        const QString figure = formatCount(*count);
        if (unit == ColumnUnit::Bytes)
            return figure + kNoBreak + u'B';
        return unit == ColumnUnit::Flops ? QString(figure + kNoBreak + u"FLOP"_s) : figure;
    }
    ColumnFormat plain;
    plain.unit = unit;
    return shownText(cell, plain);
}

std::optional<double> shareOf(const Cell& cell, ColumnUnit unit)
{
    const auto* value = std::get_if<HundredthsCell>(&cell);
    if (value == nullptr || unit != ColumnUnit::Percent)
        return std::nullopt;
    return std::clamp(static_cast<double>(value->hundredths) / 10'000.0, 0.0, 1.0);
}

ShownTable makeShown(Table table, std::vector<WorkClass> classes, const FooterFigures& footer)
{
    auto traits = std::make_shared<TableTraits>();
    traits->classes = std::move(classes);
    traits->keys = keysOf(table);
    traits->footerTitle = footer.title;
    traits->footer.resize(table.columns.size());
    for (size_t column = 0; column < table.columns.size(); ++column)
        traits->formats.push_back(formatOf(table, column));
    if (table.command == "steps")
        shareTimeUnit(*traits, table);
    for (const auto& [key, cell] : footer.cells) {
        if (const std::optional<size_t> column = table.columnOf(key))
            traits->footer[*column] = cell;
    }
    if (table.sourceRows.size() != table.rows.size()) {
        table.sourceRows.resize(table.rows.size());
        std::iota(table.sourceRows.begin(), table.sourceRows.end(), 0u);
    }
    return {std::move(table), std::nullopt, std::move(traits)};
}

ShownTable sortedBy(const ShownTable& shown, const SortOrder& order)
{
    ShownTable sorted = shown;
    // From the order of the analysis, so that rows that tie stand as the command line prints them.
    std::vector<uint32_t> listed(shown.table.rows.size());
    std::iota(listed.begin(), listed.end(), 0u);
    std::sort(listed.begin(), listed.end(),
        [&](uint32_t a, uint32_t b) { return shown.table.sourceRows[a] < shown.table.sourceRows[b]; });
    for (size_t at = 0; at < listed.size(); ++at) {
        sorted.table.rows[at] = shown.table.rows[listed[at]];
        sorted.table.sourceRows[at] = shown.table.sourceRows[listed[at]];
    }
    sortTable(sorted.table, order);
    sorted.order = order;
    return sorted;
}

ShownTable inOrderOf(const ShownTable& shown, const ShownTable& other)
{
    std::unordered_map<uint64_t, size_t> places;
    for (size_t row = 0; row < other.table.rows.size(); ++row)
        places.emplace(other.rowKey(row), row);
    std::vector<std::pair<size_t, size_t>> rows; // place there, row here
    for (size_t row = 0; row < shown.table.rows.size(); ++row) {
        const auto known = places.find(shown.rowKey(row));
        rows.emplace_back(known == places.end() ? places.size() : known->second, row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    ShownTable placed = shown;
    for (size_t at = 0; at < rows.size(); ++at) {
        placed.table.rows[at] = shown.table.rows[rows[at].second];
        placed.table.sourceRows[at] = shown.table.sourceRows[rows[at].second];
    }
    placed.order = other.order;
    return placed;
}

Cell columnSum(const Table& table, std::string_view key)
{
    const std::optional<size_t> column = table.columnOf(key);
    if (!column)
        return {};
    int64_t sum = 0;
    bool isKnown = false;
    for (const std::vector<Cell>& row : table.rows) {
        const Cell& cell = row[*column];
        if (std::holds_alternative<HundredthsCell>(cell))
            return {};
        if (const std::optional<int64_t> number = numberOf(cell)) {
            sum = addSaturated(sum, *number);
            isKnown = true;
        }
    }
    if (!isKnown)
        return {};
    if (table.columns[*column].unit == ColumnUnit::Time)
        return TimeCell{sum};
    return sum;
}

} // namespace torchline
