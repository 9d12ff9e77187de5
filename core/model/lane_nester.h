#pragma once
// LaneNester: nests an ordered lane that grows. Slices that were nested once stay so unless earlier ones change: then
// it goes back to a point before those and nests again from there. A copy shares what is nested in whole blocks.
// Thread: one. Cost: O(1) a slice, plus what a rewind undoes and at most kEvery slices.

#include "model/nesting.h"
#include "model/nesting_state.h"

#include <memory>
#include <optional>
#include <vector>

namespace torchline {

class LaneNester {
public:
    /// Forgets the nesting of slices from this index on.
    void rewind(uint32_t index);
    /// Nests the slices that are not nested yet. Sets or clears SliceCrossing in their flags.
    void advance(LaneColumns& lane);
    /// Of the columns that were nested. Nothing is left here.
    [[nodiscard]] NestedLane take(const LaneColumns& lane);
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kEvery = 1u << 14;

    /// Open slices of each recorder by itself.
    struct Recorders {
        OpenSlices python;
        OpenSlices others;
    };
    struct State {
        uint32_t index = 0; ///< slices before this one are nested
        OpenSlices open;
        std::optional<Recorders> recorders; ///< from the first slice on that crosses
        FreeRows rows;
        FreeRows annotationRows; ///< of a device; they lie above the others
        uint32_t crossing = 0;
        uint32_t beyondRows = 0;
        uint16_t maxDepth = 0;
    };

    void enter(LaneColumns& lane, const SliceBlock& block, uint32_t i);
    void lookWithinRecorder(const LaneColumns& lane, uint32_t i);
    void setRow(uint32_t i, uint16_t row, uint32_t depth);
    void listRow(uint32_t i, uint16_t row);

    State m_now;
    std::vector<std::shared_ptr<const State>> m_earlier; ///< every kEvery slices
    LaneNesting m_nesting; ///< rows of annotations and of all else each from 0; lists only of the latter
    std::vector<uint32_t> m_withinRecorder; ///< see NestedLane
};

} // namespace torchline
