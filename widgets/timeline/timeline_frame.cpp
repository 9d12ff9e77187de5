#include "timeline/timeline_frame.h"

namespace torchline {

namespace {

constexpr double kLeastMajor = 110;
constexpr int kBeyond = 8; ///< device pixels that a slice may stick out of the view

} // namespace

void TimelineFrame::readScale()
{
    const int width = std::max(geometry.deviceWidth(), 1);
    grid = lod::PixelGrid(geometry.scale, width);
    ruler = lod::Ruler::forView(geometry.scale, width, style->px(kLeastMajor) * geometry.ratio);
}

QRectF TimelineFrame::sliceRect(SliceRef slice) const
{
    if (!index || !layout || !slice.isValid())
        return {};
    const auto band = layout->bandOf(*index, slice);
    if (!band)
        return {};
    const TraceSnapshot& trace = index->trace();
    const int width = geometry.deviceWidth();
    const int64_t startNs = trace.startNs(slice);
    int left = geometry.scale.pixelOf(startNs);
    const int64_t endNs = addSaturated(startNs, std::max<int64_t>(trace.durationNs(slice), 1));
    int right = std::max(geometry.scale.pixelOf(endNs), left + 1);
    if (right - left >= 3 * geometry.deviceGap())
        right -= geometry.deviceGap();
    if (right <= 0 || left >= width)
        return {};
    left = std::max(left, -kBeyond);
    right = std::min(right, width + kBeyond);
    const int top = geometry.deviceY(band->top);
    // The band leaves out one logical pixel for the gap; the gap itself is counted in device pixels.
    const int bottom = std::max(geometry.deviceY(band->bottom + 1) - geometry.deviceGap(), top + 1);
    return {(geometry.deviceLeft() + left) / geometry.ratio, (geometry.deviceTop() + top) / geometry.ratio,
        (right - left) / geometry.ratio, (bottom - top) / geometry.ratio};
}

QRectF TimelineFrame::clipOf(SliceRef slice) const
{
    const lod::LaneItem* item = layout && slice.isValid() ? layout->itemOf(slice.lane) : nullptr;
    return QRectF(geometry.lanesRect()).intersected(geometry.partRect(item && item->isPinned));
}

} // namespace torchline
