#include "memory/memory_chart.h"

#include "common/format.h"
#include "lod/ruler.h"
#include "memory/memory_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAxisWidth = 84;
constexpr int kRulerHeight = 22;
constexpr int kPlotGap = 8;
constexpr double kLeastMajorPx = 110;
constexpr double kZoomPerNotch = 1.25;
constexpr double kPanPerNotch = 0.1;

/// "12.50 ms": as many decimals as neighbouring ticks need to differ.
QString tickText(int64_t timeNs, int64_t majorNs, int64_t largestNs)
{
    TimeUnit unit = timeUnitFor(largestNs);
    unit.decimals = 0;
    for (int64_t step = unit.nsPerUnit; step > 1 && majorNs % step != 0; step /= 10)
        ++unit.decimals;
    return formatTime(timeNs, unit);
}

} // namespace

MemoryChart::MemoryChart(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_job(this)
{
    setMouseTracking(true);
    setAccessibleName(tr("Memory over time"));
    const auto repaint = [this] { update(); };
    connect(themes, &ThemeHost::themeChanged, this, repaint);
    connect(state, &ViewState::visibleChanged, this, repaint);
    connect(state, &ViewState::rangeChanged, this, repaint);
    connect(state, &ViewState::cursorChanged, this, repaint);
    connect(state, &ViewState::traceChanged, this, &MemoryChart::rebuild);
    rebuild();
}

MemoryChart::~MemoryChart() = default;

void MemoryChart::rebuild()
{
    m_job.cancel();
    m_curves = nullptr;
    update();
    Q_EMIT curvesChanged();
    if (!m_state->trace())
        return;
    m_job.start([trace = m_state->trace()](const std::stop_token&) { return makeMemoryCurves(*trace); },
        [this](MemoryCurves&& curves) {
            m_curves = std::move(curves);
            updateGeometry();
            update();
            Q_EMIT curvesChanged();
        });
}

QSize MemoryChart::sizeHint() const
{
    const int plots = m_curves ? static_cast<int>(m_curves->size()) : 1;
    return {600, kRulerHeight + std::max(plots, 1) * 96};
}

QSize MemoryChart::minimumSizeHint() const
{
    return {0, 0};
}

QRect MemoryChart::plotArea() const
{
    return rect().adjusted(kAxisWidth, kRulerHeight, 0, 0);
}

int64_t MemoryChart::timeAt(double x) const
{
    const QRect area = plotArea();
    const lod::PixelScale scale(m_state->visible(), std::max(area.width(), 1));
    return addSaturated(m_state->visible().beginNs, scale.nsOfPixels(x - area.left()));
}

void MemoryChart::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    QPainter painter(this);
    painter.fillRect(rect(), theme.laneHead);
    const QRect area = plotArea();
    if (area.width() < 8 || area.height() < 8)
        return;
    painter.fillRect(area, theme.lane);
    painter.setFont(metrics.lanes());
    const double devicePixels = devicePixelRatioF();
    const int width = std::max(1, static_cast<int>(std::lround(area.width() * devicePixels)));
    const lod::PixelScale scale(m_state->visible(), width);
    paintRuler(painter, area, scale, devicePixels);
    if (m_curves && !m_curves->empty()) {
        const lod::PixelGrid grid(scale, width);
        const int count = static_cast<int>(m_curves->size());
        for (int i = 0; i < count; ++i) {
            const int top = area.top() + area.height() * i / count;
            const int bottom = area.top() + area.height() * (i + 1) / count;
            const QRect plot(area.left(), top + kPlotGap, area.width(), bottom - top - kPlotGap);
            const MemoryCurve& curve = (*m_curves)[static_cast<size_t>(i)];
            paintAxis(painter, plot, curve);
            paintMemoryPlot(painter, plot, curve, grid, devicePixels, theme, metrics.lanes());
            painter.fillRect(QRect(0, bottom - 1, rect().width(), 1), theme.separator);
        }
    }
    painter.fillRect(QRect(area.left() - 1, 0, 1, height()), theme.separator);
    paintCursor(painter, area, scale, devicePixels);
}

void MemoryChart::paintRuler(
    QPainter& painter, const QRect& area, const lod::PixelScale& scale, double devicePixels) const
{
    const Theme& theme = m_themes->theme();
    const int width = static_cast<int>(area.width() * devicePixels);
    painter.fillRect(QRect(area.left(), 0, area.width(), kRulerHeight), theme.ruler);
    painter.fillRect(QRect(0, kRulerHeight - 1, rect().width(), 1), theme.separator);
    const lod::Ruler ruler = lod::Ruler::forView(scale, width, kLeastMajorPx * devicePixels);
    const TimeRange visible = m_state->visible();
    const int64_t largest = std::max(std::abs(visible.beginNs), std::abs(visible.endNs));
    painter.save();
    painter.setClipRect(QRect(area.left(), 0, area.width(), height()));
    for (const int64_t major : ruler.majors) {
        const double x = area.left() + scale.pixelOf(major) / devicePixels;
        painter.fillRect(QRectF(x, area.top(), 1, area.height()), theme.gridMajor);
        painter.fillRect(QRectF(x, kRulerHeight - 6, 1, 6), theme.text3);
        painter.setPen(theme.text2);
        painter.drawText(QRectF(x + 4, 0, kLeastMajorPx, kRulerHeight - 2), Qt::AlignLeft | Qt::AlignVCenter,
            tickText(major, ruler.majorNs, largest));
    }
    painter.restore();
}

