#pragma once
// Scope: which part of a trace a table speaks of. The same for window and command line.
// Thread: values; resolving on any thread but the GUI thread.

#include "query/query.h"

namespace torchline {

struct Scope {
    std::optional<TimeRange> range; ///< common axis; what starts in it
    std::optional<int64_t> step; ///< what starts inside the host mark of that step
    std::optional<std::string> annotation; ///< what starts inside any host annotation of that name
    std::vector<uint32_t> files; ///< empty: all
    std::vector<int64_t> ranks; ///< empty: all
    std::string filter; ///< text of a Query

    [[nodiscard]] bool isWhole() const
    {
        return !range && !step && !annotation && files.empty() && ranks.empty() && filter.empty();
    }
    friend bool operator==(const Scope&, const Scope&) = default;
};

struct ResolvedScope {
    SliceMask slices; ///< slices whose own start (and name, ...) is in
    SliceMask deviceWork; ///< device work whose launch call starts in (without one: that starts in) and that the filter
                          ///< lets in
    std::vector<std::vector<TimeRange>>
        ranges; ///< by file: what files, ranks, range, step and annotation leave; ascending, disjoint
    std::vector<bool> files; ///< what files and ranks leave
    Query filter;

    [[nodiscard]] bool containsTime(uint32_t fileIndex, int64_t ns) const;
};

/// Fails when the filter does not parse, or no file, rank or step has the number, no annotation the name.
[[nodiscard]] Result<ResolvedScope> resolveScope(
    const TraceSnapshot& trace, const Scope& scope, std::stop_token stop = {});

/// Nothing for the whole trace, which needs no look at its slices.
[[nodiscard]] Result<std::optional<ResolvedScope>> resolvePart(
    const TraceSnapshot& trace, const Scope& scope, std::stop_token stop = {});

/// What is in of the events that are no slices, one flag for each entry of the file's lists.
struct MarkerScope {
    std::vector<bool> memory;
    std::vector<bool> instants;
    std::vector<bool> asyncSlices;
    std::vector<bool> counters; ///< by the filter alone; their samples are in when their time is
};
/// Reads arguments from the disk if the filter asks for some.
[[nodiscard]] Result<MarkerScope> resolveMarkers(
    const TraceSnapshot& trace, const ResolvedScope& scope, uint32_t fileIndex);

} // namespace torchline
