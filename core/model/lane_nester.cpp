#include "model/lane_nester.h"

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

/// Those of a device have rows of their own, above its work.
bool isAnnotation(const LaneColumns& lane, uint32_t i)
{
    return lane.kind(i) == SliceKind::DeviceAnnotation;
}

/// Moves the rows of all else below those of the annotations; returns how many found no room there.
uint32_t putBelowAnnotations(LaneNesting& nesting, const LaneColumns& lane, uint32_t annotations)
{
    uint32_t beyond = 0;
    SharedBlocks<uint16_t, SliceBlock::kRows> rows;
    nesting.rows.clear();
    nesting.rows.resize(nesting.rowCount > 1 ? nesting.rowCount : 0);
    for (uint32_t i = 0; i < lane.size(); ++i) {
        uint32_t row = nesting.rowOf(i);
        if (!isAnnotation(lane, i)) {
            row += annotations;
            beyond += row >= kMostRows ? 1 : 0;
            row = std::min(row, kMostRows - 1);
        }
        rows.push_back(static_cast<uint16_t>(row));
        if (!nesting.rows.empty())
            nesting.rows[row].push_back(i);
    }
    nesting.row = std::move(rows);
    return beyond;
}

} // namespace

void LaneNester::rewind(uint32_t index)
{
    if (index >= m_now.index)
        return;
    while (!m_earlier.empty() && m_earlier.back()->index > index)
        m_earlier.pop_back();
    m_now = m_earlier.empty() ? State() : *m_earlier.back();
    m_nesting.parent.truncate(m_now.index);
    m_nesting.depth.truncate(m_now.index);
    m_nesting.row.truncate(m_nesting.row.empty() ? 0 : m_now.index);
    for (SliceList& list : m_nesting.rows)
        list.truncate(static_cast<size_t>(std::lower_bound(list.begin(), list.end(), m_now.index) - list.begin()));
    m_nesting.rows.resize(m_now.rows.count() > 1 ? std::min<size_t>(m_now.rows.count(), kMostRows) : 0);
    while (!m_withinRecorder.empty() && m_withinRecorder.back() >= m_now.index)
        m_withinRecorder.pop_back();
}

void LaneNester::advance(LaneColumns& lane)
{
    constexpr uint32_t kRows = SliceBlock::kRows;
    while (m_now.index < lane.size()) {
        // Kept: a flag that is set in a block that others have, too, puts a copy in its place.
        const std::shared_ptr<const SliceBlock> block = lane.blockOf(m_now.index);
        const uint32_t end = std::min((m_now.index / kRows + 1) * kRows, lane.size());
        for (; m_now.index < end; ++m_now.index)
            enter(lane, *block, m_now.index);
    }
}

/// block: that of slice i.
void LaneNester::enter(LaneColumns& lane, const SliceBlock& block, uint32_t i)
{
    const uint32_t k = i % SliceBlock::kRows;
    if (i % kEvery == 0 && i > 0 && (m_earlier.empty() || m_earlier.back()->index < i))
        m_earlier.push_back(std::make_shared<const State>(m_now));
    const int64_t startNs = block.startNs[k];
    const int64_t endNs = addSaturated(startNs, block.durationNs[k]);
    bool crosses = false;
    const uint32_t parent = m_now.open.enter(startNs, endNs, i, &crosses);
    if (((block.flags[k] & SliceCrossing) != 0) != crosses)
        lane.setFlag(i, SliceCrossing, crosses);
    m_now.crossing += crosses ? 1 : 0;
    if (m_now.crossing > 0)
        lookWithinRecorder(lane, i);
    const uint32_t depth = parent == kNoSlice ? 1 : std::min<uint32_t>(m_nesting.depth[parent] + 1u, kMostRows);
    const bool isApart = block.kind[k] == SliceKind::DeviceAnnotation;
    uint32_t above = parent;
    if (isApart || m_now.annotationRows.count() > 0) {
        while (above != kNoSlice && isAnnotation(lane, above) != isApart)
            above = m_nesting.parent[above];
    }
    FreeRows& rows = isApart ? m_now.annotationRows : m_now.rows;
    uint32_t row = rows.take(above == kNoSlice ? 0 : m_nesting.rowOf(above) + 1u, startNs, endNs);
    if (row == kMostRows) {
        row = kMostRows - 1;
        ++m_now.beyondRows;
    }
    m_nesting.parent.push_back(parent);
    m_nesting.depth.push_back(static_cast<uint16_t>(depth));
    setRow(i, static_cast<uint16_t>(row), depth);
    if (!isApart)
        listRow(i, static_cast<uint16_t>(row));
    m_now.maxDepth = std::max(m_now.maxDepth, static_cast<uint16_t>(depth));
}

