#include "status_line.h"

#include "shown_keys.h"

#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/icon.h"

#include "base/int128.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>
#include <bit>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 24;
constexpr QStringView kDot = u"  ·  ";

struct DurationSums {
    uint64_t count = 0;
    int64_t sumNs = 0;
    int64_t minNs = kMaxNs;
    int64_t maxNs = 0;
};

DurationSums sumsOf(const TraceSnapshot& trace, const SliceMask& mask, const std::stop_token& stop)
{
    DurationSums sums;
    for (uint32_t l = 0; l < trace.lanes().size() && !stop.stop_requested(); ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        uint32_t base = 0;
        for (uint64_t word : mask.words(LaneId(l))) {
            for (; word != 0; word &= word - 1) {
                const int64_t ns = lane.durationNs(base + static_cast<uint32_t>(std::countr_zero(word)));
                ++sums.count;
                sums.sumNs = addSaturated(sums.sumNs, ns);
                sums.minNs = std::min(sums.minNs, ns);
                sums.maxNs = std::max(sums.maxNs, ns);
            }
            base += 64;
        }
    }
    return sums;
}

/// Own duration without that of the direct children; they follow their parent in the lane.
int64_t selfNs(const Lane& lane, uint32_t slice, const std::stop_token& stop)
{
    int64_t self = lane.durationNs(slice);
    const int64_t endNs = lane.endNs(slice);
    for (uint32_t i = slice + 1; i < lane.size() && lane.startNs(i) < endNs && !stop.stop_requested(); ++i) {
        if (lane.parent(i) == slice)
            self = subSaturated(self, lane.durationNs(i));
    }
    return std::max<int64_t>(self, 0);
}

class WarningSign : public QWidget {
public:
    explicit WarningSign(ThemeHost* themes)
        : m_themes(themes)
    {
        followFont(this, [this](const Metrics& metrics) { setFixedSize(metrics.px(14), metrics.px(14)); });
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.drawPixmap(0, 0, tintedPixmap(u"warn"_s, m_themes->theme().warn, width(), devicePixelRatioF()));
    }

private:
    ThemeHost* m_themes;
};

} // namespace

