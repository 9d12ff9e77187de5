#pragma once
// The order in which processes and lanes are shown, and what their headers say.
// Thread: any. Cost: O(lanes log lanes).
//
// Files in the order given. Processes by their sort index; where the file gives none, by the numbering of Kineto's own
// export: hosts by number, then devices from 5 000 000 up, "Traces" and "Spans" last. Threads of a host: the main one
// (the thread whose number is the process's, the one that carries the steps) before the others by sort index, else
// number; a sort index that is just the number says nothing. Streams by sort index, else number.

#include "base/string_pool.h"
#include "model/file_store.h"
#include "model/trace_snapshot.h"

#include <vector>

namespace torchline {

/// Groups of one file, top to bottom; laneBase is the id of its first lane.
[[nodiscard]] std::vector<ProcessGroup> orderedGroups(
    const FileStore& store, uint32_t fileIndex, uint32_t laneBase, const StringPool& pool);

/// Numbers inside a text count as numbers: "stream 7" before "stream 20".
[[nodiscard]] bool isNaturallyBefore(std::string_view a, std::string_view b);

} // namespace torchline
