#include "timeline/memory_painter.h"

#include "timeline/shaped_text.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(MemoryPainter)
};

constexpr float kAreaShare = 0.22F;
constexpr float kBackingShare = 0.8F;
constexpr double kTextGap = 3;

/// Smallest of 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24 ... times a power of 1024 that is not smaller.
int64_t roundUp(int64_t bytes)
{
    int64_t unit = 1;
    while (unit <= bytes / 1024 && unit < int64_t{1} << 50)
        unit *= 1024;
    for (int64_t scale = 1;; scale *= 2) {
        for (const int64_t step : {4, 5, 6}) {
            const int64_t candidate = unit > kMaxNs / (step * scale) ? kMaxNs : unit * step * scale / 4;
            if (candidate >= bytes)
                return std::max<int64_t>(candidate, 1);
        }
    }
}

int64_t unitOf(int64_t bytes)
{
    int64_t unit = 1;
    while (unit <= bytes / 1024)
        unit *= 1024;
    return unit;
}

} // namespace

MemoryAxis MemoryAxis::forTrack(const lod::MemoryTrack& track)
{
    MemoryAxis axis = above(std::max(track.peakBytes, track.reservedPeakBytes));
    axis.bottomBytes = track.lowestBytes < 0 ? -roundUp(-std::max(track.lowestBytes, -kMaxNs)) : 0;
    return axis;
}

MemoryAxis MemoryAxis::above(int64_t peakBytes)
{
    MemoryAxis axis;
    axis.topBytes = roundUp(std::max<int64_t>(peakBytes, 1));
    return axis;
}

QString MemoryAxis::topWithUnit() const
{
    return topText() + QChar(0x00A0) + unit();
}

QString MemoryAxis::unit() const
{
    const QString text = formatBytes(unitOf(topBytes));
    return text.mid(text.indexOf(QChar(0x00A0)) + 1);
}

QString MemoryAxis::topText() const
{
    const int64_t hundredths = topBytes / unitOf(topBytes) * 100 + topBytes % unitOf(topBytes) * 100 / unitOf(topBytes);
    return hundredths % 100 == 0 ? formatCount(hundredths / 100) : formatHundredths(hundredths);
}

QString MemoryAxis::bottomText() const
{
    if (bottomBytes == 0)
        return u"0"_s;
    return formatHundredths(
        -(-bottomBytes / unitOf(topBytes) * 100 + -bottomBytes % unitOf(topBytes) * 100 / unitOf(topBytes)));
}

double MemoryAxis::y(int64_t bytes, const QRectF& rect) const
{
    const double span = static_cast<double>(topBytes) - static_cast<double>(bottomBytes);
    const double share = (static_cast<double>(bytes) - static_cast<double>(bottomBytes)) / span;
    return rect.bottom() - std::clamp(share, 0.0, 1.0) * rect.height();
}

QString memoryDeviceName(const lod::MemoryTrack& track)
{
    if (track.deviceType == 0)
        return Words::tr("CPU");
    const QString id = track.deviceId < 0 ? QString() : u" "_s + QString::number(track.deviceId);
    constexpr int kCuda = 1;
    constexpr int kHip = 6;
    if (track.deviceType == kCuda || track.deviceType == kHip)
        return Words::tr("GPU") + id;
    return track.deviceType < 0 ? Words::tr("device") + id : Words::tr("device type %1").arg(track.deviceType) + id;
}

namespace {

using Column = lod::CounterPyramid::Column;

/// Rectangles of a curve: on a picture of its own, since hundreds of narrow ones cost much with a painter, or as
/// shapes.
class CurveCanvas {
public:
    /// Logical pixels, whole device pixels.
    CurveCanvas(QPainter& painter, const QRectF& rect, qreal ratio, bool asVectors)
        : m_painter(painter)
        , m_ratio(ratio)
        , m_left(device(rect.left()))
        , m_top(device(rect.top()))
    {
        if (asVectors)
            return;
        m_image
            = QImage(device(rect.right()) - m_left, device(rect.bottom()) - m_top, QImage::Format_ARGB32_Premultiplied);
        m_image.fill(Qt::transparent);
    }

    /// Replaces what is there.
    void fill(const QRectF& rect, const QColor& color)
    {
        if (m_image.isNull()) {
            m_painter.fillRect(rect, color);
            return;
        }
        const QRgb pixel = qPremultiply(color.rgba());
        const int left = std::max(device(rect.left()) - m_left, 0);
        const int right = std::min(device(rect.right()) - m_left, m_image.width());
        const int bottom = std::min(device(rect.bottom()) - m_top, m_image.height());
        for (int y = std::max(device(rect.top()) - m_top, 0); y < bottom && left < right; ++y)
            std::fill_n(reinterpret_cast<QRgb*>(m_image.scanLine(y)) + left, right - left, pixel);
    }

