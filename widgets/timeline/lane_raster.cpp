#include "timeline/lane_raster.h"

#include <QPainter>

#include <algorithm>
#include <cstring>

namespace torchline {

namespace {

constexpr int kLeastFootHeight = 8; ///< logical pixels a row needs to have a darker foot
constexpr int kMarkHeight = 3;

} // namespace

// RowReader

RowReader::RowReader(const TimelineFrame& frame)
    : m_frame(frame)
{
    m_sums.setGap(frame.geometry.deviceGap());
}

template <typename Source>
std::span<const lod::PixelCell> RowReader::read(const Source& source, const lod::RowIndex& index, int x0, int x1)
{
    m_cells.resize(static_cast<size_t>(std::max(x1 - x0, 0)));
    m_sums.reset(m_frame.grid, x0, x1);
    index.query(source, m_sums);
    m_sums.resolve(m_cells.data());
    return m_cells;
}

std::span<const lod::PixelCell> RowReader::row(const lod::LaneItem& item, uint16_t row, int x0, int x1)
{
    const lod::RowView view = m_frame.index->row(item.lane, item.frames, row);
    return read(view.slices, *view.index, x0, x1);
}

std::span<const lod::PixelCell> RowReader::collapsed(const lod::LaneItem& item, int x0, int x1)
{
    const lod::BusyRow& busy = m_frame.index->busy(item.lane);
    return read(busy, busy.index(), x0, x1);
}

std::span<const lod::PixelCell> RowReader::busy(const lod::LaneItem& item, int x0, int x1)
{
    const lod::IntervalRow& busy = m_frame.index->devices()[item.index].busy;
    return read(busy, busy.index(), x0, x1);
}

std::span<const lod::PixelCell> RowReader::marks(const lod::LaneItem& item, uint16_t row, int x0, int x1)
{
    if (!m_frame.marks || m_frame.marks->countOf(item.lane) == 0)
        return {};
    const lod::RowView view = m_frame.marks->row(item.lane, item.frames, row);
    return view.slices.size() == 0 ? std::span<const lod::PixelCell>() : read(view.slices, *view.index, x0, x1);
}

std::span<const lod::PixelCell> RowReader::collapsedMarks(const lod::LaneItem& item, int x0, int x1)
{
    if (!m_frame.marks || m_frame.marks->countOf(item.lane) == 0)
        return {};
    m_cells.resize(static_cast<size_t>(std::max(x1 - x0, 0)));
    m_sums.reset(m_frame.grid, x0, x1);
    for (uint16_t row = 0; row < m_frame.index->rowCount(item.lane, lod::Frames::Shown); ++row) {
        const lod::RowView view = m_frame.marks->row(item.lane, lod::Frames::Shown, row);
        if (view.slices.size() > 0)
            view.index->query(view.slices, m_sums);
    }
    m_sums.resolve(m_cells.data());
    return m_cells;
}

// Bars

BarLines rowLines(const TimelineFrame& frame, const lod::LaneItem& item, uint16_t row)
{
    const TimelineGeometry& geometry = frame.geometry;
    const lod::LaneLayout::Band band = lod::LaneLayout::rowBand(item, row);
    BarLines lines;
    lines.top = geometry.deviceY(band.top);
    lines.bottom = std::max(geometry.deviceY(band.bottom + 1) - geometry.deviceGap(), lines.top + 1);
    lines.foot = band.bottom - band.top >= kLeastFootHeight ? geometry.deviceGap() : 0;
    lines.mark = std::min(geometry.device(kMarkHeight), lines.bottom - lines.top);
    return lines;
}

BarLines busyLines(const TimelineFrame& frame, const lod::LaneItem& item)
{
    const TimelineGeometry& geometry = frame.geometry;
    const int inset = frame.style->px(5);
    return {geometry.deviceY(item.y + inset), geometry.deviceY(item.bottom() - 1 - inset), 0, 0};
}

// LaneRaster

void LaneRaster::update(const TimelineFrame& frame)
{
    const TimelineGeometry& geometry = frame.geometry;
    const QSize size(geometry.deviceWidth(), geometry.deviceHeight());
    if (size.isEmpty()) {
        m_image = QImage();
        m_isValid = false;
        return;
    }
    if (m_image.size() != size) {
        m_image = QImage(size, QImage::Format_RGB32);
        m_isValid = false;
        if (m_image.isNull())
            return;
    }
    const bool isSameGrid = m_scale.hasSamePitch(geometry.scale) && m_majorNs == frame.ruler.majorNs;
    const int64_t right = isSameGrid ? geometry.scale.pixelsFrom(m_scale) : size.width();
    const int lines = geometry.device(geometry.lanes.scrollY) - geometry.device(m_lanes.scrollY);
    const int top = geometry.device(geometry.lanes.shownTop);
    m_lanes.scrollY = geometry.lanes.scrollY;
    const bool isSamePart = m_lanes == geometry.lanes;
    const bool canMove = m_isValid && isSameGrid && isSamePart && std::abs(right) < size.width()
        && std::abs(lines) < size.height() - top;
    m_scale = geometry.scale;
    m_lanes = geometry.lanes;
    m_majorNs = frame.ruler.majorNs;
    if (!canMove) {
        paint(frame, 0, size.width(), 0, size.height());
        m_isValid = true;
        return;
    }
    const int columns = static_cast<int>(right);
    if (lines != 0)
        shiftLines(top, lines);
    if (columns != 0)
        shiftColumns(columns);
    if (lines > 0)
        paint(frame, 0, size.width(), size.height() - lines, size.height());
    else if (lines < 0)
        paint(frame, 0, size.width(), top, top - lines);
    if (columns > 0)
        paint(frame, size.width() - columns, size.width(), 0, size.height());
    else if (columns < 0)
        paint(frame, 0, -columns, 0, size.height());
}

void LaneRaster::shiftColumns(int by)
{
    const auto kept = static_cast<size_t>(m_image.width() - std::abs(by));
    for (int y = 0; y < m_image.height(); ++y) {
        QRgb* pixels = line(y);
        std::memmove(by > 0 ? pixels : pixels - by, by > 0 ? pixels + by : pixels, kept * sizeof(QRgb));
    }
}

void LaneRaster::shiftLines(int top, int by)
{
    const auto stride = static_cast<ptrdiff_t>(m_image.bytesPerLine());
    uchar* bits = m_image.scanLine(top);
    const auto kept = static_cast<size_t>(stride * (m_image.height() - top - std::abs(by)));
    std::memmove(by > 0 ? bits : bits - by * stride, by > 0 ? bits + by * stride : bits, kept);
}

void LaneRaster::makeBackground(const TimelineFrame& frame)
{
    const Theme& theme = frame.theme();
    const int width = m_image.width();
    m_background.assign(static_cast<size_t>(width), theme.lane.rgb());
    const int thick = frame.geometry.deviceGap();
    const auto addLine = [&](int64_t timeNs, QRgb color) {
        const int x = frame.geometry.scale.pixelOf(timeNs);
        for (int i = std::max(x, 0); i < std::min(x + thick, width); ++i)
            m_background[static_cast<size_t>(i)] = color;
    };
    const lod::Ruler& ruler = frame.ruler;
    for (const int64_t major : ruler.majors) {
        for (int64_t at = ruler.minorNs; at < ruler.majorNs; at += ruler.minorNs)
            addLine(addSaturated(major, at), theme.gridMinor.rgb());
        addLine(major, theme.gridMajor.rgb());
    }
}

void LaneRaster::paint(const TimelineFrame& frame, int x0, int x1, int y0, int y1)
{
    m_x0 = x0;
    m_x1 = x1;
    makeBackground(frame);
    m_doneTo = y0;
    if (frame.index && frame.layout)
        paintItems(frame, y0, y1);
    m_y1 = y1;
    fillUpTo(y1);
}

void LaneRaster::paintItems(const TimelineFrame& frame, int y0, int y1)
{
    for (int step = 0; step <= lod::kCoverageSteps; ++step)
        m_busyFill[lod::makeCell(step, WorkClass::Op)] = frame.style->cells().busy[static_cast<size_t>(step)];
    const TimelineGeometry& geometry = frame.geometry;
    RowReader reader(frame);
    for (const bool isPinned : {true, false}) {
        const QRect part = geometry.partRect(isPinned).translated(0, -geometry.rulerHeight);
        m_y0 = std::max(y0, geometry.device(part.top()));
        m_y1 = isPinned ? std::min(y1, geometry.device(part.bottom() + 1)) : y1;
        if (m_y0 >= m_y1)
            continue;
        const int top = std::max(static_cast<int>(std::floor(m_y0 / geometry.ratio)), part.top());
        const int bottom = std::min(static_cast<int>(std::ceil(m_y1 / geometry.ratio)), part.bottom() + 1);
        const int first = geometry.lanes.contentY(top) - 1;
        const int last = geometry.lanes.contentY(bottom - 1) + 2;
        for (const lod::LaneItem& item : frame.layout->itemsIn(first, last)) {
            if (item.isPinned == isPinned)
                paintItem(frame, reader, item);
        }
        fillUpTo(m_y1);
    }
}

void LaneRaster::paintItem(const TimelineFrame& frame, RowReader& reader, const lod::LaneItem& item)
{
    const Theme& theme = frame.theme();
    const TimelineGeometry& geometry = frame.geometry;
    if (item.kind == lod::LaneItemKind::Group) {
        fillLines(geometry.deviceY(item.y), geometry.deviceY(item.bottom()), theme.group.rgb());
        return;
    }
    if (item.kind == lod::LaneItemKind::Busy)
        paintBar(reader.busy(item, m_x0, m_x1), busyLines(frame, item), m_busyFill, m_busyFill);
    else if (item.kind == lod::LaneItemKind::Lane)
        paintRows(frame, reader, item);
    const int bottom = geometry.deviceY(item.bottom());
    fillLines(bottom - geometry.deviceGap(), bottom, theme.separator.rgb());
}

void LaneRaster::paintRows(const TimelineFrame& frame, RowReader& reader, const lod::LaneItem& item)
{
    const CellColors& colors = frame.style->cells();
    const QRgb mark = frame.theme().hit.rgb();
    const uint16_t rows = item.isCollapsed ? uint16_t{1} : item.rows;
    for (uint16_t row = 0; row < rows; ++row) {
        const BarLines lines = rowLines(frame, item, row);
        if (lines.bottom <= m_y0 || lines.top >= m_y1)
            continue;
        paintBar(item.isCollapsed ? reader.collapsed(item, m_x0, m_x1) : reader.row(item, row, m_x0, m_x1), lines,
            colors.fill, colors.foot);
        paintMarks(item.isCollapsed ? reader.collapsedMarks(item, m_x0, m_x1) : reader.marks(item, row, m_x0, m_x1),
            lines, mark);
    }
}

void LaneRaster::paintBar(std::span<const lod::PixelCell> cells, const BarLines& lines,
    const std::array<QRgb, 256>& fill, const std::array<QRgb, 256>& foot)
{
    const auto width = static_cast<size_t>(m_x1 - m_x0);
    const int footTop = lines.bottom - lines.foot;
    const auto colorLine = [&](std::vector<QRgb>& out, const std::array<QRgb, 256>& colors) {
        const QRgb* background = m_background.data() + m_x0;
        out.resize(width);
        for (size_t x = 0; x < width; ++x)
            out[x] = cells[x] == 0 ? background[x] : colors[cells[x]];
    };
    fillUpTo(lines.top);
    colorLine(m_line, fill);
    copyDown(m_line.data(), footTop);
    if (lines.foot > 0)
        colorLine(m_line, foot);
    copyDown(m_line.data(), lines.bottom);
}

void LaneRaster::paintMarks(std::span<const lod::PixelCell> marks, const BarLines& lines, QRgb mark)
{
    for (int y = std::max(lines.bottom - lines.mark, m_y0); !marks.empty() && y < std::min(lines.bottom, m_y1); ++y) {
        QRgb* pixels = line(y) + m_x0;
        for (size_t x = 0; x < marks.size(); ++x)
            pixels[x] = marks[x] == 0 ? pixels[x] : mark;
    }
}

void LaneRaster::fillLines(int top, int bottom, QRgb color)
{
    fillUpTo(top);
    for (; m_doneTo < std::min(bottom, m_y1); ++m_doneTo)
        std::fill(line(m_doneTo) + m_x0, line(m_doneTo) + m_x1, color);
}

/// Lines are painted from top to bottom, each once: this many with the empty lane.
void LaneRaster::fillUpTo(int bottom)
{
    copyDown(m_background.data() + m_x0, bottom);
}

void LaneRaster::copyDown(const QRgb* from, int bottom)
{
    for (; m_doneTo < std::min(bottom, m_y1); ++m_doneTo)
        std::memcpy(line(m_doneTo) + m_x0, from, static_cast<size_t>(m_x1 - m_x0) * sizeof(QRgb));
}

// Shapes

namespace {

class ShapePainter {
public:
    ShapePainter(QPainter& painter, const TimelineFrame& frame)
        : m_painter(painter)
        , m_frame(frame)
    {
    }

