#include "record/state_chain.h"

#include "common/format.h"
#include "common/icon.h"

#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 33;
constexpr int kIcon = 16;

} // namespace

StateChain::StateChain(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

QSize StateChain::sizeHint() const
{
    return {Metrics(font()).px(600), Metrics(font()).px(kHeight)};
}

QSize StateChain::minimumSizeHint() const
{
    return {Metrics(font()).px(80), Metrics(font()).px(kHeight)};
}

void StateChain::setStatus(const capture::SessionStatus& status)
{
    using capture::Phase;
    const auto ns = [&status](Phase phase) { return status.phaseNs[static_cast<size_t>(phase)]; };
    const auto spent = [](int64_t time) { return time > 0 ? formatDuration(time) : QString(); };
    const Phase phase = status.phase;
    const bool isFailed = phase == Phase::Failed;
    const auto mark = [&](bool isHere, bool isPast) { return isHere ? Mark::Here : isPast ? Mark::Past : Mark::Ahead; };
    const bool isConnected = phase > Phase::Connecting && !isFailed;
    const bool hasRecorded = ns(Phase::Recording) > 0;
    const int64_t warm = ns(Phase::Waiting) + ns(Phase::Warmup);
    m_links.clear();
    m_links.push_back({tr("Connect"), spent(ns(Phase::Connecting)), mark(phase == Phase::Connecting, isConnected)});
    m_links.push_back({phase == Phase::Waiting ? tr("Wait") : tr("Warm-up"), spent(warm),
        mark(phase == Phase::Waiting || phase == Phase::Warmup, isConnected && (warm > 0 || hasRecorded))});
    const QString step
        = status.step > 0 ? tr(", step %1").arg(formatCount(static_cast<int64_t>(status.step))) : QString();
    m_links.push_back({phase == Phase::Paused ? tr("Paused") : tr("Record"),
        hasRecorded ? spent(ns(Phase::Recording)) + step : QString(),
        mark(phase == Phase::Recording || phase == Phase::Paused, hasRecorded)});
    m_links.push_back({tr("Drain"), spent(ns(Phase::Draining)), mark(phase == Phase::Draining, phase == Phase::Done)});
    m_links.push_back(
        {isFailed ? tr("Failed") : tr("Done"), QString(), isFailed ? Mark::Failed : mark(false, phase == Phase::Done)});
    QStringList texts;
    for (const Link& link : m_links)
        texts.append(link.name + u' ' + link.detail + (link.mark == Mark::Here ? tr(" (now)") : QString()));
    setAccessibleName(texts.join(u", "));
    update();
}

void StateChain::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    painter.fillRect(rect(), theme.bar);
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);
    const int icon = metrics.px(kIcon);
    const int gap = metrics.px(8);
    int x = metrics.px(16);
    const int middle = height() / 2;
    for (size_t i = 0; i < m_links.size(); ++i) {
        const Link& link = m_links[i];
        const QRect box(x, middle - icon / 2, icon, icon);
        if (link.mark == Mark::Here) {
            painter.fillRect(box.adjusted(2, 2, -2, -2), theme.accent);
        } else if (link.mark == Mark::Ahead) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(theme.text3, 1.2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(QRectF(box).adjusted(3, 3, -3, -3));
        } else {
            const bool isPast = link.mark == Mark::Past;
            painter.drawPixmap(box.topLeft(),
                tintedPixmap(
                    isPast ? u"ok"_s : u"error"_s, isPast ? theme.ok : theme.error, icon, devicePixelRatioF()));
        }
        x += icon + gap;
        const auto draw = [&](const QString& text, const QFont& textFont, const QColor& color) {
            painter.setFont(textFont);
            painter.setPen(color);
            const int width = painter.fontMetrics().horizontalAdvance(text);
            painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignVCenter | Qt::TextSingleLine, text);
            x += width;
        };
        const bool isAhead = link.mark == Mark::Ahead;
        draw(link.name, metrics.scaled(1.0, link.mark == Mark::Here ? QFont::DemiBold : QFont::Normal),
            isAhead                         ? theme.text3
                : link.mark == Mark::Failed ? theme.error
                                            : theme.text);
        if (!link.detail.isEmpty()) {
            x += gap;
            draw(link.detail, metrics.tables(), theme.text2);
        }
        x += gap + metrics.px(4);
        if (i + 1 < m_links.size()) {
            painter.drawPixmap(x, middle - icon / 2, tintedPixmap(u"right"_s, theme.text3, icon, devicePixelRatioF()));
            x += icon + gap + metrics.px(4);
        }
    }
}

} // namespace torchline
