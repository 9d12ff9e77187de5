// Commands and their keys: the palette, keys that people change, the size of texts.

#include "command_palette.h"
#include "key_bindings.h"
#include "key_cap.h"
#include "key_field.h"
#include "keys_card.h"
#include "keys_dialog.h"
#include "step_field.h"
#include "window_session.h"

#include "common/elided_label.h"
#include "details/details_parts.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QListView>
#include <QMenuBar>
#include <QPushButton>
#include <QTreeWidget>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

size_t bindingOf(WindowSession& s, const QString& title)
{
    const auto& bindings = s.window.keys().bindings();
    for (size_t i = 0; i < bindings.size(); ++i) {
        if (bindings[i].entry.title == title)
            return i;
    }
    return bindings.size();
}

QAction* actionOf(WindowSession& s, const QString& title)
{
    const size_t at = bindingOf(s, title);
    return at < s.window.keys().bindings().size() ? s.window.keys().bindings()[at].entry.action : nullptr;
}

QStringList capsOf(const QWidget& card)
{
    QStringList caps;
    for (const KeyCap* cap : card.findChildren<KeyCap*>())
        caps.append(cap->accessibleName());
    return caps;
}

void choose(KeysDialog& dialog, const QString& title)
{
    auto* list = dialog.findChild<QTreeWidget*>();
    const QList<QTreeWidgetItem*> items = list->findItems(title, Qt::MatchExactly);
    QCOMPARE(items.size(), 1);
    list->setCurrentItem(items.front());
}

QPushButton* button(QWidget& of, const QString& text)
{
    for (QPushButton* each : of.findChildren<QPushButton*>()) {
        if (each->text().remove(u'&') == text)
            return each;
    }
    return nullptr;
}

} // namespace

class TestCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lettersFindTitles_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("isFound");
        QTest::newRow("begin") << u"Next Slice"_s << u"ne"_s << true;
        QTest::newRow("inside") << u"Next Slice"_s << u"lic"_s << true;
        QTest::newRow("words in any order") << u"Next of the Same Name"_s << u"name next"_s << true;
        QTest::newRow("letters left out") << u"Next of the Same Name"_s << u"nsn"_s << true;
        QTest::newRow("nothing typed") << u"Next Slice"_s << u" "_s << true;
        QTest::newRow("another order of letters") << u"Fit All"_s << u"laf"_s << false;
        QTest::newRow("one word is not there") << u"Next Slice"_s << u"next step"_s << false;
    }
    void lettersFindTitles()
    {
        QFETCH(const QString, title);
        QFETCH(const QString, typed);
        QTEST(matchScore(title, typed) > 0, "isFound");
    }
    void theBetterFitIsFirst()
    {
        QVERIFY(matchScore(u"Fit All"_s, u"fit"_s) > matchScore(u"Refit"_s, u"fit"_s));
        QVERIFY(matchScore(u"Go to Fit"_s, u"fit"_s) > matchScore(u"Outfit"_s, u"fit"_s));
        QVERIFY(matchScore(u"Outfit"_s, u"fit"_s) > matchScore(u"Fast in Time"_s, u"fit"_s));
    }

    void thePaletteListsAllAndRunsTheChosenOne()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = s.window.findChild<CommandPalette*>();
        QVERIFY(palette != nullptr && palette->isVisible());
        QCOMPARE(static_cast<size_t>(palette->titles().size()), actionsOf(*s.window.menuBar()).size());
        QVERIFY(palette->titles().contains(u"Zoom In"_s));
        QVERIFY(palette->titles().contains(u"Dark"_s) || s.window.findChild<QMenu*>(u"Theme"_s) == nullptr);
        const TimeRange before = s.state().visible();
        QTest::keyClicks(palette->field(), u"zoom in"_s);
        QCOMPARE(palette->titles().front(), u"Zoom In"_s);
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QCoreApplication::processEvents();
        QVERIFY(s.state().visible().spanNs() < before.spanNs());
        QTRY_VERIFY(s.window.findChild<CommandPalette*>() == nullptr);
        QVERIFY(s.timeline().hasFocus());
    }

    void thePaletteDoesNothingThatCannotBeDone()
    {
        WindowSession s;
        s.openSmall(4);
        actionOf(s, u"Command Palette…"_s)->trigger();
        auto* palette = s.window.findChild<CommandPalette*>();
        QTest::keyClicks(palette->field(), u"copy slice name"_s);
        QCOMPARE(palette->chosen(), actionOf(s, u"Copy Slice Name and Times"_s));
        QVERIFY(!palette->chosen()->isEnabled());
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(palette->isVisible());
        palette->field()->clear();
        QTest::keyClicks(palette->field(), u"zzzz"_s);
        QVERIFY(palette->titles().isEmpty());
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTest::keyClick(palette->field(), Qt::Key_Escape);
        QTRY_VERIFY(s.window.findChild<CommandPalette*>() == nullptr);
    }

    void arrowsWalkThePalette()
    {
        WindowSession s;
        s.openSmall(4);
        actionOf(s, u"Command Palette…"_s)->trigger();
        auto* palette = s.window.findChild<CommandPalette*>();
        QAction* first = palette->chosen();
        QTest::keyClick(palette->field(), Qt::Key_Down);
        QVERIFY(palette->chosen() != first);
        QTest::keyClick(palette->field(), Qt::Key_Up);
        QTest::keyClick(palette->field(), Qt::Key_Up);
        QCOMPARE(palette->chosen(), first);
        QTest::keyClick(palette->field(), Qt::Key_PageDown);
        QVERIFY(palette->chosen() != first);
    }

    void noTwoActionsHaveOneKey()
    {
        WindowSession s;
        KeyBindings& keys = s.window.keys();
        QVERIFY(keys.bindings().size() > 30);
        for (size_t i = 0; i < keys.bindings().size(); ++i) {
            for (const QKeySequence& key : keys.keys(i)) {
                const auto holder = keys.holderOf(key, i);
                QVERIFY2(!holder,
                    qPrintable(
                        keys.bindings()[i].entry.title + u" and "_s + keys.bindings()[holder.value_or(0)].entry.title));
            }
        }
    }

    void aKeyOfAViewIsChangedAndKept()
    {
        WindowSession s;
        s.openSmall(4);
        s.window.keys().setKeys(bindingOf(s, u"Zoom In"_s), {QKeySequence(Qt::Key_K)});
        const TimeRange before = s.state().visible();
        QTest::keyClick(&s.timeline(), Qt::Key_W);
        QCOMPARE(s.state().visible(), before);
        QTest::keyClick(&s.timeline(), Qt::Key_K);
        const TimeRange once = s.state().visible();
        QVERIFY(once.spanNs() < before.spanNs());
        QTest::keyClick(&s.timeline(), Qt::Key_K, Qt::ShiftModifier); // still faster
        QVERIFY(once.spanNs() - s.state().visible().spanNs() > before.spanNs() - once.spanNs());
        QCOMPARE(actionOf(s, u"Zoom In"_s)->shortcut(), QKeySequence(Qt::Key_K));

        ThemeHost themes;
        MainWindow again(&themes, *s.settings, nullptr);
        const auto& bindings = again.keys().bindings();
        const size_t at = bindingOf(s, u"Zoom In"_s);
        QCOMPARE(again.keys().text(at), u"K"_s);
        QVERIFY(!again.keys().isUsual(at));
        again.keys().reset(at);
        QCOMPARE(again.keys().keys(at), bindings[at].usual);
        MainWindow third(&themes, *s.settings, nullptr);
        QCOMPARE(third.keys().text(at), u"W"_s);
    }

    void aKeyOfTheWindowIsChanged()
    {
        WindowSession s;
        s.openSmall(4);
        s.window.keys().setKeys(bindingOf(s, u"Next Step"_s), {QKeySequence(Qt::Key_J)});
        QTest::keyClick(&s.timeline(), Qt::Key_N);
        QVERIFY(!s.state().selection().isValid());
        QTest::keyClick(&s.timeline(), Qt::Key_J);
        QTRY_VERIFY(s.selectedName().starts_with("ProfilerStep#"));
    }

    void cardAndKeysFitTheScreenWithTheLargestText()
    {
        WindowSession s;
        s.openSmall(4);
        while (s.window.textSize().canChange(1))
            s.window.textSize().change(1);
        const QSize room = s.window.screen()->availableSize();
        actionOf(s, u"Keys"_s)->trigger();
        actionOf(s, u"Change Keys…"_s)->trigger();
        for (const QDialog* dialog : {static_cast<QDialog*>(s.window.findChild<KeysCard*>()),
                 static_cast<QDialog*>(s.window.findChild<KeysDialog*>())}) {
            QVERIFY(dialog != nullptr);
            QCoreApplication::processEvents();
            QVERIFY2(dialog->width() <= room.width() && dialog->height() <= room.height(),
                qPrintable(u"%1 x %2"_s.arg(dialog->width()).arg(dialog->height())));
            const auto* buttons = dialog->findChild<QDialogButtonBox*>();
            QVERIFY(dialog->rect().contains(QRect(buttons->mapTo(dialog, QPoint()), buttons->size())));
        }
        s.window.textSize().reset();
    }

    void cardAndLinksShowTheKeysThatWork()
    {
        WindowSession s;
        s.openSmall(4);
        s.window.keys().setKeys(bindingOf(s, u"Follow the Arrow Forth"_s), {QKeySequence(Qt::Key_Y)});
        s.window.keys().setKeys(bindingOf(s, u"Fit Selection"_s), {});
        actionOf(s, u"Keys"_s)->trigger();
        auto* card = s.window.findChild<KeysCard*>();
        QVERIFY(capsOf(*card).contains(u"Y"_s));
        QVERIFY(!capsOf(*card).contains(u"]"_s));
        QVERIFY(!capsOf(*card).contains(u"F"_s));
        QVERIFY(capsOf(*card).contains(u"Ctrl+Shift+P"_s));

        const TraceSnapshot& trace = *s.state().trace();
        for (uint32_t l = 0; l < trace.lanes().size() && !s.state().selection().isValid(); ++l) {
            for (uint32_t i = 0; i < trace.lane(LaneId(l)).size(); ++i) {
                if (isCall(trace.kind({LaneId(l), i})) && !trace.workOfCall({LaneId(l), i}).empty()) {
                    s.state().select({LaneId(l), i});
                    break;
                }
            }
        }
        QVERIFY(s.state().selection().isValid());
        const auto keysOfLinks = [&s] {
            QStringList keys;
            for (const LinkRow* row : s.window.findChildren<LinkRow*>())
                keys.append(row->key());
            return keys;
        };
        QTRY_VERIFY(keysOfLinks().contains(u"Y"_s));
        s.window.keys().resetAll();
        QTRY_VERIFY(keysOfLinks().contains(u"]"_s));
    }

    void theDialogSaysWhoHasAKeyAndTakesItWhenTold()
    {
        WindowSession s;
        s.openSmall(4);
        actionOf(s, u"Change Keys…"_s)->trigger();
        auto* dialog = s.window.findChild<KeysDialog*>();
        QVERIFY(dialog != nullptr);
        auto* field = dialog->findChild<KeyField*>();
        const size_t fit = bindingOf(s, u"Fit All"_s);
        choose(*dialog, u"Fit All"_s);
        QTest::keyClick(field, Qt::Key_F2);
        QCOMPARE(s.window.keys().text(fit), u"F2"_s);

        QTest::keyClick(field, Qt::Key_G, Qt::ControlModifier);
        QVERIFY2(dialog->message().contains(u"Go to…"_s), qPrintable(dialog->message()));
        QCOMPARE(s.window.keys().text(fit), u"F2"_s);
        button(*dialog, u"Take It"_s)->click();
        QCOMPARE(s.window.keys().text(fit), u"Ctrl+G"_s);
        QVERIFY(s.window.keys().keys(bindingOf(s, u"Go to…"_s)).isEmpty());

        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(dialog->message().contains(u"Enter"_s));
        QCOMPARE(s.window.keys().text(fit), u"Ctrl+G"_s);

        choose(*dialog, u"Go to…"_s);
        button(*dialog, u"Reset"_s)->click();
        QCOMPARE(s.window.keys().text(bindingOf(s, u"Go to…"_s)), u"Ctrl+G"_s);
        QVERIFY(s.window.keys().keys(fit).isEmpty());

        choose(*dialog, u"Search"_s);
        button(*dialog, u"Remove Key"_s)->click();
        QVERIFY(s.window.keys().keys(bindingOf(s, u"Search"_s)).isEmpty());
        button(*dialog, u"Reset All"_s)->click();
        for (size_t i = 0; i < s.window.keys().bindings().size(); ++i)
            QVERIFY(s.window.keys().isUsual(i));
        QVERIFY(!button(*dialog, u"Reset All"_s)->isEnabled());
    }

    void backAndForwardGoThroughViews()
    {
        WindowSession s;
        s.openSmall(4);
        const TimeRange all = s.state().visible();
        const TimeRange part{all.beginNs, all.beginNs + all.spanNs() / 4};
        s.state().goTo(part);
        QTest::keyClick(&s.timeline(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(s.state().visible(), all);
        QTest::keyClick(&s.timeline(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(s.state().visible(), part);
    }

    void textsGrowShrinkAndAreKept()
    {
        const QFont usual = QApplication::font();
        {
            WindowSession s;
            s.openSmall(4);
            const int rows = s.timeline().layoutOfLanes().height();
            const double before = QFontInfo(s.window.font()).pixelSize();
            QTest::keyClick(&s.timeline(), Qt::Key_Equal, Qt::ControlModifier);
            QTest::keyClick(&s.timeline(), Qt::Key_Equal, Qt::ControlModifier);
            QCOMPARE(s.window.textSize().percent(), 125);
            QCoreApplication::processEvents();
            QVERIFY(QFontInfo(s.window.font()).pixelSize() > before);
            QVERIFY(s.timeline().layoutOfLanes().height() > rows);
            QStringList small;
            for (const QWidget* widget : s.window.findChildren<QWidget*>()) {
                if (widget->isVisible() && QFontInfo(widget->font()).pixelSize() < before * 0.85 * 1.2)
                    small.append(QString::fromLatin1(widget->metaObject()->className()) + u" in "_s
                        + QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
            }
            QCOMPARE(small, QStringList());
            const auto* step = s.window.findChild<StepField*>()->findChild<ElidedLabel*>();
            QVERIFY(step->width() >= step->fontMetrics().horizontalAdvance(step->text()));
            QTest::keyClick(&s.timeline(), Qt::Key_Minus, Qt::ControlModifier);
            QCOMPARE(s.window.textSize().percent(), 110);
            ThemeHost themes;
            s.window.textSize().reset();
            QCoreApplication::processEvents();
            QCOMPARE(s.timeline().layoutOfLanes().height(), rows);
            QVERIFY(!actionOf(s, u"Usual Text Size"_s)->isEnabled());
            s.window.textSize().change(-1);
            MainWindow again(&themes, *s.settings, nullptr);
            QCOMPARE(again.textSize().percent(), 90);
        }
        QCOMPARE(QApplication::font(), usual);
    }
};

QTEST_MAIN(TestCommands)
#include "tst_commands.moc"
