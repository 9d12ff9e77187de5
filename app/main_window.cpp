#include "main_window.h"

#include "export_dialog.h"
#include "file_watch.h"
#include "message_bar.h"
#include "progress_strip.h"
#include "recent_row.h"
#include "record/live_strip.h"
#include "record/record_controller.h"
#include "record/record_page.h"
#include "search_box.h"
#include "session_file.h"
#include "start_page.h"
#include "status_line.h"
#include "theme_controller.h"
#include "tool_strip.h"
#include "window_actions.h"
#include "workspace.h"

#include "common/format.h"
#include "timeline/timeline_view.h"

#include <QCloseEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QPainter>
#include <QScreen>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShowProgressAfterMs = 300;
constexpr int kKeepAfterMs = 500;
constexpr QSize kDefaultSize{1440, 900};

/// The whole window takes what is dropped: a ring around it while something is dragged over it.
class DropRing : public QWidget {
public:
    DropRing(ThemeHost* themes, QWidget* parent)
        : QWidget(parent)
        , m_themes(themes)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_themes->theme().accent, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 4, 4);
    }

private:
    ThemeHost* m_themes;
};

/// Bytes of a local file's name, whatever their encoding; empty for other addresses.
std::string pathOf(const QUrl& url)
{
    if (!url.isLocalFile())
        return {};
    return QByteArray::fromPercentEncoding(url.path(QUrl::FullyEncoded).toLatin1()).toStdString();
}

std::vector<std::string> droppedPaths(const QMimeData* data)
{
    std::vector<std::string> paths;
    for (const QUrl& url : data->urls()) {
        if (std::string path = pathOf(url); !path.empty())
            paths.push_back(std::move(path));
    }
    return paths;
}

std::vector<std::string> bytesOf(const QStringList& names)
{
    std::vector<std::string> paths;
    for (const QString& name : names)
        paths.push_back(QFile::encodeName(name).toStdString());
    return paths;
}

} // namespace

MainWindow::MainWindow(ThemeHost* themes, Settings& settings, ThemeController* controller, QWidget* parent)
    : QMainWindow(parent)
    , m_themes(themes)
    , m_settings(settings)
    , m_controller(controller)
    , m_textSize(settings)
    , m_state(new ViewState(this))
    , m_session(new LoadSession(this))
    , m_recent(new RecentFiles(settings, this))
    , m_watch(new FileWatch(this))
    , m_actions(std::make_unique<WindowActions>(this))
    , m_keptViews(settings)
{
    setAcceptDrops(true);
    setWindowTitle(u"Torchline"_s);
    m_slow.setSingleShot(true);
    m_slow.setInterval(kShowProgressAfterMs);
    m_keepSoon.setSingleShot(true);
    m_keepSoon.setInterval(kKeepAfterMs);
    buildPage();
    buildMenus();
    connectParts();
    m_workspace->restoreLayout(m_settings);
    if (!restoreGeometry(m_settings.bytes(u"window/geometry"_s))) {
        const QScreen* screen = QGuiApplication::primaryScreen();
        resize(screen != nullptr ? kDefaultSize.boundedTo(screen->availableSize()) : kDefaultSize);
    }
    showPage();
    updateActions();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildPage()
{
    m_workspace = new Workspace(m_state, m_themes);
    m_workspace->setKeys(&m_viewKeys);
    m_search = new SearchBox(m_themes, m_state, m_workspace->timeline());
    m_tools = new ToolStrip(m_themes, m_state,
        {m_actions->open, m_actions->back, m_actions->forward, m_actions->fitAll, m_actions->previousStep,
            m_actions->nextStep},
        m_search);
    m_messages = new MessageBar(m_themes);
    m_pages = new QStackedWidget;
    m_startPage = new StartPage(m_themes, m_recent, *m_actions);
    m_pages->addWidget(m_startPage);
    m_pages->addWidget(m_workspace);
    auto* recordPage = new RecordPage(m_themes, m_settings,
        {m_actions->liveView, m_actions->pauseRecording, m_actions->stopRecording, m_actions->save});
    m_pages->addWidget(recordPage);
    m_recorder = new RecordController(recordPage, m_themes, m_settings, m_state, m_messages, this);
    m_status = new StatusLine(m_themes, m_state, m_actions->cancel);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tools);
    layout->addWidget(m_messages);
    m_live = new LiveStrip(m_themes, m_recorder,
        {m_actions->follow, m_actions->pauseRecording, m_actions->stopRecording, m_actions->save});
    layout->addWidget(m_live);
    layout->addWidget(m_pages, 1);
    layout->addWidget(m_status);
    setCentralWidget(page);
    m_progress = new ProgressStrip(m_themes, page);
    m_dropRing = new DropRing(m_themes, page);
}

