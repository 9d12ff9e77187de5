// MainWindow: how a trace is looked at, kept with it, and saved to and opened from session files.

#include "main_window.h"

#include "message_bar.h"
#include "recent_files.h"
#include "recent_row.h"
#include "session_file.h"
#include "view_memory.h"
#include "workspace.h"

#include "common/format.h"
#include "timeline/timeline_view.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

const QString kFilter = u"*.torchline"_s;

QString sizeText(uint64_t bytes)
{
    return formatBytes(static_cast<int64_t>(bytes));
}

QString qtPath(const std::string& path)
{
    return QFile::decodeName(QByteArray::fromStdString(path));
}

} // namespace

nlohmann::json MainWindow::viewNow() const
{
    const TimelineView& timeline = *m_workspace->timeline();
    return toJson(ViewMemory::of(*m_state, timeline), *timeline.index());
}

void MainWindow::keepView()
{
    m_keepSoon.stop();
    if (isTraceOpen() && !m_state->trace()->isPartial() && m_workspace->timeline()->index())
        m_keptViews.remember(m_openPaths, viewNow());
}

Status MainWindow::applyView(const nlohmann::json& json, bool places)
{
    TimelineView& timeline = *m_workspace->timeline();
    if (!timeline.index())
        return {};
    const auto view = viewFromJson(json, *timeline.index());
    if (!view)
        return view.error();
    view->applyTo(*m_state, timeline, places);
    return {};
}

void MainWindow::restoreView()
{
    m_sessionPath.clear();
    if (m_openingSession) {
        const SessionFile session = *std::exchange(m_openingSession, nullptr);
        QStringList changed;
        for (const SessionFile::Trace& trace : session.traces) {
            const uint64_t size = sizeOfFile(trace.path).value_or(0);
            if (size != trace.sizeBytes)
                changed.append(tr("%1 (%2 then, %3 now)")
                                   .arg(fileNameText(trace.path), sizeText(trace.sizeBytes), sizeText(size)));
        }
        if (const Status applied = applyView(session.view, true); !applied)
            m_messages->tell(MessageBar::Kind::Error,
                tr("%1 is shown without its session: %2")
                    .arg(namesText(m_openPaths), displayText(applied.error().message())));
        else
            m_sessionPath = m_openingPath;
        if (!m_sessionPath.empty() && !changed.isEmpty())
            m_messages->tell(MessageBar::Kind::Warning,
                tr("Changed since the session was saved: %1. Marks and places may not fit.")
                    .arg(changed.join(u", "_s)));
        return;
    }
    const auto kept = m_keptViews.of(m_openPaths);
    if (!kept || !applyView(kept->view, kept->isSameSize)) {
        resetLanes();
        return;
    }
    if (!kept->isSameSize)
        m_messages->tell(MessageBar::Kind::Info,
            tr("%1 has changed since it was last open: its lanes and marks are as you left them.")
                .arg(namesText(m_openPaths)));
}

/// Lanes of the trace before that are called alike are others.
void MainWindow::resetLanes()
{
    TimelineView& timeline = *m_workspace->timeline();
    if (timeline.index())
        timeline.setLaneState(lod::LaneState::forIndex(*timeline.index()));
    timeline.setNameFilter({});
}

void MainWindow::openSession(const std::string& path)
{
    auto session = SessionFile::read(path);
    if (!session) {
        m_messages->tell(MessageBar::Kind::Error,
            tr("Cannot open the session %1: %2").arg(fileNameText(path), displayText(session.error().message())),
            {{tr("Open Another…"), [this] { chooseFiles(); }}});
        return;
    }
    startSession(path, std::move(*session));
}

void MainWindow::startSession(const std::string& path, SessionFile session)
{
    const auto missing
        = std::ranges::find_if(session.traces, [](const SessionFile::Trace& trace) { return !sizeOfFile(trace.path); });
    if (missing != session.traces.end()) {
        const auto at = static_cast<size_t>(missing - session.traces.begin());
        m_messages->tell(MessageBar::Kind::Warning,
            tr("A trace of the session %1 is missing: %2, %3")
                .arg(fileNameText(path), displayText(missing->path), sizeText(missing->sizeBytes)),
            {{tr("Locate…"), [this, path, session, at] { locateForSession(path, session, at); }}});
        return;
    }
    std::vector<std::string> paths;
    std::ranges::transform(session.traces, std::back_inserter(paths), &SessionFile::Trace::path);
    start(paths, false);
    m_openingSession = std::make_shared<const SessionFile>(std::move(session));
    m_openingPath = absolutePath(path);
}

void MainWindow::locateForSession(const std::string& path, const SessionFile& session, size_t trace)
{
    auto* dialog = new QFileDialog(this, tr("Locate %1").arg(fileNameText(session.traces[trace].path)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setDirectory(QFileInfo(qtPath(path)).absolutePath());
    connect(dialog, &QFileDialog::fileSelected, this, [this, path, session, trace](const QString& name) {
        SessionFile found = session;
        found.traces[trace].path = QFile::encodeName(name).toStdString();
        startSession(path, std::move(found));
    });
    dialog->open();
}

void MainWindow::saveSession()
{
    if (m_sessionPath.empty())
        saveSessionAs();
    else
        writeSession(m_sessionPath);
}

void MainWindow::saveSessionAs()
{
    if (!canSaveSession())
        return;
    auto* dialog = new QFileDialog(this, tr("Save the Session"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Sessions (%1)").arg(kFilter)});
    dialog->setDefaultSuffix(u"torchline"_s);
    const std::string& beside = m_sessionPath.empty() ? m_openPaths.front() : m_sessionPath;
    const QFileInfo info(qtPath(beside));
    dialog->setDirectory(info.absolutePath());
    dialog->selectFile(m_sessionPath.empty() ? QString(info.fileName() + u".torchline"_s) : info.fileName());
    connect(dialog, &QFileDialog::fileSelected, this,
        [this](const QString& name) { writeSession(QFile::encodeName(name).toStdString()); });
    dialog->open();
}

bool MainWindow::canSaveSession() const
{
    return isTraceOpen() && !m_state->trace()->isPartial() && m_workspace->timeline()->index()
        && std::ranges::find(m_openPaths, "-") == m_openPaths.end();
}

void MainWindow::writeSession(const std::string& path)
{
    if (!canSaveSession())
        return;
    SessionFile session;
    for (const std::string& trace : m_openPaths)
        session.traces.push_back({absolutePath(trace), sizeOfFile(trace).value_or(0)});
    session.view = viewNow();
    if (const Status written = session.write(absolutePath(path)); !written) {
        m_messages->tell(
            MessageBar::Kind::Error, tr("Cannot save the session: %1").arg(displayText(written.error().message())));
        return;
    }
    m_sessionPath = absolutePath(path);
    m_messages->tell(MessageBar::Kind::Info, tr("Session saved to %1").arg(displayText(m_sessionPath)));
}

} // namespace torchline
