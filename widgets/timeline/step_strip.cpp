#include "timeline/step_strip.h"

#include "timeline/header_painter.h"
#include "timeline/step_walk.h"

#include "common/format.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTipDelayMs = 350;
constexpr int kLeastBar = 2;
constexpr int kNumbersFrom = 24;
constexpr int kTopRoom = 3; ///< for the outline of the current step
/// Steps longer than so many medians are cut, unless more than one in twenty is: else one slow start would make all
/// others flat.
constexpr double kMostMedians = 2;
constexpr size_t kOneInSoMany = 20;
constexpr double kRoomOverUsual = 1.25;

/// The duration that takes all the height.
double topOf(const lod::Overview& overview)
{
    std::vector<int64_t> durations;
    for (const lod::StepBar& step : overview.steps())
        durations.push_back(step.durationNs());
    if (durations.empty())
        return 1;
    const size_t outliers = std::min(std::max<size_t>(durations.size() / kOneInSoMany, 1), durations.size() - 1);
    const auto at = static_cast<ptrdiff_t>(durations.size() - 1 - outliers);
    std::ranges::nth_element(durations, durations.begin() + at);
    const auto usual = static_cast<double>(durations[static_cast<size_t>(at)]);
    const auto longest = static_cast<double>(*std::max_element(durations.begin() + at, durations.end()));
    const double most = std::max(usual * kRoomOverUsual, static_cast<double>(overview.medianStepNs()) * kMostMedians);
    return std::max(std::min(longest, most), 1.0);
}

QColor labelOn(const Theme& theme, const QColor& fill)
{
    return contrastRatio(theme.ink, fill) >= contrastRatio(theme.paper, fill) ? theme.ink : theme.paper;
}

} // namespace

StepStrip::StepStrip(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_tip(new TipWidget(this))
{
    setAccessibleName(tr("Profiler steps"));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, &StepStrip::showTip);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(state, &ViewState::visibleChanged, this, repaint);
    connect(state, &ViewState::selectionChanged, this, repaint);
    connect(state, &ViewState::scopeChanged, this, repaint);
    connect(state, &ViewState::overviewChanged, this, [this] {
        hideTip();
        m_hovered.reset();
        forgetBars();
        setAccessibleDescription(summary(false));
    });
}

void StepStrip::setStyle(const TimelineStyle* style)
{
    m_style = style;
    m_tip->setStyle(style);
    hideTip();
    forgetBars();
}

void StepStrip::setAxis(const OverviewAxis& axis)
{
    m_axis = axis;
    forgetBars();
}

void StepStrip::forgetBars()
{
    m_areBarsOld = true;
    update();
}

QColor StepStrip::tintOf(const Theme& theme, std::optional<double> share)
{
    if (!share)
        return theme.idle;
    const int step = static_cast<int>(std::floor(*share * 10)) - 5;
    return theme.stepTints[static_cast<size_t>(std::clamp(step, 0, 4))];
}

QString StepStrip::summary(bool isShort) const
{
    const OverviewPtr& overview = m_state->overview();
    if (!overview)
        return {};
    const QString count = formatCount(static_cast<int64_t>(overview->steps().size()));
    const QString median = formatDuration(overview->medianStepNs());
    return isShort ? tr("%1 · med. %2").arg(count, median) : tr("%1 · median %2").arg(count, median);
}

// Places

