#include "operators/row_links.h"

#include <bit>

namespace torchline {

void unite(SliceMask& mask, const SliceMask& more, const TraceSnapshot& trace)
{
    for (uint32_t lane = 0; lane < trace.lanes().size(); ++lane) {
        const std::span<const uint64_t> words = more.words(LaneId(lane));
        for (size_t at = 0; at < words.size(); ++at) {
            for (uint64_t left = words[at]; left != 0; left &= left - 1)
                mask.insert(
                    {LaneId(lane), static_cast<uint32_t>(at * 64 + static_cast<size_t>(std::countr_zero(left)))});
        }
    }
}

} // namespace torchline
