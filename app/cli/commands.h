#pragma once
// The commands of torchline-cli on a loaded trace. Thread: main only.

#include "cli/options.h"
#include "model/trace_snapshot.h"
#include "query/scope.h"

#include <functional>
#include <ostream>

namespace torchline::cli {

/// Writes what was computed; valid as long as trace and scope are.
using Answer = std::function<Status(std::ostream&)>;

/// scope: null if everything is in. Everything that can fail without writing is done here, save reading arguments.
[[nodiscard]] Result<Answer> answerTo(const TraceSnapshot& trace, const ResolvedScope* scope, const Options& options);

} // namespace torchline::cli
