#pragma once
// Arguments of many events at once, those of a begin and its end merged. Thread: any but the GUI thread; blocks on the
// disk.

#include "model/trace_snapshot.h"

#include <functional>
#include <span>

namespace torchline {

/// Offsets of an event and of the one that ends it; equal where there is no other.
struct EventParts {
    uint64_t begin = 0;
    uint64_t end = 0;
};

[[nodiscard]] EventParts partsOfSlice(const TraceSnapshot& trace, SliceRef slice);

/// done(i, args) once for each event, in no particular order; no arguments where the file has no source.
[[nodiscard]] Status argsOfEvents(
    const FileStore& file, std::span<const EventParts> events, const std::function<void(size_t, ArgList&&)>& done);

} // namespace torchline
