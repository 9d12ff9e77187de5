// MainWindow: menus and what their entries do.

#include "main_window.h"

#include "command_palette.h"
#include "export_dialog.h"
#include "go_to_dialog.h"
#include "keys_card.h"
#include "keys_dialog.h"
#include "message_bar.h"
#include "recent_row.h"
#include "record/record_controller.h"
#include "record/record_form.h"
#include "record/record_page.h"
#include "search_box.h"
#include "start_page.h"
#include "theme_controller.h"
#include "tool_strip.h"
#include "window_actions.h"
#include "workspace.h"

#include "common/format.h"
#include "timeline/hit_walk.h"
#include "timeline/step_walk.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QPainter>
#include <QShortcut>

#include <sstream>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array kTablePanes{Pane::Operators, Pane::Kernels, Pane::Slices, Pane::Steps, Pane::Memory, Pane::Health};
constexpr size_t kPictureSubjects = 2; ///< timeline and window come before the tables

/// The name without the folder and the endings of a trace, for names of exports.
QString stemOf(const std::vector<std::string>& paths)
{
    QString name = paths.empty() ? QString() : fileNameText(paths.front());
    if (name.isEmpty() || paths.front() == "-")
        return u"trace"_s;
    for (const QStringView end : {u".gz", u".zst", u".json", u".trace", u".pt"}) {
        if (name.size() > end.size() && name.endsWith(end))
            name.chop(end.size());
    }
    return name;
}

} // namespace

void MainWindow::buildMenus()
{
    const WindowActions& a = *m_actions;
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(a.open);
    m_recentMenu = file->addMenu(tr("Open &Recent"));
    if (!samplePath().isEmpty())
        file->addAction(a.openSample);
    a.openSample->setEnabled(!samplePath().isEmpty());
    file->addAction(a.reload);
    file->addSeparator();
    file->addActions({a.save, a.saveSessionAs, a.exportView});
    file->addSeparator();
    file->addAction(a.close);
    file->addAction(a.quit);
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addActions({a.copy, a.copySlice, a.copyPicture});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (const auto& [action, command] : a.zooming)
        view->addAction(action);
    view->addAction(a.fitAll);
    view->addAction(a.allArrows.first);
    view->addSeparator();
    for (QAction* pane : a.panes)
        view->addAction(pane);
    view->addSeparator();
    if (m_controller != nullptr) {
        QMenu* themes = view->addMenu(tr("&Theme"));
        themes->addActions({a.themeSystem, a.themeLight, a.themeDark});
    }
    QMenu* text = view->addMenu(tr("Te&xt Size"));
    text->addActions({a.textLarger, a.textSmaller, a.textUsual});
    view->addAction(a.resetLayout);
    QMenu* lanes = menuBar()->addMenu(tr("&Lanes"));
    for (const auto& [action, command] : a.lanes)
        lanes->addAction(action);
    QMenu* go = menuBar()->addMenu(tr("&Go"));
    go->addActions({a.back, a.forward});
    go->addSeparator();
    go->addActions({a.find, a.nextHit, a.previousHit});
    go->addSeparator();
    go->addActions({a.goTo, a.nextStep, a.previousStep, a.stepAsScope});
    go->addSeparator();
    for (const auto& [action, command] : a.walking)
        go->addAction(action);
    QMenu* record = menuBar()->addMenu(tr("&Record"));
    record->addActions({a.record, a.liveView, a.follow});
    record->addSeparator();
    record->addActions({a.pauseRecording, a.stopRecording, a.endProgram});
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addActions({a.palette, a.keys, a.changeKeys});
    help->addSeparator();
    help->addAction(a.about);
    const std::vector<WindowActions::ViewAction> inView = a.viewActions();
    m_keys = new KeyBindings(actionsOf(*menuBar()), inView, &m_viewKeys, m_settings, this);

    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    connect(m_recent, &RecentFiles::changed, this, &MainWindow::updateActions);
    buildActions();
}