void MainWindow::connectParts()
{
    connect(m_session, &LoadSession::started, this, &MainWindow::onStarted);
    connect(m_session, &LoadSession::progressed, this, &MainWindow::onProgress);
    connect(m_session, &LoadSession::partLoaded, this, &MainWindow::onPart);
    connect(m_session, &LoadSession::loaded, this, &MainWindow::onLoaded);
    connect(m_session, &LoadSession::failed, this, &MainWindow::onFailed);
    connect(m_session, &LoadSession::cancelled, this, &MainWindow::onCancelled);
    connect(&m_slow, &QTimer::timeout, this, &MainWindow::onProgress);
    connect(m_watch, &FileWatch::changed, this, &MainWindow::offerReload);
    connect(m_startPage, &StartPage::recentRequested, this, &MainWindow::openFiles);
    connect(m_startPage, &StartPage::locateRequested, this, &MainWindow::locate);
    connectRecording();
    m_recorder->setSettledCheck([this] { return m_workspace->timeline()->isSettled(); });
    connect(m_status, &StatusLine::noticesRequested, this, [this] { m_workspace->showPane(Pane::Health); });
    connect(m_workspace, &Workspace::compactChanged, m_tools, &ToolStrip::setCompact);
    connect(m_workspace, &Workspace::exportRequested, this, &MainWindow::openExportOf);
    connect(m_state, &ViewState::traceChanged, this, &MainWindow::updateActions);
    connect(m_state, &ViewState::historyChanged, this, &MainWindow::updateActions);
    connect(m_state, &ViewState::selectionChanged, this, &MainWindow::updateActions);
    const auto keepSoon = [this] {
        if (!m_isShowing)
            m_keepSoon.start();
    };
    connect(&m_keepSoon, &QTimer::timeout, this, &MainWindow::keepView);
    for (const auto signal : {&ViewState::timeMarksChanged, &ViewState::scopeChanged, &ViewState::rangeChanged,
             &ViewState::selectionChanged, &ViewState::visibleChanged})
        connect(m_state, signal, this, keepSoon);
    connect(m_workspace->timeline(), &TimelineView::laneStateChanged, this, keepSoon);
    connect(m_state, &ViewState::overviewChanged, this, &MainWindow::updateActions);
    connect(m_state, &ViewState::hitsChanged, this, &MainWindow::updateActions);
}

// Opening

void MainWindow::openFiles(const std::vector<std::string>& paths)
{
    if (paths.empty())
        return;
    m_isRecordPage = false;
    const auto session = std::ranges::find_if(paths, SessionFile::isPath);
    if (session == paths.end()) {
        start(paths, false);
    } else if (paths.size() == 1) {
        openSession(*session);
    } else {
        m_messages->tell(MessageBar::Kind::Error,
            tr("%1 is a session: it opens by itself, not together with others.").arg(fileNameText(*session)));
    }
}

void MainWindow::reload()
{
    if (!m_openPaths.empty())
        start(m_openPaths, true);
}

void MainWindow::start(std::vector<std::string> paths, bool isReload)
{
    m_isReload = isReload;
    m_openingSession = nullptr;
    m_session->start(std::move(paths));
}

void MainWindow::onStarted()
{
    endParts();
    m_messages->dismiss();
    m_progress->reset();
    m_slow.start();
    updateActions();
}

