// What a screen reader finds in the timeline, asked as it asks.

#include "timeline_fixture.h"

#include <QAccessible>
#include <QMenu>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

struct Accessible : TimelineUnderTest {
    using TimelineUnderTest::TimelineUnderTest;

    QAccessibleInterface* timeline = QAccessible::queryAccessibleInterface(&view);

    [[nodiscard]] QAccessibleInterface* called(const QString& name)
    {
        for (int i = 0; i < timeline->childCount(); ++i) {
            if (timeline->child(i)->text(QAccessible::Name) == name)
                return timeline->child(i);
        }
        return nullptr;
    }
    static bool act(QAccessibleInterface* part, const QString& name)
    {
        QAccessibleActionInterface* actions = part == nullptr ? nullptr : part->actionInterface();
        if (actions == nullptr || !actions->actionNames().contains(name))
            return false;
        actions->doAction(name);
        return true;
    }
};

} // namespace

class TestTimelineAccessible : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lanesAreItemsOfAList()
    {
        Accessible t;
        QVERIFY(t.timeline);
        QCOMPARE(t.timeline->role(), QAccessible::List);
        QVERIFY(!t.timeline->text(QAccessible::Name).isEmpty());
        QVERIFY(!t.timeline->text(QAccessible::Description).isEmpty());
        QCOMPARE(t.timeline->childCount(), static_cast<int>(t.view.layoutOfLanes().items().size()));
        for (int i = 0; i < t.timeline->childCount(); ++i) {
            QAccessibleInterface* lane = t.timeline->child(i);
            QCOMPARE(lane->role(), QAccessible::ListItem);
            QVERIFY(!lane->text(QAccessible::Name).isEmpty());
            QVERIFY(!lane->text(QAccessible::Description).isEmpty());
            QCOMPARE(lane->parent(), t.timeline);
            QCOMPARE(t.timeline->indexOfChild(lane), i);
            const QRect rect = lane->rect();
            QCOMPARE(t.timeline->childAt(rect.center().x(), rect.center().y()), lane);
        }
        QAccessibleInterface* main = t.called(u"thread 4711 main"_s);
        QVERIFY(main);
        QVERIFY(main->text(QAccessible::Value).endsWith(u'%'));
        QVERIFY(main->state().expanded && !main->state().selected && !main->state().offscreen);
    }

    void theSelectionIsAPartOfItsOwn()
    {
        Accessible t;
        const int lanes = t.timeline->childCount();
        t.state.select(t.named("aten::mm"));
        QVERIFY2(t.timeline->text(QAccessible::Value).startsWith(u"aten::mm, 100.0"_s),
            qPrintable(t.timeline->text(QAccessible::Value)));
        QVERIFY(t.called(u"thread 4711 main"_s)->state().selected);
        QCOMPARE(t.timeline->childCount(), lanes + 1);
        QAccessibleInterface* slice = t.timeline->child(lanes);
        QCOMPARE(slice->text(QAccessible::Name), u"aten::mm"_s);
        QVERIFY(slice->text(QAccessible::Value).startsWith(u"100.0"_s));
        QVERIFY(slice->text(QAccessible::Description).endsWith(u"thread 4711 main"_s));
        QVERIFY(slice->state().selected);
        QVERIFY(slice->rect().contains(t.view.viewport()->mapToGlobal(t.centreOf(t.state.selection()))));
        QVERIFY(Accessible::act(slice, QAccessibleActionInterface::nextPageAction()));
        QCOMPARE(t.selected(), std::string("aten::add"));
        QCOMPARE(slice->text(QAccessible::Name), u"aten::add"_s);
        QVERIFY(Accessible::act(slice, QAccessibleActionInterface::increaseAction()));
        QCOMPARE(t.selected(), std::string("nn.Module: Net_0"));
        QVERIFY(Accessible::act(slice, QAccessibleActionInterface::decreaseAction()));
        QCOMPARE(t.selected(), std::string("aten::mm"));
        QVERIFY(Accessible::act(slice, QAccessibleActionInterface::pressAction()));
        QCOMPARE(t.state.visible(), (TimeRange{20'000 - 10'000, 120'000 + 10'000}));
        t.state.select({});
        QCOMPARE(t.timeline->childCount(), lanes);
        QVERIFY(slice->state().invalid);
    }

    void lanesCanBeArrangedByActions()
    {
        Accessible t;
        QAccessibleInterface* main = t.called(u"thread 4711 main"_s);
        const LaneId lane = t.named("aten::mm").lane;
        QVERIFY(Accessible::act(main, QAccessibleActionInterface::toggleAction()));
        QVERIFY(main->state().collapsed);
        QVERIFY(t.view.laneState().isCollapsed(lane));
        QVERIFY(Accessible::act(main, u"moveDown"_s));
        QVERIFY(Accessible::act(t.called(u"thread 4711 main"_s), u"pin"_s));
        QCOMPARE(t.timeline->child(0)->text(QAccessible::Name), u"thread 4711 main"_s);
        QVERIFY(t.timeline->child(0)->text(QAccessible::Description).contains(u"Pinned, of python 4711"_s));
        QVERIFY(Accessible::act(t.timeline->child(0), u"hide"_s));
        QVERIFY(!t.called(u"thread 4711 main"_s));
        QVERIFY(Accessible::act(t.called(u"GPU 0"_s), QAccessibleActionInterface::toggleAction()));
        QVERIFY(t.view.laneState().isGroupCollapsed(1));
        for (int i = 0; i < t.timeline->childCount(); ++i) {
            for (const QString& name : t.timeline->child(i)->actionInterface()->actionNames())
                QVERIFY(!t.timeline->child(i)->actionInterface()->localizedActionName(name).isEmpty());
        }
    }

    void theFocusCanBeMovedAndIsTold()
    {
        Accessible t;
        QVERIFY(!t.timeline->focusChild());
        QAccessibleInterface* autograd = t.called(u"thread 4790"_s);
        QVERIFY(autograd && autograd->state().focusable && !autograd->state().focused);
        QVERIFY(Accessible::act(autograd, QAccessibleActionInterface::setFocusAction()));
        QVERIFY(autograd->state().focused);
        QCOMPARE(t.timeline->focusChild(), autograd);
        t.press(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(t.timeline->focusChild(), t.called(u"thread 4711 main"_s));
        QVERIFY(Accessible::act(autograd, QAccessibleActionInterface::showMenuAction()));
        auto* menu = t.view.findChild<QMenu*>();
        QVERIFY(menu && menu->isVisible());
        menu->close();
    }

    void partsOfAClosedTraceAreInvalid()
    {
        Accessible t;
        t.state.select(t.named("aten::mm"));
        QAccessibleInterface* lane = t.timeline->child(1);
        QAccessibleInterface* slice = t.timeline->child(t.timeline->childCount() - 1);
        t.state.setTrace(nullptr);
        QCOMPARE(t.timeline->childCount(), 0);
        QVERIFY(!lane->isValid() && lane->state().invalid && lane->text(QAccessible::Name).isEmpty());
        QVERIFY(!slice->isValid() && slice->rect().isEmpty());
    }
};

QTEST_MAIN(TestTimelineAccessible)
#include "tst_timeline_accessible.moc"
