#include "record/live_strip.h"

#include "record/record_controller.h"
#include "record/status_text.h"
#include "shown_keys.h"

#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/icon.h"
#include "common/pane_button.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 30;

} // namespace

LiveStrip::LiveStrip(ThemeHost* themes, RecordController* recorder, const Actions& actions, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_recorder(recorder)
    , m_dot(new QLabel)
    , m_state(new QLabel)
    , m_figures(new ElidedLabel(themes))
    , m_lost(new ElidedLabel(themes))
    , m_follow(button(tr("Follow"), actions.follow, tr("Shows the newest again")))
    , m_pause(button(tr("Pause"), actions.pause, tr("Pauses the recording, or goes on; the program runs")))
    , m_stop(button(tr("Stop"), actions.stop, tr("Ends the recording; the program goes on")))
    , m_save(button(tr("Save…"), actions.save, tr("Saves the recording")))
{
    m_state->setTextFormat(Qt::PlainText);
    m_figures->setColor(&Theme::text2);
    m_figures->setElideMode(Qt::ElideRight);
    m_lost->setElideMode(Qt::ElideRight);
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(m_dot);
    layout->addWidget(m_state);
    layout->addWidget(m_figures);
    layout->addWidget(m_lost);
    layout->addStretch(1);
    for (PaneButton* each : {m_follow, m_pause, m_stop, m_save})
        layout->addWidget(each);
    followFont(this, [this, layout](const Metrics& metrics) {
        m_state->setFont(metrics.scaled(1.0, QFont::DemiBold));
        setFixedHeight(metrics.px(kHeight));
        layout->setContentsMargins(metrics.px(12), 0, metrics.px(8), 1);
        layout->setSpacing(metrics.px(8));
        refresh();
    });
    setAccessibleName(tr("Recording"));
    connect(m_follow, &QAbstractButton::clicked, recorder, [recorder] { recorder->setFollowing(true); });
    connect(m_pause, &QAbstractButton::clicked, recorder, &RecordController::pauseOrGoOn);
    connect(m_stop, &QAbstractButton::clicked, recorder, &RecordController::stop);
    connect(m_save, &QAbstractButton::clicked, recorder, &RecordController::save);
    connect(recorder, &RecordController::changed, this, &LiveStrip::refresh);
    connect(themes, &ThemeHost::themeChanged, this, &LiveStrip::refresh);
}

PaneButton* LiveStrip::button(const QString& name, const QAction* action, const QString& hint)
{
    auto* made = new PaneButton(m_themes, PaneButton::Look::Framed, {}, name);
    made->setLabel(name);
    followKeyInTip(made, action, hint);
    return made;
}

void LiveStrip::setInFront(bool inFront)
{
    m_isInFront = inFront;
    refresh();
}

QString LiveStrip::text() const
{
    return m_state->text() + u' ' + m_figures->text();
}

void LiveStrip::refresh()
{
    const bool isRunning = m_recorder->isRunning();
    const Recording* recording = m_recorder->recording();
    const bool isSeen
        = m_isInFront && recording != nullptr && m_recorder->isInView() && (isRunning || m_recorder->hasUnsaved());
    setVisible(isSeen);
    if (!isSeen)
        return;
    const capture::SessionStatus& status = recording->status();
    const Theme& theme = m_themes->theme();
    const bool isRecording = status.phase == capture::Phase::Recording;
    m_dot->setPixmap(tintedPixmap(isRunning ? isRecording ? u"record"_s : u"pause"_s : u"ok"_s,
        isRecording     ? theme.record
            : isRunning ? theme.text2
                        : theme.ok,
        Metrics(font()).px(14), devicePixelRatioF()));
    m_state->setText(phaseText(status) + u' ' + clockText(status));
    const QString dot = u" · "_s;
    QString figures = tr("%1 records").arg(formatCount(static_cast<int64_t>(status.records)));
    if (isRecording)
        figures += dot + tr("%1/s").arg(formatCount(static_cast<int64_t>(status.recordsPerSecond)));
    m_figures->setText(figures + (isRunning ? QString() : dot + tr("not saved")));
    m_lost->setColor(status.dropped > 0 ? &Theme::warn : &Theme::text2);
    m_lost->setText(tr("%1 lost").arg(formatCount(static_cast<int64_t>(status.dropped))));
    m_lost->setHint(tr("The program was faster than they could be read; each gap is in the trace"));
    m_follow->setVisible(isRunning && !m_recorder->isFollowing());
    m_pause->setVisible(isRunning);
    m_pause->setEnabled(canPause(status));
    m_pause->setLabel(pauseText(status));
    m_stop->setVisible(isRunning);
    m_stop->setEnabled(status.phase != capture::Phase::Draining);
    m_save->setVisible(!isRunning);
    m_save->setEnabled(recording->isComplete());
}

void LiveStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.bar);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.separator);
}

} // namespace torchline
