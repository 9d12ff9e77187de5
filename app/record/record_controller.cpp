#include "record/record_controller.h"

#include "record/record_form.h"
#include "record/record_page.h"
#include "record/spool_recovery.h"
#include "settings.h"

#include "capture/spool.h"
#include "common/format.h"
#include "export/kineto_json.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <unistd.h>

namespace torchline {

using namespace Qt::StringLiterals;
using capture::Phase;

namespace {

constexpr int64_t kFollowedSpanNs
    = 2'000'000'000; ///< that the view shows while it follows, unless a person chose another

} // namespace

RecordController::RecordController(
    RecordPage* page, ThemeHost* themes, Settings& settings, ViewState* state, MessageBar* messages, QWidget* window)
    : QObject(window)
    , m_themes(themes)
    , m_settings(settings)
    , m_state(state)
    , m_messages(messages)
    , m_window(window)
    , m_page(page)
    , m_saving(this)
    , m_recovering(this)
{
    connect(m_page, &RecordPage::startRequested, this, &RecordController::start);
    connect(m_page, &RecordPage::stopRequested, this, &RecordController::stop);
    connect(m_page, &RecordPage::pauseRequested, this, &RecordController::pauseOrGoOn);
    connect(m_page, &RecordPage::endRequested, this, &RecordController::endProgram);
    connect(m_page, &RecordPage::saveRequested, this, &RecordController::save);
    connect(m_page, &RecordPage::viewRequested, this, &RecordController::showView);
    connect(m_page, &RecordPage::sliceRequested, this, &RecordController::showSlice);
    connect(m_page, &RecordPage::formRequested, this, &RecordController::newRecording);
    // Whoever moves the view looks at something: it stays there.
    connect(m_state, &ViewState::visibleChanged, this, [this] {
        if (m_isInView && !m_isMoving && isRunning())
            setFollowing(false);
    });
}

RecordController::~RecordController() = default;

bool RecordController::isRunning() const
{
    return m_recording && !capture::isOver(m_recording->status().phase);
}

bool RecordController::hasUnsaved() const
{
    if (m_recovered)
        return !m_isSavedRecovery;
    return m_recording && !m_recording->isSaved() && m_recording->status().phase != Phase::Failed;
}

QString RecordController::name() const
{
    if (!m_recording)
        return tr("recovered recording");
    return tr("recording of %1").arg(QFileInfo(m_recording->setup().program).fileName());
}

std::shared_ptr<const LoadedTrace> RecordController::trace() const
{
    if (m_recovered)
        return m_recovered;
    return m_recording && m_recording->data() ? m_recording->data()->loaded : nullptr;
}

// Running

void RecordController::start(const LaunchSetup& setup)
{
    if (isRunning()) {
        Q_EMIT pageRequested();
        return;
    }
    if (hasUnsaved()) {
        askAboutUnsaved([this, setup] { start(setup); });
        return;
    }
    drop();
    auto recording = std::make_unique<Recording>();
    if (const Status started = recording->start(setup); !started) {
        m_page->setRecording(nullptr);
        m_page->form()->setSetup(setup);
        m_page->form()->setFault(displayText(started.error().message()));
        Q_EMIT pageRequested();
        return;
    }
    m_recording = std::move(recording);
    m_recording->setSettledCheck([this] { return !m_isInView || !m_isSettled || m_isSettled(); });
    m_isFollowing = true;
    m_letsRun = false;
    rememberLaunch(m_settings, setup);
    connect(m_recording.get(), &Recording::statusChanged, this, &RecordController::changed);
    connect(m_recording.get(), &Recording::dataChanged, this, &RecordController::takeData);
    connect(m_recording.get(), &Recording::completed, this, &RecordController::onCompleted);
    m_page->setRecording(m_recording.get());
    Q_EMIT pageRequested();
    Q_EMIT changed();
}

void RecordController::stop()
{
    if (isRunning())
        m_recording->stop();
}

void RecordController::pauseOrGoOn()
{
    if (!isRunning())
        return;
    const Phase phase = m_recording->status().phase;
    if (phase == Phase::Paused || phase == Phase::Waiting)
        m_recording->record();
    else
        m_recording->pause();
}

void RecordController::endProgram()
{
    if (!m_recording || !m_recording->status().isProgramRunning())
        return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("End the Program"),
        tr("End %1?").arg(QFileInfo(m_recording->setup().program).fileName()), QMessageBox::Cancel, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("It is asked to end (SIGTERM), and killed when it has not after five seconds. What is "
                               "recorded so far is kept."));
    QPushButton* end = box->addButton(tr("End Program"), QMessageBox::AcceptRole);
    connect(end, &QPushButton::clicked, this, [this] {
        if (m_recording)
            m_recording->endProgram();
    });
    box->open();
}