    void finish()
    {
        if (m_image.isNull())
            return;
        m_painter.save();
        m_painter.scale(1 / m_ratio, 1 / m_ratio);
        m_painter.drawImage(m_left, m_top, m_image);
        m_painter.restore();
    }

private:
    [[nodiscard]] int device(double length) const { return static_cast<int>(std::lround(length * m_ratio)); }

    QPainter& m_painter;
    qreal m_ratio;
    int m_left;
    int m_top;
    QImage m_image; ///< null: as shapes
};

class CurvePainter {
public:
    CurvePainter(QPainter& painter, const MemoryPlot& plot, const QRectF& dirty)
        : m_painter(painter)
        , m_plot(plot)
        , m_axis(MemoryAxis::forTrack(*plot.track))
        , m_inner(plot.rect.adjusted(0, plot.style->px(5), 0, -1))
    {
        // Room for what is written above the highest value.
        const double text = LabelFont(plot.style->laneFont()).height();
        if (plot.rect.height() >= 4 * text)
            m_inner.setTop(plot.rect.top() + text + kTextGap + 1);
        const QRectF area = dirty.intersected(plot.rect);
        const auto pixel
            = [&](double x) { return static_cast<int>(std::floor((x - plot.rect.left()) * plot.ratio + 1e-6)); };
        // One column more on each side, so that joins between columns are the same wherever the dirty part begins.
        m_x0 = std::max(pixel(area.left()) - 1, 0);
        m_x1 = std::min(pixel(area.right()) + 2, plot.grid->width());
    }

    void curves()
    {
        CurveCanvas canvas(m_painter, {QPointF(x(m_x0), m_plot.rect.top()), QPointF(x(m_x1), m_plot.rect.bottom())},
            m_plot.ratio, m_plot.asVectors);
        allocated(canvas);
        reserved(canvas);
        canvas.finish();
    }

    void allocated(CurveCanvas& canvas)
    {
        const std::vector<Column> columns = read(m_plot.track->allocated);
        const QColor line = m_plot.style->theme().memoryAllocated;
        QColor area = line;
        area.setAlphaF(kAreaShare);
        const double zero = y(0);
        forRuns(columns, [&](int begin, int end, const Column& column) {
            const double high = y(column.high);
            canvas.fill(QRectF(x(begin), std::min(high, zero), x(end) - x(begin), std::abs(zero - high)), area);
        });
        forRuns(columns, [&](int begin, int end, const Column& column) {
            double high = y(column.high);
            double low = y(column.low);
            if (begin > m_x0 && columns[static_cast<size_t>(begin - 1 - m_x0)].isKnown) {
                const double before = y(columns[static_cast<size_t>(begin - 1 - m_x0)].last);
                high = std::min(high, before);
                low = std::max(low, before);
                canvas.fill(band(begin, begin + 1, high, low), line);
                high = y(column.high);
                low = y(column.low);
            }
            canvas.fill(band(begin, end, high, low), line);
        });
    }

    void reserved(CurveCanvas& canvas)
    {
        if (m_plot.track->reserved.isEmpty())
            return;
        const std::vector<Column> columns = read(m_plot.track->reserved);
        const QColor color = m_plot.style->theme().memoryReserved;
        // Dashes are tied to pixels of the absolute axis: panning moves them with the curve.
        constexpr int kDash = 6;
        constexpr int kPeriod = 10;
        const int dash = std::max(static_cast<int>(std::lround(kDash * m_plot.ratio)), 1);
        const int period = std::max(static_cast<int>(std::lround(kPeriod * m_plot.ratio)), dash + 1);
        const int64_t zero = m_plot.grid->scale().pixelOf(0);
        forRuns(columns, [&](int begin, int end, const Column& column) {
            if (column.high != column.low) {
                canvas.fill(band(begin, end, y(column.high), y(column.low)), color);
                return;
            }
            for (int at = begin; at < end;) {
                const int64_t phase = (((at - zero) % period) + period) % period;
                if (phase >= dash) {
                    at += static_cast<int>(period - phase);
                    continue;
                }
                const int stop = std::min(end, at + static_cast<int>(dash - phase));
                canvas.fill(band(at, stop, y(column.high), y(column.high), 1.5), color);
                at = stop;
            }
        });
    }

