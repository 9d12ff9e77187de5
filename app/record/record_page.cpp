#include "record/record_page.h"

#include "record/live_charts.h"
#include "record/output_pane.h"
#include "record/record_facts.h"
#include "record/record_form.h"
#include "record/record_tabs.h"
#include "record/slow_step_bar.h"
#include "record/state_chain.h"
#include "record/status_text.h"
#include "shown_keys.h"

#include "common/format.h"
#include "common/icon.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace torchline {

using namespace Qt::StringLiterals;
using capture::Phase;

namespace {

constexpr int kHeadHeight = 44;

void fitTo(QPushButton* button, const QString& text)
{
    button->setText(text);
    button->setMinimumWidth(std::max(Metrics(button->font()).px(80),
        button->fontMetrics().horizontalAdvance(text) + Metrics(button->font()).px(28)));
}

} // namespace

RecordPage::RecordPage(ThemeHost* themes, Settings& settings, const Actions& actions, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_actions(actions)
    , m_form(new RecordForm(themes, settings))
    , m_pages(new QStackedWidget)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_pages->addWidget(m_form);
    m_pages->addWidget(buildBoard());
    layout->addWidget(m_pages);
    connect(m_form, &RecordForm::startRequested, this, &RecordPage::startRequested);
    connect(themes, &ThemeHost::themeChanged, this, &RecordPage::showStatus);
    followKeyInTip(m_view, actions.view, tr("The timeline and tables of what is recorded"));
    followKeyInTip(m_pause, actions.pause, tr("Pauses the recording, or goes on; the program runs"));
    followKeys(m_stop, {actions.stop, actions.save}, [this](const QString&) { showStopTip(); });
    setFocusProxy(m_form);
}

QWidget* RecordPage::buildHead()
{
    const Metrics metrics(font());
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(metrics.px(16), 0, metrics.px(12), 0);
    row->setSpacing(metrics.px(10));
    const auto label = [row](const QFont& labelFont) {
        auto* text = new QLabel;
        text->setTextFormat(Qt::PlainText);
        text->setFont(labelFont);
        row->addWidget(text);
        return text;
    };
    m_dot = label(font());
    m_state = label(metrics.paneTitle());
    m_time = label(metrics.paneTitle());
    m_command = label(font());
    m_command->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->setStretchFactor(m_command, 1);
    const auto button = [row](const QString& text, auto signal, RecordPage* page) {
        auto* push = new QPushButton;
        fitTo(push, text);
        push->setAutoDefault(false);
        row->addWidget(push);
        connect(push, &QPushButton::clicked, page, signal);
        return push;
    };
    m_again = button(tr("New Recording…"), &RecordPage::formRequested, this);
    m_view = button(tr("Open Live View"), &RecordPage::viewRequested, this);
    m_end = button(tr("End Program"), &RecordPage::endRequested, this);
    m_pause = button(tr("Pause"), &RecordPage::pauseRequested, this);
    m_stop = new QPushButton(tr("Stop"));
    m_stop->setDefault(true);
    m_stop->setMinimumWidth(metrics.px(96));
    row->addWidget(m_stop);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        if (m_recording != nullptr && m_recording->isComplete())
            Q_EMIT saveRequested();
        else
            Q_EMIT stopRequested();
    });
    head->setFixedHeight(metrics.px(kHeadHeight));
    return head;
}

