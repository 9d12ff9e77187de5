// The timeline under mouse and keys, as a person uses it.

#include "timeline_fixture.h"

#include <QScrollBar>
#include <QSignalSpy>

#include <cmath>

using namespace torchline;

class TestTimelineInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void clickSelects();
    void clickBesideClears();
    void clickingOnGoesThroughThePixel();
    void doubleClickSelectsAndZooms();
    void hoverOutlinesAndExplains();
    void aRestingPointerFollowsTheView();
    void dragDrawsARange();
    void edgesOfTheRangeCanBeMoved();
    void aDragEndsWithoutItsRelease();
    void shiftDragAndMiddleDragPan();
    void wheelScrollsAndZooms();
    void keysZoomAndPan();
    void heldKeysMoveSmoothlyAndStop();
    void aViewOfAFewNanosecondsMovesByParts();
    void fitSelectionThenAll();
    void nextAndPreviousOfTheLane();
    void nextAndPreviousOfTheName();
    void parentsAndChildren();
    void arrowKeysScrollWithoutASelection();
    void bracketsFollowArrows();
    void aGraphLaunchHasManyKernels();
    void selectionBecomesRangeBecomesScope();
    void escapeClearsOneAfterTheOther();
    void backAndForward();
    void aMoveThatLeadsNowhereIsNoStep();
    void chevronFoldsALane();
    void bandFoldsAProcess();
    void framesAreFoldedByTheirLine();
    void headerEdgeCanBeDragged();
    void hintsLeadToTheNextSlice();
    void chipLeadsToTheOtherEnd();
    void revealOpensScrollsAndZooms();
    void marksAreShownAfterTheyAreBuilt();
    void nothingRunsWhenIdle();
    void noTraceNoHarm();
    void aReloadKeepsWhatWasFolded();
};

void TestTimelineInput::clickSelects()
{
    TimelineUnderTest t;
    QSignalSpy changed(&t.state, &ViewState::selectionChanged);
    t.click(t.centreOf(t.named("aten::mm")));
    QCOMPARE(t.selected(), std::string("aten::mm"));
    t.click(t.centreOf(t.named("gemm_kernel")));
    QCOMPARE(t.selected(), std::string("gemm_kernel"));
    QCOMPARE(changed.size(), 2);
    QCOMPARE(t.state.visible(), t.state.fitRange());
}

void TestTimelineInput::clickBesideClears()
{
    TimelineUnderTest t;
    t.click(t.centreOf(t.named("aten::mm")));
    const QRectF rect = t.view.sliceRect(t.named("aten::mm"));
    t.click(QPointF(rect.right() + 8, rect.center().y()).toPoint());
    QVERIFY(!t.state.selection().isValid());
}

void TestTimelineInput::clickingOnGoesThroughThePixel()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "first", 0, 1'000'000);
    for (int i = 0; i < 3; ++i)
        f.op(main, i == 1 ? "b" : i == 0 ? "a" : "c", 2'000'000 + i * 10, i == 1 ? 9 : 5);
    TimelineUnderTest t(f.snapshot(1));
    const QPoint at = t.centreOf(t.named("b"));
    std::string seen;
    for (int i = 0; i < 4; ++i) {
        t.click(at);
        seen += t.selected();
    }
    QCOMPARE(QByteArray::fromStdString(seen), "bcab");
}

