#pragma once
// Keys of actions where they are told: in tool tips, on the start page. They follow when people change them.
// Thread: GUI thread only.

#include <QString>

#include <functional>
#include <vector>

class QAction;
class QWidget;

namespace torchline {

/// The first key of each action that has one, as people read them, with spaces between.
[[nodiscard]] QString keysText(const std::vector<const QAction*>& actions);
/// Calls it with keysText() now and whenever one changes, as long as the widget lives.
void followKeys(
    QWidget* widget, const std::vector<const QAction*>& actions, const std::function<void(const QString& keys)>& show);
/// "words (key)"; the words alone where there is no key.
[[nodiscard]] QString tipWithKey(const QString& words, const QAction& action);
/// Makes that the tool tip of a widget.
void followKeyInTip(QWidget* widget, const QAction* action, const QString& words);

} // namespace torchline
