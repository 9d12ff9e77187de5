#pragma once
// Device links: which call launched a piece of device work, and which operator owns it.
// Thread: any. Cost: O(slices) plus sorting what device work refers to.
//
// Call: the runtime or driver call with the same correlation, 0 being unknown. Owner: the operator with the work's own
// External id; else the one with the External id of the call; else the innermost operator around the call. Many
// recorders write a call's correlation as External id: such an id counts only if the operator with that id is around
// the call. Numbers that occur more than once mean the nearest earlier one, else the nearest.

#include "model/file_store.h"

#include <span>
#include <vector>

namespace torchline {

/// By work. The lanes are complete, nesting included.
[[nodiscard]] std::vector<DeviceLink> linkDeviceWork(std::span<const LaneStore> lanes);

} // namespace torchline
