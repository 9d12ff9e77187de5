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

// When each row is free again, with a lower bound for every 64 rows so that full stretches are passed over.
class FreeRows {
public:
    // The first row from `first` on in which nothing is open at startNs; kMostRows if there is none.
    uint32_t take(uint32_t first, int64_t startNs, int64_t endNs)
    {
        uint32_t row = first;
        while (row < m_freeNs.size()) {
            if (row % kStride == 0 && m_strideMinNs[row / kStride] > startNs) {
                row += kStride;
                continue;
            }
            const uint32_t stop = std::min(static_cast<uint32_t>(m_freeNs.size()), (row / kStride + 1) * kStride);
            const uint32_t begin = row;
            while (row < stop && m_freeNs[row] > startNs)
                ++row;
            if (row < stop) {
                m_freeNs[row] = endNs;
                return row;
            }
            if (begin % kStride == 0 && stop - begin == kStride)
                m_strideMinNs[begin / kStride] = *std::min_element(m_freeNs.begin() + begin, m_freeNs.begin() + stop);
        }
        if (m_freeNs.size() == kMostRows)
            return kMostRows;
        if (m_freeNs.size() % kStride == 0)
            m_strideMinNs.push_back(kMinNs);
        m_freeNs.push_back(endNs);
        return static_cast<uint32_t>(m_freeNs.size() - 1);
    }

    [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(m_freeNs.size()); }

private:
    static constexpr uint32_t kStride = 64;
    std::vector<int64_t> m_freeNs;
    std::vector<int64_t> m_strideMinNs; ///< never above the true minimum: times only grow
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
    }
    nesting.rowCount = static_cast<uint16_t>(rows.count());
    if (nesting.rowCount > 1)
        listRows(nesting);
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
