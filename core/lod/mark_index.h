#pragma once
// MarkIndex: the slices of a mask (rows selected in a table, search hits), readable by pixel as rows are, and one after
// the other in order of (start, lane, index).
// Thread: const after construction; built on a worker. Cost: O(lanes + marked slices log lanes); walking O(lanes log
// marked slices).

#include "lod/timeline_index.h"
#include "model/slice_mask.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace torchline::lod {

class MarkIndex {
public:
    /// Null when stopped. The mask is of the index's snapshot.
    [[nodiscard]] static std::shared_ptr<const MarkIndex> build(
        std::shared_ptr<const TimelineIndex> index, const SliceMask& mask, std::stop_token stop = {});

    [[nodiscard]] const TraceSnapshot& trace() const { return m_timeline->trace(); }
    [[nodiscard]] uint64_t count() const { return m_count; }
    [[nodiscard]] uint64_t countOf(LaneId lane) const { return m_lanes[lane.value()].marked.size(); }
    [[nodiscard]] bool contains(SliceRef slice) const;
    /// The first marked slice behind (start, lane, index) of this one, or the last before it; invalid if none.
    [[nodiscard]] SliceRef next(SliceRef from, bool forward) const;
    /// The first one that starts at this time or later.
    [[nodiscard]] SliceRef firstFrom(int64_t timeNs) const;
    [[nodiscard]] SliceRef first() const { return firstFrom(kMinNs); }
    [[nodiscard]] SliceRef last() const;
    /// How many lie before a slice in that order.
    [[nodiscard]] uint64_t rank(SliceRef slice) const;
    /// Marked slices of a row; an empty view if there are none, or no such row yet in this picture of a trace that
    /// grows.
    [[nodiscard]] RowView row(LaneId lane, Frames frames, uint16_t row) const;
    /// Starts of all marked slices, for ticks on the ruler.
    [[nodiscard]] const IntervalRow& starts() const { return m_starts; }

private:
    struct Rows {
        std::vector<SliceList> slices;
        std::vector<RowIndex> index;
    };
    struct LaneMarks {
        std::vector<uint32_t> marked; ///< lane indexes, rising
        Rows shown;
        Rows folded; ///< empty where folding changes nothing
    };
    struct Place {
        int64_t startNs = 0;
        SliceRef slice;
    };
    [[nodiscard]] static bool isBefore(const Place& a, const Place& b);
    [[nodiscard]] Place placeOf(SliceRef slice) const;
    /// How many of a lane lie before a place.
    [[nodiscard]] size_t countBefore(uint32_t lane, const Place& place) const;
    void mergeStarts(const std::stop_token& stop);
    [[nodiscard]] std::vector<std::optional<uint16_t>> rowsOf(
        LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const;
    void fill(Rows& rows, LaneId lane, Frames frames, const std::vector<uint32_t>& marked) const;

    std::shared_ptr<const TimelineIndex> m_timeline;
    std::vector<LaneMarks> m_lanes;
    IntervalRow m_starts;
    uint64_t m_count = 0;
};

} // namespace torchline::lod
