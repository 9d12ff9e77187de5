#include "model/annotations.h"

#include <algorithm>
#include <tuple>

namespace torchline {

SliceRef annotationAround(const TraceSnapshot& trace, SliceRef slice)
{
    const SliceKind kind = trace.kind(slice);
    if (kind == SliceKind::DeviceAnnotation)
        return slice;
    SliceRef at = isDeviceWork(kind) ? trace.callOf(slice) : slice;
    while (at.isValid() && trace.kind(at) != SliceKind::UserAnnotation)
        at = trace.parent(at);
    return at;
}

std::vector<SliceRef> annotationsNamed(const TraceSnapshot& trace, std::string_view name)
{
    std::vector<SliceRef> found;
    const std::optional<NameId> id = trace.strings().find(name);
    if (!id)
        return found;
    for (uint32_t laneIndex = 0; laneIndex < trace.lanes().size(); ++laneIndex) {
        const Lane& lane = trace.lanes()[laneIndex];
        for (uint32_t i = 0; !lane.isDevice() && i < lane.size(); ++i) {
            if (lane.name(i) == *id && lane.kind(i) == SliceKind::UserAnnotation)
                found.push_back({LaneId(laneIndex), i});
        }
    }
    std::ranges::stable_sort(found, {},
        [&trace](SliceRef slice) { return std::tuple(trace.startNs(slice), trace.lane(slice.lane).fileIndex()); });
    return found;
}

} // namespace torchline
