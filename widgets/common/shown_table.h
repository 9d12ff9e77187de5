#pragma once
// ShownTable: a Table of core made ready for a view, off the GUI thread: how each column prints, the colour class and
// the stable key of each row, the figures under the columns. Thread: values; make and sort on any thread.
// Cost: O(cells), sorting O(rows log rows).

#include "common/format.h"
#include "export/table.h"
#include "lod/work_class.h"

#include <QString>

#include <memory>
#include <vector>

namespace torchline {

struct ShownTable;

/// One unit and number of decimals for all cells of a column, chosen from its largest value.
struct ColumnFormat {
    ColumnUnit unit = ColumnUnit::Text;
    TimeUnit time;
    ScaledUnit scaled;
    QString widest; ///< text of the cell that needs most room, about (texts: the one with most characters)
    bool isEmpty = true; ///< nothing but zeros and unknowns
    std::optional<size_t> partColumn; ///< of a percentage: the column whose figure it is a share of

    [[nodiscard]] bool isNumber() const { return unit != ColumnUnit::Text; }
};

/// Text of a cell by itself; an unknown one is a dash.
[[nodiscard]] QString shownText(const Cell& cell, const ColumnFormat& format);
/// Text of a cell of a row: of a share that rounds to nothing it says so, if what it is a share of is not zero.
[[nodiscard]] QString shownText(const ShownTable& shown, size_t row, size_t column);
/// True if the cell is a share of nothing.
[[nodiscard]] bool isZeroShare(const ShownTable& shown, size_t row, size_t column);
/// To the last digit: nanoseconds, bytes, counts.
[[nodiscard]] QString exactText(const Cell& cell, ColumnUnit unit);
/// A percentage as 0..1, held to that; nothing for other cells.
[[nodiscard]] std::optional<double> shareOf(const Cell& cell, ColumnUnit unit);

/// What does not change when the rows are put in another order.
struct TableTraits {
    std::vector<ColumnFormat> formats; ///< by column
    std::vector<WorkClass> classes; ///< by source row; empty: the rows have no colour
    std::vector<uint64_t> keys; ///< by source row; the same row of a later result has the same key
    std::vector<Cell> footer; ///< by column; unknown: blank
    QString footerTitle; ///< "94 names"
};

struct ShownTable {
    Table table; ///< rows as shown; sourceRows says which row of the analysis each one is
    std::optional<SortOrder> order; ///< none: as listed
    std::shared_ptr<const TableTraits> traits;

    [[nodiscard]] WorkClass rowClass(size_t row) const { return traits->classes[table.sourceRows[row]]; }
    [[nodiscard]] uint64_t rowKey(size_t row) const { return traits->keys[table.sourceRows[row]]; }
};

struct FooterFigures {
    QString title;
    std::vector<std::pair<std::string, Cell>> cells; ///< by column key
};

/// The table as the analysis lists it. classes by source row, or empty.
[[nodiscard]] ShownTable makeShown(Table table, std::vector<WorkClass> classes, const FooterFigures& footer);
/// The same rows in another order.
[[nodiscard]] ShownTable sortedBy(const ShownTable& shown, const SortOrder& order);
/// Rows that both have stand as they do in the other one, those that are new behind them.
[[nodiscard]] ShownTable inOrderOf(const ShownTable& shown, const ShownTable& other);
/// Sum of the known cells of a column; of percentages nothing.
[[nodiscard]] Cell columnSum(const Table& table, std::string_view key);

} // namespace torchline
