#include "model/nesting.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace torchline {

namespace {

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

void listRows(LaneNesting& nesting)
{
    nesting.rowBegin.assign(nesting.rowCount + 1u, 0);
    for (const uint16_t row : nesting.row)
        ++nesting.rowBegin[row + 1u];
    for (size_t row = 1; row < nesting.rowBegin.size(); ++row)
        nesting.rowBegin[row] += nesting.rowBegin[row - 1];
    nesting.rowSlices.resize(nesting.row.size());
    std::vector<uint32_t> next(nesting.rowBegin.begin(), nesting.rowBegin.end() - 1);
    for (uint32_t i = 0; i < nesting.row.size(); ++i)
        nesting.rowSlices[next[nesting.row[i]]++] = i;
}

} // namespace

NestedLane nestLane(LaneColumns& lane)
{
    NestedLane result;
    LaneNesting& nesting = result.nesting;
    nesting.parent.reserve(lane.size());
    nesting.depth.reserve(lane.size());
    nesting.row.reserve(lane.size());
    OpenSlices open;
    FreeRows rows;
    bool isRowDepth = true;
    for (uint32_t i = 0; i < lane.size(); ++i) {
        const int64_t startNs = lane.startNs(i);
        const int64_t endNs = lane.endNs(i);
        bool crosses = false;
        const uint32_t parent = open.enter(startNs, endNs, i, &crosses);
        if (crosses) {
            lane.addFlag(i, SliceCrossing);
            ++result.crossing;
        }
        const uint32_t depth = parent == kNoSlice ? 1 : std::min<uint32_t>(nesting.depth[parent] + 1u, kMostRows);
        uint32_t row = rows.take(parent == kNoSlice ? 0 : nesting.row[parent] + 1u, startNs, endNs);
        if (row == kMostRows) {
            row = kMostRows - 1;
            ++result.beyondRows;
        }
        nesting.parent.push_back(parent);
        nesting.depth.push_back(static_cast<uint16_t>(depth));
        nesting.row.push_back(static_cast<uint16_t>(row));
        nesting.maxDepth = std::max(nesting.maxDepth, static_cast<uint16_t>(depth));
        isRowDepth = isRowDepth && row + 1 == depth;
    }
    nesting.rowCount = static_cast<uint16_t>(rows.count());
    if (nesting.rowCount > 1)
        listRows(nesting);
    if (isRowDepth)
        std::vector<uint16_t>().swap(nesting.row);
    return result;
}

std::vector<uint32_t> crossingWithinRecorder(const LaneColumns& lane)
{
    OpenSlices python;
    OpenSlices others;
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < lane.size(); ++i) {
        OpenSlices& open = lane.kind(i) == SliceKind::PythonFunction ? python : others;
        bool crosses = false;
        open.enter(lane.startNs(i), lane.endNs(i), i, &crosses);
        if (crosses && (lane.flags(i) & SliceUnfinished) == 0)
            found.push_back(i);
    }
    return found;
}

std::vector<uint32_t> contradictingWork(const LaneColumns& lane)
{
    std::vector<uint32_t> found;
    uint32_t before[2] = {kNoSlice, kNoSlice}; // the last but one and the last piece of work
    for (uint32_t i = 0; i < lane.size(); ++i) {
        if (!isDeviceWork(lane.kind(i)) || lane.durationNs(i) == 0)
            continue;
        if (before[0] != kNoSlice && lane.endNs(before[0]) > lane.startNs(i))
            found.push_back(before[0]);
        before[0] = before[1];
        before[1] = i;
    }
    return found;
}

} // namespace torchline
