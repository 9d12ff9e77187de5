#pragma once
// Arrows: starts and finishes of flow events, matched and bound to the slices that they stand on.
// Thread: any. Cost: O(flows log slices), and O(n log n) for n flows of one id.
//
// A finish takes the start of the same category, name and id: of several the latest that is not after it, else the
// first. A start may have several finishes. An end stands on the slice that begins there, else on the innermost around;
// a finish that does not bind to the enclosing slice, on the next one of its lane. Starts without a finish are usual: a
// recorder writes one for every call, whether it launched something or not.

#include "base/string_pool.h"
#include "model/file_store.h"
#include "model/trace_builder.h"

#include <array>
#include <span>
#include <vector>

namespace torchline {

/// Lanes of the store that a (pid, tid) became: host, device; kNoSlice where it has none of that side.
struct LaneSides {
    uint32_t host = kNoSlice;
    uint32_t device = kNoSlice;
};

/// A flow event; times on the columns' axis.
struct LaneFlow : FlowRecord {
    uint32_t lane = 0; ///< handle of its (pid, tid)
};

struct ArrowFaults {
    std::vector<uint64_t> finishesWithoutStart; ///< event offsets of those that stand on device work
    std::vector<uint64_t> withoutSlice; ///< event offsets of finishes: one of the two ends stands on no slice
    std::vector<uint64_t> steps; ///< event offsets of intermediate points: not drawn
};

/// Fills arrows and arrowsByEnd. The lanes are complete, nesting included; sides by handle, categories by CategoryId.
[[nodiscard]] ArrowFaults matchArrows(std::span<const LaneStore> lanes, std::span<const LaneSides> sides,
    std::span<const NameId> categories, std::span<const LaneFlow> flows, const StringPool& pool, StoreLinks& links);

} // namespace torchline
