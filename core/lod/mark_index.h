#pragma once
// MarkIndex: the slices of a mask (rows selected in a table, later search hits), readable by pixel as rows are.
// Thread: const after construction; built on a worker. Cost: O(lanes + marked slices log of them).

#include "lod/timeline_index.h"
#include "model/slice_mask.h"

#include <memory>
#include <stop_token>

namespace torchline::lod {

class MarkIndex {
public:
    /// Null when stopped. The mask is of the index's snapshot.
    [[nodiscard]] static std::shared_ptr<const MarkIndex> build(
        std::shared_ptr<const TimelineIndex> index, const SliceMask& mask, std::stop_token stop = {});

    [[nodiscard]] uint64_t count() const { return m_count; }
    [[nodiscard]] uint64_t countOf(LaneId lane) const { return m_lanes[lane.value()].count; }
    /// Marked slices of a row; an empty view if there are none.
    [[nodiscard]] RowView row(LaneId lane, Frames frames, uint16_t row) const;
    /// Starts of all marked slices, for ticks on the ruler.
    [[nodiscard]] const IntervalRow& starts() const { return m_starts; }

private:
    struct Rows {
        std::vector<uint32_t> slices;
        std::vector<uint32_t> begin;
        std::vector<RowIndex> index;
    };
    struct LaneMarks {
        uint64_t count = 0;
        Rows shown;
        Rows folded; ///< empty where folding changes nothing
    };
    void fill(Rows& rows, LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const;

    std::shared_ptr<const TimelineIndex> m_timeline;
    std::vector<LaneMarks> m_lanes;
    IntervalRow m_starts;
    uint64_t m_count = 0;
};

} // namespace torchline::lod