QWidget* RecordPage::buildBoard()
{
    const Metrics metrics(font());
    auto* board = new QWidget;
    auto* layout = new QVBoxLayout(board);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildHead());
    m_chain = new StateChain(m_themes);
    layout->addWidget(m_chain);

    m_messageBar = new QWidget;
    m_messageBar->setAutoFillBackground(true);
    auto* message = new QHBoxLayout(m_messageBar);
    message->setContentsMargins(metrics.px(14), metrics.px(6), metrics.px(14), metrics.px(6));
    m_messageIcon = new QLabel;
    m_message = new QLabel;
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message->addWidget(m_messageIcon, 0, Qt::AlignTop);
    message->addWidget(m_message, 1);
    m_messageBar->hide();
    layout->addWidget(m_messageBar);

    m_facts = new RecordFacts(m_themes);
    auto* factsArea = new QScrollArea;
    factsArea->setFrameShape(QFrame::NoFrame);
    factsArea->setWidgetResizable(true);
    factsArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    factsArea->setFocusPolicy(Qt::NoFocus);
    factsArea->setWidget(m_facts);
    m_charts = new LiveCharts(m_themes);
    m_slow = new SlowStepBar(m_themes);
    m_tabs = new RecordTabs(m_themes);
    auto* upper = new QWidget;
    auto* upperLayout = new QVBoxLayout(upper);
    upperLayout->setContentsMargins(0, 0, 0, 0);
    upperLayout->setSpacing(0);
    upperLayout->addWidget(m_charts, 1);
    upperLayout->addWidget(m_slow);
    auto* right = new QSplitter(Qt::Vertical);
    right->addWidget(upper);
    right->addWidget(m_tabs);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    right->setChildrenCollapsible(false);
    auto* body = new QSplitter(Qt::Horizontal);
    body->addWidget(factsArea);
    body->addWidget(right);
    body->setStretchFactor(0, 0);
    body->setStretchFactor(1, 1);
    body->setSizes({metrics.px(376), metrics.px(1000)});
    body->setChildrenCollapsible(false);
    layout->addWidget(body, 1);
    connect(m_tabs->output(), &OutputPane::entered, this, [this](const QString& text) {
        if (m_recording != nullptr)
            m_recording->write(text);
    });
    connect(m_tabs->output(), &OutputPane::resized, this, [this](int columns, int rows) {
        if (m_recording != nullptr)
            m_recording->resizeTerminal(columns, rows);
    });
    connect(m_slow, &SlowStepBar::stepRequested, this, &RecordPage::sliceRequested);
    connect(m_tabs, &RecordTabs::sliceRequested, this, &RecordPage::sliceRequested);
    return board;
}

void RecordPage::setRecording(Recording* recording)
{
    if (m_recording != nullptr)
        m_recording->disconnect(this);
    m_recording = recording;
    m_pages->setCurrentIndex(recording == nullptr ? 0 : 1);
    setFocusProxy(recording == nullptr ? static_cast<QWidget*>(m_form) : m_stop);
    if (recording == nullptr) {
        m_form->refresh();
        return;
    }
    m_tabs->clear();
    m_charts->clear();
    m_slowJob.cancel();
    m_slow->setSteps({});
    m_before = {};
    connect(recording, &Recording::statusChanged, this, &RecordPage::showStatus);
    connect(recording, &Recording::outputArrived, m_tabs->output(), &OutputPane::add);
    connect(recording, &Recording::dataChanged, this, &RecordPage::showData);
    connect(recording, &Recording::completed, this, &RecordPage::showStatus);
    showStatus();
}

QString RecordPage::stateText() const
{
    return m_state->text();
}

void RecordPage::showData()
{
    const std::shared_ptr<const LiveViewData> newest = m_recording->data();
    m_charts->setData(newest);
    m_tabs->setTrace(newest->loaded->trace, !m_recording->isComplete());
    if (!isVisible() || m_slowJob.isRunning())
        return;
    m_slowJob.start(
        [newest](const std::stop_token&) {
            std::vector<StepMark> steps;
            for (const lod::StepBar& bar : newest->loaded->overview->steps()) {
                if (bar.mark.range.endNs >= newest->endNs - kChartSpanNs)
                    steps.push_back(bar.mark);
            }
            return slowSteps(*newest->loaded->trace, steps, newest->medianStepNs);
        },
        [this](const SlowSteps& steps) { m_slow->setSteps(steps); });
}

bool RecordPage::isBusy() const
{
    return m_tabs->isBusy();
}

