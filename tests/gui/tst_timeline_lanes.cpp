// Arranging the lanes of the timeline by mouse, keys and menu; the filter by name; many lanes.

#include "timeline/header_places.h"
#include "timeline_fixture.h"

#include "common/empty_pane.h"
#include "common/pane_button.h"

#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

struct LanesUnderTest : TimelineUnderTest {
    using TimelineUnderTest::TimelineUnderTest;

    LaneId main = named("aten::mm").lane;
    LaneId autograd = named("MmBackward0").lane;
    LaneId stream = named("gemm_kernel").lane;

    [[nodiscard]] QPoint header(LaneId lane) { return view.laneHeaderRect(lane).toRect().center(); }
    /// Labels of the lanes, top to bottom; "|" after the pinned ones.
    [[nodiscard]] QByteArray order()
    {
        QByteArray text;
        bool wasPinned = false;
        for (const lod::LaneItem& item : view.layoutOfLanes().items()) {
            if (wasPinned && !item.isPinned)
                text += "| ";
            wasPinned = item.isPinned;
            if (item.kind == lod::LaneItemKind::Lane)
                text += QByteArray::fromStdString(std::string(trace().tid(item.lane))) + ' ';
        }
        return text.trimmed();
    }
    [[nodiscard]] QPoint middleOf(const QRectF& rect) { return rect.center().toPoint(); }
    [[nodiscard]] const lod::LaneItem& item(LaneId lane) { return *view.layoutOfLanes().itemOf(lane); }
    [[nodiscard]] QLineEdit* field() { return view.findChild<QLineEdit*>(); }
    /// Chooses an entry of the menu that is open.
    bool choose(const QString& entry)
    {
        auto* menu = view.findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        if (menu == nullptr)
            return false;
        bool isFound = false;
        for (QAction* action : menu->actions()) {
            if (!isFound && action->isEnabled() && action->text().remove(u'&').startsWith(entry)) {
                action->trigger();
                isFound = true;
            }
        }
        menu->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return isFound;
    }
    void openMenu(QPoint at, QContextMenuEvent::Reason reason = QContextMenuEvent::Mouse)
    {
        QContextMenuEvent event(reason, at, view.viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(view.viewport(), &event);
    }
};

std::shared_ptr<const TraceSnapshot> manyLanes(uint32_t count)
{
    TraceFixture f;
    for (uint32_t i = 0; i < count; ++i)
        f.op(f.lane(std::to_string(1 + i / 500), std::to_string(10'000 + i)), "op", i * 10, 100);
    return f.snapshot(3);
}

QImage uniform(QSize size, const QColor& color)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(color);
    return image;
}

} // namespace

class TestTimelineLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pinKeepsALaneInView()
    {
        LanesUnderTest t(timelineTrace(), {1200, 200});
        t.state.select(t.named("gemm_kernel"));
        QSignalSpy changed(&t.view, &TimelineView::laneStateChanged);
        t.press(Qt::Key_P);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(t.order(), "7 | 4711 4790");
        for (const int to : {0, 40, t.view.verticalScrollBar()->maximum()}) {
            t.view.verticalScrollBar()->setValue(to);
            QCOMPARE(t.view.laneHeaderRect(t.stream).top(), double(t.view.geometryOfView().rulerHeight));
        }
        // What lies under it cannot be clicked, it itself can.
        t.state.select({});
        t.click(t.centreOf(t.named("add_kernel")));
        QCOMPARE(t.selected(), std::string("add_kernel"));
        t.press(Qt::Key_P);
        QCOMPARE(t.order(), "4711 4790 7");
    }

    void thePinInTheHeaderIsForTheMouse()
    {
        LanesUnderTest t;
        t.moveTo(t.header(t.autograd));
        t.click(t.middleOf(pinPlace(t.view.frame(), t.item(t.autograd))));
        QCOMPARE(t.order(), "4790 | 4711 7");
        t.click(t.middleOf(pinPlace(t.view.frame(), t.item(t.autograd))));
        QCOMPARE(t.order(), "4711 4790 7");
    }

    void keysSpeakOfTheLaneUnderThePointer()
    {
        LanesUnderTest t;
        t.state.select(t.named("aten::mm"));
        t.moveTo(t.header(t.autograd));
        t.press(Qt::Key_P);
        QCOMPARE(t.order(), "4790 | 4711 7");
        t.moveTo({800, 500});
        t.press(Qt::Key_E);
        QVERIFY(t.view.laneState().isCollapsed(t.main));
    }

    void keysWalkThroughLanes()
    {
        LanesUnderTest t(timelineTrace(), {1200, 200});
        t.press(Qt::Key_Down, Qt::AltModifier);
        QVERIFY(t.view.targetItem()->kind == lod::LaneItemKind::Group);
        t.press(Qt::Key_E);
        QVERIFY(t.view.laneState().isGroupCollapsed(0));
        t.press(Qt::Key_E);
        t.press(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(t.view.targetItem()->lane, t.main);
        t.press(Qt::Key_E, Qt::ShiftModifier);
        QVERIFY(t.view.laneState().framesOf(t.main) == lod::Frames::Shown); // only a module: nothing to fold
        for (int i = 0; i < 20; ++i)
            t.press(Qt::Key_Down, Qt::AltModifier);
        const lod::LaneItem last = *t.view.targetItem();
        QVERIFY(last.isSame(t.view.layoutOfLanes().items().back()));
        QCOMPARE(t.view.verticalScrollBar()->value(), t.view.verticalScrollBar()->maximum());
        for (int i = 0; i < 20; ++i)
            t.press(Qt::Key_Up, Qt::AltModifier);
        QVERIFY(t.view.targetItem()->isSame(t.view.layoutOfLanes().items().front()));
        QCOMPARE(t.view.verticalScrollBar()->value(), 0);
        const QImage picture = t.picture();
        QCOMPARE(picture.pixelColor(1, t.view.geometryOfView().rulerHeight + 4), t.themes.theme().accent);
    }

    void headersAreDraggedToAnotherPlace()
    {
        LanesUnderTest t;
        const QRect first = t.view.laneHeaderRect(t.main).toRect();
        t.drag(t.header(t.autograd), {first.center().x(), first.top() + 3});
        QCOMPARE(t.order(), "4790 4711 7");
        QVERIFY(!t.view.frame().dropLine.has_value());
        // Below the lanes of its process it is the last of them.
        t.drag(t.header(t.autograd), {60, 680});
        QCOMPARE(t.order(), "4711 4790 7");
        // Up to the ruler pins it, and back into the process unpins it there.
        t.drag(t.header(t.stream), {60, 5});
        QCOMPARE(t.order(), "7 | 4711 4790");
        t.drag(t.header(t.autograd), {60, t.view.laneHeaderRect(t.stream).toRect().top() + 2});
        QCOMPARE(t.order(), "4790 7 | 4711");
        t.drag(t.header(t.autograd), t.header(t.main) + QPoint(0, 1));
        QCOMPARE(t.order(), "7 | 4711 4790");
        QVERIFY(!t.state.range().has_value());
    }

    void processesAreMovedByDragKeysAndMenu()
    {
        LanesUnderTest t;
        const auto band = [&](uint32_t group) {
            return QPoint(60, qRound(t.view.geometryOfView().y(t.view.layoutOfLanes().groupItem(group)->y)) + 10);
        };
        QCOMPARE(t.order(), "4711 4790 7");
        t.drag(band(1), band(0) + QPoint(0, 2));
        QCOMPARE(t.order(), "7 4711 4790");
        QVERIFY(!t.view.laneState().isGroupCollapsed(1)); // moved, not folded
        // Its memory and busy strip have come along.
        const auto items = t.view.layoutOfLanes().items();
        QCOMPARE(items[0].group, uint32_t{1});
        QVERIFY(items[1].kind == lod::LaneItemKind::Busy);
        t.drag(band(1), {60, 690});
        QCOMPARE(t.order(), "4711 4790 7");
        t.view.setCurrentItem(t.view.layoutOfLanes().groupItem(1));
        t.moveTo({800, 690});
        t.press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(t.order(), "7 4711 4790");
        t.press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier); // it is the first already
        QCOMPARE(t.order(), "7 4711 4790");
        t.press(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(t.order(), "4711 4790 7");
        t.openMenu(band(1));
        QVERIFY(!t.choose(u"Move Down"_s));
        t.openMenu(band(1));
        QVERIFY(t.choose(u"Move Up"_s));
        QCOMPARE(t.order(), "7 4711 4790");
        // Lanes still move within their process only.
        t.view.moveLane(t.autograd, true);
        QCOMPARE(t.order(), "7 4790 4711");
        t.view.moveLane(t.autograd, true);
        QCOMPARE(t.order(), "7 4790 4711");
    }

    void escapeEndsADrag()
    {
        LanesUnderTest t;
        const auto send = [&](QEvent::Type type, QPoint pos, Qt::MouseButton cause) {
            QMouseEvent event(type, pos, t.view.viewport()->mapToGlobal(pos), cause, Qt::LeftButton, {});
            QCoreApplication::sendEvent(t.view.viewport(), &event);
        };
        t.state.select(t.named("aten::mm"));
        send(QEvent::MouseButtonPress, t.header(t.autograd), Qt::LeftButton);
        send(QEvent::MouseMove, {60, 40}, Qt::NoButton);
        send(QEvent::MouseMove, {60, 5}, Qt::NoButton);
        QVERIFY(t.view.frame().dropLine.has_value());
        t.press(Qt::Key_Escape);
        QVERIFY(!t.view.frame().dropLine.has_value());
        send(QEvent::MouseButtonRelease, {60, 5}, Qt::LeftButton);
        QCOMPARE(t.order(), "4711 4790 7");
        QVERIFY(t.state.selection().isValid());
    }

    void keysMoveALane()
    {
        LanesUnderTest t;
        t.state.select(t.named("MmBackward0"));
        t.press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(t.order(), "4790 4711 7");
        t.press(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(t.order(), "4790 4711 7");
        t.press(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(t.order(), "4711 4790 7");
        t.view.togglePin(t.stream);
        t.view.togglePin(t.main);
        QCOMPARE(t.order(), "7 4711 | 4790");
        t.view.moveLane(t.main, true);
        QCOMPARE(t.order(), "4711 7 | 4790");
    }

    void theLowerEdgeMakesRowsTaller()
    {
        LanesUnderTest t;
        const QRect before = t.view.laneHeaderRect(t.main).toRect();
        const QPoint edge(before.center().x(), before.bottom());
        t.drag(edge, edge + QPoint(0, 60));
        const QRect after = t.view.laneHeaderRect(t.main).toRect();
        QVERIFY2(std::abs(after.height() - before.height() - 60) <= t.item(t.main).rows,
            qPrintable(QString::number(after.height() - before.height())));
        QVERIFY(t.view.laneState().heightOf(t.main) > 100);
        QTest::mouseDClick(t.view.viewport(), Qt::LeftButton, {}, QPoint(edge.x(), after.bottom()));
        QCOMPARE(t.view.laneHeaderRect(t.main).toRect(), before);
        t.state.select(t.named("aten::mm"));
        t.press(Qt::Key_Plus, Qt::AltModifier);
        QCOMPARE(t.view.laneState().heightOf(t.main), uint16_t{125});
        t.press(Qt::Key_Minus, Qt::AltModifier);
        t.press(Qt::Key_Minus, Qt::AltModifier);
        QCOMPARE(t.view.laneState().heightOf(t.main), uint16_t{75});
        t.press(Qt::Key_0, Qt::AltModifier);
        QCOMPARE(t.view.laneHeaderRect(t.main).toRect(), before);
        // Memory, too.
        const auto items = t.view.layoutOfLanes().items();
        const auto memory = std::ranges::find(items, lod::LaneItemKind::Memory, &lod::LaneItem::kind);
        const int bottom = qRound(t.view.geometryOfView().y(memory->bottom())) - 1;
        const int height = memory->height;
        t.drag({60, bottom}, {60, bottom + 72});
        QCOMPARE(
            std::ranges::find(t.view.layoutOfLanes().items(), lod::LaneItemKind::Memory, &lod::LaneItem::kind)->height,
            height + 72);
    }

    void hiddenLanesStandInTheirBand()
    {
        LanesUnderTest t;
        t.state.select(t.named("aten::mm"));
        t.press(Qt::Key_H);
        QCOMPARE(t.order(), "4790 7");
        const lod::LaneItem band = *t.view.layoutOfLanes().groupItem(0);
        QCOMPARE(hiddenText(band), u"1 hidden"_s);
        t.click(t.middleOf(hiddenPlace(t.view.frame(), band)));
        QCOMPARE(t.order(), "4711 4790 7");
        // A band hides and shows all of its lanes.
        t.moveTo({60, qRound(t.view.geometryOfView().y(band.y)) + 5});
        t.press(Qt::Key_H);
        QCOMPARE(t.order(), "7");
        QCOMPARE(t.view.layoutOfLanes().groupItem(0)->hidden, 2u);
        t.press(Qt::Key_H, Qt::ShiftModifier);
        QCOMPARE(t.order(), "4711 4790 7");
    }

    void theMenuDoesTheSame()
    {
        LanesUnderTest t;
        t.openMenu(t.header(t.autograd));
        QVERIFY(t.choose(u"Pin to the Top"_s));
        QCOMPARE(t.order(), "4790 | 4711 7");
        t.openMenu(t.header(t.autograd));
        QVERIFY(t.choose(u"Unpin"_s));
        t.openMenu(t.header(t.autograd));
        QVERIFY(t.choose(u"Move Up"_s));
        QCOMPARE(t.order(), "4790 4711 7");
        t.openMenu(t.header(t.autograd));
        QVERIFY(!t.choose(u"Move Up"_s));
        t.openMenu(t.header(t.main));
        QVERIFY(t.choose(u"Taller"_s));
        QCOMPARE(t.view.laneState().heightOf(t.main), uint16_t{150});
        t.openMenu(t.header(t.main));
        QVERIFY(t.choose(u"Hide Lane"_s));
        QCOMPARE(t.order(), "4790 7");
        t.openMenu({60, t.view.geometryOfView().rulerHeight + 5});
        QVERIFY(t.choose(u"Show Its Hidden Lanes"_s));
        QCOMPARE(t.order(), "4790 4711 7");
        // The menu key opens it for the lane that keys speak of.
        t.state.select(t.named("gemm_kernel"));
        t.openMenu({0, 0}, QContextMenuEvent::Keyboard);
        QVERIFY(t.choose(u"Fold Lane"_s));
        QVERIFY(t.view.laneState().isCollapsed(t.stream));
    }

    void theMenuOfASliceMakesTheAnnotationAroundItTheScope()
    {
        LanesUnderTest t;
        t.openMenu(t.centreOf(t.named("gemm_kernel", 1)));
        QVERIFY(t.choose(u"Annotation as Scope"_s));
        QCOMPARE(t.state.scope().annotation, std::optional<std::string>("ProfilerStep#2"));
        // What lies under the pointer counts, not the selection.
        t.state.select(t.named("gemm_kernel"));
        t.openMenu(t.centreOf(t.named("MmBackward0")));
        QVERIFY(!t.choose(u"Annotation as Scope"_s));
        t.openMenu({0, 0}, QContextMenuEvent::Keyboard);
        QVERIFY(t.choose(u"Annotation as Scope"_s));
        QCOMPARE(t.state.scope().annotation, std::optional<std::string>("ProfilerStep#1"));
    }

    void aMenuIsNotAsWideAsTheLongestName()
    {
        TraceFixture f;
        const std::string name(10'000, 'N');
        const uint32_t lane = f.lane("1", "1");
        f.op(lane, "op", 0, 10);
        f.builder.setProcessName(f.name("1"), f.name(name));
        f.builder.setThreadName(f.name("1"), f.name("1"), f.name(name));
        LanesUnderTest t(f.snapshot(1));
        for (const QPoint at : {t.header(LaneId(0)), QPoint(60, t.view.geometryOfView().rulerHeight + 5)}) {
            t.openMenu(at);
            auto* menu = t.view.findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
            QVERIFY(menu != nullptr);
            QVERIFY2(menu->width() < 700, qPrintable(QString::number(menu->width())));
            QVERIFY(menu->actions().front()->text().contains(u"N…N"_s));
            t.choose(u"none of them"_s);
        }
    }

    void theMenuNamesTheKeysThatThereAre()
    {
        LanesUnderTest t;
        KeyMap keys;
        keys.setKeys(ViewCommand::PinLane, {QKeySequence(Qt::Key_U)});
        keys.setKeys(ViewCommand::HideLane, {});
        t.view.setKeys(&keys);
        t.openMenu(t.header(t.autograd));
        const auto* menu = t.view.findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        QStringList texts;
        for (const QAction* action : menu->actions())
            texts.append(action->text().remove(u'&'));
        QVERIFY2(texts.contains(u"Pin to the Top\tU"_s), qPrintable(texts.join(u'|')));
        QVERIFY2(texts.contains(u"Hide Lane"_s), qPrintable(texts.join(u'|')));
        QVERIFY2(texts.contains(u"Fold Lane\tE"_s), qPrintable(texts.join(u'|')));
    }

    void aNameFiltersLanes()
    {
        LanesUnderTest t;
        t.press(Qt::Key_L, Qt::ControlModifier);
        QVERIFY(t.field()->hasFocus());
        QTest::keyClicks(t.field(), u"MAIN"_s);
        QCOMPARE(t.order(), "4711");
        QVERIFY(t.field()->accessibleDescription().contains(u"1 of 3"_s));
        QTest::keyClick(t.field(), Qt::Key_Return);
        QVERIFY(t.view.hasFocus());
        QVERIFY(t.field()->isVisible());
        t.view.setNameFilter(u"str*7"_s);
        QCOMPARE(t.order(), "7");
        // The name of a process means all of its lanes.
        t.view.setNameFilter(u"python"_s);
        QCOMPARE(t.order(), "4711 4790");
        t.view.setNameFilter(u"nobody"_s);
        auto* empty = t.view.findChild<EmptyPane*>();
        QVERIFY(empty->isVisible());
        QVERIFY(empty->text().title.contains(u"nobody"_s));
        QTest::keyClick(t.field(), Qt::Key_Escape);
        QVERIFY(!empty->isVisible());
        QVERIFY(!t.field()->isVisible());
        QCOMPARE(t.order(), "4711 4790 7");
        // By mouse, and going to a slice of another lane ends it.
        auto* button = t.view.viewport()->findChild<PaneButton*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QTest::keyClicks(t.field(), u"main"_s);
        t.state.reveal(t.named("gemm_kernel"));
        QCOMPARE(t.order(), "4711 4790 7");
    }

    void arrowsEndInPinnedFoldedAndHiddenLanes()
    {
        LanesUnderTest t(timelineTrace(), {1200, 260});
        const SliceRef call = t.named("cudaLaunchKernel");
        t.state.select(call);
        t.view.togglePin(t.stream);
        QCOMPARE(t.view.arrowPlan().lines.size(), size_t{1});
        const QRectF pinned = t.view.laneHeaderRect(t.stream);
        QVERIFY(t.view.arrowPlan().lines[0].to.y() <= pinned.bottom()
            && t.view.arrowPlan().lines[0].to.y() >= pinned.top());
        t.view.toggleLane(t.stream);
        const QRectF folded = t.view.laneHeaderRect(t.stream);
        QVERIFY(folded.height() < pinned.height());
        QVERIFY(t.view.arrowPlan().lines[0].to.y() <= folded.bottom()
            && t.view.arrowPlan().lines[0].to.y() >= folded.top());
        t.view.togglePin(t.stream);
        t.view.hideLane(t.stream);
        t.view.resize(1200, 700);
        QCOMPARE(t.view.arrowPlan().lines.size(), size_t{1});
        QCOMPARE(t.view.layoutOfLanes().itemAt(t.view.geometryOfView().contentY(t.view.arrowPlan().lines[0].to.y())),
            t.view.layoutOfLanes().groupItem(1));
        // Following it opens the lane again.
        t.press(Qt::Key_BracketRight);
        QCOMPARE(t.selected(), std::string("gemm_kernel"));
        QCOMPARE(t.view.hiddenLanes(), size_t{0});
    }

    void allArrowsOnDemand()
    {
        LanesUnderTest t;
        t.press(Qt::Key_L);
        t.settle();
        QCOMPARE(t.view.arrowPlan().faint.size(), size_t{5});
        QCOMPARE(t.view.arrowPlan().note, u"all 5 arrows in view"_s);
        t.state.setVisible({0, 400'000});
        t.settle();
        QCOMPARE(t.view.arrowPlan().note, u"all 2 arrows in view"_s);
        t.state.setVisible({0, 100'000});
        t.settle();
        QCOMPARE(t.view.arrowPlan().note, u"no arrow with both ends in view"_s);
        t.press(Qt::Key_L);
        QVERIFY(t.view.arrowPlan().note.isEmpty());
        QVERIFY(t.view.arrowPlan().faint.empty());
    }

    void moreArrowsThanCanBeDrawnAreCounted()
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        const uint32_t stream = f.lane("0", "7");
        for (uint32_t i = 0; i < 3000; ++i) {
            f.call(main, "launch", i * 100, 10, i + 1);
            f.kernel(stream, "k", i * 100 + 20, 10, i + 1);
        }
        TimelineUnderTest t(f.snapshot(1));
        t.view.setArrowMode(ArrowMode::All);
        t.settle();
        QVERIFY(t.view.arrowPlan().faint.size() <= TimelineFrame::kMostLinks);
        QVERIFY2(
            t.view.arrowPlan().note.endsWith(u"of 3\u2009000 arrows in view"_s), qPrintable(t.view.arrowPlan().note));
    }

    void whatIsInViewStaysThere()
    {
        LanesUnderTest t(timelineTrace(), {1200, 150});
        t.view.verticalScrollBar()->setValue(t.view.laneHeaderRect(t.stream).toRect().top() - 60);
        const double before = t.view.laneHeaderRect(t.stream).top();
        t.view.toggleLane(t.main);
        QCOMPARE(t.view.laneHeaderRect(t.stream).top(), before);
    }

    void deepStacksCanBeOpenedAndWalked()
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        constexpr int kDeep = 500;
        for (int i = 0; i < kDeep; ++i)
            f.python(main, i == kDeep - 1 ? "deepest.py(1): f" : "x.py(1): f", i, 10'000 - 2 * i);
        f.op(main, "aten::mm", kDeep, 10);
        TimelineUnderTest t(f.snapshot(1), {1200, 400});
        QVERIFY(t.view.laneState().framesOf(LaneId(0)) == lod::Frames::Folded);
        QCOMPARE(t.view.layoutOfLanes().itemOf(LaneId(0))->rows, uint16_t{1});
        t.state.select(t.named("aten::mm"));
        t.press(Qt::Key_E, Qt::ShiftModifier);
        QCOMPARE(t.view.layoutOfLanes().itemOf(LaneId(0))->rows, uint16_t{kDeep + 1});
        t.state.reveal(t.named("deepest.py(1): f"));
        QVERIFY(t.view.viewport()->rect().contains(t.centreOf(t.state.selection())));
        // The header stays in view while its lane scrolls.
        QVERIFY(framesLine(t.view.frame(), *t.view.layoutOfLanes().itemOf(LaneId(0))).top() < 100);
        t.click(framesLine(t.view.frame(), *t.view.layoutOfLanes().itemOf(LaneId(0))).center().toPoint());
        QVERIFY(t.view.laneState().framesOf(LaneId(0)) == lod::Frames::Folded);
        t.press(Qt::Key_Up);
        t.picture();
    }

    void aNanosecondBesideTenSeconds()
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        f.op(main, "long", -10'000'000'000, 10'000'000'000);
        f.op(main, "short", 5, 1);
        f.op(main, "later", 10, 10'000'000'000);
        TimelineUnderTest t(f.snapshot(1));
        // All in view: both long ones, and the short one has a pixel of its own between them or shares one.
        for (const char* name : {"long", "later"})
            QVERIFY(t.view.sliceRect(t.named(name)).width() > 300);
        QVERIFY(t.view.sliceRect(t.named("short")).width() >= 1);
        t.state.reveal(t.named("short"));
        const QRectF rect = t.view.sliceRect(t.named("short"));
        QVERIFY2(rect.width() >= 4, qPrintable(QString::number(rect.width())));
        t.state.select({});
        t.click(rect.center().toPoint());
        QCOMPARE(t.selected(), std::string("short"));
        // No view is narrower than 20 ns: it stands in the middle.
        const int64_t atNs = t.trace().startNs(t.named("short"));
        t.state.setVisible({atNs - 5, atNs + 95});
        t.press(Qt::Key_F);
        QCOMPARE(t.state.visible(), (TimeRange{atNs - 9, atNs + 11}));
        t.press(Qt::Key_Comma);
        QCOMPARE(t.selected(), std::string("long"));
        t.press(Qt::Key_F);
        QVERIFY(t.view.sliceRect(t.named("long")).width() > 700);
        const QImage picture = t.picture();
        const QPoint at = t.centreOf(t.named("long"));
        QCOMPARE(picture.pixelColor(at), t.themes.theme().of(t.view.index()->classOf(t.named("long"))).fill);
    }

    void oneSliceFillsItsView()
    {
        TraceFixture f;
        f.op(f.lane("1", "1"), "only", 77, 1);
        TimelineUnderTest t(f.snapshot(1));
        QVERIFY(t.view.sliceRect(t.named("only")).width() >= 1);
        t.click(t.centreOf(t.named("only")));
        QCOMPARE(t.selected(), std::string("only"));
        for (const Qt::Key key : {Qt::Key_F, Qt::Key_Period, Qt::Key_Comma, Qt::Key_Up, Qt::Key_Down, Qt::Key_W})
            t.press(key);
        QCOMPARE(t.selected(), std::string("only"));
        t.picture();
    }

    void aTraceWithoutSlicesSaysSo()
    {
        TraceFixture f;
        f.instant(5, "note");
        TimelineUnderTest t(f.snapshot(1), {900, 500});
        auto* empty = t.view.findChild<EmptyPane*>();
        QVERIFY(empty->isVisible());
        QCOMPARE(empty->text().title, u"No slices in this trace"_s);
        QVERIFY2(empty->text().advice.contains(u"1 instant"_s), qPrintable(empty->text().advice));
        QImage exported(900, 500, QImage::Format_RGB32);
        QPainter painter(&exported);
        t.view.drawPicture(painter, exported.size());
        painter.end();
        int texts = 0;
        for (int x = 0; x < exported.width(); ++x)
            texts += exported.pixelColor(x, exported.height() * 2 / 5 + 12) != t.themes.theme().panel;
        QVERIFY(texts > 0);
        // No time passes in it: the ruler counts none.
        const QRect ruler = t.view.geometryOfView().rulerRect().adjusted(1, 1, 0, -2);
        QCOMPARE(exported.copy(ruler), uniform(ruler.size(), t.themes.theme().ruler));
        t.state.setTrace(timelineTrace());
        t.settle();
        QVERIFY(!empty->isVisible());
    }

    void thousandsOfLanesWork()
    {
        TimelineUnderTest t(manyLanes(5000), {1200, 700});
        QCOMPARE(t.view.layoutOfLanes().laneCount(), size_t{5000});
        t.view.verticalScrollBar()->setValue(t.view.verticalScrollBar()->maximum() / 2);
        t.picture();
        t.view.togglePin(LaneId(4999));
        t.view.setNameFilter(u"12345"_s);
        QCOMPARE(t.view.layoutOfLanes().laneCount(), size_t{1});
        t.view.setNameFilter({});
        t.view.hideLane(LaneId(0));
        t.state.reveal({LaneId(2500), 0});
        QVERIFY(t.view.viewport()->rect().contains(t.centreOf({LaneId(2500), 0})));
        t.press(Qt::Key_P);
        QCOMPARE(t.view.layoutOfLanes().items()[1].lane, LaneId(2500));
        for (int i = 0; i < 30; ++i)
            t.press(Qt::Key_Down, Qt::AltModifier);
        t.picture();
        QCOMPARE(t.view.hiddenLanes(), size_t{1});
        // All hidden, one process after the other: ten bands stay.
        for (uint32_t g = 0; g < 10; ++g)
            t.view.setGroupHidden(g, true);
        QCOMPARE(t.view.layoutOfLanes().items().size(), size_t{10});
        t.picture();
    }
};

QTEST_MAIN(TestTimelineLanes)
#include "tst_timeline_lanes.moc"
