#include "menu_actions.h"

#include <QMenu>
#include <QMenuBar>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

void collect(const QList<QAction*>& actions, const QString& path, const QObject* window, std::vector<MenuAction>& out)
{
    for (QAction* action : actions) {
        if (action->isSeparator())
            continue;
        const QString title = titleOf(*action);
        if (action->menu() != nullptr)
            collect(action->menu()->actions(), path.isEmpty() ? title : path + u" › "_s + title, window, out);
        else if (action->parent() == window)
            out.push_back({action, title, path, action->text().section(u'\t', 1)});
    }
}

} // namespace

QString titleOf(const QAction& action)
{
    QString title = action.text().section(u'\t', 0, 0);
    title.replace(u"&&"_s, QString(QChar(1)));
    title.remove(u'&');
    return title.replace(QChar(1), u'&');
}

std::vector<MenuAction> actionsOf(const QMenuBar& bar)
{
    std::vector<MenuAction> actions;
    collect(bar.actions(), {}, bar.window(), actions);
    return actions;
}

} // namespace torchline
