#include "memory/memory_plot.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr double kHeadroom = 0.08; ///< of the axis, above the highest value
constexpr double kAreaShare = 0.22;
constexpr double kLineWidth = 1.5;
constexpr double kLabelGap = 6;
constexpr double kPeakRadius = 3.5;

class Plot {
public:
    Plot(QPainter& painter, const QRectF& rect, const MemoryCurve& curve, const lod::PixelGrid& grid, double scale,
        const Theme& theme, const QFont& font)
        : m_painter(painter)
        , m_rect(rect)
        , m_curve(curve)
        , m_grid(grid)
        , m_scale(scale)
        , m_theme(theme)
        , m_axis(curve, rect.top(), rect.bottom())
        , m_lineHeight(QFontMetricsF(font).height())
    {
        m_painter.setFont(font);
    }

    void paint()
    {
        paintAllocated();
        paintReserved();
        paintPeak();
        paintLatest();
    }

private:
    [[nodiscard]] double x(int pixel) const { return m_rect.left() + pixel / m_scale; }

    void paintAllocated()
    {
        m_curve.allocated.columns(m_grid, 0, m_grid.width(), m_columns);
        QPainterPath area;
        QPainterPath line;
        const double base = m_axis.y(0);
        bool isOpen = false;
        for (int pixel = 0; pixel < static_cast<int>(m_columns.size()); ++pixel) {
            const auto& column = m_columns[static_cast<size_t>(pixel)];
            if (!column.isKnown)
                continue;
            const double high = m_axis.y(column.high);
            if (!isOpen) {
                area.moveTo(x(pixel), base);
                line.moveTo(x(pixel), high);
                isOpen = true;
            }
            area.lineTo(x(pixel), high);
            area.lineTo(x(pixel + 1), high);
            line.lineTo(x(pixel), high);
            if (column.low != column.high)
                line.lineTo(x(pixel), m_axis.y(column.low));
            line.lineTo(x(pixel), m_axis.y(column.last));
            line.lineTo(x(pixel + 1), m_axis.y(column.last));
        }
        if (!isOpen)
            return;
        area.lineTo(x(m_grid.width()), base);
        QColor fill = m_theme.memoryAllocated;
        fill.setAlphaF(static_cast<float>(kAreaShare));
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.fillPath(area, fill);
        m_painter.strokePath(line, QPen(m_theme.memoryAllocated, kLineWidth));
    }

    void paintReserved()
    {
        if (m_curve.reserved.isEmpty())
            return;
        m_curve.reserved.columns(m_grid, 0, m_grid.width(), m_columns);
        QPainterPath line;
        bool isOpen = false;
        for (int pixel = 0; pixel < static_cast<int>(m_columns.size()); ++pixel) {
            const auto& column = m_columns[static_cast<size_t>(pixel)];
            if (!column.isKnown)
                continue;
            if (!isOpen)
                line.moveTo(x(pixel), m_axis.y(column.high));
            isOpen = true;
            line.lineTo(x(pixel), m_axis.y(column.high));
            line.lineTo(x(pixel + 1), m_axis.y(column.last));
        }
        QPen pen(m_theme.memoryReserved, kLineWidth);
        pen.setDashPattern({4, 3});
        m_painter.strokePath(line, pen);
        int64_t bytes = 0;
        if (isOpen && m_curve.reserved.valueAt(m_grid.firstNs(m_grid.width()), bytes))
            paintLabel(QCoreApplication::translate("MemoryPlot", "reserved %1").arg(formatBytes(bytes)),
                m_axis.y(bytes), Qt::AlignLeft, m_theme.memoryReserved);
    }

    void paintPeak()
    {
        const int pixel = m_grid.scale().pixelOf(m_curve.peakAtNs);
        if (m_curve.allocated.isEmpty() || pixel < 0 || pixel >= m_grid.width())
            return;
        const QPointF at(x(pixel), m_axis.y(m_curve.peakBytes));
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(QPen(m_theme.lane, 1.5));
        m_painter.setBrush(m_theme.peak);
        m_painter.drawEllipse(at, kPeakRadius, kPeakRadius);
        const QString text = QCoreApplication::translate("MemoryPlot", "peak %1").arg(formatBytes(m_curve.peakBytes));
        const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text);
        const bool toTheLeft = at.x() + kLabelGap + width > m_rect.right();
        const double left = toTheLeft ? at.x() - kLabelGap - width : at.x() + kLabelGap;
        const double top = std::clamp(at.y() - m_lineHeight / 2, m_rect.top(), m_rect.bottom() - m_lineHeight);
        m_peakLabel = QRectF(left, top, width, m_lineHeight);
        m_painter.setPen(m_theme.peak);
        m_painter.drawText(m_peakLabel, Qt::AlignLeft | Qt::AlignVCenter, text);
    }

    /// The total at the right edge, where it stands for itself.
    void paintLatest()
    {
        int64_t bytes = 0;
        if (!m_curve.allocated.valueAt(m_grid.firstNs(m_grid.width()), bytes))
            return;
        paintLabel(QCoreApplication::translate("MemoryPlot", "allocated %1").arg(formatBytes(bytes)), m_axis.y(bytes),
            Qt::AlignRight, m_theme.memoryAllocated);
    }

    void paintLabel(const QString& text, double lineY, Qt::Alignment side, const QColor& color)
    {
        const bool isBelow = lineY - m_lineHeight < m_rect.top();
        const double top = isBelow ? lineY + 2 : lineY - m_lineHeight - 1;
        const QRectF box(m_rect.left() + kLabelGap, top, m_rect.width() - 2 * kLabelGap, m_lineHeight);
        const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text);
        const double left = side == Qt::AlignRight ? box.right() - width : box.left();
        if (box.bottom() > m_rect.bottom() || width > box.width()
            || m_peakLabel.intersects(QRectF(left, top, width, m_lineHeight)))
            return;
        m_painter.setPen(color);
        m_painter.drawText(box, side | Qt::AlignVCenter, text);
    }

    QPainter& m_painter;
    QRectF m_rect;
    const MemoryCurve& m_curve;
    const lod::PixelGrid& m_grid;
    double m_scale;
    const Theme& m_theme;
    MemoryAxis m_axis;
    double m_lineHeight;
    QRectF m_peakLabel;
    std::vector<lod::CounterPyramid::Column> m_columns;
};

} // namespace

MemoryAxis::MemoryAxis(const MemoryCurve& curve, double top, double bottom)
    : m_bottom(bottom - 1)
    , m_lowest(static_cast<double>(curve.lowestBytes))
{
    const double span = (static_cast<double>(curve.highestBytes) - m_lowest) * (1 + kHeadroom);
    m_pixelsPerByte = (m_bottom - top) / span;
}

double MemoryAxis::y(int64_t bytes) const
{
    return m_bottom - (static_cast<double>(bytes) - m_lowest) * m_pixelsPerByte;
}

void paintMemoryPlot(QPainter& painter, const QRectF& rect, const MemoryCurve& curve, const lod::PixelGrid& grid,
    double scale, const Theme& theme, const QFont& font)
{
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    Plot(painter, rect, curve, grid, scale, theme, font).paint();
    painter.restore();
}

} // namespace torchline
