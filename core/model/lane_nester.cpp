#include "model/lane_nester.h"

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

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

/// Whether each slice lies in the row below its parent's, as it does where nothing crosses.
bool isRowDepth(const LaneNesting& nesting)
{
    for (size_t i = 0; i < nesting.row.size(); ++i) {
        if (nesting.row[i] + 1 != nesting.depth[i])
            return false;
    }
    return true;
}

/// Those of a device have rows of their own, above its work.
bool isAnnotation(const LaneColumns& lane, uint32_t i)
{
    return lane.kind(i) == SliceKind::DeviceAnnotation;
}

} // namespace

void LaneNester::rewind(uint32_t index)
{
    if (index >= m_now.index)
        return;
    while (!m_earlier.empty() && m_earlier.back().index > index)
        m_earlier.pop_back();
    m_now = m_earlier.empty() ? State() : m_earlier.back();
    m_nesting.parent.resize(m_now.index);
    m_nesting.depth.resize(m_now.index);
    m_nesting.row.resize(m_now.index);
}

void LaneNester::advance(LaneColumns& lane)
{
    if (m_nesting.parent.capacity() < lane.size()) {
        const size_t room = m_now.index == 0 ? lane.size() : lane.size() + lane.size() / 8;
        m_nesting.parent.reserve(room);
        m_nesting.depth.reserve(room);
        m_nesting.row.reserve(room);
    }
    for (; m_now.index < lane.size(); ++m_now.index) {
        const uint32_t i = m_now.index;
        if (i % kEvery == 0 && i > 0 && (m_earlier.empty() || m_earlier.back().index < i))
            m_earlier.push_back(m_now);
        const int64_t startNs = lane.startNs(i);
        const int64_t endNs = lane.endNs(i);
        bool crosses = false;
        const uint32_t parent = m_now.open.enter(startNs, endNs, i, &crosses);
        lane.setFlag(i, SliceCrossing, crosses);
        m_now.crossing += crosses ? 1 : 0;
        const uint32_t depth = parent == kNoSlice ? 1 : std::min<uint32_t>(m_nesting.depth[parent] + 1u, kMostRows);
        const bool isApart = isAnnotation(lane, i);
        uint32_t above = parent;
        while (above != kNoSlice && isAnnotation(lane, above) != isApart)
            above = m_nesting.parent[above];
        FreeRows& rows = isApart ? m_now.annotationRows : m_now.rows;
        uint32_t row = rows.take(above == kNoSlice ? 0 : m_nesting.row[above] + 1u, startNs, endNs);
        if (row == kMostRows) {
            row = kMostRows - 1;
            ++m_now.beyondRows;
        }
        m_nesting.parent.push_back(parent);
        m_nesting.depth.push_back(static_cast<uint16_t>(depth));
        m_nesting.row.push_back(static_cast<uint16_t>(row));
        m_now.maxDepth = std::max(m_now.maxDepth, static_cast<uint16_t>(depth));
    }
}

void LaneNester::forget(uint32_t end, const std::vector<uint32_t>& kept)
{
    if (m_now.index < end) {
        *this = LaneNester();
        return;
    }
    const auto gone = end - static_cast<uint32_t>(kept.size());
    const auto newIndex = [&](uint32_t index) {
        if (index == kNoSlice || index >= end)
            return index == kNoSlice ? index : index - gone;
        const auto found = std::lower_bound(kept.begin(), kept.end(), index);
        return found != kept.end() && *found == index ? static_cast<uint32_t>(found - kept.begin()) : kNoSlice;
    };
    for (uint32_t i = 0; i < kept.size(); ++i) {
        const uint32_t parent = newIndex(m_nesting.parent[kept[i]]);
        m_nesting.parent[i] = parent;
        m_nesting.depth[i] = static_cast<uint16_t>(parent == kNoSlice ? 1 : m_nesting.depth[parent] + 1);
        m_nesting.row[i] = m_nesting.row[kept[i]];
    }
    for (uint32_t i = end; i < m_now.index; ++i) {
        m_nesting.parent[i - gone] = newIndex(m_nesting.parent[i]);
        m_nesting.depth[i - gone] = m_nesting.depth[i];
        m_nesting.row[i - gone] = m_nesting.row[i];
    }
    m_nesting.parent.resize(m_now.index - gone);
    m_nesting.depth.resize(m_now.index - gone);
    m_nesting.row.resize(m_now.index - gone);
    std::erase_if(m_earlier, [end](const State& state) { return state.index < end; });
    m_earlier.push_back(std::move(m_now));
    for (State& state : m_earlier) {
        state.index -= gone;
        state.open.renumber(newIndex);
    }
    m_now = std::move(m_earlier.back());
    m_earlier.pop_back();
}

NestedLane LaneNester::take(const LaneColumns& lane)
{
    NestedLane result;
    result.nesting = std::exchange(m_nesting, {});
    result.nesting.maxDepth = m_now.maxDepth;
    const uint32_t annotations = m_now.annotationRows.count();
    result.nesting.rowCount = static_cast<uint16_t>(std::min(annotations + m_now.rows.count(), kMostRows));
    for (uint32_t i = 0; annotations > 0 && i < result.nesting.row.size(); ++i) {
        if (isAnnotation(lane, i))
            continue;
        const uint32_t row = result.nesting.row[i] + annotations;
        m_now.beyondRows += row >= kMostRows ? 1 : 0;
        result.nesting.row[i] = static_cast<uint16_t>(std::min(row, kMostRows - 1));
    }
    result.crossing = m_now.crossing;
    result.beyondRows = m_now.beyondRows;
    if (result.nesting.rowCount > 1)
        listRows(result.nesting);
    if (isRowDepth(result.nesting))
        std::vector<uint16_t>().swap(result.nesting.row);
    m_now = State();
    m_earlier.clear();
    return result;
}

size_t LaneNester::memoryUsage() const
{
    constexpr size_t kStateBytes = 1024; // a state holds a few dozen numbers
    return m_nesting.memoryUsage() + m_earlier.size() * (sizeof(State) + kStateBytes);
}

} // namespace torchline
