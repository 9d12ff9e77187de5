#pragma once
// Arrows: starts and finishes of flow events, matched and bound to the slices that they stand on.
// Thread: any; pieces of the flows are matched by several at once. Cost: O(flows log slices), and O(n log n) for n
// flows of one id.
//
// A finish takes the start of the same category, name and id: of several the latest that is not after it, else the
// first. A start may have several finishes. An end stands on the slice that begins there, else on the innermost around;
// a finish that does not bind to the enclosing slice, on the next one of its lane. Starts without a finish are usual: a
// recorder writes one for every call, whether it launched something or not.

#include "base/string_pool.h"
#include "model/file_store.h"
#include "model/shared_blocks.h"
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

using Flows = SharedBlocks<LaneFlow, 1u << 12>;

/// What arrows stand on: complete lanes, nesting included; sides by handle, categories by CategoryId.
struct ArrowGround {
    std::span<const LaneStore> lanes;
    std::span<const LaneSides> sides;
    std::span<const NameId> categories;
    const StringPool& pool;
};

struct ArrowFaults {
    std::vector<uint64_t> finishesWithoutStart; ///< event offsets of those that stand on device work
    std::vector<uint64_t> withoutSlice; ///< event offsets of finishes: one of the two ends stands on no slice
    std::vector<uint64_t> steps; ///< event offsets of intermediate points: not drawn
};

struct MatchedArrows {
    std::vector<StoreArrow> arrows; ///< by (from, to)
    ArrowFaults faults;
};

/// Indexes of all flows, those of one id beside each other. Needs no lanes.
[[nodiscard]] std::vector<uint32_t> orderById(const Flows& flows);
/// At most `count` pieces of the order, of about one size; no id is in two of them.
[[nodiscard]] std::vector<std::span<uint32_t>> cutBetweenIds(
    std::span<uint32_t> order, const Flows& flows, size_t count);
/// Of the flows of one piece, whose order within their ids it changes.
[[nodiscard]] MatchedArrows matchArrows(const ArrowGround& ground, const Flows& flows, std::span<uint32_t> piece);
/// Of all pieces; fills arrows and arrowsByEnd. Offsets in the faults ascend.
[[nodiscard]] ArrowFaults joinArrows(std::vector<MatchedArrows> pieces, StoreLinks& links);

} // namespace torchline
