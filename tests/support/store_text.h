#pragma once
// storeText: everything that a snapshot's files hold, column by column, as text: two loads are equal when these are.
// Thread: any.

#include "model/trace_snapshot.h"

#include <string>

namespace torchline {

/// Links, nesting and notices included; not the path.
[[nodiscard]] std::string storeText(const TraceSnapshot& trace);

} // namespace torchline
