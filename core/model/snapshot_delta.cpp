#include "model/snapshot_delta.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace torchline {

namespace {

/// What tells a lane from all others of a trace, as long as names have the same ids.
auto keyOf(const TraceSnapshot& trace, const Lane& lane)
{
    const ProcessInfo& process = trace.file(lane.fileIndex()).processes[lane.store().process];
    return std::tuple(lane.fileIndex(), process.pid.value(), lane.store().tid.value(), lane.isDevice());
}

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
    : m_before(&before)
    , m_now(&now)
    , m_lanes(now.lanes().size())
{
    if (&before.strings() != &now.strings())
        return;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, bool>, LaneId> known;
    for (uint32_t l = 0; l < before.lanes().size(); ++l)
        known.emplace(keyOf(before, before.lanes()[l]), LaneId(l));
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const Lane& lane = now.lanes()[l];
        const auto found = known.find(keyOf(now, lane));
        if (found == known.end() || before.lane(found->second).offsetNs() != lane.offsetNs()
            || before.file(lane.fileIndex()).info.originNs != now.file(lane.fileIndex()).info.originNs)
            continue;
        LaneChange& change = m_lanes[l];
        change.before = found->second;
        const auto& blocks = lane.store().blocks;
        const auto& earlier = before.lane(found->second).store().blocks;
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
        change.isSame = change.sameUntil == lane.size() && before.lane(found->second).size() == lane.size();
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
    const auto& earlier = m_before->lane(*change.before).store().blocks;
    return block < earlier.size() && earlier[block] == m_now->lane(lane).store().blocks[block];
}

} // namespace torchline