void MainWindow::buildActions()
{
    const WindowActions& a = *m_actions;
    connect(a.open, &QAction::triggered, this, &MainWindow::chooseFiles);
    connect(a.openSample, &QAction::triggered, this,
        [this] { openFiles({QFile::encodeName(samplePath()).toStdString()}); });
    connect(a.reload, &QAction::triggered, this, &MainWindow::reload);
    connect(a.saveSessionAs, &QAction::triggered, this, &MainWindow::saveSessionAs);
    connect(a.exportView, &QAction::triggered, this, &MainWindow::openExport);
    connect(a.close, &QAction::triggered, this, &MainWindow::closeTrace);
    connect(a.quit, &QAction::triggered, this, &QWidget::close);
    connect(a.cancel, &QAction::triggered, m_session, &LoadSession::cancel);
    connect(a.copy, &QAction::triggered, this, &MainWindow::copy);
    connect(a.copySlice, &QAction::triggered, this, &MainWindow::copySlice);
    connect(a.copyPicture, &QAction::triggered, this, &MainWindow::copyPicture);
    for (const auto& [action, command] : a.viewActions())
        connect(action, &QAction::triggered, this, [this, command] { m_workspace->timeline()->run(command); });
    connect(a.textLarger, &QAction::triggered, this, [this] { m_textSize.change(1); });
    connect(a.textSmaller, &QAction::triggered, this, [this] { m_textSize.change(-1); });
    connect(a.textUsual, &QAction::triggered, this, [this] { m_textSize.reset(); });
    connect(&m_textSize, &TextSize::changed, this, &MainWindow::updateActions);
    connect(a.palette, &QAction::triggered, this, &MainWindow::showPalette);
    connect(a.changeKeys, &QAction::triggered, this, &MainWindow::changeKeys);
    connect(a.fitAll, &QAction::triggered, this, [this] { m_state->goTo(m_state->fitRange()); });
    connect(a.resetLayout, &QAction::triggered, this, [this] {
        m_settings.removeGroup(u"layout"_s);
        m_workspace->resetLayout();
    });
    for (size_t i = 0; i < a.panes.size(); ++i)
        connect(a.panes[i], &QAction::triggered, this, [this, i] { m_workspace->showPane(static_cast<Pane>(i)); });
    connect(a.goTo, &QAction::triggered, this, [this] {
        auto* dialog = new GoToDialog(m_themes, m_state, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    connect(a.find, &QAction::triggered, m_search, &SearchBox::begin);
    connect(a.nextHit, &QAction::triggered, this, [this] { walkHits(*m_state, true); });
    connect(a.previousHit, &QAction::triggered, this, [this] { walkHits(*m_state, false); });
    connect(a.nextStep, &QAction::triggered, this, [this] { walkSteps(*m_state, true); });
    connect(a.previousStep, &QAction::triggered, this, [this] { walkSteps(*m_state, false); });
    connect(a.stepAsScope, &QAction::triggered, this, [this] {
        if (const auto step = currentStep(*m_state))
            scopeToStep(*m_state, *step);
    });
    connect(a.back, &QAction::triggered, m_state, &ViewState::goBack);
    connect(a.forward, &QAction::triggered, m_state, &ViewState::goForward);
    connect(a.record, &QAction::triggered, this, [this] {
        const bool isForm = m_isRecordPage && m_recorder->recording() == nullptr;
        if (isForm && !m_recorder->page()->form()->setup().program.isEmpty())
            m_recorder->start(m_recorder->page()->form()->setup());
        else
            showRecordPage();
    });
    connect(a.stopRecording, &QAction::triggered, m_recorder, &RecordController::stop);
    connect(a.pauseRecording, &QAction::triggered, m_recorder, &RecordController::pauseOrGoOn);
    connect(a.endProgram, &QAction::triggered, m_recorder, &RecordController::endProgram);
    connect(a.liveView, &QAction::triggered, m_recorder, &RecordController::showView);
    connect(a.follow, &QAction::triggered, m_recorder, &RecordController::setFollowing);
    connect(a.save, &QAction::triggered, this, [this] {
        if (m_recorder->isInView() || !canSaveSession())
            m_recorder->save();
        else
            saveSession();
    });
    connect(a.keys, &QAction::triggered, this, &MainWindow::showKeys);
    connect(a.about, &QAction::triggered, this, &MainWindow::showAbout);
    if (m_controller != nullptr) {
        const auto choose = [this](ThemeChoice choice) { return [this, choice] { m_controller->setChoice(choice); }; };
        connect(a.themeSystem, &QAction::triggered, this, choose(ThemeChoice::System));
        connect(a.themeLight, &QAction::triggered, this, choose(ThemeChoice::Light));
        connect(a.themeDark, &QAction::triggered, this, choose(ThemeChoice::Dark));
        const ThemeChoice now = m_controller->choice();
        (now == ThemeChoice::Light         ? a.themeLight
                : now == ThemeChoice::Dark ? a.themeDark
                                           : a.themeSystem)
            ->setChecked(true);
    }
    auto* copyOnTimeline = new QShortcut(QKeySequence::Copy, m_workspace->timeline());
    copyOnTimeline->setContext(Qt::WidgetWithChildrenShortcut);
    connect(copyOnTimeline, &QShortcut::activated, this, &MainWindow::copy);
}

void MainWindow::updateActions()
{
    const WindowActions& a = *m_actions;
    const bool isOpen = isTraceOpen();
    const bool hasSelection = isOpen && m_state->selection().isValid();
    for (QAction* action : {a.exportView, a.close, a.copy, a.copyPicture, a.fitAll, a.resetLayout})
        action->setEnabled(isOpen);
    for (QAction* pane : a.panes)
        pane->setEnabled(isOpen);
    const Recording* recording = m_recorder->recording();
    const bool isRecording = m_recorder->isRunning();
    a.stopRecording->setEnabled(isRecording);
    a.pauseRecording->setEnabled(isRecording);
    a.endProgram->setEnabled(recording != nullptr && recording->status().isProgramRunning());
    a.liveView->setEnabled(recording != nullptr && recording->data() != nullptr);
    a.follow->setEnabled(isRecording && m_recorder->isInView());
    a.follow->setChecked(isRecording && m_recorder->isFollowing());
    const bool canSaveRecording = m_recorder->hasUnsaved() && !isRecording;
    a.save->setEnabled(canSaveRecording || canSaveSession());
    a.saveSessionAs->setEnabled(canSaveSession());
    a.reload->setEnabled(isOpen && !m_openPaths.empty() && std::ranges::find(m_openPaths, "-") == m_openPaths.end());
    a.copySlice->setEnabled(hasSelection);
    for (const auto& [action, command] : a.zooming)
        action->setEnabled(command == ViewCommand::Fit ? hasSelection : isOpen);
    for (const auto& [action, command] : a.walking)
        action->setEnabled(hasSelection || (isOpen && m_state->range() && (command >= ViewCommand::RangeOrScope)));
    for (const auto& [action, command] : a.lanes)
        action->setEnabled(isOpen);
    a.allArrows.first->setEnabled(isOpen);
    a.textLarger->setEnabled(m_textSize.canChange(1));
    a.textSmaller->setEnabled(m_textSize.canChange(-1));
    a.textUsual->setEnabled(m_textSize.percent() != 100);
    a.find->setEnabled(isOpen);
    a.goTo->setEnabled(isOpen);
    a.nextHit->setEnabled(m_state->hits() != nullptr);
    a.previousHit->setEnabled(m_state->hits() != nullptr);
    const bool hasSteps = m_state->overview() && !m_state->overview()->steps().empty();
    for (QAction* step : {a.nextStep, a.previousStep, a.stepAsScope})
        step->setEnabled(hasSteps);
    a.back->setEnabled(isOpen && m_state->canGoBack());
    a.forward->setEnabled(isOpen && m_state->canGoForward());
    a.cancel->setEnabled(m_session->isLoading());
    m_recentMenu->setEnabled(!m_recent->entries().empty());
}

void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    for (const RecentFile& entry : m_recent->entries()) {
        QString text = namesText(entry.paths);
        const QString place = placeText(entry.paths.front());
        if (!place.isEmpty())
            text += u"  —  "_s + place;
        m_recentMenu->addAction(text.replace(u'&', u"&&"_s), this, [this, paths = entry.paths] { openFiles(paths); });
    }
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("Clear List"), m_recent, &RecentFiles::clear);
}

// Export and clipboard

std::vector<ExportSubject> MainWindow::exportSubjects()
{
    const QString stem = stemOf(m_openPaths);
    TimelineView* timeline = m_workspace->timeline();
    std::vector<ExportSubject> subjects;
    subjects.push_back({tr("Timeline"), stem + u"-timeline"_s,
        PictureSubject{
            timeline->size(), [timeline](QPainter& painter, QSize size) { timeline->drawPicture(painter, size); }}});
    subjects.push_back({tr("Window"), stem + u"-window"_s,
        PictureSubject{size(), [this](QPainter& painter, QSize room) {
                           const double fit = std::min(room.width() / static_cast<double>(width()),
                               room.height() / static_cast<double>(height()));
                           painter.scale(fit, fit);
                           drawPicture(painter);
                       }}});
    for (const Pane pane : kTablePanes)
        subjects.push_back({Workspace::title(pane), stem + u'-' + Workspace::title(pane).toLower(),
            TableSubject{[this, pane] { return m_workspace->shownTable(pane); }}});
    return subjects;
}

void MainWindow::drawPicture(QPainter& painter)
{
    render(&painter, QPoint(), QRegion(), DrawWindowBackground | DrawChildren);
    TimelineView* timeline = m_workspace->timeline();
    if (!timeline->isVisible())
        return;
    painter.save();
    painter.translate(timeline->viewport()->mapTo(this, QPoint(0, 0)));
    painter.setClipRect(timeline->viewport()->rect());
    timeline->drawPicture(painter, timeline->viewport()->size());
    painter.restore();
}

void MainWindow::openExport()
{
    openExportOf(m_workspace->focusedPane().value_or(Pane::Count));
}

void MainWindow::openExportOf(Pane pane)
{
    const auto table = std::ranges::find(kTablePanes, pane);
    const bool isTable = table != kTablePanes.end();
    showExport(isTable ? kPictureSubjects + static_cast<size_t>(table - kTablePanes.begin()) : 0);
}

void MainWindow::showExport(size_t chosen)
{
    if (!isTraceOpen())
        return;
    QString folder = m_exportFolder;
    if (folder.isEmpty() && !m_openPaths.empty() && m_openPaths.front() != "-")
        folder = QFileInfo(QFile::decodeName(QByteArray::fromStdString(m_openPaths.front()))).absolutePath();
    if (folder.isEmpty())
        folder = QDir::currentPath();
    auto* dialog = new ExportDialog(m_themes, exportSubjects(), chosen, folder, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ExportDialog::exported, this, [this](const QString& path) {
        m_exportFolder = QFileInfo(path).absolutePath();
        m_messages->tell(MessageBar::Kind::Info, tr("Exported to %1").arg(path));
    });
    dialog->open();
}

void MainWindow::copy()
{
    QWidget* focus = QApplication::focusWidget();
    if (focus != nullptr && focus != this && !m_workspace->timeline()->isAncestorOf(focus)
        && focus != m_workspace->timeline()) {
        QKeyEvent press(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
        QCoreApplication::sendEvent(focus, &press);
        if (press.isAccepted())
            return;
    }
    if (m_state->selection().isValid())
        copySlice();
    else
        copyPicture();
}

void MainWindow::copySlice()
{
    const SliceRef slice = m_state->selection();
    if (!slice.isValid())
        return;
    const TraceSnapshot& trace = *m_state->trace();
    Table table;
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"start_us", "Start", ColumnUnit::Time},
        {"dur_us", "Duration", ColumnUnit::Time}};
    table.rows.push_back({std::string(trace.text(trace.name(slice))), TimeCell{trace.startNs(slice)},
        TimeCell{trace.durationNs(slice)}});
    std::ostringstream text;
    writeTsvRows(table, {0}, text);
    QGuiApplication::clipboard()->setText(QString::fromStdString(text.str()));
}

