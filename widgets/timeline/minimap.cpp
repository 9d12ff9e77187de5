#include "timeline/minimap.h"

#include "timeline/header_painter.h"

#include "common/format.h"
#include "common/tool_tip.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleHints>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLeastHandle = 10;
constexpr double kGrab = 5; ///< how near an edge of the handle can be grabbed
constexpr int kHitHeight = 4;
constexpr float kVeilShare = 0.5F;
constexpr float kRangeShare = 0.22F;
constexpr float kCursorShare = 0.55F;

int64_t middleOf(TimeRange range)
{
    return addSaturated(range.beginNs, range.spanNs() / 2);
}

} // namespace

Minimap::Minimap(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_mover(
          state, [state] { return middleOf(state->visible()); }, this)
{
    setAccessibleName(tr("Minimap"));
    setAccessibleDescription(tr("The whole trace; the handle is the visible time"));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(state, &ViewState::visibleChanged, this, repaint);
    connect(state, &ViewState::rangeChanged, this, repaint);
    connect(state, &ViewState::timeMarksChanged, this, repaint);
    connect(state, &ViewState::cursorChanged, this, repaint);
    connect(state, &ViewState::overviewChanged, this, &Minimap::forgetPicture);
    connect(state, &ViewState::hitsChanged, this, [this] {
        m_areHitsOld = true;
        update();
    });
}

void Minimap::setStyle(const TimelineStyle* style)
{
    m_style = style;
    forgetPicture();
}

void Minimap::setAxis(const OverviewAxis& axis)
{
    m_axis = axis;
    m_areHitsOld = true;
    forgetPicture();
}

void Minimap::forgetPicture()
{
    m_density = QImage();
    update();
}

QString Minimap::bandTitle(const lod::DensityBand& band)
{
    if (!band.isDevice)
        return tr("CPU");
    if (!band.title.empty())
        return displayText(band.title);
    return band.sources == 1 ? tr("GPU %1").arg(QString::fromStdString(band.name)) : tr("%1 GPUs").arg(band.sources);
}

QString Minimap::busyText(const lod::Overview& overview, const lod::DensityBand& band)
{
    return tr("%1 busy").arg(shareText(band.busyNs / band.sources, overview.range().spanNs(), true));
}

QRect Minimap::bandRect(size_t band) const
{
    const int count = std::max(1, static_cast<int>(m_state->overview()->bands().size()));
    const int pad = m_style->px(3);
    const int room = height() - 1 - pad * (count + 1);
    const int top = pad + static_cast<int>(band) * (room / count + pad);
    return {m_axis.left, top, m_axis.width, room / count};
}

// Density

void Minimap::drawDensity(qreal ratio)
{
    const lod::Overview& overview = *m_state->overview();
    const QSize size(
        static_cast<int>(std::lround(m_axis.width * ratio)), static_cast<int>(std::lround(height() * ratio)));
    if (size.isEmpty())
        return;
    m_density = QImage(size, QImage::Format_RGB32);
    m_density.setDevicePixelRatio(ratio);
    const Theme& theme = m_style->theme();
    m_density.fill(theme.lane);
    const auto columnNs = static_cast<double>(overview.columnNs());
    const double perPixel = static_cast<double>(m_axis.range.spanNs()) / columnNs / size.width();
    const double begin = static_cast<double>(subSaturated(m_axis.range.beginNs, overview.range().beginNs)) / columnNs;
    for (size_t b = 0; b < overview.bands().size(); ++b) {
        const QRect place = bandRect(b);
        const int bottom = static_cast<int>(std::lround((place.bottom() + 1) * ratio));
        const int most = static_cast<int>(std::lround(place.height() * ratio));
        const std::vector<lod::DensityColumn>& columns = overview.bands()[b].columns;
        for (int x = 0; x < size.width(); ++x) {
            const double from = begin + x * perPixel;
            if (from + perPixel <= 0 || from >= static_cast<double>(columns.size()))
                continue;
            // Columns that meet this pixel.
            const auto first = static_cast<size_t>(std::max(from, 0.0));
            const auto last
                = std::min(std::max(static_cast<size_t>(std::ceil(from + perPixel)), first + 1), columns.size());
            std::array<uint32_t, static_cast<size_t>(WorkClass::Count)> byClass{};
            uint32_t sum = 0;
            for (size_t c = first; c < last; ++c) {
                sum += columns[c].share;
                byClass[static_cast<size_t>(columns[c].cls)] += columns[c].share;
            }
            if (sum == 0)
                continue;
            const double share = sum / (65535.0 * static_cast<double>(last - first));
            const int high = std::max(1, static_cast<int>(std::lround(share * most)));
            const auto cls = static_cast<WorkClass>(std::ranges::max_element(byClass) - byClass.begin());
            const QRgb color = theme.of(cls).fill.rgb();
            for (int y = std::max(bottom - high, 0); y < bottom; ++y)
                reinterpret_cast<QRgb*>(m_density.scanLine(y))[x] = color;
        }
    }
}

const std::vector<std::pair<int, int>>& Minimap::hitColumns()
{
    if (!std::exchange(m_areHitsOld, false))
        return m_hits;
    m_hits.clear();
    const HitsPtr& hits = m_state->hits();
    if (!hits || hits->count() == 0 || m_axis.width <= 0)
        return m_hits;
    const lod::PixelGrid grid(lod::PixelScale(m_axis.range, m_axis.width), m_axis.width);
    std::vector<lod::PixelCell> cells(static_cast<size_t>(m_axis.width));
    lod::PixelSums sums;
    sums.setGap(0);
    sums.reset(grid, 0, m_axis.width);
    hits->starts().index().query(hits->starts(), sums);
    sums.resolve(cells.data());
    for (int x = 0; x < m_axis.width; ++x) {
        if (cells[static_cast<size_t>(x)] == 0)
            continue;
        if (!m_hits.empty() && m_hits.back().second == x - 1)
            m_hits.back().second = x;
        else
            m_hits.emplace_back(x, x);
    }
    return m_hits;
}

// Painting

void Minimap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_style == nullptr || !m_state->overview())
        return;
    const Theme& theme = m_style->theme();
    painter.fillRect(QRect(0, 0, m_axis.left, height()), theme.laneHead);
    painter.fillRect(QRect(m_axis.left, 0, width() - m_axis.left, height()), theme.lane);
    const qreal ratio = painter.device()->devicePixelRatioF();
    if (m_density.isNull() || m_density.devicePixelRatio() != ratio)
        drawDensity(ratio);
    if (!m_density.isNull())
        painter.drawImage(m_axis.left, 0, m_density);
    painter.save();
    painter.setClipRect(m_axis.left, 0, m_axis.width, height());
    for (const auto& [first, last] : hitColumns())
        painter.fillRect(m_axis.left + first, height() - 1 - m_style->px(kHitHeight), std::max(last - first + 1, 2),
            m_style->px(kHitHeight), theme.hit);
    paintRange(painter);
    paintHandle(painter);
    for (const TimeMark& mark : m_state->timeMarks()) {
        const double begin = std::floor(m_axis.x(mark.range.beginNs));
        const double end = std::max(std::floor(m_axis.x(mark.range.endNs)), begin + 2);
        painter.fillRect(QRectF(begin, 0, end - begin, m_style->px(3)), mark.isKept ? theme.accent : theme.text3);
    }
    if (const auto cursor = m_state->cursorNs()) {
        QColor color = theme.cursor;
        color.setAlphaF(kCursorShare);
        painter.fillRect(QRectF(std::floor(m_axis.x(*cursor)), 0, 1, height()), color);
    }
    painter.restore();
    paintHeads(painter);
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);
    painter.fillRect(m_axis.left - 1, 0, 1, height(), theme.separator);
    if (m_focus.isShown())
        painter.fillRect(0, 0, width(), 2, theme.accent);
}

