#pragma once
// Hit test: which slice a point of the timeline means. The same geometry as drawing, with one pixel of slack.
// Thread: values. Cost: O(log n); a pixel full of slices is read by its blocks.

#include "lod/lane_layout.h"

namespace torchline::lod {

struct TimelineHit {
    const LaneItem* item = nullptr; ///< null: below all lanes
    std::optional<uint16_t> row; ///< of an open lane
    SliceRef slice; ///< invalid: nothing there
};

/// y in the layout's pixels, x in those of the scale. The longest slice in the pixel; if there is none, of the pixels
/// beside it.
[[nodiscard]] TimelineHit hitTest(
    const TimelineIndex& index, const LaneLayout& layout, const PixelScale& scale, int x, int y);
/// The next slice of the same row in that pixel, round about; the same slice if it is alone.
[[nodiscard]] SliceRef nextInPixel(
    const TimelineIndex& index, Frames frames, const PixelScale& scale, int x, SliceRef current);

} // namespace torchline::lod
