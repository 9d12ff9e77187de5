#pragma once
// What the tool tip of a slice says.
// Thread: any for the core of it (const data); words are translated, so GUI thread in practice. Cost: O(log n + links).

#include "timeline/tip_widget.h"

#include "common/key_map.h"
#include "common/trace_facts.h"
#include "lod/timeline_index.h"

namespace torchline {

/// args: of the slice, or null while they are being read. keys: those that follow its arrows are told.
[[nodiscard]] TipContent sliceTip(const lod::TimelineIndex& index, std::span<const StepMark> steps, const Theme& theme,
    const KeyMap& keys, SliceRef slice, const ArgList* args);
/// Values of a memory lane at a time.
[[nodiscard]] TipContent memoryTip(const lod::MemoryTrack& track, int64_t timeNs);
/// True if the tip shows something from the args, so that reading them is worth it.
[[nodiscard]] bool tipWantsArgs(SliceKind kind);

} // namespace torchline
