#pragma once
// Counts operators by a RecordFunction callback of the workload's own, independent of what records it. Thread: any.

#include <string>

/// From here on every operator is noted.
void beginCounting();

/// Writes what was noted as a JSON list, in the order in which operators ended:
/// {"thread", "name", "scope", "depth", "sequence", "forward", "shapes"}; async ones have depth -1.
void writeCounts(const std::string& file);
