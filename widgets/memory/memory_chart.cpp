#include "memory/memory_chart.h"

#include "timeline/ruler_painter.h"
#include "timeline/slice_tip.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace torchline {

namespace {

constexpr int kTipDelayMs = 350;
constexpr double kLeastMajor = 110;
constexpr float kVeilShare = 0.5F;
constexpr float kCursorShare = 0.55F;

} // namespace

MemoryChart::MemoryChart(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_tip(new TipWidget(this))
    , m_mover(
          state,
          [state] {
              const TimeRange visible = state->visible();
              return state->cursorNs().value_or(visible.beginNs + visible.spanNs() / 2);
          },
          this)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Memory over time"));
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, [this] {
        if (!m_pointer || !m_curves || m_isDragging)
            return;
        for (size_t i = 0; i < m_curves->size(); ++i) {
            if (plotRect(i).contains(QPointF(*m_pointer)))
                m_tip->showAt(memoryTip((*m_curves)[i], timeAt(m_pointer->x())), mapToGlobal(*m_pointer), {});
        }
    });
    const auto repaintAll = [this] {
        readScale();
        update();
    };
    connect(state, &ViewState::traceChanged, this, &MemoryChart::takeTrace);
    connect(state, &ViewState::visibleChanged, this, repaintAll);
    connect(state, &ViewState::rangeChanged, this, repaintAll);
    connect(state, &ViewState::cursorChanged, this, &MemoryChart::updateCursor);
    connect(themes, &ThemeHost::themeChanged, this, &MemoryChart::rebuildStyle);
    rebuildStyle();
    readTrace();
}

MemoryChart::~MemoryChart() = default;

void MemoryChart::takeTrace()
{
    if (m_state->isTakingLonger() && m_state->isGrowing()) {
        m_pace.wait();
        return;
    }
    m_pace.reset();
    readTrace();
}

void MemoryChart::readTrace()
{
    m_tip->hide();
    const TracePtr trace = m_state->trace();
    if (!trace) {
        m_job.cancel();
        m_curves = nullptr;
        Q_EMIT curvesChanged();
        update();
        return;
    }
    m_pace.workBegan();
    m_job.start(
        [trace](const std::stop_token& stop) -> MemoryCurves {
            return std::make_shared<const std::vector<lod::MemoryTrack>>(lod::memoryTracks(*trace, stop));
        },
        [this](MemoryCurves tracks) {
            m_pace.workEnded();
            m_curves = std::move(tracks);
            Q_EMIT curvesChanged();
            readScale();
            update();
        });
}

void MemoryChart::rebuildStyle()
{
    m_style = std::make_unique<TimelineStyle>(font(), m_themes->theme(), RowDensity::Normal);
    m_tip->setStyle(m_style.get());
    readScale();
    update();
}

int MemoryChart::axisWidth() const
{
    const int wide = m_style->px(112);
    return width() < 3 * wide ? std::max(width() / 4, 1) : wide;
}

QRectF MemoryChart::plotArea() const
{
    const double left = std::round(axisWidth() * devicePixelRatioF()) / devicePixelRatioF();
    return {left, double(m_style->rulerHeight()), std::max(width() - left, 1.0),
        std::max(double(height() - m_style->rulerHeight()), 1.0)};
}

QRectF MemoryChart::plotRect(size_t track) const
{
    const size_t count = m_curves ? m_curves->size() : 0;
    if (track >= count)
        return {};
    const QRectF area = plotArea();
    const double ratio = devicePixelRatioF();
    const auto edge = [&](size_t i) {
        return std::round((area.top() + area.height() * static_cast<double>(i) / static_cast<double>(count)) * ratio)
            / ratio;
    };
    return {area.left(), edge(track), area.width(), edge(track + 1) - edge(track) - 1 / ratio};
}

void MemoryChart::readScale()
{
    const int pixels = std::max(static_cast<int>(std::lround(plotArea().width() * devicePixelRatioF())), 1);
    m_grid = lod::PixelGrid(lod::PixelScale(m_state->visible(), pixels), pixels);
    m_ruler = lod::Ruler::forView(m_grid.scale(), pixels, m_style->px(kLeastMajor) * devicePixelRatioF());
}

int64_t MemoryChart::timeAt(double x) const
{
    return m_grid.scale().firstNsOf(static_cast<int>(std::floor((x - plotArea().left()) * devicePixelRatioF())));
}

double MemoryChart::xOf(int64_t timeNs) const
{
    return plotArea().left() + m_grid.scale().pixelOf(timeNs) / devicePixelRatioF();
}