void RecordController::onCompleted()
{
    const capture::SessionStatus& status = m_recording->status();
    const auto& times = status.phaseNs;
    const int64_t recordedNs = times[static_cast<size_t>(Phase::Recording)];
    if (recordedNs > 0 && status.records > 0) {
        LaunchSetup setup = m_recording->setup();
        setup.operatorsPerSecond
            = static_cast<qint64>(static_cast<double>(status.records) * 1e9 / static_cast<double>(recordedNs));
        rememberLaunch(m_settings, setup);
    }
    Q_EMIT changed();
    if (m_afterEnd)
        std::exchange(m_afterEnd, {})();
}

// The trace

void RecordController::showView()
{
    const auto loaded = trace();
    if (!loaded)
        return;
    m_isInView = true;
    m_isMoving = true;
    Q_EMIT traceReady(loaded, name(), false);
    m_state->setGrowing(isRunning());
    m_isMoving = false;
    m_isFollowing = isRunning();
    follow();
    Q_EMIT changed();
}

void RecordController::showSlice(SliceRef slice)
{
    showView();
    setFollowing(false);
    const TracePtr& shown = m_state->trace();
    const int64_t marginNs = std::max<int64_t>(shown->durationNs(slice) / 10, 1);
    m_state->goTo({subSaturated(shown->startNs(slice), marginNs), addSaturated(shown->endNs(slice), marginNs)});
    m_state->reveal(slice);
}

void RecordController::takeData()
{
    if (!m_isInView)
        return;
    m_isMoving = true;
    m_state->setGrowing(!m_recording->isComplete());
    Q_EMIT traceReady(trace(), name(), true);
    m_isMoving = false;
    follow();
}

void RecordController::follow()
{
    if (!m_isInView || !m_isFollowing || !m_state->trace() || !isRunning())
        return;
    const int64_t end = m_state->trace()->span().endNs;
    int64_t width = std::min(m_state->visible().spanNs(), kFollowedSpanNs);
    width = std::max(width, std::min(end, kFollowedSpanNs));
    m_isMoving = true;
    m_state->setVisible({end - width, end});
    m_isMoving = false;
}

void RecordController::setFollowing(bool follows)
{
    if (m_isFollowing == follows)
        return;
    m_isFollowing = follows;
    follow();
    Q_EMIT changed();
}

// Keeping

void RecordController::save()
{
    chooseAndSave({});
}