void MainWindow::copyPicture()
{
    TimelineView* timeline = m_workspace->timeline();
    const qreal ratio = devicePixelRatioF();
    QImage image(timeline->size() * ratio, QImage::Format_RGB32);
    if (image.isNull())
        return;
    image.setDevicePixelRatio(ratio);
    image.fill(m_themes->theme().panel);
    QPainter painter(&image);
    timeline->drawPicture(painter, timeline->size());
    painter.end();
    QGuiApplication::clipboard()->setImage(image);
}

// Help

void MainWindow::showPalette()
{
    new CommandPalette(m_themes, actionsOf(*menuBar()), this);
}

void MainWindow::changeKeys()
{
    auto* dialog = new KeysDialog(m_themes, m_keys, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showKeys()
{
    auto* card = new KeysCard(m_themes, *m_actions, this);
    connect(card, &KeysCard::changeRequested, this, &MainWindow::changeKeys);
    card->setAttribute(Qt::WA_DeleteOnClose);
    card->show();
}

void MainWindow::showAbout()
{
    auto* box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(tr("About Torchline"));
    box->setTextFormat(Qt::PlainText);
    box->setText(u"Torchline "_s + QString::fromLatin1(TORCHLINE_VERSION));
    box->setInformativeText(tr("Shows where the time of a PyTorch program goes, from the traces of torch.profiler.\n"
                               "Free software under the Apache License 2.0. Uses Qt %1.")
                                .arg(QString::fromLatin1(qVersion())));
    box->setStandardButtons(QMessageBox::Close);
    box->open();
}

} // namespace torchline