void MemoryChart::paintAxis(QPainter& painter, const QRect& plot, const MemoryCurve& curve) const
{
    const Theme& theme = m_themes->theme();
    const QFontMetrics metrics(painter.font());
    const QRect column(8, plot.top(), kAxisWidth - 16, plot.height());
    const MemoryAxis axis(curve, plot.top(), plot.bottom());
    painter.setPen(theme.text);
    painter.drawText(column, Qt::AlignLeft | Qt::AlignVCenter, displayText(curve.label));
    if (plot.height() < 3 * metrics.height())
        return;
    painter.setPen(theme.text2);
    const double top = std::max<double>(axis.y(curve.highestBytes) - metrics.height() / 2.0, plot.top());
    painter.drawText(
        QRectF(column.left(), top, column.width(), metrics.height()), Qt::AlignRight, formatBytes(curve.highestBytes));
    const double zero = std::min<double>(axis.y(0) - metrics.height() / 2.0, plot.bottom() - metrics.height());
    painter.drawText(QRectF(column.left(), zero, column.width(), metrics.height()), Qt::AlignRight, u"0"_s);
}

void MemoryChart::paintCursor(
    QPainter& painter, const QRect& area, const lod::PixelScale& scale, double devicePixels) const
{
    const Theme& theme = m_themes->theme();
    painter.setClipRect(QRect(area.left(), 0, area.width(), height()));
    const auto x = [&](int64_t ns) { return area.left() + scale.pixelOf(ns) / devicePixels; };
    if (const auto range = m_state->range()) {
        QColor veil = theme.veil;
        veil.setAlphaF(0.5F);
        const double begin = x(range->beginNs);
        const double end = x(range->endNs);
        painter.fillRect(QRectF(area.left(), area.top(), begin - area.left(), area.height()), veil);
        painter.fillRect(QRectF(end, area.top(), area.right() + 1 - end, area.height()), veil);
        painter.fillRect(QRectF(begin, area.top(), 1, area.height()), theme.rangeFill);
        painter.fillRect(QRectF(end, area.top(), 1, area.height()), theme.rangeFill);
    }
    if (const auto cursor = m_state->cursorNs()) {
        QColor color = theme.cursor;
        color.setAlphaF(0.55F);
        painter.fillRect(QRectF(x(*cursor), 0, 1, height()), color);
    }
    painter.setClipping(false);
}

QString MemoryChart::valuesAt(int64_t timeNs) const
{
    QStringList lines;
    for (const MemoryCurve& curve : *m_curves) {
        int64_t bytes = 0;
        if (!curve.allocated.valueAt(timeNs, bytes))
            continue;
        QString line = tr("%1: allocated %2").arg(displayText(curve.label), formatBytes(bytes));
        if (curve.reserved.valueAt(timeNs, bytes))
            line += tr(", reserved %1").arg(formatBytes(bytes));
        lines += line;
    }
    return lines.join(u'\n');
}

void MemoryChart::wheelEvent(QWheelEvent* event)
{
    const TimeRange visible = m_state->visible();
    const double notches = event->angleDelta().y() / 120.0;
    const double sideways = event->angleDelta().x() / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        const double factor = std::pow(kZoomPerNotch, -notches);
        const int64_t at = timeAt(event->position().x());
        const auto scaled
            = [&](int64_t ns) { return addSaturated(at, std::llround(static_cast<double>(ns - at) * factor)); };
        m_state->setVisible({scaled(visible.beginNs), scaled(visible.endNs)});
    } else if (sideways != 0) {
        const auto by = static_cast<int64_t>(-sideways * kPanPerNotch * static_cast<double>(visible.spanNs()));
        m_state->setVisible({addSaturated(visible.beginNs, by), addSaturated(visible.endNs, by)});
    } else {
        event->ignore();
        return;
    }
    event->accept();
}

void MemoryChart::mousePressEvent(QMouseEvent* event)
{
    const bool pans = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier);
    if (!pans)
        return;
    m_dragX = event->position().x();
    m_dragVisible = m_state->visible();
    setCursor(Qt::ClosedHandCursor);
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event)
{
    const QRect area = plotArea();
    if (m_dragX) {
        const lod::PixelScale scale(m_dragVisible, std::max(area.width(), 1));
        const int64_t by = scale.nsOfPixels(*m_dragX - event->position().x());
        m_state->setVisible({addSaturated(m_dragVisible.beginNs, by), addSaturated(m_dragVisible.endNs, by)});
        return;
    }
    if (!area.contains(event->position().toPoint())) {
        m_state->setCursor(std::nullopt);
        return;
    }
    const int64_t timeNs = timeAt(event->position().x());
    m_state->setCursor(timeNs);
    if (m_curves && !m_curves->empty())
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12), valuesAt(timeNs), this);
}

void MemoryChart::mouseReleaseEvent(QMouseEvent* /*event*/)
{
    m_dragX.reset();
    unsetCursor();
}

/// Goes to the peak of the plot that was hit.
void MemoryChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QRect area = plotArea();
    if (!m_curves || m_curves->empty() || !area.contains(event->position().toPoint()))
        return;
    const auto count = static_cast<int>(m_curves->size());
    const int plot = std::clamp((event->position().toPoint().y() - area.top()) * count / area.height(), 0, count - 1);
    const int64_t peak = (*m_curves)[static_cast<size_t>(plot)].peakAtNs;
    const int64_t half = m_state->visible().spanNs() / 2;
    m_state->goTo({subSaturated(peak, half), addSaturated(peak, half)});
}

void MemoryChart::leaveEvent(QEvent* /*event*/)
{
    m_state->setCursor(std::nullopt);
}

} // namespace torchline
