#pragma once
// All that the menus of a window offer, as one list: for the command palette and the list of keys.
// Thread: GUI thread only.

#include <QString>

#include <vector>

class QAction;
class QMenuBar;

namespace torchline {

struct MenuAction {
    QAction* action = nullptr;
    QString title; ///< without mnemonics
    QString menu; ///< "View", "View › Theme"
    QString fixedKey; ///< that only stands in the menu: whoever has the focus takes it
};

/// In the order of the menus, without separators and without entries that come and go (recent files).
[[nodiscard]] std::vector<MenuAction> actionsOf(const QMenuBar& bar);
[[nodiscard]] QString titleOf(const QAction& action);

} // namespace torchline
