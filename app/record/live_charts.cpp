#include "record/live_charts.h"

#include "common/format.h"
#include "lod/pixel_scale.h"
#include "model/steps.h"
#include "timeline/memory_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRulerHeight = 26;
constexpr int kLabelWidth = 170;
constexpr int kEdge = 12;
constexpr int64_t kTickNs = 5'000'000'000;

/// The next of 1, 2, 5 x 10^n: an axis that does not jump with each value.
int64_t niceAbove(int64_t value)
{
    int64_t nice = 1;
    for (;;) {
        for (const int64_t factor : {1, 2, 5}) {
            if (nice * factor >= value)
                return nice * factor;
        }
        nice *= 10;
    }
}

} // namespace

struct LiveCharts::Row {
    QString title;
    QString figure;
    QString detail;
    QString top; ///< of the scale
    void (LiveCharts::*paint)(QPainter&, const QRect&) const;
    QRect place;
};

LiveCharts::LiveCharts(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    setAccessibleName(tr("Step time, memory and records of the last half minute"));
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

QSize LiveCharts::sizeHint() const
{
    return {Metrics(font()).px(900), Metrics(font()).px(360)};
}

QSize LiveCharts::minimumSizeHint() const
{
    return {Metrics(font()).px(320), Metrics(font()).px(kRulerHeight + 3 * 56)};
}

void LiveCharts::clear()
{
    m_data = nullptr;
    m_rates.clear();
    m_isOver = false;
    update();
}

void LiveCharts::setStatus(const capture::SessionStatus& status)
{
    if (m_isOver)
        return;
    m_nowNs = steadyNowNs();
    m_rates.push_back({m_nowNs, status.recordsPerSecond});
    while (m_rates.front().atNs < m_nowNs - kChartSpanNs - kTickNs)
        m_rates.pop_front();
    m_isOver = isOver(status.phase);
    update();
}

void LiveCharts::setData(std::shared_ptr<const LiveViewData> newest)
{
    m_data = std::move(newest);
    update();
}

int LiveCharts::plotLeft() const
{
    return Metrics(font()).px(kLabelWidth);
}

int64_t LiveCharts::shownEndNs() const
{
    if (!m_data)
        return 0;
    return m_data->endNs + (m_isOver ? 0 : std::clamp<int64_t>(m_nowNs - m_data->madeAtNs, 0, kChartSpanNs));
}

double LiveCharts::xOf(int64_t traceNs, const QRect& plot) const
{
    const double share
        = static_cast<double>(traceNs - (shownEndNs() - kChartSpanNs)) / static_cast<double>(kChartSpanNs);
    return plot.left() + share * plot.width();
}

int64_t LiveCharts::longestStepNs() const
{
    int64_t longest = 0;
    if (m_data) {
        for (const LiveStep& step : m_data->steps)
            longest = std::max(longest, step.endNs - step.beginNs);
    }
    return longest;
}

void LiveCharts::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(0, 0, plotLeft(), height(), theme.laneHead);

    const bool hasSteps = m_data && !m_data->steps.empty();
    const bool hasMemory = m_data && m_data->memory;
    const uint64_t rate = m_rates.empty() || m_isOver ? 0 : m_rates.back().perSecond;
    uint64_t highest = 0;
    for (const Rate& each : m_rates)
        highest = std::max(highest, each.perSecond);
    int64_t memory = 0;
    if (hasMemory)
        static_cast<void>(m_data->memory->allocated.valueAt(shownEndNs() + 1, memory));
    std::array rows{
        Row{tr("Step time"), hasSteps ? formatDuration(m_data->medianStepNs) : u"–"_s,
            hasSteps ? tr("median of %1").arg(std::min<size_t>(m_data->steps.size(), 50))
                     : tr("no step was marked yet"),
            hasSteps ? formatDuration(niceAbove(longestStepNs())) : QString(), &LiveCharts::paintSteps, {}},
        Row{hasMemory && m_data->memory->deviceType == 1 ? tr("GPU memory") : tr("Memory"),
            hasMemory ? formatBytes(memory) : u"–"_s,
            hasMemory ? tr("peak %1").arg(formatBytes(m_data->memory->peakBytes)) : tr("no record of it yet"),
            hasMemory ? MemoryAxis::above(m_data->memory->peakBytes).topWithUnit() : QString(),
            &LiveCharts::paintMemory, {}},
        Row{tr("Records"), tr("%1 /s").arg(formatCount(static_cast<int64_t>(rate))), QString(),
            highest > 0 ? formatCount(niceAbove(static_cast<int64_t>(highest))) : QString(), &LiveCharts::paintRate,
            {}},
    };
    const int ruler = metrics.px(kRulerHeight);
    const int each = (height() - ruler) / static_cast<int>(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        rows[i].place = QRect(0, ruler + static_cast<int>(i) * each, width(), each);
        paintRow(painter, rows[i]);
    }
    paintRuler(painter);
}

