#pragma once
// Arrows of a selection: launch to device work, forward to backward and other flows of the file, each once; and their
// geometry: lines, and chips at the edge of the view for ends that lie outside.
// Thread: values. Cost: O(log n + links).

#include "lod/lane_layout.h"

#include <stop_token>

namespace torchline::lod {

enum class LinkKind : uint8_t { Launch, ForwardBackward, Other };

struct SliceLink {
    SliceRef from;
    SliceRef to;
    LinkKind kind = LinkKind::Launch;

    friend bool operator==(const SliceLink&, const SliceLink&) = default;
};

/// Links that begin or end at a slice; of an operator also those from the calls that launched its device work.
[[nodiscard]] std::vector<SliceLink> linksOf(const TraceSnapshot& trace, SliceRef slice, size_t atMost);
/// Links of a stretch of time: all of them, or some that are spread evenly over it.
struct LinkSample {
    std::vector<SliceLink> links;
    uint64_t total = 0;
};
/// Launches and arrows of the files whose ends both meet a range, at most so many. Cost: O(device work and
/// arrows of the trace); an empty sample when stopped.
[[nodiscard]] LinkSample linksIn(
    const TraceSnapshot& trace, TimeRange range, size_t atMost, const std::stop_token& stop = {});
/// The slice that the next arrow leads to or comes from: first device work of a launch, call of device work, ...
[[nodiscard]] SliceRef followLink(const TraceSnapshot& trace, SliceRef slice, bool forward);

enum class ViewEdge : uint8_t { None, Left, Right, Top, Bottom };

struct ArrowEnd {
    double x = 0;
    double y = 0;
    ViewEdge edge = ViewEdge::None; ///< where it leaves the view; x, y then lie on that edge
};

struct ArrowShape {
    SliceLink link;
    ArrowEnd from;
    ArrowEnd to;
    bool pointsUp = false; ///< the head lies below its target
};

/// Window onto the content: pixels of the view's own unit from its top left corner.
struct ViewWindow {
    const PixelScale* scale = nullptr;
    double pixelsPerUnit = 1; ///< device pixels of the scale in one unit
    double width = 0;
    double height = 0;
    LaneScroll lanes;
};

/// None when the whole arrow lies off one side of the view, or an end is not in the layout at all.
[[nodiscard]] std::optional<ArrowShape> arrowShape(
    const TimelineIndex& index, const LaneLayout& layout, const ViewWindow& window, const SliceLink& link);

} // namespace torchline::lod