void StepStrip::placeBars()
{
    m_bars.clear();
    m_areBarsOld = false;
    const OverviewPtr& overview = m_state->overview();
    if (!overview || m_style == nullptr)
        return;
    const std::span<const lod::StepBar> steps = overview->steps();
    const double topNs = topOf(*overview);
    const int room = height() - 1 - kTopRoom;
    for (size_t i = 0; i < steps.size(); ++i) {
        int left = static_cast<int>(std::floor(m_axis.x(steps[i].range.beginNs)));
        int right = static_cast<int>(std::floor(m_axis.x(steps[i].range.endNs)));
        if (right - left >= 3)
            --right; // the gap to its neighbour
        const bool isNarrow = right - left < kLeastBar;
        if (isNarrow) {
            left = m_axis.left + (left - m_axis.left) / kLeastBar * kLeastBar;
            right = left + kLeastBar;
        }
        const double share = std::min(static_cast<double>(steps[i].durationNs()) / topNs, 1.0);
        Bar bar;
        bar.step = i;
        bar.isCut = static_cast<double>(steps[i].durationNs()) > topNs * 1.001;
        const int high = std::max(2, static_cast<int>(std::lround(share * room)));
        bar.rect = QRect(left, height() - 1 - high, right - left, high);
        if (isNarrow && !m_bars.empty() && m_bars.back().rect.left() == left
            && m_bars.back().rect.width() <= kLeastBar) {
            bar.steps = m_bars.back().steps + 1;
            if (steps[m_bars.back().step].durationNs() >= steps[i].durationNs())
                m_bars.back().steps = bar.steps;
            else
                m_bars.back() = bar;
            continue;
        }
        m_bars.push_back(bar);
    }
}

const std::vector<StepStrip::Bar>& StepStrip::bars()
{
    if (m_areBarsOld)
        placeBars();
    return m_bars;
}

const StepStrip::Bar* StepStrip::barAt(QPoint pos)
{
    if (pos.x() < m_axis.left || !rect().contains(pos))
        return nullptr;
    // The whole height belongs to a step: short bars are not harder to hit.
    const std::vector<Bar>& all = bars();
    auto at = std::ranges::upper_bound(all, pos.x(), {}, [](const Bar& bar) { return bar.rect.left(); });
    if (at == all.begin())
        return nullptr;
    --at;
    return pos.x() <= at->rect.right() + 1 ? &*at : nullptr;
}

const StepStrip::Bar* StepStrip::barOf(size_t step)
{
    const std::vector<Bar>& all = bars();
    auto at = std::ranges::upper_bound(all, step, {}, [](const Bar& bar) { return bar.step; });
    if (at == all.begin())
        return all.empty() ? nullptr : &all.front();
    return &*std::prev(at);
}

// Painting

void StepStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_style == nullptr || !m_state->overview())
        return;
    const Theme& theme = m_style->theme();
    painter.fillRect(QRect(0, 0, m_axis.left, height()), theme.laneHead);
    painter.fillRect(QRect(m_axis.left, 0, width() - m_axis.left, height()), theme.lane);
    paintHead(painter);
    painter.save();
    painter.setClipRect(m_axis.left, 0, m_axis.width, height());
    for (const Bar& bar : bars())
        paintBar(painter, bar);
    if (m_hovered)
        outline(painter, *m_hovered, 1);
    if (const auto current = currentStep(*m_state))
        outline(painter, *current, 2);
    painter.restore();
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);
    painter.fillRect(m_axis.left - 1, 0, 1, height(), theme.separator);
    if (m_focus.isShown())
        painter.fillRect(0, 0, width(), 2, theme.accent);
}

void StepStrip::paintHead(QPainter& painter) const
{
    const QFontMetrics titleMetrics(m_style->nameFont());
    const QFontMetrics metrics(m_style->noteFont());
    const int left = m_style->px(12);
    const int right = m_axis.left - m_style->px(8);
    const int baseline = (height() + titleMetrics.ascent() - titleMetrics.descent()) / 2;
    const QString title = tr("Steps");
    painter.setPen(m_style->theme().text);
    painter.setFont(m_style->nameFont());
    const int titleEnd = left + titleMetrics.horizontalAdvance(title);
    if (titleEnd <= right)
        painter.drawText(left, baseline, title);
    painter.setFont(m_style->noteFont());
    painter.setPen(m_style->theme().text2);
    const QString count = formatCount(static_cast<int64_t>(m_state->overview()->steps().size()));
    for (const QString& text : {summary(false), summary(true), count}) {
        const int at = right - metrics.horizontalAdvance(text);
        if (at < titleEnd + m_style->px(8))
            continue;
        painter.drawText(at, baseline, text);
        break;
    }
}

