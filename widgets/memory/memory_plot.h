#pragma once
// Drawing one MemoryCurve into a rectangle: allocated as line and area, reserved dashed, the peak marked. Each pixel
// shows the lowest and the highest value in it, so nothing is lost at any zoom. Shared by the lanes of the timeline and
// the Memory pane. Thread: GUI thread, or any thread that paints into an image.

#include "common/theme.h"
#include "memory/memory_curve.h"

class QPainter;
class QRectF;

namespace torchline {

/// The value axis from the lowest to a little above the highest value.
class MemoryAxis {
public:
    MemoryAxis(const MemoryCurve& curve, double top, double bottom);
    [[nodiscard]] double y(int64_t bytes) const;

private:
    double m_bottom;
    double m_pixelsPerByte;
    double m_lowest;
};

/// grid: device pixels of the rectangle's width, which is grid.width() / scale logical pixels.
void paintMemoryPlot(QPainter& painter, const QRectF& rect, const MemoryCurve& curve, const lod::PixelGrid& grid,
    double scale, const Theme& theme, const QFont& font);

} // namespace torchline
