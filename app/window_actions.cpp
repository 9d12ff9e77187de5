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
    const auto onTimeline = [&](const QString& text, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        const QString name = QKeySequence(QKeyCombination(modifiers, key)).toString(QKeySequence::NativeText);
        return TimelineKey{make(text + u'\t' + name), key, modifiers};
    };
    zooming = {onTimeline(tr("Zoom &In"), Qt::Key_W), onTimeline(tr("Zoom &Out"), Qt::Key_S),
        onTimeline(tr("&Fit Selection"), Qt::Key_F)};
    fitAll = make(tr("Fit &All"));
    walking = {onTimeline(tr("&Next Slice"), Qt::Key_Period), onTimeline(tr("&Previous Slice"), Qt::Key_Comma),
        onTimeline(tr("Next of the &Same Name"), Qt::Key_Period, Qt::AltModifier),
        onTimeline(tr("Previous of the Same Na&me"), Qt::Key_Comma, Qt::AltModifier),
        onTimeline(tr("Follow the Arrow F&orth"), Qt::Key_BracketRight),
        onTimeline(tr("Follow the Arrow Bac&k"), Qt::Key_BracketLeft), onTimeline(tr("Parent"), Qt::Key_Up),
        onTimeline(tr("Child"), Qt::Key_Down), onTimeline(tr("&Mark"), Qt::Key_M),
        onTimeline(tr("Mark and &Keep"), Qt::Key_M, Qt::ShiftModifier)};
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
    save = make(tr("&Save Recording…"), QKeySequence(Qt::CTRL | Qt::Key_S));
    keys = make(tr("&Keys"), QKeySequence(Qt::Key_Question));
    about = make(tr("&About Torchline"));
}

} // namespace torchline
