#include "common/column_fit.h"

#include <algorithm>

namespace torchline {

std::vector<int> fitColumns(const std::vector<ColumnWish>& wishes, int width, int mostExtra)
{
    std::vector<int> widths;
    int sum = 0;
    for (const ColumnWish& wish : wishes) {
        widths.push_back(wish.least);
        sum += wish.least;
    }
    while (sum > width) {
        size_t next = wishes.size();
        for (size_t i = 0; i < wishes.size(); ++i) {
            if (widths[i] > 0 && wishes[i].leavesAt >= 0
                && (next == wishes.size() || wishes[i].leavesAt < wishes[next].leavesAt))
                next = i;
        }
        if (next == wishes.size()) {
            if (!wishes.empty() && !wishes[0].isFixed)
                widths[0] = std::max(wishes[0].smallest, widths[0] - (sum - width));
            return widths;
        }
        sum -= widths[next];
        widths[next] = 0;
    }
    if (wishes.empty() || wishes[0].isFixed)
        return widths;
    int rest = width - sum;
    const int forName = std::min(rest, std::max(0, wishes[0].natural - widths[0]));
    widths[0] += forName;
    rest -= forName;
    int growing = 0;
    for (size_t i = 1; i < wishes.size(); ++i)
        growing += widths[i] > 0 && !wishes[i].isFixed ? 1 : 0;
    if (growing > 0) {
        const int extra = std::min(rest / growing, mostExtra);
        for (size_t i = 1; i < wishes.size(); ++i) {
            if (widths[i] > 0 && !wishes[i].isFixed) {
                widths[i] += extra;
                rest -= extra;
            }
        }
    }
    widths[0] += rest;
    return widths;
}

} // namespace torchline
