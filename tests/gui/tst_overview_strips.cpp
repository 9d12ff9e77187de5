// Step strip and minimap of the window, used as a person does.

#include "tool_strip.h"
#include "window_session.h"

#include "step_field.h"

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

/// Where a time lies on the minimap.
QPoint onMinimap(WindowSession& s, int64_t timeNs)
{
    return {static_cast<int>(s.minimap().axis().x(timeNs)), s.minimap().height() / 2};
}

int64_t middle(TimeRange range)
{
    return range.beginNs + range.spanNs() / 2;
}

constexpr int64_t kMs = 1'000'000;

} // namespace

class TestOverviewStrips : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stripsLieOverTheLanes()
    {
        WindowSession s;
        s.openSmall(4);
        QVERIFY(s.steps().isVisible() && s.minimap().isVisible());
        const TimelineGeometry& geometry = s.timeline().geometryOfView();
        QCOMPARE(s.minimap().axis().left, geometry.headerWidth);
        QCOMPARE(s.minimap().axis().right(), s.timeline().viewport()->width());
        s.timeline().setHeaderWidth(300);
        QCOMPARE(s.minimap().axis().left, 300);
        QCOMPARE(s.steps().bars().front().rect.left() >= 300, true);
    }

    void withoutStepsTheStripTakesNoRoom()
    {
        WindowSession s;
        s.openSmall(0);
        QVERIFY(!s.steps().isVisible());
    }

    void aLowWindowHasNoStrips()
    {
        WindowSession s({1600, 900});
        s.openSmall(2);
        s.window.resize(1600, 400);
        QTRY_VERIFY(!s.minimap().isVisible());
        s.window.resize(1600, 900);
        QTRY_VERIFY(s.minimap().isVisible());
    }

    void aClickOnTheMinimapCentresAndIsOneStepBack()
    {
        WindowSession s;
        s.openSmall(10);
        s.state().goTo({0, kMs});
        const TimeRange before = s.state().visible();
        QTest::mouseClick(&s.minimap(), Qt::LeftButton, {}, onMinimap(s, 7 * kMs));
        QVERIFY(std::abs(middle(s.state().visible()) - 7 * kMs) <= s.minimap().axis().nsOf(1));
        QCOMPARE(s.state().visible().spanNs(), before.spanNs());
        s.state().goBack();
        QCOMPARE(s.state().visible(), before);
    }

    void theHandleIsDraggedAndResized()
    {
        WindowSession s;
        s.openSmall(10);
        s.state().goTo({2 * kMs, 4 * kMs});
        const int64_t pixelNs = s.minimap().axis().nsOf(1);
        s.drag(s.minimap(), onMinimap(s, 3 * kMs), onMinimap(s, 6 * kMs));
        QVERIFY(std::abs(s.state().visible().beginNs - 5 * kMs) <= 2 * pixelNs);
        QVERIFY(std::abs(s.state().visible().spanNs() - 2 * kMs) <= 2);
        const int64_t end = s.state().visible().endNs;
        const QRectF handle = s.minimap().handleRect();
        s.drag(s.minimap(), QPoint(static_cast<int>(handle.left()), 20), onMinimap(s, 2 * kMs));
        QVERIFY(std::abs(s.state().visible().beginNs - 2 * kMs) <= 2 * pixelNs);
        QCOMPARE(s.state().visible().endNs, end);
        // Each drag is one step of the history.
        s.state().goBack();
        QVERIFY(std::abs(s.state().visible().beginNs - 5 * kMs) <= 2 * pixelNs);
    }

    void aDragThatCannotGoOnTakesNoStepAway()
    {
        WindowSession s;
        s.openSmall(10);
        const TimeRange all = s.state().visible();
        s.state().goTo({20 * kMs, 22 * kMs}); // held back at the end
        const TimeRange end = s.state().visible();
        const QPoint handle = s.minimap().handleRect().center().toPoint();
        s.drag(s.minimap(), handle, handle + QPoint(60, 0));
        QCOMPARE(s.state().visible(), end);
        // Without its release it ends with the next move.
        QTest::mousePress(&s.minimap(), Qt::LeftButton, {}, handle);
        s.moveTo(s.minimap(), handle - QPoint(300, 0));
        QCOMPARE(s.state().visible(), end);
        s.state().goBack();
        QCOMPARE(s.state().visible(), all);
    }

    void aNarrowHandleCanStillBeGrabbed()
    {
        WindowSession s;
        s.openSmall(10);
        s.state().goTo({5 * kMs, 5 * kMs + 1000});
        const QRectF handle = s.minimap().handleRect();
        QVERIFY(handle.width() >= 10);
        s.drag(s.minimap(), handle.center().toPoint(), handle.center().toPoint() + QPoint(200, 0));
        QVERIFY(std::abs(s.state().visible().beginNs - 5 * kMs - s.minimap().axis().nsOf(200)) <= 2000);
        QCOMPARE(s.state().visible().spanNs(), 1000);
    }

    void theWheelZoomsAtThePointerAndADoubleClickFits()
    {
        WindowSession s;
        s.openSmall(10);
        const TimeRange all = s.state().visible();
        const QPoint at = onMinimap(s, 8 * kMs);
        for (int i = 0; i < 6; ++i)
            s.wheel(s.minimap(), at, {0, 120});
        QVERIFY(s.state().visible().spanNs() < all.spanNs() / 2);
        QVERIFY(s.state().visible().contains(8 * kMs));
        QTest::mouseDClick(&s.minimap(), Qt::LeftButton, {}, at);
        QCOMPARE(s.state().visible(), s.state().fitRange());
    }

    void stepsAreBarsOfTheirTime()
    {
        WindowSession s;
        s.openSmall(10);
        const auto& bars = s.steps().bars();
        QCOMPARE(bars.size(), 10u);
        for (size_t i = 1; i < bars.size(); ++i) {
            QVERIFY(bars[i].rect.left() > bars[i - 1].rect.right());
            QCOMPARE(bars[i].rect.height(), bars[0].rect.height());
        }
        QCOMPARE(s.steps().summary(false), u"10 · median 990.0\u00A0µs"_s);
        const TipContent tip = s.steps().tipOf(bars[3]);
        QCOMPARE(tip.title, u"Step 3"_s);
        QVERIFY(std::ranges::find(tip.pairs, std::pair(u"GPU busy"_s, u"30.3\u00A0%"_s)) != tip.pairs.end());
    }

    void aLowBarHasItsNumberOverIt()
    {
        WindowSession s;
        const QString path = s.folder.filePath(QStringLiteral("low.json"));
        const QByteArray text = smallTraceText(4);
        QVERIFY(writeFile(path, QByteArray(text).replace(text.indexOf("990.000"), 7, "300.000")));
        s.open(path);
        const auto& bars = s.steps().bars();
        QCOMPARE(bars.size(), 4u);
        QVERIFY(bars[0].rect.height() < bars[1].rect.height() / 2);
        const QImage picture = s.steps().grab().toImage();
        const QRgb background = picture.pixel(bars[0].rect.center().x(), 1);
        int written = 0;
        for (int y = 2; y < bars[0].rect.top(); ++y) {
            for (int x = bars[0].rect.left(); x <= bars[0].rect.right(); ++x)
                written += picture.pixel(x, y) != background ? 1 : 0;
        }
        QVERIFY2(written > 20, qPrintable(QString::number(written)));
    }

    void manyStepsShowTheSlowestOfEachGroup()
    {
        WindowSession s;
        s.openSmall(3000);
        const auto& bars = s.steps().bars();
        QVERIFY(bars.size() < 1000);
        uint32_t steps = 0;
        for (const auto& bar : bars) {
            QVERIFY(bar.rect.width() >= 2);
            steps += bar.steps;
        }
        QCOMPARE(steps, 3000u);
    }

    void aClickGoesToTheStepAndShiftClickMakesItTheScope()
    {
        WindowSession s;
        s.openSmall(10);
        const QPoint at = s.steps().bars()[4].rect.center();
        QTest::mouseClick(&s.steps(), Qt::LeftButton, {}, at);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#4"));
        QCOMPARE(s.state().visible(), (TimeRange{4 * kMs, 4 * kMs + 990'000}));
        QVERIFY(s.state().scope().isWhole());
        QTest::mouseClick(&s.steps(), Qt::LeftButton, Qt::ShiftModifier, s.steps().bars()[6].rect.center());
        QCOMPARE(s.state().scope().step, std::optional<int64_t>(6));
    }

    void keysWalkThroughTheSteps()
    {
        WindowSession s;
        s.openSmall(10);
        auto* field = s.window.findChild<StepField*>();
        QVERIFY(field != nullptr);
        QCOMPARE(field->text(), u"10 steps"_s);
        QTest::keyClick(&s.timeline(), Qt::Key_N);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#0"));
        QTest::keyClick(&s.timeline(), Qt::Key_N);
        QTest::keyClick(&s.timeline(), Qt::Key_N);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#2"));
        QCOMPARE(field->text(), u"Step 2 · 3 of 10"_s);
        QTest::keyClick(&s.timeline(), Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#1"));
        QTest::keyClick(&s.timeline(), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(s.state().scope().step, std::optional<int64_t>(1));
        s.steps().setFocus(Qt::TabFocusReason);
        QTest::keyClick(&s.steps(), Qt::Key_Right);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#2"));
    }
};

QTEST_MAIN(TestOverviewStrips)
#include "tst_overview_strips.moc"