void StepStrip::paintBar(QPainter& painter, const Bar& bar) const
{
    const Theme& theme = m_style->theme();
    const lod::StepBar& step = m_state->overview()->steps()[bar.step];
    const QColor fill = tintOf(theme, step.busyShare());
    painter.fillRect(bar.rect, fill);
    const bool isNarrow = bar.rect.width() < m_style->px(12);
    // Where no triangle fits, a slow step has a thicker edge in the colour of a warning.
    const bool hasThickEdge = step.isSlow && isNarrow;
    painter.fillRect(bar.rect.left(), bar.rect.top(), bar.rect.width(), hasThickEdge ? 3 : 1,
        hasThickEdge ? theme.warn : theme.text2);
    if (bar.isCut && bar.rect.height() > 8)
        painter.fillRect(bar.rect.left(), bar.rect.top() + 4, bar.rect.width(), 2, theme.lane);
    if (m_state->scope().step && m_state->scope().step == step.mark.number)
        painter.fillRect(bar.rect.left(), bar.rect.bottom() - 1, bar.rect.width(), 2, theme.accent);
    if (isNarrow)
        return;
    const QFontMetrics metrics(m_style->laneFont());
    const int pad = m_style->px(4);
    const int textHeight = metrics.ascent() + metrics.descent();
    // A bar too low for its text has it on top.
    const bool isInside = bar.rect.height() >= textHeight;
    const int over = bar.rect.top() - 2;
    const bool isOver = !isInside && over > metrics.capHeight();
    const QColor label = isOver ? theme.text2 : labelOn(theme, fill);
    const int baseline = isOver ? over : bar.rect.bottom() - m_style->px(2) - metrics.descent() + 1;
    int left = bar.rect.left() + pad;
    int right = bar.rect.right() + 1 - pad;
    painter.setPen(label);
    painter.setFont(m_style->laneFont());
    const bool hasRoom = isInside || isOver;
    const bool hasRoomOver = bar.rect.height() >= textHeight + m_style->px(bar.isCut ? 20 : 13);
    const QString number = stepText(*m_state, step);
    const int besideSlow = step.isSlow && !hasRoomOver ? m_style->px(8) + pad : 0;
    if (hasRoom && bar.rect.width() >= m_style->px(kNumbersFrom)
        && left + metrics.horizontalAdvance(number) + besideSlow <= right) {
        painter.drawText(left, baseline, number);
        left += metrics.horizontalAdvance(number) + pad;
    }
    if (step.isSlow) {
        // Beside the number, else over it, else in its place: a slow step is marked whatever the room.
        const int size = isOver ? m_style->px(8) : std::min(m_style->px(8), bar.rect.height() - 4);
        const bool isBeside = right - size >= left;
        const double below = bar.rect.top() + (bar.isCut ? 8 : 3) + size;
        const double bottom = isBeside && hasRoom ? baseline : std::min(below, double(bar.rect.bottom() - 1));
        const double x = right - size;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(label);
        painter.drawPolygon(QPolygonF({{x, bottom}, {x + size, bottom}, {x + size / 2.0, bottom - size}}));
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(label);
        if (isBeside)
            right -= size + pad;
    }
    const QString time = formatDuration(step.durationNs());
    if (hasRoom && right - metrics.horizontalAdvance(time) >= left + 2 * pad)
        painter.drawText(right - metrics.horizontalAdvance(time), baseline, time);
}

void StepStrip::outline(QPainter& painter, size_t step, int width)
{
    const Bar* bar = barOf(step);
    if (bar == nullptr)
        return;
    const QRect around(bar->rect.left() - 1, 0, std::max(bar->rect.width(), 3) + 2, height() - 1);
    const QColor color = m_style->theme().selectionOuter;
    painter.fillRect(around.left(), around.top(), around.width(), width, color);
    painter.fillRect(around.left(), around.bottom() + 1 - width, around.width(), width, color);
    painter.fillRect(around.left(), around.top(), width, around.height(), color);
    painter.fillRect(around.right() + 1 - width, around.top(), width, around.height(), color);
}