    void texts(const QRectF& dirty)
    {
        const Theme& theme = m_plot.style->theme();
        const LabelFont font(m_plot.style->laneFont());
        if (m_plot.rect.height() < 3 * font.height())
            return;
        const int last = m_plot.grid->width() - 1;
        const int64_t atNs = m_plot.grid->firstNs(last);
        std::vector<QRectF> taken;
        const auto write = [&](const QString& text, const QColor& color, double left, double lineY, bool above) {
            const ShapedText shaped(font, text);
            double top = above ? lineY - kTextGap - font.height() : lineY + kTextGap;
            top = std::clamp(top, m_plot.rect.top(), m_plot.rect.bottom() - font.height());
            left = std::clamp(left, m_plot.rect.left() + 4,
                std::max(m_plot.rect.right() - 4 - shaped.width(), m_plot.rect.left() + 4));
            const QRectF rect(left, top, shaped.width(), font.height());
            if (rect.width() > m_plot.rect.width() - 8
                || std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(rect); }))
                return;
            taken.push_back(rect.adjusted(-6, 0, 6, 0));
            if (!rect.intersects(dirty))
                return;
            // Texts stand on the curve where there is no other room.
            QColor backing = theme.lane;
            backing.setAlphaF(kBackingShare);
            m_painter.fillRect(rect.adjusted(-2, 0, 2, 0), backing);
            m_painter.setPen(color);
            const double baseline = std::round((top + font.ascent()) * m_plot.ratio) / m_plot.ratio;
            shaped.draw(m_painter, {std::round(left * m_plot.ratio) / m_plot.ratio, baseline}, font, m_plot.asVectors);
        };
        const lod::MemoryTrack& track = *m_plot.track;
        const int peak = m_plot.grid->scale().pixelOf(track.peakAtNs);
        if (peak >= 0 && peak <= last && track.peakBytes > 0) {
            const QPointF at(x(peak), y(track.peakBytes));
            m_painter.setRenderHint(QPainter::Antialiasing);
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(theme.peak);
            const double size = m_plot.style->px(4);
            m_painter.drawPolygon(QPolygonF{
                {at, QPointF(at.x() - size, at.y() - 1.5 * size), QPointF(at.x() + size, at.y() - 1.5 * size)}});
            m_painter.setRenderHint(QPainter::Antialiasing, false);
            write(Words::tr("peak %1").arg(formatBytes(track.peakBytes)), theme.peak, at.x() + 2 * size,
                at.y() + kTextGap, true);
        }
        int64_t value = 0;
        if (track.allocated.valueAt(atNs, value)) {
            const QString text = Words::tr("allocated %1").arg(formatBytes(value));
            write(
                text, theme.memoryAllocated, m_plot.rect.right() - 8 - ShapedText(font, text).width(), y(value), true);
        }
        if (track.reserved.valueAt(m_plot.grid->firstNs(0), value)) {
            write(Words::tr("reserved %1").arg(formatBytes(value)), theme.memoryReserved, m_plot.rect.left() + 8,
                y(value), false);
        } else if (track.reserved.valueAt(atNs, value)) {
            const QString text = Words::tr("reserved %1").arg(formatBytes(value));
            write(
                text, theme.memoryReserved, m_plot.rect.right() - 8 - ShapedText(font, text).width(), y(value), false);
        }
    }

private:
    std::vector<Column> read(const lod::CounterPyramid& pyramid) const
    {
        std::vector<Column> columns;
        pyramid.columns(*m_plot.grid, m_x0, m_x1, columns);
        return columns;
    }

    /// Neighbours that look the same are drawn at once.
    template <typename Visit> void forRuns(const std::vector<Column>& columns, Visit visit) const
    {
        const int count = static_cast<int>(columns.size());
        for (int i = 0; i < count;) {
            const Column& column = columns[static_cast<size_t>(i)];
            int end = i + 1;
            const auto isSame = [&](const Column& other) {
                return other.isKnown && other.low == column.low && other.high == column.high
                    && other.last == column.last;
            };
            while (end < count && isSame(columns[static_cast<size_t>(end)]))
                ++end;
            if (column.isKnown)
                visit(m_x0 + i, m_x0 + end, column);
            i = end;
        }
    }

    [[nodiscard]] double x(int pixel) const { return m_plot.rect.left() + pixel / m_plot.ratio; }
    [[nodiscard]] double y(int64_t bytes) const
    {
        return std::round(m_axis.y(bytes, m_inner) * m_plot.ratio) / m_plot.ratio;
    }
    [[nodiscard]] QRectF band(int begin, int end, double high, double low, double thickness = 2) const
    {
        const double thick = std::max(std::round(thickness * m_plot.ratio), 1.0) / m_plot.ratio;
        return {x(begin), high - thick / 2, x(end) - x(begin), low - high + thick};
    }

    QPainter& m_painter;
    const MemoryPlot& m_plot;
    MemoryAxis m_axis;
    QRectF m_inner;
    int m_x0 = 0;
    int m_x1 = 0;
};

} // namespace

void paintMemory(QPainter& painter, const MemoryPlot& plot, const QRectF& dirty)
{
    if (plot.rect.intersected(dirty).isEmpty())
        return;
    painter.save();
    painter.setClipRect(plot.rect.intersected(dirty), Qt::IntersectClip);
    CurvePainter curve(painter, plot, dirty);
    curve.curves();
    curve.texts(dirty);
    painter.restore();
}

} // namespace torchline
