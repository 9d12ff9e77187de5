#pragma once
// WindowActions: every action of the menus with its text and key. What they do is connected by the window.
// Thread: GUI thread only.

#include "common/key_map.h"

#include <QAction>
#include <QActionGroup>

#include <array>
#include <utility>
#include <vector>

namespace torchline {

struct WindowActions {
    /// The actions become children of the parent and work in its window.
    explicit WindowActions(QWidget* parent);

    QAction* open;
    QAction* openSample;
    QAction* reload;
    QAction* saveSessionAs;
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
    /// What the view that has the focus does by itself, for those who look for it in a menu.
    using ViewAction = std::pair<QAction*, ViewCommand>;
    std::vector<ViewAction> zooming; ///< in, out, left, right, fit
    std::vector<ViewAction> walking; ///< neighbours, same name, arrows, parent and child, scope, range, marks
    std::vector<ViewAction> lanes; ///< walk, pin, fold, move, height, scope, hide, filter
    ViewAction allArrows;
    [[nodiscard]] std::vector<ViewAction> viewActions() const; ///< all of them
    [[nodiscard]] QAction* of(ViewCommand command) const;
    QAction* textLarger;
    QAction* textSmaller;
    QAction* textUsual;
    QAction* palette;
    QAction* changeKeys;
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