void LiveCharts::paintRuler(QPainter& painter) const
{
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const QRect bar(0, 0, width(), metrics.px(kRulerHeight));
    painter.fillRect(bar, theme.ruler);
    painter.fillRect(0, bar.bottom(), width(), 1, theme.separator);
    painter.setFont(metrics.lanes());
    painter.setPen(theme.text2);
    painter.drawText(bar.adjusted(metrics.px(kEdge), 0, 0, 0), Qt::AlignVCenter, tr("last 30 s"));
    const QRect plot(plotLeft(), 0, width() - plotLeft(), height());
    for (int64_t back = 0; back <= kChartSpanNs; back += kTickNs) {
        const int x = plot.left() + static_cast<int>(plot.width() * (kChartSpanNs - back) / kChartSpanNs);
        const QString text = back == 0 ? (m_isOver ? tr("end") : tr("now")) : u"−%1 s"_s.arg(back / 1'000'000'000);
        painter.fillRect(std::min(x, width() - 1), bar.bottom() - metrics.px(5), 1, metrics.px(5), theme.text3);
        const int textWidth = painter.fontMetrics().horizontalAdvance(text);
        const int at = back == 0 ? x - textWidth - metrics.px(6) : x + metrics.px(5);
        painter.drawText(QRect(at, 0, textWidth + 1, bar.height()), Qt::AlignVCenter | Qt::TextSingleLine, text);
    }
}

void LiveCharts::paintRow(QPainter& painter, const Row& row) const
{
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const int top = row.place.top() + metrics.px(8);
    const QRect head(metrics.px(kEdge), top, plotLeft() - 2 * metrics.px(kEdge), row.place.height());
    const auto line = [&](int y, const QFont& textFont, const QColor& color, const QString& text) {
        painter.setFont(textFont);
        painter.setPen(color);
        const int high = painter.fontMetrics().height();
        if (y + high <= row.place.bottom())
            painter.drawText(QRect(head.left(), y, head.width(), high), Qt::AlignLeft | Qt::TextSingleLine,
                painter.fontMetrics().elidedText(text, Qt::ElideRight, head.width()));
        return y + high;
    };
    int y = line(top, metrics.scaled(0.92, QFont::DemiBold), theme.text, row.title);
    y = line(y + metrics.px(2), metrics.figure(), theme.text, row.figure);
    line(y, metrics.lanes(), theme.text2, row.detail);

    const QRect plot = QRect(plotLeft(), row.place.top(), width() - plotLeft(), row.place.height())
                           .adjusted(0, metrics.px(20), 0, -1);
    painter.save();
    painter.setClipRect(QRect(plot.left(), row.place.top(), plot.width(), row.place.height()));
    paintGrid(painter, plot);
    (this->*row.paint)(painter, plot);
    painter.restore();
    paintScale(painter, plot, row.top);
    painter.fillRect(0, row.place.bottom(), width(), 1, theme.separator);
}

void LiveCharts::paintGrid(QPainter& painter, const QRect& plot) const
{
    for (int64_t back = 0; back <= kChartSpanNs; back += kTickNs) {
        const int x = plot.left() + static_cast<int>(plot.width() * (kChartSpanNs - back) / kChartSpanNs);
        painter.fillRect(x, plot.top(), 1, plot.height(), m_themes->theme().gridMajor);
    }
    painter.fillRect(plot.left(), plot.top(), plot.width(), 1, m_themes->theme().gridMajor);
}

void LiveCharts::paintScale(QPainter& painter, const QRect& plot, const QString& top) const
{
    const Metrics metrics(font());
    painter.setFont(metrics.lanes());
    painter.setPen(m_themes->theme().text3);
    const int high = painter.fontMetrics().height();
    painter.drawText(QRect(plot.left() + metrics.px(6), plot.top() - high, plot.width(), high),
        Qt::AlignLeft | Qt::TextSingleLine, top);
}

void LiveCharts::paintSteps(QPainter& painter, const QRect& plot) const
{
    if (!m_data || m_data->steps.empty())
        return;
    const Theme& theme = m_themes->theme();
    const double highest = static_cast<double>(niceAbove(longestStepNs()));
    for (const LiveStep& step : m_data->steps) {
        const int64_t length = step.endNs - step.beginNs;
        const bool isSlow = isSlowStep(length, m_data->medianStepNs);
        const double left = xOf(step.beginNs, plot);
        const double right = std::max(left + 1, xOf(step.endNs, plot));
        const double up = plot.height() * static_cast<double>(length) / highest;
        painter.fillRect(QRectF(left, plot.bottom() + 1 - up, right - left, up), theme.stepTints[isSlow ? 4 : 3]);
        // A shape beside the colour: a triangle over a slow one.
        if (isSlow) {
            const double x = (left + right) / 2;
            const double y = plot.bottom() - up - 3;
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.warn);
            const std::array<QPointF, 3> corners{QPointF(x - 4, y), QPointF(x + 4, y), QPointF(x, y - 6)};
            painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
    }
}

void LiveCharts::paintMemory(QPainter& painter, const QRect& plot) const
{
    if (!m_data || !m_data->memory || plot.width() < 1)
        return;
    const Theme& theme = m_themes->theme();
    const lod::MemoryTrack& track = *m_data->memory;
    const auto highest = static_cast<double>(MemoryAxis::above(track.peakBytes).topBytes);
    const int64_t end = shownEndNs();
    const lod::PixelGrid grid(lod::PixelScale({end - kChartSpanNs, end}, plot.width()), plot.width());
    std::vector<lod::CounterPyramid::Column> columns;
    track.allocated.columns(grid, 0, plot.width(), columns);
    const auto yOf = [&](int64_t bytes) {
        return plot.bottom() - plot.height() * static_cast<double>(std::max<int64_t>(bytes, 0)) / highest;
    };
    QColor area = theme.memoryAllocated;
    area.setAlphaF(0.22f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(area);
    const double bottom = plot.bottom() + 1;
    // One fill for each run of columns: hundreds of narrow translucent ones cost a hundred times as much.
    QPolygonF under;
    const auto fill = [&] {
        if (!under.isEmpty())
            painter.drawPolygon(under << QPointF(under.back().x(), bottom) << QPointF(under.front().x(), bottom));
        under.clear();
    };
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
        const auto& column = columns[static_cast<size_t>(i)];
        if (!column.isKnown) {
            fill();
            continue;
        }
        const int high = qRound(yOf(column.high));
        under << QPointF(plot.left() + i, high) << QPointF(plot.left() + i + 1, high);
        painter.fillRect(
            QRect(plot.left() + i, high, 1, std::max(2, qRound(yOf(column.low)) - high)), theme.memoryAllocated);
    }
    fill();
}

void LiveCharts::paintRate(QPainter& painter, const QRect& plot) const
{
    if (m_rates.size() < 2)
        return;
    const Theme& theme = m_themes->theme();
    uint64_t most = 1;
    for (const Rate& each : m_rates)
        most = std::max(most, each.perSecond);
    const double highest = static_cast<double>(niceAbove(static_cast<int64_t>(most)));
    QPolygonF line;
    for (const Rate& each : m_rates) {
        const double share
            = static_cast<double>(each.atNs - (m_nowNs - kChartSpanNs)) / static_cast<double>(kChartSpanNs);
        line.append({plot.left() + share * plot.width(),
            plot.bottom() - (plot.height() - 1) * static_cast<double>(each.perSecond) / highest});
    }
    QPolygonF area = line;
    area.append({line.back().x(), static_cast<double>(plot.bottom() + 1)});
    area.append({line.front().x(), static_cast<double>(plot.bottom() + 1)});
    QColor fill = theme.text2;
    fill.setAlphaF(0.18f);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(area);
    painter.setPen(QPen(theme.text2, 1.4));
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace torchline
