#pragma once
// WindowActions: every action of the menus with its text and key. What they do is connected by the window.
// Thread: GUI thread only.

#include <QAction>
#include <QActionGroup>

#include <array>

namespace torchline {

struct WindowActions {
    /// The actions become children of the parent and work in its window.
    explicit WindowActions(QWidget* parent);

    QAction* open;
    QAction* openSample;
    QAction* reload;
    QAction* exportView;
    QAction* close;
    QAction* quit;
    QAction* cancel; ///< in no menu: Esc while something loads
    QAction* copy;
    QAction* copySlice;
    QAction* copyPicture;
    QActionGroup* themes;
    QAction* themeSystem;
    QAction* themeLight;
    QAction* themeDark;
    QAction* fitAll;
    QAction* resetLayout;
    std::array<QAction*, 7> panes; ///< by Pane
    QAction* find;
    QAction* nextHit;
    QAction* previousHit;
    QAction* nextStep;
    QAction* previousStep;
    QAction* stepAsScope;
    QAction* goTo;
    QAction* back;
    QAction* forward;
    /// What a key does on the timeline, for those who look for it in a menu.
    struct TimelineKey {
        QAction* action;
        Qt::Key key;
        Qt::KeyboardModifiers modifiers;
    };
    std::array<TimelineKey, 3> zooming; ///< in, out, fit
    std::array<TimelineKey, 10> walking; ///< neighbours, same name, arrows, parent and child, marks
    QAction* record; ///< the page; on it, with nothing running, the start
    QAction* stopRecording;
    QAction* pauseRecording;
    QAction* endProgram;
    QAction* liveView;
    QAction* follow;
    QAction* save;
    QAction* keys;
    QAction* about;
};

} // namespace torchline