    void grid()
    {
        const TimelineGeometry& geometry = m_frame.geometry;
        const QRectF lanes(geometry.lanesRect());
        m_painter.fillRect(lanes, m_frame.theme().lane);
        const auto addLine = [&](int64_t timeNs, const QColor& color) {
            const double x = geometry.pixelX(timeNs);
            if (x >= lanes.left() && x < lanes.right())
                m_painter.fillRect(
                    QRectF(x, lanes.top(), geometry.deviceGap() / geometry.ratio, lanes.height()), color);
        };
        for (const int64_t major : m_frame.ruler.majors) {
            for (int64_t at = m_frame.ruler.minorNs; at < m_frame.ruler.majorNs; at += m_frame.ruler.minorNs)
                addLine(addSaturated(major, at), m_frame.theme().gridMinor);
            addLine(major, m_frame.theme().gridMajor);
        }
    }

    void fill(int top, int bottom, const QColor& color) { rect(0, m_frame.geometry.deviceWidth(), top, bottom, color); }

    /// Neighbours of one colour become one rectangle.
    template <typename ColorOf> void bar(std::span<const lod::PixelCell> cells, int top, int bottom, ColorOf colorOf)
    {
        for (size_t x = 0; x < cells.size();) {
            size_t end = x + 1;
            while (end < cells.size() && cells[end] == cells[x])
                ++end;
            if (cells[x] != 0)
                rect(static_cast<int>(x), static_cast<int>(end), top, bottom, QColor::fromRgb(colorOf(cells[x])));
            x = end;
        }
    }

private:
    void rect(int left, int right, int top, int bottom, const QColor& color)
    {
        const TimelineGeometry& geometry = m_frame.geometry;
        m_painter.fillRect(
            QRectF((geometry.deviceLeft() + left) / geometry.ratio, (geometry.deviceTop() + top) / geometry.ratio,
                (right - left) / geometry.ratio, (bottom - top) / geometry.ratio),
            color);
    }