void Minimap::paintHeads(QPainter& painter) const
{
    const lod::Overview& overview = *m_state->overview();
    const QFontMetrics metrics(m_style->noteFont());
    const int left = m_style->px(12);
    const int right = m_axis.left - m_style->px(8);
    painter.setFont(m_style->noteFont());
    painter.setClipRect(0, 0, m_axis.left - 1, height());
    for (size_t b = 0; b < overview.bands().size(); ++b) {
        const QRect place = bandRect(b);
        const int baseline = place.center().y() + (metrics.ascent() - metrics.descent()) / 2 + 1;
        const QString title = bandTitle(overview.bands()[b]);
        QString busy = busyText(overview, overview.bands()[b]);
        int at = right - metrics.horizontalAdvance(busy);
        if (at < left + metrics.horizontalAdvance(title) + m_style->px(8)) {
            busy = busy.section(u' ', 0, 0);
            at = right - metrics.horizontalAdvance(busy);
        }
        painter.setPen(m_style->theme().text);
        if (left + metrics.horizontalAdvance(title) <= right)
            painter.drawText(left, baseline, title);
        painter.setPen(m_style->theme().text2);
        if (at >= left + metrics.horizontalAdvance(title) + m_style->px(4))
            painter.drawText(at, baseline, busy);
    }
    painter.setClipping(false);
}