void TestTimelineInput::doubleClickSelectsAndZooms()
{
    TimelineUnderTest t;
    const SliceRef mm = t.named("aten::mm", 1);
    const QPoint at = t.centreOf(mm);
    QTest::mouseDClick(t.view.viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(t.state.selection(), mm);
    QCOMPARE(t.state.visible(), (TimeRange{520'000 - 10'000, 620'000 + 10'000}));
    QVERIFY(t.state.canGoBack());
}

void TestTimelineInput::hoverOutlinesAndExplains()
{
    TimelineUnderTest t;
    const SliceRef kernel = t.named("gemm_kernel");
    const QRectF rect = t.view.sliceRect(kernel);
    const QImage before = t.picture();
    t.moveTo(rect.center().toPoint());
    QCOMPARE(t.state.hovered(), kernel);
    QVERIFY(t.state.cursorNs().has_value());
    QVERIFY(t.trace().startNs(kernel) <= *t.state.cursorNs() && *t.state.cursorNs() < t.trace().endNs(kernel));
    const QImage after = t.picture();
    const QPoint outline(qRound(rect.left()) - 1, qRound(rect.center().y()));
    QCOMPARE(after.pixelColor(outline), t.themes.theme().selectionOuter);
    QVERIFY(before.pixelColor(outline) != after.pixelColor(outline));
    // The tip comes later and never over the slice.
    QVERIFY(!t.view.tip()->isVisible());
    QTRY_VERIFY(t.view.tip()->isVisible());
    QCOMPARE(t.view.tip()->content().title, QStringLiteral("gemm_kernel"));
    const QRect slice(t.view.viewport()->mapToGlobal(rect.topLeft().toPoint()), rect.size().toSize());
    QVERIFY(!t.view.tip()->geometry().intersects(slice));
    const auto hasPair = [&](const QString& label, const QString& value) {
        return std::ranges::find(t.view.tip()->content().pairs, std::pair(label, value))
            != t.view.tip()->content().pairs.end();
    };
    QTRY_VERIFY(hasPair(QStringLiteral("Grid · block"), QStringLiteral("8 × 1 × 1 · 128 × 1 × 1")));
    QVERIFY(hasPair(QStringLiteral("Launched by"), QStringLiteral("aten::mm")));
    QTest::keyClick(&t.view, Qt::Key_F3);
    QVERIFY(!t.view.tip()->isVisible());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(t.view.viewport(), &leave);
    QVERIFY(!t.state.hovered().isValid());
    QVERIFY(!t.state.cursorNs().has_value());
}

void TestTimelineInput::aRestingPointerFollowsTheView()
{
    TimelineUnderTest t;
    const QPoint at = t.centreOf(t.named("aten::mm"));
    t.moveTo(at);
    QCOMPARE(t.state.hovered(), t.named("aten::mm"));
    QTRY_VERIFY(t.view.tip()->isVisible());
    t.state.goTo({500'000, 640'000});
    QVERIFY(!t.view.tip()->isVisible());
    QTRY_VERIFY(t.state.hovered() != t.named("aten::mm"));
    QCOMPARE(t.state.cursorNs(), std::optional(t.view.geometryOfView().timeAt(at.x())));
    QTest::qWait(500);
    QVERIFY(!t.view.tip()->isVisible()); // nobody has pointed at anything
    // While keys zoom at the pointer, its time stays where it is, to the pixel.
    const int64_t under = *t.state.cursorNs();
    for (int i = 0; i < 12; ++i) {
        t.press(i < 6 ? Qt::Key_W : Qt::Key_S);
        QTest::qWait(5);
    }
    QTest::qWait(300); // they glide to a stop
    QVERIFY(std::abs(t.view.geometryOfView().pixelAt(at.x()) - t.view.geometryOfView().scale.pixelOf(under)) <= 1);
}

void TestTimelineInput::dragDrawsARange()
{
    TimelineUnderTest t;
    const TimelineGeometry geometry = t.view.geometryOfView();
    t.drag({500, 300}, {800, 320});
    QVERIFY(t.state.range().has_value());
    QCOMPARE(*t.state.range(), (TimeRange{geometry.timeAt(500), geometry.timeAt(800)}));
    QVERIFY(!t.state.selection().isValid());
    // The other way round, and beyond the edge.
    t.drag({600, 300}, {20, 300});
    QCOMPARE(t.state.range()->beginNs, geometry.timeAt(geometry.headerWidth));
    QCOMPARE(t.state.range()->endNs, geometry.timeAt(600));
}

void TestTimelineInput::edgesOfTheRangeCanBeMoved()
{
    TimelineUnderTest t;
    const TimelineGeometry geometry = t.view.geometryOfView();
    t.drag({500, 300}, {800, 300});
    const TimeRange before = *t.state.range();
    t.drag({800, 10}, {900, 10});
    QCOMPARE(*t.state.range(), (TimeRange{before.beginNs, geometry.timeAt(900)}));
    t.drag({500, 10}, {450, 10});
    QCOMPARE(*t.state.range(), (TimeRange{geometry.timeAt(450), geometry.timeAt(900)}));
}

/// A menu that opens while one drags takes the release.
void TestTimelineInput::aDragEndsWithoutItsRelease()
{
    TimelineUnderTest t;
    QTest::mousePress(t.view.viewport(), Qt::LeftButton, {}, {500, 300});
    QMouseEvent move(QEvent::MouseMove, QPointF(700, 300), t.view.viewport()->mapToGlobal(QPointF(700, 300)),
        Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(t.view.viewport(), &move);
    const auto drawn = t.state.range();
    QVERIFY(drawn.has_value());
    t.moveTo({900, 300});
    QCOMPARE(t.state.range(), drawn);
    t.moveTo(t.centreOf(t.named("aten::mm")));
    QCOMPARE(t.state.hovered(), t.named("aten::mm"));
}

void TestTimelineInput::shiftDragAndMiddleDragPan()
{
    TimelineUnderTest t;
    t.state.setVisible({200'000, 600'000});
    const int64_t under = t.view.geometryOfView().timeAt(700);
    t.drag({700, 300}, {600, 300}, Qt::LeftButton, Qt::ShiftModifier);
    QCOMPARE(t.state.visible().spanNs(), int64_t{400'000});
    const int64_t pixel = t.state.visible().spanNs() / t.view.geometryOfView().deviceWidth() + 1;
    QVERIFY(std::abs(t.view.geometryOfView().timeAt(600) - under) <= pixel);
    t.drag({600, 300}, {700, 300}, Qt::MiddleButton);
    QVERIFY(std::abs(t.view.geometryOfView().timeAt(700) - under) <= 2 * pixel);
    QVERIFY(!t.state.range().has_value());
}

void TestTimelineInput::wheelScrollsAndZooms()
{
    TimelineUnderTest t(timelineTrace(), {1200, 240});
    QScrollBar* bar = t.view.verticalScrollBar();
    QVERIFY(bar->maximum() > 0);
    t.wheel({700, 150}, {0, -120});
    QVERIFY(bar->value() > 0);
    t.wheel({700, 150}, {0, 1200});
    QCOMPARE(bar->value(), 0);
    // Zooming keeps the time under the pointer.
    const TimeRange before = t.state.visible();
    const int64_t under = t.view.geometryOfView().timeAt(700);
    t.wheel({700, 150}, {0, 120}, Qt::ControlModifier);
    QVERIFY(t.state.visible().spanNs() < before.spanNs());
    const int64_t pixel = before.spanNs() / t.view.geometryOfView().deviceWidth() + 1;
    QVERIFY(std::abs(t.view.geometryOfView().timeAt(700) - under) <= pixel);
    QCOMPARE(bar->value(), 0);
    const TimeRange zoomed = t.state.visible();
    t.wheel({700, 150}, {0, -120}, Qt::ShiftModifier);
    QCOMPARE(t.state.visible().spanNs(), zoomed.spanNs());
    QVERIFY(t.state.visible().beginNs > zoomed.beginNs);
}

void TestTimelineInput::keysZoomAndPan()
{
    TimelineUnderTest t;
    t.state.setVisible({300'000, 700'000});
    const auto moved = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        const TimeRange before = t.state.visible();
        t.press(key, modifiers);
        const TimeRange after = t.state.visible();
        t.state.setVisible(before);
        return std::pair(after.spanNs() - before.spanNs(), after.beginNs - before.beginNs);
    };
    QVERIFY(moved(Qt::Key_W).first < 0);
    QVERIFY(moved(Qt::Key_S).first > 0);
    QVERIFY(moved(Qt::Key_W, Qt::ShiftModifier).first < moved(Qt::Key_W).first);
    QVERIFY(moved(Qt::Key_A).second < 0);
    QVERIFY(moved(Qt::Key_D).second > 0);
    QVERIFY(moved(Qt::Key_D, Qt::ShiftModifier).second > moved(Qt::Key_D).second);
    QCOMPARE(moved(Qt::Key_Left), std::pair(int64_t{0}, int64_t{-24'000}));
    QCOMPARE(moved(Qt::Key_Right), std::pair(int64_t{0}, int64_t{24'000}));
}

void TestTimelineInput::heldKeysMoveSmoothlyAndStop()
{
    TimelineUnderTest t;
    t.state.setVisible({300'000, 700'000});
    QTest::keyPress(&t.view, Qt::Key_D);
    const TimeRange first = t.state.visible();
    QTRY_VERIFY(t.state.visible().beginNs > first.beginNs + 20'000);
    QTest::keyRelease(&t.view, Qt::Key_D);
    const TimeRange still = t.state.visible();
    QTest::qWait(60);
    QCOMPARE(t.state.visible(), still);
}

/// A key that is held and a fine wheel move a view less than a nanosecond at a time.
void TestTimelineInput::aViewOfAFewNanosecondsMovesByParts()
{
    TimelineUnderTest t;
    const TimeRange narrow{500'000, 500'000 + ViewState::kNarrowestNs};
    AxisMover mover(
        &t.state, [] { return int64_t{500'010}; }, nullptr);
    t.state.setVisible(narrow);
    for (int i = 0; i < 100; ++i)
        mover.panBy(0.01);
    QCOMPARE(t.state.visible(), (TimeRange{narrow.endNs, narrow.endNs + ViewState::kNarrowestNs}));
    t.state.setVisible(narrow);
    for (int i = 0; i < 100; ++i)
        mover.zoomAt(500'010, std::pow(10.0, 0.01));
    QCOMPARE(t.state.visible(), (TimeRange{499'910, 500'110}));
    for (int i = 0; i < 100; ++i)
        mover.zoomAt(500'010, std::pow(10.0, -0.01));
    QCOMPARE(t.state.visible(), narrow);
    // What is left over is that of one view alone.
    mover.panBy(0.02);
    t.state.setVisible({300'000, 300'020});
    mover.panBy(0.02);
    QCOMPARE(t.state.visible(), (TimeRange{300'000, 300'020}));
    t.state.setVisible(narrow);
    for (int i = 0; i < 60; ++i)
        t.wheel({700, 300}, {0, -2}, Qt::ShiftModifier);
    QCOMPARE(t.state.visible().beginNs, narrow.beginNs + 2);
}

void TestTimelineInput::fitSelectionThenAll()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::mm"));
    t.press(Qt::Key_F);
    QCOMPARE(t.state.visible(), (TimeRange{10'000, 130'000}));
    t.press(Qt::Key_F);
    QCOMPARE(t.state.visible(), t.state.fitRange());
    t.state.setVisible({0, 1000});
    t.state.select({});
    t.press(Qt::Key_F);
    QCOMPARE(t.state.visible(), t.state.fitRange());
}

void TestTimelineInput::nextAndPreviousOfTheLane()
{
    TimelineUnderTest t;
    t.state.select(t.named("gemm_kernel"));
    t.press(Qt::Key_Period);
    QCOMPARE(t.selected(), std::string("add_kernel"));
    t.press(Qt::Key_Period);
    QCOMPARE(t.state.selection(), t.named("gemm_kernel", 1));
    t.press(Qt::Key_Comma);
    t.press(Qt::Key_Comma);
    QCOMPARE(t.state.selection(), t.named("gemm_kernel"));
    t.press(Qt::Key_Comma);
    QCOMPARE(t.state.selection(), t.named("gemm_kernel"));
}

void TestTimelineInput::nextAndPreviousOfTheName()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::add"));
    t.press(Qt::Key_Period, Qt::AltModifier);
    QTRY_COMPARE(t.state.selection(), t.named("aten::add", 1));
    t.press(Qt::Key_Comma, Qt::AltModifier);
    QTRY_COMPARE(t.state.selection(), t.named("aten::add"));
}

void TestTimelineInput::parentsAndChildren()
{
    TimelineUnderTest t;
    t.state.select(t.named("cudaLaunchKernel"));
    t.press(Qt::Key_Up);
    QCOMPARE(t.selected(), std::string("aten::mm"));
    t.press(Qt::Key_Up);
    t.press(Qt::Key_Up);
    QCOMPARE(t.selected(), std::string("ProfilerStep#1"));
    t.press(Qt::Key_Up);
    QCOMPARE(t.selected(), std::string("ProfilerStep#1"));
    t.press(Qt::Key_Down);
    t.press(Qt::Key_Down);
    QCOMPARE(t.state.selection(), t.named("aten::mm"));
    t.press(Qt::Key_Down);
    QCOMPARE(t.state.selection(), t.named("cudaLaunchKernel"));
}

void TestTimelineInput::arrowKeysScrollWithoutASelection()
{
    TimelineUnderTest t(timelineTrace(), {1200, 240});
    t.press(Qt::Key_Down);
    QVERIFY(t.view.verticalScrollBar()->value() > 0);
    t.press(Qt::Key_Up);
    QCOMPARE(t.view.verticalScrollBar()->value(), 0);
}

void TestTimelineInput::bracketsFollowArrows()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::mm", 1));
    t.press(Qt::Key_BracketRight);
    QCOMPARE(t.selected(), std::string("MmBackward0"));
    t.press(Qt::Key_BracketLeft);
    QCOMPARE(t.state.selection(), t.named("aten::mm", 1));
    t.state.select(t.named("aten::add"));
    t.press(Qt::Key_BracketRight);
    QCOMPARE(t.selected(), std::string("add_kernel"));
    t.press(Qt::Key_BracketLeft);
    QCOMPARE(t.state.selection(), t.named("cudaLaunchKernel", 1));
}

/// One call replays a graph of many kernels: from it to the first of them, from each of them back to it.
void TestTimelineInput::aGraphLaunchHasManyKernels()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    const uint32_t other = f.lane("0", "20");
    f.op(main, "replay", 0, 100'000, 1);
    f.call(main, "cudaGraphLaunch", 10'000, 20'000, 5, 1);
    for (int i = 0; i < 3; ++i) {
        f.kernel(stream, "node", 40'000 + i * 10'000, 5'000, 5, 1);
        f.kernel(other, "side", 42'000 + i * 10'000, 5'000, 5, 1);
    }
    TimelineUnderTest t(f.snapshot(1));
    t.state.select(t.named("cudaGraphLaunch"));
    QCOMPARE(t.view.arrowPlan().lines.size(), size_t{6});
    t.press(Qt::Key_BracketRight);
    QCOMPARE(t.state.selection(), t.named("node"));
    for (const char* name : {"node", "side"}) {
        for (int nth = 0; nth < 3; ++nth) {
            t.state.select(t.named(name, nth));
            QCOMPARE(t.view.arrowPlan().lines.size(), size_t{1});
            t.press(Qt::Key_BracketLeft);
            QCOMPARE(t.selected(), std::string("cudaGraphLaunch"));
        }
    }
}

void TestTimelineInput::selectionBecomesRangeBecomesScope()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::mm"));
    t.press(Qt::Key_R);
    QCOMPARE(*t.state.range(), (TimeRange{20'000, 120'000}));
    QVERIFY(t.state.scope().isWhole());
    t.press(Qt::Key_R);
    QCOMPARE(*t.state.scope().range, (TimeRange{20'000, 120'000}));
    // A range drawn after the selection is the one that is meant.
    t.drag({500, 300}, {800, 300});
    t.press(Qt::Key_R);
    QCOMPARE(*t.state.scope().range, *t.state.range());
}

void TestTimelineInput::escapeClearsOneAfterTheOther()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::mm"));
    t.press(Qt::Key_R);
    t.press(Qt::Key_R);
    t.press(Qt::Key_Escape);
    QVERIFY(!t.state.selection().isValid());
    QVERIFY(t.state.range().has_value());
    t.press(Qt::Key_Escape);
    QVERIFY(!t.state.range().has_value());
    QVERIFY(!t.state.scope().isWhole());
    t.press(Qt::Key_Escape);
    QVERIFY(t.state.scope().isWhole());
    t.press(Qt::Key_Escape);
}

void TestTimelineInput::backAndForward()
{
    TimelineUnderTest t;
    const TimeRange all = t.state.visible();
    t.state.select(t.named("aten::mm"));
    t.press(Qt::Key_F);
    const TimeRange zoomed = t.state.visible();
    t.state.goBack(); // by keys of the window: tst_commands
    QCOMPARE(t.state.visible(), all);
    t.state.goForward();
    QCOMPARE(t.state.visible(), zoomed);
    // A scope is a step of its own, and so is a drag, however many moves it takes.
    t.press(Qt::Key_I);
    QVERIFY(!t.state.scope().isWhole());
    t.drag({600, 300}, {500, 300}, Qt::MiddleButton);
    const TimeRange panned = t.state.visible();
    QVERIFY(panned != zoomed);
    t.drag({600, 300}, {500, 300}, Qt::MiddleButton);
    t.state.goBack();
    QCOMPARE(t.state.visible(), panned);
    t.state.goBack();
    QCOMPARE(t.state.visible(), zoomed);
    QVERIFY(!t.state.scope().isWhole());
    t.state.goBack();
    QVERIFY(t.state.scope().isWhole());
    QCOMPARE(t.state.visible(), zoomed);
    t.state.goBack();
    QCOMPARE(t.state.visible(), all);
    t.state.goForward();
    t.state.goForward();
    QVERIFY(!t.state.scope().isWhole());
}

/// Neither at the end of the trace, nor when a drag comes by its begin again.
void TestTimelineInput::aMoveThatLeadsNowhereIsNoStep()
{
    TimelineUnderTest t;
    const TimeRange all = t.state.visible();
    t.state.goTo({10'000'000, 10'100'000}); // held back at the end
    const TimeRange end = t.state.visible();
    t.press(Qt::Key_D);
    QCOMPARE(t.state.visible(), end);
    t.press(Qt::Key_A);
    QVERIFY(t.state.visible() != end);
    t.state.goBack();
    QCOMPARE(t.state.visible(), end);
    t.drag({600, 300}, {500, 300}, Qt::MiddleButton);
    t.drag({500, 300}, {600, 300}, Qt::MiddleButton);
    QVERIFY(t.state.visible() != end);
    t.state.goBack();
    QCOMPARE(t.state.visible(), end);
    AxisMover mover(
        &t.state, [] { return int64_t{0}; }, nullptr);
    t.state.goTo({200'000, 300'000});
    mover.beginDrag();
    for (const int64_t by : {5000, 0, -5000, 0, 7000})
        mover.dragBy(by);
    t.state.goBack();
    QCOMPARE(t.state.visible(), (TimeRange{200'000, 300'000}));
    t.state.goBack();
    QCOMPARE(t.state.visible(), end);
    t.state.goBack();
    QCOMPARE(t.state.visible(), all);
}

void TestTimelineInput::chevronFoldsALane()
{
    TimelineUnderTest t;
    const SliceRef mm = t.named("aten::mm");
    const int before = t.view.layoutOfLanes().height();
    const QRectF header = t.view.laneHeaderRect(mm.lane);
    QSignalSpy changed(&t.view, &TimelineView::laneStateChanged);
    t.click(QPointF(27, header.top() + 14).toPoint());
    QVERIFY(t.view.laneState().isCollapsed(mm.lane));
    QVERIFY(t.view.layoutOfLanes().height() < before);
    QCOMPARE(changed.size(), 1);
    // Work is still there to click on.
    t.click(t.centreOf(mm));
    QCOMPARE(t.state.selection(), mm);
    t.click(QPointF(27, t.view.laneHeaderRect(mm.lane).top() + 10).toPoint());
    QCOMPARE(t.view.layoutOfLanes().height(), before);
    // A double click on the name does the same.
    QTest::mouseDClick(t.view.viewport(), Qt::LeftButton, {}, QPointF(60, header.top() + 14).toPoint());
    QVERIFY(t.view.laneState().isCollapsed(mm.lane));
}

void TestTimelineInput::bandFoldsAProcess()
{
    TimelineUnderTest t;
    const int band = t.view.geometryOfView().rulerHeight + 8;
    t.click({60, band});
    QVERIFY(t.view.laneState().isGroupCollapsed(0));
    QVERIFY(!t.view.layoutOfLanes().itemOf(t.named("aten::mm").lane));
    t.click({700, band});
    QVERIFY(t.view.layoutOfLanes().itemOf(t.named("aten::mm").lane));
}

void TestTimelineInput::framesAreFoldedByTheirLine()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 8; ++i)
        f.python(main, "x.py(1): f", i * 1000, 1'000'000 - i * 2000);
    for (int i = 0; i < 4; ++i)
        f.op(main, "aten::mm", 100'000 + i * 1000, 500'000 - i * 2000);
    TimelineUnderTest t(f.snapshot(1));
    const LaneId lane(0);
    QCOMPARE(t.view.layoutOfLanes().itemOf(lane)->rows, uint16_t{12});
    t.view.toggleFrames(lane);
    QCOMPARE(t.view.layoutOfLanes().itemOf(lane)->rows, uint16_t{4});
    const QRectF header = t.view.laneHeaderRect(lane);
    t.click(QPointF(60, header.top() + 44).toPoint());
    QCOMPARE(t.view.layoutOfLanes().itemOf(lane)->rows, uint16_t{12});
    // Revealing a frame opens them again.
    t.view.toggleFrames(lane);
    t.state.reveal(t.named("x.py(1): f", 3));
    QCOMPARE(t.view.layoutOfLanes().itemOf(lane)->rows, uint16_t{12});
}

void TestTimelineInput::headerEdgeCanBeDragged()
{
    TimelineUnderTest t;
    const int before = t.view.headerWidth();
    QSignalSpy changed(&t.view, &TimelineView::headerWidthChanged);
    t.drag({before, 300}, {before + 60, 300});
    QCOMPARE(t.view.headerWidth(), before + 60);
    QVERIFY(!changed.isEmpty());
    t.drag({before + 60, 300}, {5, 300});
    QCOMPARE(t.view.headerWidth(), 120);
    t.drag({120, 300}, {900, 300});
    QCOMPARE(t.view.headerWidth(), 480);
    QVERIFY(!t.state.range().has_value());
}

void TestTimelineInput::hintsLeadToTheNextSlice()
{
    TimelineUnderTest t;
    t.state.setVisible({300'000, 340'000});
    const auto hints = t.view.hints();
    const auto backward
        = std::ranges::find_if(hints, [&](const JumpSpot& hint) { return hint.target == t.named("MmBackward0"); });
    QVERIFY(backward != hints.end());
    QVERIFY2(backward->text.contains(QStringLiteral("next begins in 260.0")), qPrintable(backward->text));
    t.click(backward->rect.center().toPoint());
    QCOMPARE(t.selected(), std::string("MmBackward0"));
    QVERIFY(t.state.visible().beginNs <= 600'000 && t.state.visible().endNs > 600'000);
}

void TestTimelineInput::chipLeadsToTheOtherEnd()
{
    TimelineUnderTest t;
    t.state.setVisible({500'000, 590'000});
    t.state.select(t.named("aten::mm", 1));
    const ArrowPlan plan = t.view.arrowPlan();
    const auto chip
        = std::ranges::find_if(plan.chips, [&](const JumpSpot& spot) { return spot.target == t.named("MmBackward0"); });
    QVERIFY(chip != plan.chips.end());
    QVERIFY(chip->edge == lod::ViewEdge::Right);
    QVERIFY(QRectF(t.view.geometryOfView().lanesRect()).contains(chip->rect));
    QVERIFY2(chip->text.contains(QStringLiteral("in 80.00")), qPrintable(chip->text));
    t.click(chip->rect.center().toPoint());
    QCOMPARE(t.selected(), std::string("MmBackward0"));
}

void TestTimelineInput::revealOpensScrollsAndZooms()
{
    TimelineUnderTest t(timelineTrace(), {1200, 200});
    const SliceRef kernel = t.named("add_kernel", 1);
    t.view.toggleLane(kernel.lane);
    t.view.toggleGroup(static_cast<uint32_t>(&t.trace().groupOf(kernel.lane) - t.trace().groups().data()));
    t.state.setVisible({0, 1'000'000});
    t.state.reveal(kernel);
    QVERIFY(!t.view.laneState().isCollapsed(kernel.lane));
    const QRectF rect = t.view.sliceRect(kernel);
    QVERIFY(QRectF(t.view.geometryOfView().lanesRect()).contains(rect));
    // Out of view: the view moves, at the same zoom.
    t.state.setVisible({0, 300'000});
    t.state.reveal(kernel);
    QCOMPARE(t.state.visible().spanNs(), int64_t{300'000});
    QVERIFY(QRectF(t.view.geometryOfView().lanesRect()).contains(t.view.sliceRect(kernel)));
    // Too small to be seen: the view zooms.
    t.state.setVisible({0, 1'000'000});
    t.state.reveal(t.named("aten::view"));
    QVERIFY(t.state.visible().spanNs() < 1000);
}

void TestTimelineInput::marksAreShownAfterTheyAreBuilt()
{
    TimelineUnderTest t;
    const SliceRef add = t.named("aten::add");
    const auto mask = std::make_shared<SliceMask>(t.trace());
    mask->insert(add);
    t.state.setMarks(mask);
    t.settle();
    const QRectF rect = t.view.sliceRect(add);
    const QImage picture = t.picture();
    const QColor hit = t.themes.theme().hit;
    QCOMPARE(picture.pixelColor(qRound(rect.center().x()), qRound(rect.bottom()) - 1), hit);
    QCOMPARE(picture.pixelColor(qRound(rect.center().x()), qRound(rect.bottom()) - 3), hit);
    QVERIFY(picture.pixelColor(qRound(rect.center().x()), qRound(rect.bottom()) - 4) != hit);
    // On the ruler, too.
    QCOMPARE(picture.pixelColor(qRound(rect.left()), t.view.geometryOfView().rulerHeight - 3), hit);
    t.state.setMarks(nullptr);
    t.settle();
    QVERIFY(t.picture().pixelColor(qRound(rect.center().x()), qRound(rect.bottom()) - 1) != hit);
}

void TestTimelineInput::nothingRunsWhenIdle()
{
    TimelineUnderTest t;
    QTest::keyClick(&t.view, Qt::Key_W);
    QTest::qWait(50);
    for (const QTimer* timer : t.view.findChildren<QTimer*>())
        QVERIFY(!timer->isActive());
    int paints = 0;
    class Counter : public QObject {
    public:
        int* count = nullptr;
        bool eventFilter(QObject*, QEvent* event) override
        {
            *count += event->type() == QEvent::Paint;
            return false;
        }
    } counter;
    counter.count = &paints;
    t.view.viewport()->installEventFilter(&counter);
    QTest::qWait(100);
    QCOMPARE(paints, 0);
}

void TestTimelineInput::noTraceNoHarm()
{
    TimelineUnderTest t;
    t.state.setTrace(nullptr);
    t.settle();
    QVERIFY(!t.view.index());
    t.picture();
    t.click({700, 300});
    t.drag({600, 300}, {800, 300});
    for (const Qt::Key key : {Qt::Key_F, Qt::Key_Up, Qt::Key_Down, Qt::Key_Period, Qt::Key_R, Qt::Key_BracketLeft,
             Qt::Key_W, Qt::Key_Escape})
        t.press(key);
    QVERIFY(!t.state.range().has_value());
    for (const QSize size : {QSize(0, 0), QSize(1, 1), QSize(30, 20), QSize(300, 40), QSize(5000, 12)}) {
        t.view.resize(size);
        t.picture();
        t.state.setTrace(timelineTrace());
        t.settle();
        t.picture();
        t.state.setTrace(nullptr);
    }
    // Traces without anything in them.
    TraceFixture empty;
    t.view.resize(900, 400);
    t.state.setTrace(empty.snapshot(7));
    t.settle();
    t.picture();
}

void TestTimelineInput::aReloadKeepsWhatWasFolded()
{
    TimelineUnderTest t;
    const LaneId lane = t.named("aten::mm").lane;
    t.view.toggleLane(lane);
    t.state.setTrace(timelineTrace(), true);
    t.settle();
    QVERIFY(t.view.laneState().isCollapsed(lane));
    TraceFixture other;
    other.op(other.lane("1", "1"), "aten::mm", 0, 10);
    t.state.setTrace(other.snapshot(9));
    t.settle();
    QVERIFY(!t.view.laneState().isCollapsed(LaneId(0)));
}

QTEST_MAIN(TestTimelineInput)
#include "tst_timeline_input.moc"
