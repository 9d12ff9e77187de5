#pragma once
// Scope: which part of a trace a table speaks of. The same for window and command line.
// Thread: values; resolving on any thread but the GUI thread.

#include "query/query.h"

namespace torchline {

struct Scope {
    std::optional<TimeRange> range; ///< common axis; what starts in it
    std::optional<int64_t> step; ///< what starts inside the host mark of that step
    std::vector<uint32_t> files; ///< empty: all
    std::vector<int64_t> ranks; ///< empty: all
    std::string filter; ///< text of a Query

    [[nodiscard]] bool isWhole() const
    {
        return !range && !step && files.empty() && ranks.empty() && filter.empty();
    }
    friend bool operator==(const Scope&, const Scope&) = default;
};

struct ResolvedScope {
    SliceMask slices; ///< slices whose own start (and name, ...) is in
    SliceMask deviceWork; ///< device work whose launch call starts in (without one: that starts in) and that the filter lets in
    std::vector<TimeRange> ranges; ///< what range and step leave; empty: everything
    std::vector<uint32_t> files; ///< what files and ranks leave; empty: all
};

/// Fails when the filter does not parse, or no step or rank has the number.
[[nodiscard]] Result<ResolvedScope> resolveScope(const TraceSnapshot& trace, const Scope& scope, std::stop_token stop = {});

} // namespace torchline
