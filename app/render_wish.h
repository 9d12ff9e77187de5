#pragma once
// What `torchline render` is to draw: the traces that its files mean, one of which may be a session, and what its
// options mean in them. Thread: GUI thread only. Everything that only the files can refuse is refused here.

#include "command_line.h"
#include "session_file.h"
#include "view_memory.h"

#include <optional>
#include <string>
#include <vector>

namespace torchline {

struct RenderInput {
    std::vector<std::string> traces;
    std::string sessionPath; ///< as given
    std::optional<SessionFile> session; ///< none: the files are traces

    [[nodiscard]] static Result<RenderInput> of(const std::vector<std::string>& files);
    /// One line to standard error for each trace that is no longer what the session was saved with.
    void reportChanges() const;
};

struct RenderWish {
    std::optional<ViewMemory> session; ///< applied before all else
    Scope scope; ///< without the filter of the options
    std::optional<TimeRange> visible;
    SliceRef selection;
    MaskPtr marks; ///< what the filter lets in; null without one

    [[nodiscard]] static Result<RenderWish> read(
        const lod::TimelineIndex& index, const RenderOptions& options, const RenderInput& input);
};

/// A glob fits the name that the lane has in the file, its id or what stands in its header.
[[nodiscard]] bool laneMatches(const TraceSnapshot& trace, LaneId lane, const std::vector<std::string>& globs);

} // namespace torchline