void MemoryChart::paintEvent(QPaintEvent* event)
{
    if (m_grid.width() != static_cast<int>(std::lround(plotArea().width() * devicePixelRatioF())))
        readScale();
    m_drawnCursor = m_state->cursorNs();
    const Theme& theme = m_themes->theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.laneHead);
    const QRectF area = plotArea();
    painter.fillRect(area, theme.lane);
    const double thin = 1 / devicePixelRatioF();
    const auto gridLine = [&](int64_t timeNs, const QColor& color) {
        const double x = xOf(timeNs);
        if (x >= area.left() && x < area.right())
            painter.fillRect(QRectF(x, area.top(), thin, area.height()), color);
    };
    for (const int64_t major : m_ruler.majors) {
        for (int64_t at = m_ruler.minorNs; at < m_ruler.majorNs; at += m_ruler.minorNs)
            gridLine(addSaturated(major, at), theme.gridMinor);
        gridLine(major, theme.gridMajor);
    }
    paintRulerRow(painter);
    for (size_t i = 0; m_curves && i < m_curves->size(); ++i)
        paintTrack(painter, i, event->rect());
    painter.setClipRect(area);
    if (const auto range = m_state->range()) {
        const double begin = std::clamp(xOf(range->beginNs), area.left(), area.right());
        const double end = std::clamp(xOf(range->endNs), begin, area.right());
        QColor veil = theme.veil;
        veil.setAlphaF(kVeilShare);
        painter.fillRect(QRectF(area.left(), area.top(), begin - area.left(), area.height()), veil);
        painter.fillRect(QRectF(end, area.top(), area.right() - end, area.height()), veil);
        for (const int64_t edge : {range->beginNs, range->endNs})
            painter.fillRect(QRectF(xOf(edge), area.top(), thin, area.height()), theme.rangeFill);
    }
    if (m_drawnCursor) {
        QColor color = theme.cursor;
        color.setAlphaF(kCursorShare);
        painter.fillRect(QRectF(xOf(*m_drawnCursor), area.top(), thin, area.height()), color);
    }
    painter.setClipping(false);
    if (hasFocus())
        painter.fillRect(QRectF(0, 0, width(), 2), theme.accent);
}

void MemoryChart::paintRulerRow(QPainter& painter)
{
    const Theme& theme = m_themes->theme();
    const QRectF area = plotArea();
    const double bottom = area.top();
    const QFontMetricsF metrics(m_style->laneFont());
    painter.fillRect(QRectF(0, 0, width(), bottom), theme.ruler);
    painter.fillRect(QRectF(0, bottom - 1, width(), 1), theme.separator);
    painter.fillRect(QRectF(area.left() - 1, 0, 1, height()), theme.separator);
    painter.setFont(m_style->laneFont());
    painter.setPen(theme.text);
    painter.drawText(QPointF(m_style->px(8), m_style->px(5) + metrics.ascent()),
        metrics.elidedText(baseText(m_ruler.baseNs), Qt::ElideRight, area.left() - m_style->px(12)));
    painter.setPen(theme.text3);
    for (const int64_t major : m_ruler.majors) {
        const double x = xOf(major);
        const QString text = tickText(subSaturated(major, m_ruler.baseNs), m_ruler.majorNs);
        if (x < area.left() || x + m_style->px(4) + metrics.horizontalAdvance(text) > area.right())
            continue;
        painter.fillRect(QRectF(x, bottom - m_style->px(8), 1 / devicePixelRatioF(), m_style->px(8)), theme.text3);
        painter.drawText(QPointF(x + m_style->px(4), m_style->px(3) + metrics.ascent()), text);
    }
}

void MemoryChart::paintTrack(QPainter& painter, size_t track, const QRectF& dirty)
{
    const Theme& theme = m_themes->theme();
    const lod::MemoryTrack& memory = (*m_curves)[track];
    const QRectF rect = plotRect(track);
    const MemoryAxis axis = MemoryAxis::forTrack(memory);
    painter.fillRect(QRectF(0, rect.bottom(), width(), 1 / devicePixelRatioF()), theme.separator);
    const QFontMetricsF names(m_style->nameFont());
    const QFontMetricsF small(m_style->laneFont());
    const double right = rect.left() - m_style->px(8);
    const double axisText
        = std::max(small.horizontalAdvance(axis.topText()), small.horizontalAdvance(axis.bottomText()));
    const double room = right - axisText - m_style->px(14);
    painter.save();
    painter.setClipRect(QRectF(0, rect.top(), rect.left(), rect.height()));
    painter.setFont(m_style->nameFont());
    painter.setPen(theme.text);
    double top = rect.top() + m_style->px(4);
    painter.drawText(QPointF(m_style->px(8), top + names.ascent()),
        names.elidedText(memoryDeviceName(memory), Qt::ElideRight, room));
    top += names.height();
    painter.setFont(m_style->laneFont());
    painter.setPen(memory.exceedsReserved ? theme.warn : theme.text2);
    const QString note = memory.exceedsReserved ? tr("above reserved") : axis.unit();
    painter.drawText(QPointF(m_style->px(8), top + small.ascent()),
        small.elidedText(note, Qt::ElideRight, memory.exceedsReserved ? right : room));
    painter.setPen(theme.text2);
    painter.drawText(
        QPointF(right - small.horizontalAdvance(axis.topText()), rect.top() + m_style->px(5) + small.ascent() * 0.8),
        axis.topText());
    painter.drawText(
        QPointF(right - small.horizontalAdvance(axis.bottomText()), rect.bottom() - m_style->px(3)), axis.bottomText());
    painter.restore();
    MemoryPlot plot;
    plot.track = &memory;
    plot.style = m_style.get();
    plot.grid = &m_grid;
    plot.rect = rect;
    plot.ratio = devicePixelRatioF();
    paintMemory(painter, plot, dirty);
}

void MemoryChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    readScale();
}

void MemoryChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_style)
        rebuildStyle();
}

void MemoryChart::updateCursor()
{
    const auto updateAt = [this](const std::optional<int64_t>& timeNs) {
        if (timeNs)
            update(QRectF(xOf(*timeNs) - 1, 0, 4, height()).toAlignedRect());
    };
    updateAt(m_drawnCursor);
    updateAt(m_state->cursorNs());
}

// Mouse and keys

void MemoryChart::mousePressEvent(QMouseEvent* event)
{
    m_tip->hide();
    const QPoint pos = event->position().toPoint();
    if (pos.x() < plotArea().left() || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton))
        return;
    m_pressedAt = pos;
    m_isPan = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
    m_isDragging = false;
    m_anchorNs = timeAt(pos.x());
    m_mover.beginDrag();
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint pos = event->position().toPoint();
    if (m_pointer != pos)
        m_tip->hide();
    m_pointer = pos;
    const QRectF area = plotArea();
    m_state->setCursor(pos.x() >= area.left() ? std::optional(timeAt(pos.x())) : std::nullopt);
    m_tipTimer.start();
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) == 0)
        m_pressedAt.reset(); // a menu that opened meanwhile got the release
    if (!m_pressedAt)
        return;
    m_isDragging = m_isDragging || (pos - *m_pressedAt).manhattanLength() >= QApplication::startDragDistance();
    if (!m_isDragging)
        return;
    if (m_isPan) {
        const int64_t movedNs = m_grid.scale().nsOfPixels((m_pressedAt->x() - pos.x()) * devicePixelRatioF());
        m_mover.dragBy(movedNs);
        return;
    }
    const int64_t timeNs = timeAt(std::clamp(double(pos.x()), area.left(), area.right() - 1));
    const TimeRange range{std::min(timeNs, m_anchorNs), std::max(timeNs, m_anchorNs)};
    if (!range.isEmpty())
        m_state->setRange(range);
}

void MemoryChart::mouseReleaseEvent(QMouseEvent* event)
{
    Q_UNUSED(event)
    m_pressedAt.reset();
    m_isDragging = false;
}

/// Goes to the peak of the device under the pointer.
void MemoryChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    for (size_t i = 0; m_curves && i < m_curves->size(); ++i) {
        if (!plotRect(i).contains(event->position()))
            continue;
        const int64_t half = m_state->visible().spanNs() / 2;
        const int64_t peakNs = (*m_curves)[i].peakAtNs;
        m_state->goTo({subSaturated(peakNs, half), addSaturated(peakNs, half)});
    }
}

void MemoryChart::wheelEvent(QWheelEvent* event)
{
    m_tip->hide();
    const double x = std::max(event->position().x(), plotArea().left());
    if (m_mover.wheel(*event, timeAt(x))) {
        event->accept();
        return;
    }
    const QPoint delta = event->angleDelta();
    if (delta.x() == 0 && !event->modifiers().testFlag(Qt::ShiftModifier)) {
        event->ignore();
        return;
    }
    constexpr int kNotch = 120;
    m_mover.panBy(-0.1 * (delta.x() != 0 ? delta.x() : delta.y()) / kNotch);
    event->accept();
}

void MemoryChart::keyPressEvent(QKeyEvent* event)
{
    m_tip->hide();
    if (m_mover.keyPress(*event))
        return;
    if (m_mover.keys().find(*event) == ViewCommand::Fit) {
        m_state->goTo(m_state->fitRange());
        return;
    }
    QWidget::keyPressEvent(event);
}

void MemoryChart::keyReleaseEvent(QKeyEvent* event)
{
    m_mover.keyRelease(*event);
    QWidget::keyReleaseEvent(event);
}

void MemoryChart::focusOutEvent(QFocusEvent* event)
{
    m_mover.stop();
    m_tip->hide();
    QWidget::focusOutEvent(event);
    update();
}

void MemoryChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_pointer.reset();
    m_tipTimer.stop();
    m_tip->hide();
    m_state->setCursor(std::nullopt);
}

} // namespace torchline