QString progressText(const LoadProgress& progress, int64_t elapsedMs)
{
    const auto bytes = [](uint64_t n) { return formatBytes(static_cast<int64_t>(n)); };
    QString text = bytes(progress.bytesRead);
    if (progress.bytesTotal > 0)
        text = StatusLine::tr("%1 of %2").arg(text, bytes(progress.bytesTotal));
    if (elapsedMs > 0 && progress.bytesRead > 0) {
        // Decimal units: rates of disks and links are told in them.
        const auto perSecond
            = static_cast<int64_t>(static_cast<UInt128>(progress.bytesRead) * 1000 / static_cast<UInt128>(elapsedMs));
        const bool isGiga = perSecond >= 1'000'000'000;
        text += u", "_s
            + (isGiga ? StatusLine::tr("%1 GB/s").arg(formatHundredths(perSecond / 10'000'000))
                      : StatusLine::tr("%1 MB/s").arg(formatCount((perSecond + 500'000) / 1'000'000)));
    }
    if (progress.memoryBytes > 0)
        text += u", "_s + StatusLine::tr("%1 memory").arg(bytes(progress.memoryBytes));
    return text;
}

StatusLine::StatusLine(ThemeHost* themes, ViewState* state, QAction* cancel, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_state(state)
    , m_sums(this)
    , m_file(new ElidedLabel(themes))
    , m_facts(new ElidedLabel(themes))
    , m_warning(new WarningSign(themes))
    , m_notices(new LinkLabel(themes))
    , m_loading(new ElidedLabel(themes))
    , m_cancel(new LinkLabel(themes))
    , m_selection(new ElidedLabel(themes))
{
    m_cancel->setText(tr("Cancel"));
    followKeys(m_cancel, {cancel}, [this, cancel](const QString&) {
        m_cancel->setHint(tipWithKey(tr("Stops loading and leaves what is open as it is"), *cancel));
    });
    m_notices->setHint(tr("Shows them in Health"));
    m_facts->setColor(&Theme::text2);
    m_loading->setColor(&Theme::text2);
    m_selection->setColor(&Theme::text2);
    m_selection->setAlignment(Qt::AlignRight);
    auto* layout = new QHBoxLayout(this);
    followFont(this, [this, layout](const Metrics& metrics) {
        setFont(metrics.tables());
        setFixedHeight(metrics.px(kHeight));
        layout->setContentsMargins(metrics.px(8), 1, metrics.px(8), 0);
        layout->setSpacing(metrics.px(4));
    });
    layout->addWidget(m_file);
    layout->addWidget(m_facts);
    layout->addWidget(m_warning);
    layout->addWidget(m_notices);
    layout->addSpacing(Metrics(font()).px(12));
    layout->addWidget(m_loading);
    layout->addWidget(m_cancel);
    layout->addStretch(1);
    layout->addWidget(m_selection);
    connect(m_notices, &LinkLabel::activated, this, &StatusLine::noticesRequested);
    connect(m_cancel, &LinkLabel::activated, cancel, &QAction::trigger);
    connect(state, &ViewState::traceChanged, this, &StatusLine::showTrace);
    connect(state, &ViewState::selectionChanged, this, &StatusLine::showSelection);
    connect(state, &ViewState::marksChanged, this, &StatusLine::showSelection);
    connect(state, &ViewState::rangeChanged, this, &StatusLine::showSelection);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    setFileText({}, {});
    hideLoading();
    showTrace();
}

void StatusLine::setFileText(const QString& text, const QString& toolTip)
{
    m_file->setText(text.isEmpty() ? tr("No trace open") : text);
    m_file->setHint(toolTip);
}

void StatusLine::showTrace()
{
    const TracePtr& trace = m_state->trace();
    uint64_t notices = 0;
    if (trace) {
        const uint64_t slices = trace->sliceCount();
        const QString count = formatCount(static_cast<int64_t>(slices));
        m_facts->setText(kDot
            + (trace->isPartial() ? tr("%1 slices so far").arg(count)
                    : slices == 1 ? tr("1 slice")
                                  : tr("%1 slices").arg(count))
            + kDot + formatDuration(trace->span().spanNs()) + u"  ·"_s);
        notices = trace->notices().size();
        for (const auto& file : trace->files())
            notices += file->notices.size();
    }
    m_warning->setVisible(notices > 0);
    m_notices->setVisible(trace != nullptr);
    m_notices->setText(notices == 0 ? tr("no notices")
            : notices == 1          ? tr("1 notice")
                                    : tr("%1 notices").arg(formatCount(static_cast<int64_t>(notices))));
    showSelection();
}

void StatusLine::setIndex(std::shared_ptr<const lod::TimelineIndex> index)
{
    m_index = std::move(index);
    showSelection();
}

/// Length of the range and how much of it the devices were busy; several devices: their mean.
QString StatusLine::rangeText() const
{
    const std::optional<TimeRange> range = m_state->range();
    if (!range)
        return {};
    QString text = tr("Range: %1").arg(formatDuration(range->spanNs())) + kDot;
    if (!m_index || m_index->traceRef() != m_state->trace() || m_index->devices().empty() || range->isEmpty())
        return text;
    const std::span<const lod::DeviceBusy> devices = m_index->devices();
    double share = 0;
    for (const lod::DeviceBusy& device : devices)
        share += static_cast<double>(device.busy.coveredNs(*range)) / static_cast<double>(range->spanNs());
    const QString percent
        = QString::number(share * 100 / static_cast<double>(devices.size()), 'f', 1) + QChar(0x00A0) + u'%';
    text += devices.size() == 1 ? tr("GPU %1 busy").arg(percent)
                                : tr("%1 GPUs %2 busy").arg(QString::number(devices.size()), percent);
    return text + kDot;
}

void StatusLine::showSelection()
{
    m_sums.cancel();
    const TracePtr& trace = m_state->trace();
    if (!trace) {
        setSelectionText(u"Torchline "_s + QString::fromLatin1(TORCHLINE_VERSION));
        return;
    }
    const QString range = rangeText();
    if (const SliceRef slice = m_state->selection(); slice.isValid()) {
        const int64_t ns = trace->durationNs(slice);
        const QString text = range + tr("Selection: 1 slice · %1").arg(formatDuration(ns));
        setSelectionText(text);
        m_sums.start(
            [trace, slice](const std::stop_token& stop) { return selfNs(trace->lane(slice.lane), slice.index, stop); },
            [this, text, ns](int64_t self) {
                if (self != ns)
                    setSelectionText(text + u" · "_s + tr("self %1").arg(formatDuration(self)));
            });
        return;
    }
    if (const MaskPtr marks = m_state->marks()) {
        m_sums.start([trace, marks](const std::stop_token& stop) { return sumsOf(*trace, *marks, stop); },
            [this, range](const DurationSums& sums) {
                if (sums.count == 0) {
                    setSelectionText(range + tr("Nothing selected"));
                    return;
                }
                const int64_t mean = divideHalfEven(sums.sumNs, static_cast<int64_t>(sums.count));
                setSelectionText(range
                    + tr("Selection: %1 slices · sum %2 · mean %3 · min %4 · max %5")
                          .arg(formatCount(static_cast<int64_t>(sums.count)), formatDuration(sums.sumNs),
                              formatDuration(mean), formatDuration(sums.minNs), formatDuration(sums.maxNs)));
            });
        return;
    }
    setSelectionText(range + tr("Nothing selected"));
}

void StatusLine::setSelectionText(const QString& text)
{
    m_selection->setText(text);
    fit();
}

QString StatusLine::selectionText() const
{
    return m_selection->text();
}

QString StatusLine::loadingText() const
{
    return m_loading->isHidden() ? QString() : m_loading->text();
}

void StatusLine::showLoading(const LoadSession& session)
{
    QString text = progressText(session.progress(), session.elapsedMs());
    if (session.isIndexing())
        text += u", "_s + tr("linking");
    m_loading->setText(text);
    m_loading->show();
    m_cancel->show();
    fit();
}

void StatusLine::hideLoading()
{
    m_loading->hide();
    m_cancel->hide();
    fit();
}

/// In a narrow line the file's facts go first, then its name is cut, then what is selected; notices stay whole.
void StatusLine::fit()
{
    const Metrics metrics(font());
    const auto widthOf = [](const QWidget* part) { return part->isHidden() ? 0 : part->sizeHint().width(); };
    const int fixed = widthOf(m_warning) + widthOf(m_notices) + widthOf(m_cancel) + metrics.px(48);
    m_notices->setFixedWidth(m_notices->sizeHint().width());
    const int room = std::max(width() - fixed, 0);
    const int selection = std::min(m_selection->sizeHint().width(), std::max(room / 2, room - metrics.px(160)));
    m_selection->setMinimumWidth(selection);
    const int rest = room - selection - widthOf(m_loading);
    const int facts = m_facts->sizeHint().width();
    m_facts->setVisible(m_state->trace() && rest >= facts + std::min(m_file->sizeHint().width(), metrics.px(160)));
    m_facts->setFixedWidth(facts);
}

void StatusLine::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void StatusLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.bar);
    painter.fillRect(0, 0, width(), 1, theme.border);
}

} // namespace torchline
