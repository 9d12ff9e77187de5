#include "shown_keys.h"

#include <QAction>
#include <QCoreApplication>
#include <QWidget>

namespace torchline {

QString keysText(const std::vector<const QAction*>& actions)
{
    QStringList keys;
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty())
            keys.append(action->shortcut().toString(QKeySequence::NativeText));
    }
    return keys.join(u' ');
}

void followKeys(
    QWidget* widget, const std::vector<const QAction*>& actions, const std::function<void(const QString& keys)>& show)
{
    const auto tell = [actions, show] { show(keysText(actions)); };
    tell();
    for (const QAction* action : actions)
        QObject::connect(action, &QAction::changed, widget, tell);
}

QString tipWithKey(const QString& words, const QAction& action)
{
    const QString key = keysText({&action});
    return key.isEmpty() ? words : QCoreApplication::translate("tipWithKey", "%1 (%2)").arg(words, key);
}

void followKeyInTip(QWidget* widget, const QAction* action, const QString& words)
{
    followKeys(
        widget, {action}, [widget, action, words](const QString&) { widget->setToolTip(tipWithKey(words, *action)); });
}

} // namespace torchline
