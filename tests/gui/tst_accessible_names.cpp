// Every control of the window has a name for screen readers, on every page and pane.

#include "export_dialog.h"
#include "go_to_dialog.h"
#include "keys_card.h"
#include "message_bar.h"
#include "window_session.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QMenuBar>
#include <QSpinBox>
#include <QTabBar>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

bool isControl(const QWidget* widget)
{
    return widget->focusPolicy() != Qt::NoFocus || qobject_cast<const QAbstractButton*>(widget) != nullptr
        || qobject_cast<const QLineEdit*>(widget) != nullptr || qobject_cast<const QComboBox*>(widget) != nullptr
        || qobject_cast<const QAbstractSpinBox*>(widget) != nullptr
        || qobject_cast<const QAbstractItemView*>(widget) != nullptr || qobject_cast<const QTabBar*>(widget) != nullptr
        || qobject_cast<const QDockWidget*>(widget) != nullptr;
}

/// Of Qt's own making, inside a control that has a name; nobody reaches them by themselves.
bool isPartOfAnother(const QWidget* widget)
{
    return widget->objectName().startsWith(u"qt_"_s) || widget->inherits("QHeaderView")
        || widget->inherits("QTableCornerButton") || qobject_cast<const QAbstractSpinBox*>(widget->parent()) != nullptr
        || qobject_cast<const QComboBox*>(widget->parent()) != nullptr;
}

QString pathOf(const QWidget* widget)
{
    QString path;
    for (; widget != nullptr; widget = widget->parentWidget())
        path.prepend(u'/' + QString::fromLatin1(widget->metaObject()->className()));
    return path;
}

/// Controls of a window that are in sight and have no name.
QStringList nameless(QWidget& top)
{
    QStringList found;
    for (QWidget* widget : top.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &top || !isControl(widget) || isPartOfAnother(widget))
            continue;
        QAccessibleInterface* part = QAccessible::queryAccessibleInterface(widget);
        if (part == nullptr || part->text(QAccessible::Name).trimmed().isEmpty())
            found.append(pathOf(widget));
    }
    return found;
}

int controlsIn(QWidget& top)
{
    const auto widgets = top.findChildren<QWidget*>();
    return static_cast<int>(
        std::ranges::count_if(widgets, [](const QWidget* widget) { return widget->isVisible() && isControl(widget); }));
}

} // namespace

class TestAccessibleNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startPage()
    {
        WindowSession s;
        QVERIFY(controlsIn(s.window) >= 2);
        QCOMPARE(nameless(s.window).join(u'\n'), QString());
    }

    void everyPane()
    {
        for (const QSize size : {QSize(1600, 900), QSize(1100, 700)}) {
            WindowSession s(size);
            s.openSmall(4);
            for (int i = 0; i < static_cast<int>(Pane::Count); ++i) {
                s.window.workspace().showPane(static_cast<Pane>(i));
                QTRY_VERIFY(s.window.isSettled());
                QVERIFY(controlsIn(s.window) >= 12);
                QCOMPARE(nameless(s.window).join(u'\n'), QString());
            }
            s.state().select({LaneId(0), 1});
            s.timeline().beginLaneFilter();
            s.window.messageBar().tell(MessageBar::Kind::Info, u"News"_s, {{u"Do"_s, [] {}}});
            QTRY_VERIFY(s.window.isSettled());
            QCOMPARE(nameless(s.window).join(u'\n'), QString());
        }
    }

    void dialogs()
    {
        WindowSession s;
        s.openSmall(4);
        GoToDialog go(&s.themes, &s.state(), &s.window);
        for (const KeyBindings::Binding& binding : s.window.keys().bindings()) {
            if (binding.entry.title == u"Keys"_s)
                binding.entry.action->trigger();
        }
        auto* keys = s.window.findChild<KeysCard*>();
        QVERIFY(keys);
        for (QDialog* dialog : {static_cast<QDialog*>(&go), static_cast<QDialog*>(keys)}) {
            dialog->show();
            QVERIFY(!dialog->windowTitle().isEmpty());
            QCOMPARE(nameless(*dialog).join(u'\n'), QString());
            dialog->close();
        }
        s.window.openExport();
        auto* exporting = s.window.findChild<ExportDialog*>();
        QVERIFY(exporting != nullptr && controlsIn(*exporting) >= 4);
        QCOMPARE(nameless(*exporting).join(u'\n'), QString());
    }

    void menus()
    {
        WindowSession s;
        s.openSmall(4);
        for (const QAction* top : s.window.menuBar()->actions()) {
            QVERIFY(!top->text().isEmpty());
            for (const QAction* entry : top->menu()->actions())
                QVERIFY(entry->isSeparator() || !entry->text().isEmpty());
        }
    }
};

QTEST_MAIN(TestAccessibleNames)
#include "tst_accessible_names.moc"