void Minimap::paintRange(QPainter& painter) const
{
    if (!m_state->range())
        return;
    const double begin = std::floor(m_axis.x(m_state->range()->beginNs));
    const double end = std::max(std::floor(m_axis.x(m_state->range()->endNs)), begin + 1);
    QColor fill = m_style->theme().rangeFill;
    fill.setAlphaF(kRangeShare);
    painter.fillRect(QRectF(begin, 0, end - begin, height()), fill);
    for (const double edge : {begin, end})
        painter.fillRect(QRectF(edge, 0, 1, height()), m_style->theme().rangeFill);
}

QRectF Minimap::handleRect() const
{
    const TimeRange visible = m_state->visible();
    double begin = std::clamp<double>(m_axis.x(visible.beginNs), m_axis.left, m_axis.right());
    double end = std::clamp<double>(m_axis.x(visible.endNs), begin, m_axis.right());
    if (end - begin < kLeastHandle) {
        begin = std::clamp((begin + end - kLeastHandle) / 2, double(m_axis.left),
            std::max(m_axis.right() - kLeastHandle, double(m_axis.left)));
        end = begin + kLeastHandle;
    }
    return {std::floor(begin), 0, std::ceil(end) - std::floor(begin), double(height() - 1)};
}

void Minimap::paintHandle(QPainter& painter) const
{
    const Theme& theme = m_style->theme();
    const QRectF handle = handleRect();
    QColor veil = theme.veil;
    veil.setAlphaF(kVeilShare);
    painter.fillRect(QRectF(m_axis.left, 0, handle.left() - m_axis.left, height()), veil);
    painter.fillRect(QRectF(handle.right(), 0, m_axis.right() - handle.right(), height()), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(handle.adjusted(0.75, 0.75, -0.75, -0.75));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    const double wide = m_style->px(4);
    const double high = std::min<double>(m_style->px(16), height() - 8);
    const double top = (handle.height() - high) / 2;
    painter.drawRoundedRect(QRectF(handle.left(), top, wide, high), 1.5, 1.5);
    painter.drawRoundedRect(QRectF(handle.right() - wide, top, wide, high), 1.5, 1.5);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

// Mouse and keys

Minimap::Grip Minimap::gripAt(double x) const
{
    const QRectF handle = handleRect();
    // A narrow handle keeps a middle that moves it: its edges are grabbed from outside.
    const double inside = std::min(kGrab, handle.width() / 4);
    if (x >= handle.left() - kGrab && x <= handle.left() + inside)
        return Grip::Left;
    if (x <= handle.right() + kGrab && x >= handle.right() - inside)
        return Grip::Right;
    return x > handle.left() && x < handle.right() ? Grip::Window : Grip::None;
}

bool Minimap::centreAt(int64_t timeNs)
{
    const int64_t spanNs = m_state->visible().spanNs();
    const int64_t beginNs = subSaturated(timeNs, spanNs / 2);
    return m_state->goTo({beginNs, addSaturated(beginNs, spanNs)});
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
    const double x = event->position().x();
    if (event->button() != Qt::LeftButton || x < m_axis.left - kGrab || !m_state->overview())
        return;
    m_grip = gripAt(x);
    m_hasMoved = false;
    m_hasStepped = false;
    if (m_grip == Grip::None) {
        m_hasStepped = centreAt(m_axis.timeAt(x));
        m_grip = Grip::Window;
        m_hasMoved = true;
    }
    m_pressedX = x;
    m_pressedView = m_state->visible();
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
    const double x = event->position().x();
    if (!event->buttons().testFlag(Qt::LeftButton))
        m_grip = Grip::None; // a menu that opened meanwhile got the release
    if (m_grip == Grip::None) {
        updatePointer(x);
        m_state->setCursor(x >= m_axis.left ? std::optional(m_axis.timeAt(x)) : std::nullopt);
        return;
    }
    const int least = m_grip == Grip::Window ? QApplication::startDragDistance() : 1;
    if (m_hasMoved || std::abs(x - m_pressedX) >= least)
        dragTo(x);
}

void Minimap::dragTo(double x)
{
    const int64_t by = m_axis.nsOf(x - m_pressedX);
    TimeRange range = m_pressedView;
    if (m_grip != Grip::Right)
        range.beginNs = addSaturated(range.beginNs, by);
    if (m_grip != Grip::Left)
        range.endNs = addSaturated(range.endNs, by);
    if (m_grip == Grip::Left)
        range.beginNs = std::min(range.beginNs, range.endNs - ViewState::kNarrowestNs);
    if (m_grip == Grip::Right)
        range.endNs = std::max(range.endNs, range.beginNs + ViewState::kNarrowestNs);
    m_hasMoved = true;
    // The whole drag is one step of the history.
    if (m_hasStepped)
        m_state->setVisible(range);
    else
        m_hasStepped = m_state->goTo(range);
}

void Minimap::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (std::exchange(m_grip, Grip::None) == Grip::Window && !m_hasMoved)
        centreAt(m_axis.timeAt(event->position().x()));
    updatePointer(event->position().x());
}

void Minimap::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && event->position().x() >= m_axis.left)
        m_state->goTo(m_state->fitRange());
}

