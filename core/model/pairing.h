#pragma once
// Pairing: B with E on one lane, b with e across the file, both in the order of time (then of the file).
// Thread: any. Cost: O(n log n).

#include "model/file_store.h"
#include "model/lane_columns.h"
#include "model/trace_builder.h"

#include <vector>

namespace torchline {

/// A B or E event of a lane, on the columns' axis.
struct PairEvent {
    int64_t timeNs = 0;
    bool isBegin = false;
    SliceRow row; ///< of a B: all but the duration; of an E: only name (may be invalid or empty) and eventOffset
};

struct PairedEvents {
    std::vector<SliceRow> closed; ///< in the order of their E; flags have SliceFromPair
    std::vector<SliceRow> open; ///< no E; duration not set, flags have SliceFromPair and SliceUnfinished
    std::vector<std::pair<uint64_t, uint64_t>> ends; ///< event offsets of the B and E of closed
    std::vector<uint64_t> strayEnds; ///< event offsets of E without B
};

/// An E closes the latest open B; if it has a name, the latest open B of that name.
[[nodiscard]] PairedEvents pairLaneEvents(std::vector<PairEvent> events);

struct PairedAsync {
    std::vector<AsyncSlice> slices; ///< by (start, event offset); unfinished ones end at recordingEndNs
    std::vector<uint64_t> strayEnds; ///< event offsets
};

/// An end closes the latest open begin of its category and id: of the same process and name if there is one.
/// Times on the columns' axis; points are not looked at.
[[nodiscard]] PairedAsync pairAsync(std::vector<AsyncRecord> records, int64_t recordingEndNs);

} // namespace torchline
