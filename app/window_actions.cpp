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
    open = make(tr("&Open…"), QKeySequence::Open);
    openSample = make(tr("Open the &Sample"));
    reload = make(tr("&Reload"), QKeySequence(Qt::CTRL | Qt::Key_R));
    exportView = make(tr("&Export…"), QKeySequence(Qt::CTRL | Qt::Key_E));
    close = make(tr("&Close"), QKeySequence::Close);
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
    zoomIn = make(tr("Zoom &In") + u"\tW"_s);
    zoomOut = make(tr("Zoom &Out") + u"\tS"_s);
    fitSelection = make(tr("Fit &Selection") + u"\tF"_s);
    fitAll = make(tr("Fit &All"));
    resetLayout = make(tr("&Reset Layout"));
    for (size_t i = 0; i < panes.size(); ++i)
        panes[i]
            = make(Workspace::title(static_cast<Pane>(i)), QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i)));
    back = make(tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left));
    forward = make(tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right));
    keys = make(tr("&Keys"), QKeySequence(Qt::Key_Question));
    about = make(tr("&About Torchline"));
}

} // namespace torchline
