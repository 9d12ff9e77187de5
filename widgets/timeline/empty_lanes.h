#pragma once
// Why the timeline has no lane to show, and what would give it one. Thread: GUI thread only.

#include "common/empty_pane.h"
#include "model/trace_snapshot.h"

namespace torchline {

/// filter: the names that are asked for; empty: all lanes are.
[[nodiscard]] EmptyText emptyLanesText(const TraceSnapshot& trace, const QString& filter);

} // namespace torchline