void RecordPage::showStatus()
{
    if (m_recording == nullptr)
        return;
    const capture::SessionStatus& status = m_recording->status();
    m_before.take(status);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const bool isOver = capture::isOver(status.phase);
    const bool isFailed = status.phase == Phase::Failed;
    const bool isRecording = status.phase == Phase::Recording;
    const QString icon = isFailed       ? u"error"_s
        : isOver                        ? u"ok"_s
        : status.phase == Phase::Paused ? u"pause"_s
                                        : u"record"_s;
    m_dot->setPixmap(tintedPixmap(icon,
        isFailed          ? theme.error
            : isOver      ? theme.ok
            : isRecording ? theme.record
                          : theme.text2,
        metrics.px(16), devicePixelRatioF()));
    m_state->setText(phaseText(status));
    m_time->setText(clockText(status));
    m_time->setVisible(!isFailed);
    m_command->setText(m_recording->setup().commandText() + tr(" · pid %1").arg(status.pid));
    m_command->setToolTip(m_command->text());

    const bool hasTrace = m_recording->data() != nullptr;
    fitTo(m_view, isOver ? tr("Show Trace") : tr("Open Live View"));
    m_view->setEnabled(hasTrace && !isFailed);
    m_again->setVisible(isOver);
    m_end->setVisible(status.isProgramRunning());
    fitTo(m_pause, pauseText(status));
    m_pause->setVisible(!isOver);
    m_pause->setEnabled(canPause(status));
    m_stop->setText(isOver ? tr("Save…") : tr("Stop"));
    showStopTip();
    m_stop->setVisible(!isFailed);
    m_stop->setEnabled(isOver ? m_recording->isComplete() : status.phase != Phase::Draining);
    m_chain->setStatus(status);
    m_facts->show(m_recording->setup(), status,
        hasTrace ? m_recording->data()->loaded->trace->memoryUsage() : size_t{0},
        {hasTrace ? m_recording->data()->medianStepNs : 0, m_before.stepNs(), m_before.steps()});
    m_charts->setStatus(status);
    m_tabs->output()->setEnded(!status.isProgramRunning());
    m_tabs->setStatus(status);
    showEnd(status);
}

void RecordPage::showStopTip()
{
    const bool saves = m_recording != nullptr && capture::isOver(m_recording->status().phase);
    m_stop->setToolTip(saves ? tipWithKey(tr("Saves the recording"), *m_actions.save)
                             : tipWithKey(tr("Ends the recording; the program goes on"), *m_actions.stop));
}

/// What a person should know besides the figures: how the program ended, what ran then, what could not be recorded.
void RecordPage::showEnd(const capture::SessionStatus& status)
{
    QStringList lines;
    bool isBad = false;
    if (!status.fault.empty()) {
        lines.append(displayText(status.fault));
        isBad = true;
    } else if (status.waitStatus) {
        isBad = !capture::isSuccess(*status.waitStatus);
        lines.append(tr("The program ended: %1.").arg(displayText(status.exitText)));
        for (const capture::RunningThread& thread : status.running) {
            QStringList names;
            for (const std::string& name : thread.operators)
                names.append(displayText(name));
            if (isBad && !names.isEmpty())
                lines.append(tr("Thread %1 %2: %3").arg(thread.tid).arg(displayText(thread.name), names.join(u" › ")));
        }
    }
    if (!status.stopReason.empty())
        lines.append(tr("Recording ended: %1.").arg(displayText(status.stopReason)));
    if (status.fault.empty()) {
        for (const capture::Note& note : status.notes)
            lines.append(displayText(note.text));
    }
    constexpr qsizetype kMostLines = 6;
    if (lines.size() > kMostLines) {
        const qsizetype more = lines.size() - kMostLines;
        lines.resize(kMostLines);
        lines.append(tr("and %1 more").arg(more));
    }
    const Theme& theme = m_themes->theme();
    const bool isWarning = !isBad && (!status.notes.empty() || !status.stopReason.empty());
    m_messageIcon->setPixmap(tintedPixmap(isBad ? u"error"_s
            : isWarning                         ? u"warn"_s
                                                : u"info"_s,
        isBad           ? theme.error
            : isWarning ? theme.warn
                        : theme.text2,
        Metrics(font()).px(16), devicePixelRatioF()));
    QPalette palette = m_messageBar->palette();
    palette.setColor(QPalette::Window, isBad ? theme.errorBackground : isWarning ? theme.warnBackground : theme.bar);
    m_messageBar->setPalette(palette);
    m_message->setText(lines.join(u'\n'));
    m_messageBar->setVisible(!lines.isEmpty());
}

void RecordPage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().bar);
}

} // namespace torchline
