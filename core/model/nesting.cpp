#include "model/nesting.h"

#include "model/lane_nester.h"

namespace torchline {

NestedLane nestLane(LaneColumns& lane)
{
    LaneNester nester;
    nester.advance(lane);
    return nester.take(lane);
}

std::vector<uint32_t> contradictingWork(const LaneColumns& lane)
{
    std::vector<uint32_t> found;
    uint32_t before[2] = {kNoSlice, kNoSlice}; // the last but one and the last piece of work
    for (uint32_t i = 0; i < lane.size(); ++i) {
        if (!isDeviceWork(lane.kind(i)) || lane.durationNs(i) == 0)
            continue;
        if (before[0] != kNoSlice && lane.endNs(before[0]) > lane.startNs(i))
            found.push_back(before[0]);
        before[0] = before[1];
        before[1] = i;
    }
    return found;
}

} // namespace torchline