void Minimap::updatePointer(double x)
{
    const Grip grip = x < m_axis.left - kGrab ? Grip::None : gripAt(x);
    if (grip == Grip::Left || grip == Grip::Right)
        setCursor(Qt::SplitHCursor);
    else if (grip == Grip::Window)
        setCursor(Qt::OpenHandCursor);
    else
        unsetCursor();
}

void Minimap::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    constexpr double kNotch = 120;
    if (delta.x() != 0 && !event->modifiers().testFlag(Qt::ControlModifier))
        m_mover.panBy(-0.1 * delta.x() / kNotch);
    else if (event->modifiers().testFlag(Qt::ShiftModifier))
        m_mover.panBy(-0.1 * delta.y() / kNotch);
    else
        m_mover.zoomBy(*event, m_axis.timeAt(std::max<double>(event->position().x(), m_axis.left)));
    event->accept();
}

void Minimap::keyPressEvent(QKeyEvent* event)
{
    if (m_mover.keyPress(*event))
        return;
    QWidget::keyPressEvent(event);
}

void Minimap::keyReleaseEvent(QKeyEvent* event)
{
    m_mover.keyRelease(*event);
    QWidget::keyReleaseEvent(event);
}

void Minimap::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_mover.stop();
}

bool Minimap::event(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        m_state->setCursor(std::nullopt);
    } else if (event->type() == QEvent::ToolTip && m_state->overview()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const lod::Overview& overview = *m_state->overview();
        for (size_t b = 0; b < overview.bands().size(); ++b) {
            const QRect place = bandRect(b);
            if (help->x() >= m_axis.left || help->y() < place.top() || help->y() > place.bottom())
                continue;
            const lod::DensityBand& band = overview.bands()[b];
            const QString share = busyText(overview, band);
            const QString text = band.isDevice
                ? tr("%1: the share of the whole trace in which at least one kernel, copy or memset ran on the device"
                     "%2. Colours are those of the kind of work that took most of the time.")
                      .arg(share, band.sources > 1 ? tr(", on average over %1 devices").arg(band.sources) : QString())
                : tr("%1: the share of the whole trace in which at least one thread ran an operator or a runtime call"
                     "%2. Colours are those of the kind of work that took most of the time.")
                      .arg(
                          share, band.sources > 1 ? tr(", on average over %1 processes").arg(band.sources) : QString());
            QToolTip::showText(help->globalPos(), titledToolTip(bandTitle(band), text), this);
            return true;
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace torchline