void LaneNester::lookWithinRecorder(const LaneColumns& lane, uint32_t i)
{
    const auto enter = [&](uint32_t slice) {
        OpenSlices& open
            = lane.kind(slice) == SliceKind::PythonFunction ? m_now.recorders->python : m_now.recorders->others;
        bool crosses = false;
        open.enter(lane.startNs(slice), lane.endNs(slice), slice, &crosses);
        return crosses;
    };
    if (!m_now.recorders) {
        // Nothing has crossed so far: what is open is the last slice and all that it is inside of.
        m_now.recorders.emplace();
        std::vector<uint32_t> around;
        for (uint32_t k = i - 1; k != kNoSlice; k = m_nesting.parent[k])
            around.push_back(k);
        std::for_each(around.rbegin(), around.rend(), enter);
    }
    if (enter(i) && (lane.flags(i) & SliceUnfinished) == 0)
        m_withinRecorder.push_back(i);
}

/// Rows are kept from the first on that is not just one less than the depth.
void LaneNester::setRow(uint32_t i, uint16_t row, uint32_t depth)
{
    if (m_nesting.row.empty()) {
        if (row + 1u == depth)
            return;
        for (uint32_t k = 0; k < i; ++k)
            m_nesting.row.push_back(static_cast<uint16_t>(m_nesting.depth[k] - 1));
    }
    m_nesting.row.push_back(row);
}

/// Lists are kept from the second row on.
void LaneNester::listRow(uint32_t i, uint16_t row)
{
    std::vector<SliceList>& lists = m_nesting.rows;
    if (lists.empty()) {
        if (row == 0)
            return;
        lists.resize(1);
        for (uint32_t k = 0; k < i; ++k)
            lists[0].push_back(k);
    }
    if (row >= lists.size())
        lists.resize(row + size_t{1});
    lists[row].push_back(i);
}

NestedLane LaneNester::take(const LaneColumns& lane)
{
    NestedLane result;
    result.nesting = std::exchange(m_nesting, {});
    LaneNesting& nesting = result.nesting;
    nesting.maxDepth = m_now.maxDepth;
    const uint32_t annotations = m_now.annotationRows.count();
    nesting.rowCount = static_cast<uint16_t>(std::min(annotations + m_now.rows.count(), kMostRows));
    result.beyondRows = m_now.beyondRows;
    if (annotations > 0)
        result.beyondRows += putBelowAnnotations(nesting, lane, annotations);
    nesting.parent.shrinkToFit();
    nesting.depth.shrinkToFit();
    nesting.row.shrinkToFit();
    for (SliceList& list : nesting.rows)
        list.shrinkToFit();
    result.crossing = m_now.crossing;
    result.withinRecorder = std::exchange(m_withinRecorder, {});
    m_now = State();
    m_earlier.clear();
    return result;
}

size_t LaneNester::memoryUsage() const
{
    constexpr size_t kStateBytes = 1024; // a state holds a few dozen numbers
    return m_nesting.memoryUsage() + m_earlier.size() * (sizeof(State) + kStateBytes)
        + m_withinRecorder.capacity() * sizeof(uint32_t);
}

} // namespace torchline
