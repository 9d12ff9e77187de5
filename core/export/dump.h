#pragma once
// The `dump` of a trace: every slice, arrow, marker and counter, streamed; 4 bytes a slice are kept, whatever is
// written. Thread: any but the GUI thread; blocks on the disk.

#include "query/scope.h"

#include <iosfwd>

namespace torchline {

struct DumpOptions {
    bool isLines = false; ///< one object a line instead of one document
    bool withPoints = false; ///< every sample of the counters
};

/// scope: only what is in (null: all). Ends early when the stream fails; whoever owns it checks it.
[[nodiscard]] Status writeDump(
    const TraceSnapshot& trace, const ResolvedScope* scope, const DumpOptions& options, std::ostream& out);

} // namespace torchline
