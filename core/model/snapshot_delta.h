#pragma once
// SnapshotDelta: what of a snapshot of a growing trace is just as it was in an earlier one. Blocks that both share are
// equal without a look; of others the slices are compared from the first on.
// Thread: const after construction; valid as long as both snapshots. Cost: O(blocks), plus a pass over those that
// differ.

#include "model/lane_match.h"

#include <optional>
#include <vector>

namespace torchline {

class SnapshotDelta {
public:
    SnapshotDelta(const TraceSnapshot& before, const TraceSnapshot& now);

    [[nodiscard]] const TraceSnapshot& before() const { return m_match.to(); }
    /// From the later one to the earlier.
    [[nodiscard]] const LaneMatch& match() const { return m_match; }
    /// The same lane in the earlier one, its times and names as they are now; none: it is new, or they are not.
    [[nodiscard]] std::optional<LaneId> laneBefore(LaneId lane) const { return m_lanes[lane.value()].before; }
    /// Nothing of the lane changed, and nothing came.
    [[nodiscard]] bool isSame(LaneId lane) const { return m_lanes[lane.value()].isSame; }
    /// Slices of the lane before this one are equal: times, names, kinds.
    [[nodiscard]] uint32_t sameUntil(LaneId lane) const { return m_lanes[lane.value()].sameUntil; }
    /// True if slices first to last are equal and have the same indexes. Cost: O(blocks between them).
    [[nodiscard]] bool isSame(LaneId lane, uint32_t first, uint32_t last) const;
    /// The earlier snapshot holds this very block.
    [[nodiscard]] bool isSameBlock(LaneId lane, size_t block) const;

private:
    struct LaneChange {
        std::optional<LaneId> before;
        bool isSame = false;
        uint32_t sameUntil = 0;
        std::vector<uint32_t> sameOf; ///< slices from the first of each block on that are equal
    };

    LaneMatch m_match;
    std::vector<LaneChange> m_lanes;
};

} // namespace torchline