void MainWindow::onProgress()
{
    if (!m_session->isLoading() || m_slow.isActive())
        return;
    const LoadProgress& progress = m_session->progress();
    if (progress.bytesTotal > 0) {
        m_progress->setShare(static_cast<double>(progress.bytesRead) / static_cast<double>(progress.bytesTotal));
        m_progress->show();
        placeOverlays();
    }
    m_status->showLoading(*m_session);
}

void MainWindow::endLoading()
{
    m_slow.stop();
    m_progress->hide();
    m_status->hideLoading();
    updateActions();
}

void MainWindow::onFailed(const QString& message)
{
    endLoading();
    endParts();
    m_messages->tell(
        MessageBar::Kind::Error, tr("Cannot open %1").arg(message), {{tr("Open Another…"), [this] { chooseFiles(); }}});
}

void MainWindow::onLoaded(const std::shared_ptr<const LoadedTrace>& loaded)
{
    endLoading();
    if (endParts()) // from now on tables stand in their order
        showRest(*loaded);
    else
        showTrace(*loaded, m_isReload && loaded->paths == m_openPaths);
    rememberOpened(*loaded);
}

void MainWindow::nameOpened()
{
    const QString name = namesText(m_openPaths);
    QStringList paths;
    for (const std::string& path : m_openPaths)
        paths.append(QString::fromStdString(path));
    m_status->setFileText(name, paths.join(u'\n'));
    setWindowTitle(tr("%1 — Torchline").arg(name));
}

