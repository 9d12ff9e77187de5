#include "window_actions.h"

#include "workspace.h"

#include <QKeySequence>
#include <QWidget>

namespace torchline {

using namespace Qt::StringLiterals;

WindowActions::WindowActions(QWidget* parent)
{
    const auto make = [parent](const QString& text, const QKeySequence& key = {}) {
        auto* action = new QAction(text, parent);
        action->setShortcut(key);
        parent->addAction(action);
        return action;
    };
    const auto tr = [](const char* text) { return QAction::tr(text); };
    open = make(tr("&Open…"), QKeySequence(Qt::CTRL | Qt::Key_O));
    openSample = make(tr("Open the &Sample"));
    reload = make(tr("&Reload"), QKeySequence(Qt::CTRL | Qt::Key_R));
    saveSessionAs = make(tr("Save Session &As…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    exportView = make(tr("&Export…"), QKeySequence(Qt::CTRL | Qt::Key_E));
    close = make(tr("&Close"), QKeySequence(Qt::CTRL | Qt::Key_W));
    quit = make(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
    cancel = make(tr("Cancel Loading"), QKeySequence(Qt::Key_Escape));
    // Every widget copies by itself what has the focus; the key only stands here to be read.
    copy = make(tr("&Copy") + u'\t' + QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText));
    copySlice = make(tr("Copy Slice &Name and Times"));
    copyPicture = make(tr("Copy &Picture"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    themes = new QActionGroup(parent);
    themeSystem = make(tr("As the &Desktop"));
    themeLight = make(tr("&Light"));
    themeDark = make(tr("&Dark"));
    for (QAction* theme : {themeSystem, themeLight, themeDark}) {
        theme->setCheckable(true);
        themes->addAction(theme);
    }
    // Only the view that has the focus takes such a key; here it stands to be read.
    const auto inView = [&](const QString& text, ViewCommand command) {
        QAction* action = make(text);
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setShortcuts(KeyMap::usualKeys(command));
        return ViewAction{action, command};
    };
    zooming = {inView(tr("Zoom &In"), ViewCommand::ZoomIn), inView(tr("Zoom &Out"), ViewCommand::ZoomOut),
        inView(tr("Pan Left"), ViewCommand::PanLeft), inView(tr("Pan Right"), ViewCommand::PanRight),
        inView(tr("&Fit Selection"), ViewCommand::Fit)};
    fitAll = make(tr("Fit &All"));
    walking = {inView(tr("&Next Slice"), ViewCommand::NextOfLane),
        inView(tr("&Previous Slice"), ViewCommand::PreviousOfLane),
        inView(tr("Next of the &Same Name"), ViewCommand::NextOfName),
        inView(tr("Previous of the Same Na&me"), ViewCommand::PreviousOfName),
        inView(tr("Follow the Arrow F&orth"), ViewCommand::FollowForth),
        inView(tr("Follow the Arrow Bac&k"), ViewCommand::FollowBack), inView(tr("Parent"), ViewCommand::Parent),
        inView(tr("Child"), ViewCommand::Child),
        inView(tr("Annotat&ion Around It as Scope"), ViewCommand::AnnotationAsScope),
        inView(tr("Selection as &Range, Range as Scope"), ViewCommand::RangeOrScope),
        inView(tr("&Mark"), ViewCommand::Mark), inView(tr("Mark and &Keep"), ViewCommand::MarkAndKeep)};
    lanes = {inView(tr("&Next Lane"), ViewCommand::NextLane), inView(tr("P&revious Lane"), ViewCommand::PreviousLane),
        inView(tr("&Pin or Unpin"), ViewCommand::PinLane), inView(tr("&Fold or Open"), ViewCommand::FoldLane),
        inView(tr("Fold or Open its &Frames"), ViewCommand::FoldFrames),
        inView(tr("Move &Up"), ViewCommand::MoveLaneUp), inView(tr("Move &Down"), ViewCommand::MoveLaneDown),
        inView(tr("&Taller"), ViewCommand::TallerLane), inView(tr("&Lower"), ViewCommand::LowerLane),
        inView(tr("Usual Hei&ght"), ViewCommand::UsualLaneHeight),
        inView(tr("Lane as S&cope"), ViewCommand::LaneAsScope), inView(tr("&Hide"), ViewCommand::HideLane),
        inView(tr("Show &All"), ViewCommand::ShowAllLanes), inView(tr("Filter &by Name…"), ViewCommand::FilterLanes)};
    allArrows = inView(tr("All A&rrows in View"), ViewCommand::AllArrows);
    textLarger = make(tr("&Larger Text"));
    textLarger->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)});
    textSmaller = make(tr("&Smaller Text"), QKeySequence(Qt::CTRL | Qt::Key_Minus));
    textUsual = make(tr("&Usual Text Size"), QKeySequence(Qt::CTRL | Qt::Key_0));
    palette = make(tr("&Command Palette…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
    changeKeys = make(tr("C&hange Keys…"));
    resetLayout = make(tr("&Reset Layout"));
    for (size_t i = 0; i < panes.size(); ++i)
        panes[i]
            = make(Workspace::title(static_cast<Pane>(i)), QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i)));
    find = make(tr("&Search"));
    find->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_F), QKeySequence(Qt::Key_Slash)});
    nextHit = make(tr("Next &Hit"), QKeySequence(Qt::Key_F3));
    previousHit = make(tr("Previous H&it"), QKeySequence(Qt::SHIFT | Qt::Key_F3));
    nextStep = make(tr("Ne&xt Step"), QKeySequence(Qt::Key_N));
    previousStep = make(tr("Previous S&tep"), QKeySequence(Qt::SHIFT | Qt::Key_N));
    stepAsScope = make(tr("Step as S&cope"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N));
    goTo = make(tr("&Go to…"), QKeySequence(Qt::CTRL | Qt::Key_G));
    back = make(tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left));
    forward = make(tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right));
    record = make(tr("&Record a Program…"), QKeySequence(Qt::Key_F5));
    stopRecording = make(tr("&Stop Recording"), QKeySequence(Qt::SHIFT | Qt::Key_F5));
    pauseRecording = make(tr("&Pause or Go On"));
    endProgram = make(tr("&End Program…"));
    liveView = make(tr("&Live View"), QKeySequence(Qt::Key_F6));
    follow = make(tr("&Follow the Newest"), QKeySequence(Qt::Key_End));
    follow->setCheckable(true);
    save = make(tr("&Save"), QKeySequence(Qt::CTRL | Qt::Key_S));
    keys = make(tr("&Keys"), QKeySequence(Qt::Key_Question));
    about = make(tr("&About Torchline"));
}

std::vector<WindowActions::ViewAction> WindowActions::viewActions() const
{
    std::vector<ViewAction> all{allArrows};
    for (const auto* group : {&zooming, &walking, &lanes})
        all.insert(all.end(), group->begin(), group->end());
    return all;
}

QAction* WindowActions::of(ViewCommand command) const
{
    for (const auto& [action, its] : viewActions()) {
        if (its == command)
            return action;
    }
    Q_UNREACHABLE();
}

} // namespace torchline
