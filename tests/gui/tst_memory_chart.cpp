// The memory chart shares time, range and cursor with the timeline.

#include "memory/memory_chart.h"
#include "timeline_fixture.h"

#include <QSignalSpy>

using namespace torchline;

namespace {

struct ChartUnderTest {
    ViewState state;
    ThemeHost themes;
    MemoryChart chart{&state, &themes};

    explicit ChartUnderTest(std::shared_ptr<const TraceSnapshot> trace = timelineTrace())
    {
        chart.resize(900, 240);
        chart.show();
        state.setTrace(std::move(trace));
        QTRY_VERIFY(chart.curves() != nullptr);
        QCoreApplication::processEvents();
    }
    [[nodiscard]] double xOf(int64_t timeNs) const
    {
        const QRectF plot = chart.plotRect(0);
        const TimeRange visible = state.visible();
        return plot.left()
            + plot.width() * static_cast<double>(timeNs - visible.beginNs) / static_cast<double>(visible.spanNs());
    }
    void send(QEvent::Type type, QPoint pos, Qt::MouseButton button, Qt::MouseButtons held,
        Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(type, pos, chart.mapToGlobal(pos), button, held, modifiers);
        QCoreApplication::sendEvent(&chart, &event);
    }
};

} // namespace

class TestMemoryChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cursorIsShared();
    void rangeIsDrawn();
    void zoomAndPanMoveTheSharedTime();
    void doubleClickGoesToThePeak();
    void curveIsWhereTheValuesAre();
    void traceWithoutRecordsHasNoCurves();
};

void TestMemoryChart::cursorIsShared()
{
    ChartUnderTest t;
    t.send(QEvent::MouseMove, {500, 100}, Qt::NoButton, Qt::NoButton);
    QVERIFY(t.state.cursorNs().has_value());
    QVERIFY(std::abs(t.xOf(*t.state.cursorNs()) - 500) <= 1.5);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&t.chart, &leave);
    QVERIFY(!t.state.cursorNs().has_value());
}

void TestMemoryChart::rangeIsDrawn()
{
    ChartUnderTest t;
    t.send(QEvent::MouseButtonPress, {300, 100}, Qt::LeftButton, Qt::LeftButton);
    t.send(QEvent::MouseMove, {400, 100}, Qt::NoButton, Qt::LeftButton);
    t.send(QEvent::MouseMove, {600, 100}, Qt::NoButton, Qt::LeftButton);
    t.send(QEvent::MouseButtonRelease, {600, 100}, Qt::LeftButton, Qt::NoButton);
    QVERIFY(t.state.range().has_value());
    QVERIFY(std::abs(t.xOf(t.state.range()->beginNs) - 300) <= 1.5);
    QVERIFY(std::abs(t.xOf(t.state.range()->endNs) - 600) <= 1.5);
    t.chart.grab();
}

void TestMemoryChart::zoomAndPanMoveTheSharedTime()
{
    ChartUnderTest t;
    const TimeRange before = t.state.visible();
    QWheelEvent zoom(QPointF(500, 100), t.chart.mapToGlobal(QPoint(500, 100)), {}, {0, 120}, Qt::NoButton,
        Qt::ControlModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&t.chart, &zoom);
    QVERIFY(t.state.visible().spanNs() < before.spanNs());
    const TimeRange zoomed = t.state.visible();
    t.send(QEvent::MouseButtonPress, {500, 100}, Qt::LeftButton, Qt::LeftButton, Qt::ShiftModifier);
    t.send(QEvent::MouseMove, {450, 100}, Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
    t.send(QEvent::MouseButtonRelease, {450, 100}, Qt::LeftButton, Qt::NoButton, Qt::ShiftModifier);
    QCOMPARE(t.state.visible().spanNs(), zoomed.spanNs());
    QVERIFY(t.state.visible().beginNs > zoomed.beginNs);
    QTest::keyClick(&t.chart, Qt::Key_F);
    QCOMPARE(t.state.visible(), t.state.fitRange());
    // A menu that opens while one drags takes the release.
    t.send(QEvent::MouseButtonPress, {500, 100}, Qt::LeftButton, Qt::LeftButton);
    t.send(QEvent::MouseMove, {700, 100}, Qt::NoButton, Qt::NoButton);
    QVERIFY(!t.state.range().has_value());
}

void TestMemoryChart::doubleClickGoesToThePeak()
{
    ChartUnderTest t;
    t.state.setVisible({0, 100'000});
    QTest::mouseDClick(&t.chart, Qt::LeftButton, {}, QPoint(500, 100));
    const TimeRange visible = t.state.visible();
    QVERIFY(visible.contains(400'000));
    QCOMPARE(visible.spanNs(), int64_t{100'000});
}

void TestMemoryChart::curveIsWhereTheValuesAre()
{
    ChartUnderTest t;
    const QImage picture = t.chart.grab().toImage();
    const QColor line = t.themes.theme().memoryAllocated;
    const auto topAt = [&](int64_t timeNs) {
        const int x = qRound(t.xOf(timeNs));
        for (int y = qRound(t.chart.plotRect(0).top()); y < picture.height(); ++y) {
            if (picture.pixelColor(x, y) == line)
                return y;
        }
        return -1;
    };
    const int low = topAt(200'000);
    const int high = topAt(550'000);
    const int middle = topAt(800'000);
    QVERIFY(high > 0 && high < middle && middle < low);
    // 1, 6 and 2 MiB above a common zero.
    const double unit = (low - high) / 5.0;
    QVERIFY(std::abs((low - middle) - unit) <= 1.5);
}

void TestMemoryChart::traceWithoutRecordsHasNoCurves()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::mm", 0, 10);
    ChartUnderTest t(f.snapshot(3));
    QVERIFY(t.chart.curves()->empty());
    t.chart.grab();
    QSignalSpy changed(&t.chart, &MemoryChart::curvesChanged);
    t.state.setTrace(nullptr);
    QVERIFY(t.chart.curves() == nullptr);
    QCOMPARE(changed.size(), 1);
    t.chart.resize(10, 5);
    t.chart.grab();
}

QTEST_MAIN(TestMemoryChart)
#include "tst_memory_chart.moc"
