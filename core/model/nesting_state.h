#pragma once
// What is open while the slices of a lane go by in order: who can still be a parent, and which rows are taken.
// Private to nesting. Thread: values.

#include "model/file_store.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

namespace torchline {

constexpr uint32_t kMostRows = std::numeric_limits<uint16_t>::max();

// Slices that a later one can still be inside of: the latest at the back. A slice that is outlasted by a later one can
// be nobody's parent any more, since the later one is nearer; so ends fall from front to back, and the back is the top.
class OpenSlices {
public:
    struct Entry {
        int64_t endNs;
        uint32_t index;
    };

    // Finds the parent of a slice that starts now, and whether it crosses anything open.
    uint32_t enter(int64_t startNs, int64_t endNs, uint32_t index, bool* crosses)
    {
        *crosses = false;
        while (!m_open.empty() && (m_open.back().endNs <= startNs || m_open.back().endNs < endNs)) {
            if (m_open.back().endNs > startNs) {
                *crosses = true;
                m_outlastedEnds.push(m_open.back().endNs);
            }
            m_open.pop_back();
        }
        while (!m_outlastedEnds.empty() && m_outlastedEnds.top() <= startNs)
            m_outlastedEnds.pop();
        if (!m_outlastedEnds.empty() && m_outlastedEnds.top() < endNs)
            *crosses = true;
        const uint32_t parent = m_open.empty() ? kNoSlice : m_open.back().index;
        m_open.push_back({endNs, index});
        return parent;
    }

private:
    std::vector<Entry> m_open;
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> m_outlastedEnds; ///< of slices still running
};

// When each row is free again, as the leaves of a tree of minima: the next free row is found without looking at all.
class FreeRows {
public:
    // The first row from `first` on in which nothing is open at startNs; kMostRows if there is none.
    uint32_t take(uint32_t first, int64_t startNs, int64_t endNs)
    {
        const uint32_t row = firstFree(first, startNs);
        if (row >= kMostRows)
            return kMostRows;
        uint32_t node = m_leaves + row;
        m_freeNs[node] = endNs;
        while (node > 1) {
            node /= 2;
            const int64_t earliest = std::min(m_freeNs[2 * node], m_freeNs[2 * node + 1]);
            if (m_freeNs[node] == earliest)
                break;
            m_freeNs[node] = earliest;
        }
        m_count = std::max(m_count, row + 1);
        return row;
    }

    [[nodiscard]] uint32_t count() const { return m_count; }

private:
    uint32_t firstFree(uint32_t first, int64_t startNs)
    {
        if (first >= m_leaves)
            grow();
        uint32_t node = m_leaves + first;
        while (m_freeNs[node] > startNs) {
            while (node % 2 == 1)
                node /= 2;
            if (node == 0) {
                grow();
                return m_leaves / 2;
            }
            ++node;
        }
        while (node < m_leaves)
            node = m_freeNs[2 * node] <= startNs ? 2 * node : 2 * node + 1;
        return node - m_leaves;
    }

    void grow()
    {
        const std::vector<int64_t> rows(m_freeNs.begin() + m_leaves, m_freeNs.end());
        m_leaves *= 2;
        m_freeNs.assign(2 * size_t{m_leaves}, kMinNs);
        std::copy(rows.begin(), rows.end(), m_freeNs.begin() + m_leaves);
        for (uint32_t node = m_leaves - 1; node > 0; --node)
            m_freeNs[node] = std::min(m_freeNs[2 * node], m_freeNs[2 * node + 1]);
    }

    uint32_t m_leaves = 16;
    uint32_t m_count = 0; ///< rows that were ever taken
    std::vector<int64_t> m_freeNs = std::vector<int64_t>(32, kMinNs); ///< node i is above 2 i and 2 i + 1
};

} // namespace torchline