    QPainter& m_painter;
    const TimelineFrame& m_frame;
};

} // namespace

void paintLanesAsShapes(QPainter& painter, const TimelineFrame& frame)
{
    ShapePainter shapes(painter, frame);
    shapes.grid();
    if (!frame.index || !frame.layout)
        return;
    const Theme& theme = frame.theme();
    const TimelineGeometry& geometry = frame.geometry;
    const CellColors& colors = frame.style->cells();
    const int width = geometry.deviceWidth();
    const auto fillOf = [&](lod::PixelCell cell) { return colors.fill[cell]; };
    const auto footOf = [&](lod::PixelCell cell) { return colors.foot[cell]; };
    const auto markOf = [&](lod::PixelCell) { return theme.hit.rgb(); };
    const auto busyOf = [&](lod::PixelCell cell) { return colors.busy[static_cast<size_t>(lod::stepOf(cell))]; };
    RowReader reader(frame);
    const auto paintItem = [&](const lod::LaneItem& item) {
        if (item.kind == lod::LaneItemKind::Group) {
            shapes.fill(geometry.deviceY(item.y), geometry.deviceY(item.bottom()), theme.group);
            return;
        }
        const int bottom = geometry.deviceY(item.bottom());
        shapes.fill(bottom - geometry.deviceGap(), bottom, theme.separator);
        if (item.kind == lod::LaneItemKind::Busy) {
            const BarLines lines = busyLines(frame, item);
            shapes.bar(reader.busy(item, 0, width), lines.top, lines.bottom, busyOf);
        }
        if (item.kind != lod::LaneItemKind::Lane)
            return;
        const uint16_t rows = item.isCollapsed ? uint16_t{1} : item.rows;
        for (uint16_t row = 0; row < rows; ++row) {
            const BarLines lines = rowLines(frame, item, row);
            const auto cells = item.isCollapsed ? reader.collapsed(item, 0, width) : reader.row(item, row, 0, width);
            shapes.bar(cells, lines.top, lines.bottom - lines.foot, fillOf);
            shapes.bar(cells, lines.bottom - lines.foot, lines.bottom, footOf);
            const auto marks
                = item.isCollapsed ? reader.collapsedMarks(item, 0, width) : reader.marks(item, row, 0, width);
            std::vector<lod::PixelCell> merged(marks.begin(), marks.end());
            for (lod::PixelCell& cell : merged)
                cell = cell == 0 ? lod::PixelCell{0} : lod::PixelCell{1};
            shapes.bar(merged, lines.bottom - lines.mark, lines.bottom, markOf);
        }
    };
    frame.forEachPart(geometry.lanesRect(), [&](std::span<const lod::LaneItem> items, const QRectF& clip) {
        painter.save();
        painter.setClipRect(clip, Qt::IntersectClip);
        std::ranges::for_each(items, paintItem);
        painter.restore();
    });
}

} // namespace torchline
