#include "model/snapshot_delta.h"

#include <algorithm>

namespace torchline {

namespace {

template <typename T> size_t equalCount(const SliceBlock::Column<T>& a, const SliceBlock::Column<T>& b, size_t most)
{
    return static_cast<size_t>(std::mismatch(a.data(), a.data() + most, b.data()).first - a.data());
}

uint32_t sameSlices(const SliceBlock& a, const SliceBlock& b)
{
    size_t same = std::min(a.size(), b.size());
    same = equalCount(a.startNs, b.startNs, same);
    same = equalCount(a.durationNs, b.durationNs, same);
    same = equalCount(a.name, b.name, same);
    same = equalCount(a.kind, b.kind, same);
    same = equalCount(a.eventOffset, b.eventOffset, same);
    return static_cast<uint32_t>(same);
}

} // namespace

SnapshotDelta::SnapshotDelta(const TraceSnapshot& before, const TraceSnapshot& now)
    : m_match(now, before)
    , m_lanes(now.lanes().size())
{
    if (&before.strings() != &now.strings())
        return;
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const Lane& lane = now.lanes()[l];
        const std::optional<LaneId> found = m_match.lane(LaneId(l));
        if (!found)
            continue;
        const Lane& was = before.lane(*found);
        if (was.offsetNs() != lane.offsetNs()
            || before.file(was.fileIndex()).info.originNs != now.file(lane.fileIndex()).info.originNs)
            continue;
        LaneChange& change = m_lanes[l];
        change.before = found;
        const auto& blocks = lane.store().blocks;
        const auto& earlier = was.store().blocks;
        change.sameOf.resize(blocks.size());
        bool isPrefix = true;
        for (size_t b = 0; b < std::min(blocks.size(), earlier.size()); ++b) {
            const bool isShared = blocks[b] == earlier[b];
            change.sameOf[b]
                = isShared ? static_cast<uint32_t>(blocks[b]->size()) : sameSlices(*blocks[b], *earlier[b]);
            if (isPrefix)
                change.sameUntil += change.sameOf[b];
            isPrefix = isPrefix && change.sameOf[b] == SliceBlock::kRows;
        }
        change.isSame = change.sameUntil == lane.size() && was.size() == lane.size();
    }
}

bool SnapshotDelta::isSame(LaneId lane, uint32_t first, uint32_t last) const
{
    const LaneChange& change = m_lanes[lane.value()];
    if (last < change.sameUntil)
        return true;
    for (size_t b = first / SliceBlock::kRows; b <= last / SliceBlock::kRows; ++b) {
        const auto begin = static_cast<uint32_t>(b) * SliceBlock::kRows;
        if (b >= change.sameOf.size() || change.sameOf[b] < std::min(SliceBlock::kRows, last - begin + 1))
            return false;
    }
    return true;
}

bool SnapshotDelta::isSameBlock(LaneId lane, size_t block) const
{
    const LaneChange& change = m_lanes[lane.value()];
    if (!change.before)
        return false;
    const auto& earlier = m_match.to().lane(*change.before).store().blocks;
    return block < earlier.size() && earlier[block] == m_match.from().lane(lane).store().blocks[block];
}

} // namespace torchline
