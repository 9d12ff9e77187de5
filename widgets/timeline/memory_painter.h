#pragma once
// MemoryPainter: allocated memory as line and area, reserved memory as dashes, the peak marked; from 0 up, lowest to
// highest value in each pixel. Used by the lanes of the timeline and by the chart of the memory pane.
// Thread: GUI thread only. Cost: O(pixels log samples).

#include "timeline/timeline_style.h"

#include "lod/memory_track.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace torchline {

/// The value axis of a track: from 0 (lower if totals fall below it) to a round figure at or above all values.
struct MemoryAxis {
    int64_t bottomBytes = 0;
    int64_t topBytes = 1;

    [[nodiscard]] static MemoryAxis forTrack(const lod::MemoryTrack& track);
    [[nodiscard]] static MemoryAxis above(int64_t peakBytes); ///< from 0
    [[nodiscard]] QString unit() const; ///< "GiB"
    [[nodiscard]] QString topWithUnit() const; ///< "1.25 MiB"
    [[nodiscard]] QString topText() const; ///< "16" of that unit
    [[nodiscard]] QString bottomText() const;
    /// Place of a value between the two ends of a rectangle.
    [[nodiscard]] double y(int64_t bytes, const QRectF& rect) const;
};

/// "GPU 0", "CPU".
[[nodiscard]] QString memoryDeviceName(const lod::MemoryTrack& track);

struct MemoryPlot {
    const lod::MemoryTrack* track = nullptr;
    const TimelineStyle* style = nullptr;
    const lod::PixelGrid* grid = nullptr; ///< pixels from the left of rect
    QRectF rect; ///< on whole device pixels
    qreal ratio = 1;
    bool asVectors = false;
};

/// Draws the curves inside dirty, and the texts: reserved, allocated (at the right end), peak.
void paintMemory(QPainter& painter, const MemoryPlot& plot, const QRectF& dirty);

} // namespace torchline
