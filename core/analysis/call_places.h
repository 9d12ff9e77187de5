#pragma once
// CallPlaces: where torch.profiler's tree has the runtime and driver calls. A call is linked to an operator by its
// External id; it is then put on the operator's thread and nests there. One that is not linked is nobody's child.
// An External id that is merely the call's own correlation is a link only if the operator with that id is around it.
// Private to core/analysis. Thread: any. Cost: O(slices).

#include "model/slice_mask.h"

#include <stop_token>
#include <vector>

namespace torchline {

struct CallPlaces {
    SliceMask here; ///< linked to an operator of their own lane
    SliceMask elsewhere; ///< linked to an operator of another lane
    std::vector<std::vector<SliceRef>> joining; ///< by LaneId: the calls that other lanes give it, start order

    CallPlaces(const TraceSnapshot& trace, std::stop_token stop);
};

} // namespace torchline
