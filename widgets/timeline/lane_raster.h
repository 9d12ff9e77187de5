#pragma once
// LaneRaster: the lanes as a picture: one colour scanline per row, copied down. A pan or scroll moves the picture by
// whole device pixels and draws what came into view; hover and selection do not touch it.
// RowReader: pixel cells of one row, for the raster and for vector pictures alike.
// Thread: GUI thread only. Cost: see core/lod/row_index.h; memory 4 bytes a device pixel.

#include "timeline/timeline_frame.h"

#include <QImage>

class QPainter;

namespace torchline {

class RowReader {
public:
    explicit RowReader(const TimelineFrame& frame);

    /// Cells of pixels [x0, x1); valid until the next call.
    std::span<const lod::PixelCell> row(const lod::LaneItem& item, uint16_t row, int x0, int x1);
    std::span<const lod::PixelCell> collapsed(const lod::LaneItem& item, int x0, int x1);
    std::span<const lod::PixelCell> busy(const lod::LaneItem& item, int x0, int x1);
    /// Not 0 where marked slices are. Empty if the row has none.
    std::span<const lod::PixelCell> marks(const lod::LaneItem& item, uint16_t row, int x0, int x1);
    std::span<const lod::PixelCell> collapsedMarks(const lod::LaneItem& item, int x0, int x1);

private:
    template <typename Source>
    std::span<const lod::PixelCell> read(const Source& source, const lod::RowIndex& index, int x0, int x1);

    const TimelineFrame& m_frame;
    lod::PixelSums m_sums;
    std::vector<lod::PixelCell> m_cells;
};

/// Device lines of a bar: [top, bottom) from the top of the lanes, without the gap below it.
struct BarLines {
    int top = 0;
    int bottom = 0;
    int foot = 0; ///< lines at the bottom drawn darker
    int mark = 0; ///< lines at the bottom that show marks
};
[[nodiscard]] BarLines rowLines(const TimelineFrame& frame, const lod::LaneItem& item, uint16_t row);
[[nodiscard]] BarLines busyLines(const TimelineFrame& frame, const lod::LaneItem& item);

class LaneRaster {
public:
    /// Brings the picture up to date with the frame.
    void update(const TimelineFrame& frame);
    /// Device pixels of the lanes' rectangle.
    [[nodiscard]] const QImage& image() const { return m_image; }
    /// Draw all anew next time: another index, layout, marks or theme.
    void invalidate() { m_isValid = false; }

private:
    void paint(const TimelineFrame& frame, int x0, int x1, int y0, int y1);
    void paintItems(const TimelineFrame& frame, int y0, int y1);
    void paintItem(const TimelineFrame& frame, RowReader& reader, const lod::LaneItem& item);
    void paintRows(const TimelineFrame& frame, RowReader& reader, const lod::LaneItem& item);
    void paintBar(std::span<const lod::PixelCell> cells, const BarLines& lines, const std::array<QRgb, 256>& fill,
        const std::array<QRgb, 256>& foot);
    void paintMarks(std::span<const lod::PixelCell> marks, const BarLines& lines, QRgb mark);
    void fillLines(int top, int bottom, QRgb color);
    void fillUpTo(int bottom);
    void copyDown(const QRgb* from, int bottom);
    void shiftColumns(int by);
    void shiftLines(int top, int by);
    void makeBackground(const TimelineFrame& frame);
    [[nodiscard]] QRgb* line(int y) { return reinterpret_cast<QRgb*>(m_image.scanLine(y)); }

    QImage m_image;
    bool m_isValid = false;
    lod::PixelScale m_scale;
    lod::LaneScroll m_lanes;
    int64_t m_majorNs = 0;
    // Of the part being painted:
    int m_x0 = 0;
    int m_x1 = 0;
    int m_y0 = 0;
    int m_y1 = 0;
    int m_doneTo = 0; ///< lines above are painted
    std::vector<QRgb> m_background; ///< lane and grid, by pixel
    std::vector<QRgb> m_line;
    std::array<QRgb, 256> m_busyFill{};
};

/// The same as shapes, for SVG and PDF.
void paintLanesAsShapes(QPainter& painter, const TimelineFrame& frame);

} // namespace torchline
