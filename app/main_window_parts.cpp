// MainWindow: a trace while it is read. What is there already is in view and can be looked at; a view of all of it goes
// on being one as more comes, any other stays where it is.

#include "main_window.h"

#include "file_watch.h"
#include "message_bar.h"
#include "recent_row.h"
#include "record/record_controller.h"
#include "status_line.h"
#include "workspace.h"

#include "common/format.h"
#include "timeline/timeline_view.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace torchline {

bool MainWindow::isAllInView() const
{
    return m_state->visible() == m_state->fitRange();
}

bool MainWindow::isViewUntouched() const
{
    return isAllInView() && !m_state->selection().isValid() && !m_state->range() && m_state->timeMarks().empty()
        && m_state->scope().isWhole();
}

void MainWindow::onPart(const std::shared_ptr<const LoadedTrace>& part)
{
    if (m_isReload && part->paths == m_openPaths)
        return; // all of it is in view already, only older
    const bool isFirst = !std::exchange(m_isPart, true);
    const bool goesOn = !isFirst && isAllInView();
    if (isFirst) {
        keepView();
        m_recorder->leaveView();
        m_sessionPath.clear();
        m_openPaths = part->paths;
        m_watch->watch({});
        nameOpened();
    }
    m_workspace->timeline()->setIndex(part->index);
    m_status->setIndex(part->index);
    m_isShowing = true;
    m_state->setTrace(part->facts, !isFirst);
    m_state->setGrowing(true);
    m_state->setOverview(part->overview);
    if (goesOn)
        m_state->setVisible(m_state->fitRange());
    if (isFirst)
        resetLanes();
    m_isShowing = false;
    if (isFirst) {
        showPage();
        m_workspace->timeline()->setFocus(Qt::OtherFocusReason);
    }
}

/// The whole of what was there in parts.
void MainWindow::showRest(const LoadedTrace& loaded)
{
    const bool goesOn = isAllInView();
    const bool keepView = !m_openingSession && !isViewUntouched();
    const QPointer<QWidget> focus = focusWidget();
    showTrace(loaded, keepView);
    if (keepView && goesOn)
        m_state->setVisible(m_state->fitRange());
    if (focus)
        focus->setFocus(Qt::OtherFocusReason);
}

/// False: there were none in view.
bool MainWindow::endParts()
{
    if (!std::exchange(m_isPart, false))
        return false;
    m_state->setGrowing(false);
    return true;
}

void MainWindow::onCancelled()
{
    endLoading();
    if (!endParts())
        return;
    std::vector<MessageBar::Action> actions;
    if (std::ranges::find(m_openPaths, "-") == m_openPaths.end())
        actions.push_back({tr("Read All"), [this] { reload(); }});
    m_messages->tell(MessageBar::Kind::Warning,
        tr("Loading was cancelled: only what was read of %1 until then is in view.").arg(namesText(m_openPaths)),
        actions);
}

} // namespace torchline