void RecordController::chooseAndSave(std::function<void()> then)
{
    if (!trace() || isRunning() || m_saving.isRunning())
        return;
    const QString stem = m_recording ? QFileInfo(m_recording->setup().program).completeBaseName() : u"recording"_s;
    const QString proposed = QDir::current().filePath(
        stem + u'-' + QDateTime::currentDateTime().toString(u"yyyyMMdd-HHmmss"_s) + u".json.gz"_s);
    auto* dialog = new QFileDialog(m_window, tr("Save Recording"), proposed, tr("Kineto JSON (*.json.gz *.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    connect(dialog, &QFileDialog::fileSelected, this,
        [this, then = std::move(then)](const QString& path) { saveTo(path, then); });
    dialog->open();
}

void RecordController::saveTo(const QString& path, std::function<void()> then)
{
    m_messages->tell(MessageBar::Kind::Info, tr("Saving %1…").arg(path));
    m_saving.start(
        [trace = trace()->trace, path](const std::stop_token& stop) {
            KinetoJsonOptions options;
            options.progress = [&stop](double) { return !stop.stop_requested(); };
            return saveKinetoJson(*trace, QFile::encodeName(path).toStdString(), options);
        },
        [this, then = std::move(then)](const Result<std::vector<std::string>>& written) {
            if (!written) {
                m_messages->tell(MessageBar::Kind::Error, displayText(written.error().message()),
                    {{tr("Save Elsewhere…"), [this] { save(); }}});
                return;
            }
            QStringList names;
            for (const std::string& each : *written)
                names.append(QFile::decodeName(QByteArray::fromStdString(each)));
            m_messages->tell(MessageBar::Kind::Info, tr("Saved to %1").arg(names.join(u", ")));
            if (m_recording)
                m_recording->setSaved();
            m_isSavedRecovery = true;
            if (!m_recoveredSpool.empty())
                ::unlink(m_recoveredSpool.c_str());
            Q_EMIT changed();
            if (then)
                then();
        });
}

void RecordController::askAboutUnsaved(std::function<void()> then)
{
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Unsaved Recording"), tr("The recording is not saved."),
        QMessageBox::Cancel, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* keep = box->addButton(tr("Save…"), QMessageBox::AcceptRole);
    QPushButton* lose = box->addButton(tr("Discard"), QMessageBox::DestructiveRole);
    connect(keep, &QPushButton::clicked, this, [this, then] { chooseAndSave(then); });
    connect(lose, &QPushButton::clicked, this, [this, then] {
        drop();
        then();
    });
    box->open();
}

/// Forgets what there is; what is not saved is lost.
void RecordController::drop()
{
    m_page->setRecording(nullptr);
    if (m_recording)
        m_recording->discard();
    m_recording.reset();
    if (!m_recoveredSpool.empty())
        ::unlink(m_recoveredSpool.c_str());
    m_recoveredSpool.clear();
    m_recovered = nullptr;
    m_isSavedRecovery = false;
    Q_EMIT changed();
}

void RecordController::newRecording()
{
    if (isRunning()) {
        Q_EMIT pageRequested();
        return;
    }
    if (hasUnsaved()) {
        askAboutUnsaved([this] { newRecording(); });
        return;
    }
    drop();
    Q_EMIT pageRequested();
}

bool RecordController::mayClose()
{
    if (isRunning() || (m_recording && m_recording->status().isProgramRunning() && !m_letsRun)) {
        auto* box = new QMessageBox(QMessageBox::Question, tr("The Program Runs"),
            tr("%1 still runs.").arg(QFileInfo(m_recording->setup().program).fileName()), QMessageBox::Cancel,
            m_window);
        box->setAttribute(Qt::WA_DeleteOnClose);
        QPushButton* end = box->addButton(tr("End the Program"), QMessageBox::DestructiveRole);
        QPushButton* leave = box->addButton(tr("Let It Run"), QMessageBox::AcceptRole);
        leave->setToolTip(tr("It goes on, unrecorded; what it writes is not shown any more"));
        const auto closeAfter = [this](auto act) {
            return [this, act] {
                if (!m_recording)
                    return;
                m_letsRun = true;
                if (isRunning())
                    m_afterEnd = [this] { Q_EMIT closeRequested(); };
                act();
                if (!isRunning())
                    Q_EMIT closeRequested();
            };
        };
        connect(end, &QPushButton::clicked, this, closeAfter([this] { m_recording->endProgram(); }));
        connect(leave, &QPushButton::clicked, this, closeAfter([this] { m_recording->stop(); }));
        box->open();
        return false;
    }
    if (!hasUnsaved())
        return true;
    askAboutUnsaved([this] { Q_EMIT closeRequested(); });
    return false;
}

// What an earlier run left behind

void RecordController::offerRecovery()
{
    m_recovering.start([](const std::stop_token&) { return staleSpools(defaultSpoolFolder()); },
        [this](const std::vector<StaleSpool>& spools) {
            if (spools.empty())
                return;
            const StaleSpool& last = spools.back();
            const QString when
                = QDateTime::fromMSecsSinceEpoch(last.createdRealNs / 1'000'000).toString(u"d MMM hh:mm"_s);
            m_messages->tell(MessageBar::Kind::Warning,
                tr("A recording of %1 was not saved (%2).")
                    .arg(when, formatBytes(static_cast<int64_t>(last.sizeBytes))),
                {{tr("Recover"), [this, path = last.path] { recover(path); }},
                    {tr("Discard"), [this, path = last.path] {
                         ::unlink(path.c_str());
                         offerRecovery();
                     }}});
        });
}

void RecordController::recover(const std::string& path)
{
    m_recovering.start(
        [path](const std::stop_token& stop) -> Result<std::shared_ptr<const LoadedTrace>> {
            const auto trace = recoverSpool(path, stop);
            if (!trace)
                return trace.error();
            return prepared(*trace, {}, stop);
        },
        [this, path](const Result<std::shared_ptr<const LoadedTrace>>& loaded) {
            if (!loaded || !*loaded) {
                m_messages->tell(MessageBar::Kind::Error,
                    loaded ? tr("The recording cannot be read.") : displayText(loaded.error().message()),
                    {{tr("Discard"), [path] { ::unlink(path.c_str()); }}});
                return;
            }
            drop();
            m_recovered = *loaded;
            m_recoveredSpool = path;
            showView();
            m_messages->tell(
                MessageBar::Kind::Info, tr("Recovered; it is not saved yet."), {{tr("Save…"), [this] { save(); }}});
        });
}

} // namespace torchline
