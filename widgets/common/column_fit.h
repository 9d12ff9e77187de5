#pragma once
// Which columns of a table fit a width, and how wide each one is. Thread: any.

#include <vector>

namespace torchline {

struct ColumnWish {
    int least = 0; ///< room that the widest cell, title and footer need; the name: what it holds before columns leave
    int smallest = 0; ///< the name alone: what it shrinks to when no more columns can leave
    int natural = 0; ///< the name column: its longest text; others: least
    int leavesAt = -1; ///< columns leave in rising order when there is no room; -1: never
    bool isFixed = false; ///< sized by hand: neither grows nor shrinks
};

/// Width of each column; 0: left out. The first is the name: it takes what is left. When even the columns that never
/// leave are too wide, the sum exceeds the width (and the table scrolls).
[[nodiscard]] std::vector<int> fitColumns(const std::vector<ColumnWish>& wishes, int width, int mostExtra);

} // namespace torchline