void MainWindow::showTrace(const LoadedTrace& loaded, bool keepView)
{
    this->keepView();
    m_recorder->leaveView();
    m_openPaths = loaded.paths;
    nameOpened();
    m_workspace->timeline()->setIndex(loaded.index);
    m_status->setIndex(loaded.index);
    m_isShowing = true;
    m_state->setTrace(loaded.facts, keepView);
    m_state->setOverview(loaded.overview);
    if (!keepView)
        m_state->setTimeMarks({});
    showPage();
    if (!keepView)
        restoreView();
    m_isShowing = false;
    m_watch->watch(loaded.paths);
    if (!keepView)
        m_workspace->timeline()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::closeTrace()
{
    keepView();
    m_session->cancel();
    m_recorder->leaveView();
    m_openPaths.clear();
    m_sessionPath.clear();
    m_watch->watch({});
    m_messages->dismiss();
    m_state->setTrace(nullptr);
    m_status->setIndex(nullptr);
    m_status->setFileText({}, {});
    setWindowTitle(u"Torchline"_s);
    showPage();
}

// Recording

void MainWindow::connectRecording()
{
    connect(m_recorder, &RecordController::pageRequested, this, &MainWindow::showRecordPage);
    connect(m_recorder, &RecordController::changed, this, &MainWindow::updateActions);
    connect(m_recorder, &RecordController::closeRequested, this, &QWidget::close);
    connect(m_recorder, &RecordController::traceReady, this,
        [this](const std::shared_ptr<const LoadedTrace>& loaded, const QString& name, bool keepView) {
            showRecordedTrace(*loaded, name, keepView);
        });
}

void MainWindow::showRecordPage()
{
    m_isRecordPage = true;
    showPage();
    updateActions();
}

void MainWindow::recordProgram(const std::vector<std::string>& command)
{
    m_recorder->start(LaunchSetup::ofCommand(command));
}

void MainWindow::offerRecovery()
{
    m_recorder->offerRecovery();
}

/// No file is open then: nothing to reload, to watch or to remember marks for.
void MainWindow::showRecordedTrace(const LoadedTrace& loaded, const QString& name, bool keepView)
{
    m_openPaths.clear();
    m_watch->watch({});
    m_status->setFileText(name, name);
    setWindowTitle(tr("%1 — Torchline").arg(name));
    m_workspace->timeline()->setIndex(loaded.index);
    m_isShowing = true;
    m_state->setTrace(loaded.facts, keepView);
    m_state->setOverview(loaded.overview);
    m_isShowing = false;
    if (keepView)
        return;
    m_isPart = false;
    m_isRecordPage = false;
    showPage();
    m_workspace->timeline()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::rememberOpened(const LoadedTrace& loaded)
{
    if (std::ranges::find(loaded.paths, "-") != loaded.paths.end())
        return;
    RecentFile entry;
    std::ranges::transform(loaded.paths, std::back_inserter(entry.paths), absolutePath);
    entry.openedAt = QDateTime::currentDateTime();
    for (const auto& file : loaded.trace->files())
        entry.sizeBytes += file->info.sizeBytes;
    entry.spanNs = loaded.trace->span().spanNs();
    entry.slices = loaded.trace->sliceCount();
    entry.density = QByteArray::fromStdString(loaded.density.columns);
    entry.densityIsDevice = loaded.density.isDevice;
    m_recent->add(std::move(entry));
}

void MainWindow::chooseFiles()
{
    auto* dialog = new QFileDialog(this, tr("Open Traces or a Session"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters(
        {tr("Traces and sessions (*.json *.json.gz *.json.zst *.gz *.zst *.zip *.tar *.tar.gz *.tgz *.torchline)"),
            tr("All files (*)")});
    if (!m_openPaths.empty() && m_openPaths.front() != "-")
        dialog->setDirectory(
            QFileInfo(QFile::decodeName(QByteArray::fromStdString(m_openPaths.front()))).absolutePath());
    else if (!m_recent->entries().empty())
        dialog->setDirectory(
            QFileInfo(QFile::decodeName(QByteArray::fromStdString(m_recent->entries().front().paths.front())))
                .absolutePath());
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& names) { openFiles(bytesOf(names)); });
    dialog->open();
}

void MainWindow::locate(const std::vector<std::string>& missing)
{
    auto* dialog = new QFileDialog(this, tr("Locate %1").arg(namesText(missing)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(missing.size() > 1 ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::filesSelected, this, [this, missing](const QStringList& names) {
        const std::vector<std::string> found = bytesOf(names);
        m_recent->replacePaths(missing, found);
        openFiles(found);
    });
    dialog->open();
}

void MainWindow::offerReload(const std::string& path)
{
    m_messages->tell(MessageBar::Kind::Info, tr("%1 has changed on disk.").arg(fileNameText(path)),
        {{tr("Reload"), [this] { reload(); }}});
}

// The window itself

void MainWindow::showPage()
{
    const bool isOpen = isTraceOpen();
    m_tools->setVisible(isOpen && !m_isRecordPage);
    m_live->setInFront(isOpen && !m_isRecordPage);
    QWidget* page = isOpen ? static_cast<QWidget*>(m_workspace) : m_startPage;
    if (m_isRecordPage)
        page = m_recorder->page();
    // A page that is not seen must not keep the window from being small.
    for (int i = 0; i < m_pages->count(); ++i) {
        const auto policy = m_pages->widget(i) == page ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_pages->widget(i)->setSizePolicy(policy, policy);
    }
    m_pages->setCurrentWidget(page);
    if (page != m_workspace)
        page->setFocus(Qt::OtherFocusReason);
    placeOverlays();
}

void MainWindow::placeOverlays()
{
    const QWidget* page = centralWidget();
    const int top = m_tools->isHidden() ? 0 : m_tools->height();
    m_progress->setGeometry(0, top, page->width(), ProgressStrip::kHeight);
    m_progress->raise();
    m_dropRing->setGeometry(page->rect());
    m_dropRing->raise();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    placeOverlays();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && m_watch != nullptr)
        m_watch->check();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_recorder->mayClose()) {
        event->ignore();
        return;
    }
    m_session->cancel();
    keepView();
    m_workspace->saveLayout(m_settings);
    m_settings.setBytes(u"window/geometry"_s, saveGeometry());
    m_settings.sync();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (droppedPaths(event->mimeData()).empty())
        return;
    event->acceptProposedAction();
    placeOverlays();
    m_dropRing->show();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*)
{
    m_dropRing->hide();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_dropRing->hide();
    event->acceptProposedAction();
    openFiles(droppedPaths(event->mimeData()));
}

bool MainWindow::isSettled() const
{
    return !m_session->isLoading() && !m_search->isBusy() && m_workspace->isSettled() && !m_recorder->page()->isBusy();
}

} // namespace torchline
