#pragma once
// loadTraces: files (or standard input) to one TraceSnapshot.
// Thread: any but the GUI thread; blocks until done. Cancel by the stop token (looked at every few ms of work).
// A damaged file loads with notices; a file that is no trace, or cannot be read, is an Error naming file, cause and
// place.

#include "base/result.h"
#include "model/trace_snapshot.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace torchline {

struct LoadProgress {
    uint64_t bytesRead = 0; ///< of the files as they lie on disk
    uint64_t bytesTotal = 0; ///< 0: not known (a pipe)
    uint64_t slices = 0;
    uint64_t memoryBytes = 0;
};

/// How the parts of texts that several threads scanned fitted together.
struct LoadStatistics {
    uint64_t jointsProved = 0;
    uint64_t jointsFailed = 0; ///< parts that had to be scanned again
};

struct LoadOptions {
    size_t chunkBytes = 0; ///< bytes of decoded text scanned at a time; 0: chosen by file size
    size_t threads = 0; ///< that scan, the caller included; 0: as the machine has, at most 8. The result is the same
    LoadStatistics* statistics = nullptr; ///< added to on the loading thread
    std::function<void(const LoadProgress&)> progress; ///< at most 20 times a second, on the loading thread
    /// What was read so far, as a trace of its own that says isPartial(): early, and again whenever twice as much more
    /// came, as long as all of them together take at most a twentieth of the whole time. Of archives only the first
    /// member, and nothing of files that are opened after. On the loading thread, which goes on when this returns.
    std::function<void(std::shared_ptr<const TraceSnapshot>)> partial;
    uint64_t partEveryBytes = 0; ///< of text, between two of them; 0: by time, as above
    uint64_t generation = 0; ///< of the first snapshot handed out; each further one has the next
    uint64_t memoryBytes
        = 0; ///< that may be taken; 0: what the machine has left. More is an Error, as early as foreseen
};

/// Paths as given; "-" is standard input. An archive with several traces counts as several files.
/// The message of an Error is "FILE: what, where", controls escaped.
[[nodiscard]] Result<std::shared_ptr<const TraceSnapshot>> loadTraces(
    const std::vector<std::string>& paths, const LoadOptions& options = {}, std::stop_token stop = {});

} // namespace torchline
