#pragma once
// LaneNester: nests an ordered lane that grows. Slices that were nested once stay so unless earlier ones change: then
// it goes back to a point before those and nests again from there. Thread: one. Cost: O(1) a slice, plus what a rewind
// undoes and at most kEvery slices.

#include "model/nesting.h"
#include "model/nesting_state.h"

#include <vector>

namespace torchline {

class LaneNester {
public:
    /// Forgets the nesting of slices from this index on.
    void rewind(uint32_t index);
    /// Nests the slices that are not nested yet. Sets or clears SliceCrossing in their flags.
    void advance(LaneColumns& lane);
    /// Of the slices before `end` only `kept` (their old indexes, ascending) stay, at the front. Of what stays behind
    /// `end` all that is around it was kept.
    void forget(uint32_t end, const std::vector<uint32_t>& kept);
    /// Of the columns that were nested. Nothing is left here.
    [[nodiscard]] NestedLane take(const LaneColumns& lane);
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kEvery = 1u << 14;

    struct State {
        uint32_t index = 0; ///< slices before this one are nested
        OpenSlices open;
        FreeRows rows;
        FreeRows annotationRows; ///< of a device; they lie above the others
        uint32_t crossing = 0;
        uint32_t beyondRows = 0;
        uint16_t maxDepth = 0;
    };

    State m_now;
    std::vector<State> m_earlier; ///< every kEvery slices
    LaneNesting m_nesting; ///< parent, depth, row (of annotations and of all else, each from 0)
};

} // namespace torchline
