#pragma once
// Kineto JSON: a trace (a recording or an opened file) as torch.profiler writes it. Read again it gives the same
// tables, number for number.
// Thread: any; blocks. Cost: one pass over the file that the trace was read from, 20 bytes of memory an event.

#include "base/result.h"
#include "model/trace_snapshot.h"

#include <functional>
#include <string>
#include <vector>

namespace torchline {

struct KinetoJsonOptions {
    /// Called every few ms with the share that is written, 0 to 1; writing ends with ErrorCode::Cancelled when it
    /// returns false.
    std::function<bool(double)> progress;
};

/// Writes file `fileIndex` of the trace; gzip if the path ends in .gz. The path has the old content or all of the new
/// one, never a part. The message of an Error names the path.
[[nodiscard]] Status writeKinetoJson(
    const TraceSnapshot& trace, uint32_t fileIndex, const std::string& path, const KinetoJsonOptions& options = {});

/// Writes all of a trace: one file as `path`; several as one each beside it, with `.rankN` (where all ranks are known
/// and different) or `.pidN` before the ending: run.json.gz becomes run.rank0.json.gz. Returns the paths written.
[[nodiscard]] Result<std::vector<std::string>> saveKinetoJson(
    const TraceSnapshot& trace, const std::string& path, const KinetoJsonOptions& options = {});

} // namespace torchline
