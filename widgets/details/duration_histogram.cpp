#include "details/duration_histogram.h"

#include "common/control_paint.h"
#include "common/format.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace torchline {

namespace {

constexpr int kPlotHeight = 56;
constexpr int kMarkRoom = 8; ///< above the bars, for the triangle

} // namespace

DurationHistogram::DurationHistogram(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Durations of all slices of this name"));
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void DurationHistogram::setFigures(const NameFigures& figures, int64_t ownNs, const QColor& fill)
{
    if (m_figures.name != figures.name || m_figures.bins != figures.bins)
        m_chosen.reset();
    m_figures = figures;
    m_own = figures.binOf(ownNs);
    m_current.reset();
    m_fill = fill;
    update();
}

void DurationHistogram::setChosen(std::optional<size_t> bin)
{
    m_chosen = bin;
    update();
}

QSize DurationHistogram::sizeHint() const
{
    const Metrics metrics(font());
    return {metrics.px(200), metrics.px(kPlotHeight) + QFontMetrics(metrics.lanes()).height() + 2 * kRingRoom};
}

QRect DurationHistogram::plot() const
{
    return {kRingRoom, kRingRoom, width() - 2 * kRingRoom, Metrics(font()).px(kPlotHeight)};
}

QRect DurationHistogram::barRect(size_t bin) const
{
    const QRect area = plot();
    const auto count = static_cast<qint64>(std::max<size_t>(m_figures.bins.size(), 1));
    const auto left = static_cast<int>(area.width() * static_cast<qint64>(bin) / count);
    const auto right = static_cast<int>(area.width() * (static_cast<qint64>(bin) + 1) / count);
    return {area.left() + left, area.top(), right - left, area.height()};
}

std::optional<size_t> DurationHistogram::binAt(QPoint pos) const
{
    for (size_t i = 0; i < m_figures.bins.size(); ++i) {
        if (barRect(i).contains(pos))
            return i;
    }
    return std::nullopt;
}

QString DurationHistogram::binText(size_t bin) const
{
    const DurationBin& of = m_figures.bins[bin];
    return tr("%1 to %2: %3")
        .arg(formatDuration(of.beginNs), formatDuration(of.endNs - 1),
            formatCounted(static_cast<int64_t>(of.count), tr("slice"), tr("slices")));
}

void DurationHistogram::setCurrent(std::optional<size_t> bin)
{
    if (bin == m_current)
        return;
    m_current = bin;
    setAccessibleDescription(bin ? binText(*bin) : QString());
    update();
}

void DurationHistogram::choose(size_t bin)
{
    if (m_chosen == bin) {
        setChosen(std::nullopt);
        Q_EMIT released();
    } else if (m_figures.bins[bin].count > 0) {
        setChosen(bin);
        Q_EMIT binChosen(bin);
    }
}

void DurationHistogram::mousePressEvent(QMouseEvent* event)
{
    const auto bin = binAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && bin)
        choose(*bin);
}

void DurationHistogram::mouseMoveEvent(QMouseEvent* event)
{
    setCurrent(binAt(event->position().toPoint()));
}

void DurationHistogram::leaveEvent(QEvent*)
{
    setCurrent(std::nullopt);
}

void DurationHistogram::keyPressEvent(QKeyEvent* event)
{
    const size_t count = m_figures.bins.size();
    const int key = event->key();
    if (count > 0 && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        const size_t from = m_current.value_or(m_chosen.value_or(m_own.value_or(0)));
        if (!m_current)
            setCurrent(from);
        else
            setCurrent(key == Qt::Key_Left ? (from == 0 ? 0 : from - 1) : std::min(from + 1, count - 1));
        return;
    }
    const bool chooses = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space;
    if (chooses && m_current) {
        choose(*m_current);
        return;
    }
    QWidget::keyPressEvent(event);
}

void DurationHistogram::focusOutEvent(QFocusEvent*)
{
    setCurrent(std::nullopt);
}

bool DurationHistogram::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto bin = binAt(help->pos());
        if (bin && m_figures.bins[*bin].count > 0)
            QToolTip::showText(help->globalPos(),
                tr("Click to mark them on the timeline and sum them up in Slices, again to let go"), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void DurationHistogram::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const QRect area = plot();
    uint64_t most = 1;
    for (const DurationBin& bin : m_figures.bins)
        most = std::max(most, bin.count);
    for (size_t i = 0; i < m_figures.bins.size(); ++i) {
        const QRect room = barRect(i);
        if (i == m_chosen)
            painter.fillRect(room, theme.selectedRow);
        else if (i == m_current)
            painter.fillRect(room, theme.hoverRow);
        const uint64_t count = m_figures.bins[i].count;
        const double share = static_cast<double>(count) / static_cast<double>(most);
        // What is there is to be seen, however few.
        const int height = count == 0 ? 0 : std::max(2, static_cast<int>((area.height() - kMarkRoom) * share));
        const QRect bar(room.left(), area.bottom() + 1 - height, std::max(room.width() - 1, 1), height);
        painter.fillRect(bar, m_fill);
        if (height > 0)
            painter.fillRect(QRect(bar.left(), bar.top(), bar.width(), 1), theme.text2);
        if (i == m_own) {
            const double x = room.left() + (room.width() - 1) / 2.0;
            const double y = std::max<double>(bar.top() - 1, area.top() + 5);
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.text);
            painter.drawPolygon(QPolygonF({{x - 4, y - 6}, {x + 4, y - 6}, {x, y}}));
            painter.restore();
        }
    }
    painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), theme.border);
    if (!m_figures.bins.empty()) {
        painter.setFont(Metrics(font()).lanes());
        painter.setPen(theme.text2);
        const QRect foot(area.left(), area.bottom() + 2, area.width(), height() - area.bottom() - 2);
        const auto shown = m_current ? m_current : m_chosen;
        const QString middle = shown ? binText(*shown) : QString();
        const QString least = formatDuration(m_figures.minNs);
        const QString longest = formatDuration(m_figures.maxNs);
        const QFontMetrics metrics = painter.fontMetrics();
        const int sides = 2 * std::max(metrics.horizontalAdvance(least), metrics.horizontalAdvance(longest)) + 24;
        const bool fits = metrics.horizontalAdvance(middle) + sides <= foot.width();
        if (middle.isEmpty() || fits) {
            painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine, least);
            painter.drawText(foot, Qt::AlignRight | Qt::AlignTop | Qt::TextSingleLine, longest);
        }
        painter.drawText(foot, Qt::AlignHCenter | Qt::AlignTop | Qt::TextSingleLine,
            metrics.elidedText(middle, Qt::ElideRight, foot.width()));
    }
    if (m_focus.isShown())
        drawFocusRing(&painter, rect().adjusted(kRingRoom, kRingRoom, -kRingRoom, -kRingRoom), theme);
}

} // namespace torchline