// Pointer and keys

void StepStrip::mousePressEvent(QMouseEvent* event)
{
    hideTip();
    const Bar* bar = event->button() == Qt::LeftButton ? barAt(event->position().toPoint()) : nullptr;
    if (bar == nullptr)
        return;
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        scopeToStep(*m_state, bar->step);
    else
        goToStep(*m_state, bar->step);
}

void StepStrip::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position().toPoint();
    const Bar* bar = barAt(m_pointer);
    setHovered(bar != nullptr ? std::optional(bar->step) : std::nullopt);
    m_state->setCursor(m_pointer.x() >= m_axis.left ? std::optional(m_axis.timeAt(m_pointer.x())) : std::nullopt);
}

void StepStrip::setHovered(std::optional<size_t> step)
{
    if (step == m_hovered)
        return;
    m_hovered = step;
    hideTip();
    if (step) {
        setCursor(Qt::PointingHandCursor);
        m_tipTimer.start();
    } else {
        unsetCursor();
    }
    update();
}

void StepStrip::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setHovered(std::nullopt);
    m_state->setCursor(std::nullopt);
}

void StepStrip::hideTip()
{
    m_tipTimer.stop();
    m_tip->hide();
}

TipContent StepStrip::tipOf(const Bar& bar) const
{
    const lod::Overview& overview = *m_state->overview();
    const lod::StepBar& step = overview.steps()[bar.step];
    TipContent tip;
    tip.swatch = tintOf(m_themes->theme(), step.busyShare());
    tip.title = step.mark.number ? tr("Step %1").arg(*step.mark.number) : stepText(*m_state, step);
    if (bar.steps > 1)
        tip.title += tr(", slowest of %1").arg(bar.steps);
    tip.pairs.emplace_back(tr("Duration"), formatExact(step.durationNs()));
    const double change = overview.medianStepNs() > 0
        ? 100.0 * static_cast<double>(step.durationNs() - overview.medianStepNs())
            / static_cast<double>(overview.medianStepNs())
        : 0;
    QString against = QString::number(std::abs(change), 'f', 1) + u"\u00A0%"_s;
    constexpr double kLeastShown = 0.05;
    against = std::abs(change) < kLeastShown ? tr("as long")
        : change > 0                         ? tr("%1 longer").arg(against)
                                             : tr("%1 shorter").arg(against);
    if (step.isSlow)
        against += tr(" (slow)");
    tip.pairs.emplace_back(tr("Than the median"), against);
    if (const auto share = step.busyShare())
        tip.pairs.emplace_back(tr("GPU busy"), QString::number(*share * 100, 'f', 1) + u"\u00A0%"_s);
    tip.pairs.emplace_back(tr("Starts at"), formatExact(step.mark.range.beginNs));
    if (step.marks > 1)
        tip.pairs.emplace_back(tr("Ranks"), tr("slowest of %1").arg(step.marks));
    tip.hint = tr("click go · Shift+click scope");
    return tip;
}

void StepStrip::showTip()
{
    const Bar* bar = m_hovered ? barOf(*m_hovered) : nullptr;
    if (bar == nullptr || !isVisible())
        return;
    const QRect avoid(mapToGlobal(QPoint(bar->rect.left(), 0)), QSize(bar->rect.width(), height()));
    m_tip->showAt(tipOf(*bar), mapToGlobal(m_pointer), avoid);
}

void StepStrip::keyPressEvent(QKeyEvent* event)
{
    hideTip();
    const auto current = currentStep(*m_state);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        walkSteps(*m_state, event->key() == Qt::Key_Right);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current && event->modifiers().testFlag(Qt::ShiftModifier))
            scopeToStep(*m_state, *current);
        else if (current)
            goToStep(*m_state, *current);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace torchline
