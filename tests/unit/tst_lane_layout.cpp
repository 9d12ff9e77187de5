// Where lanes and rows lie, what a point means, where arrows run.

#include "lod/hit_test.h"
#include "lod/slice_links.h"
#include "trace_fixture.h"

#include <QTest>

#include <random>

using namespace torchline;
using namespace torchline::lod;

namespace {

/// A host thread that launches two kernels, a second thread with the backward of the first operator, a GPU.
struct LinkedTrace {
    std::shared_ptr<const TraceSnapshot> trace;
    std::shared_ptr<const TimelineIndex> index;
    LaneState state;

    LinkedTrace()
    {
        TraceFixture f;
        const uint32_t main = f.lane("100", "100");
        const uint32_t autograd = f.lane("100", "101");
        const uint32_t stream = f.lane("0", "7");
        f.op(main, "aten::mm", 0, 2000, 1);
        f.call(main, "cudaLaunchKernel", 1200, 100, 55, 1);
        f.op(main, "aten::add", 3000, 1000, 2);
        f.call(main, "launch2", 3200, 100, 56, 2);
        f.op(autograd, "MmBackward0", 9000, 500, 3);
        f.kernel(stream, "gemm", 1500, 400, 55, 1);
        f.kernel(stream, "add_kernel", 3500, 400, 56, 2);
        f.arrow("fwdbwd", "1", main, 1000, autograd, 9000);
        f.memory(1, 64, 1, 0, 64, 128);
        f.memory(2, 64, 0, -1, 64);
        trace = f.snapshot();
        index = TimelineIndex::build(trace, WorkClasses(*trace));
        state = LaneState::forIndex(*index, 24);
    }

    [[nodiscard]] LaneLayout layout() const { return LaneLayout(*index, LaneMetrics(), state); }
    [[nodiscard]] SliceRef named(std::string_view name) const { return sliceNamed(*trace, name); }
};

QByteArray kindsOf(const LaneLayout& layout)
{
    QByteArray kinds;
    for (const LaneItem& item : layout.items())
        kinds += "GBLM"[static_cast<size_t>(item.kind)];
    return kinds;
}

} // namespace

class TestLaneLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A recording meets new threads and processes: what a person arranged stays.
    void arrangementIsCarriedToALongerTrace()
    {
        const LinkedTrace before;
        const auto laneOf = [](const TraceSnapshot& trace, std::string_view tid) {
            for (uint32_t i = 0; i < trace.lanes().size(); ++i) {
                if (trace.tid(LaneId(i)) == tid)
                    return LaneId(i);
            }
            return LaneId();
        };
        const auto groupOfLane = [](const TraceSnapshot& trace, LaneId lane) { return groupIndex(trace, lane); };
        const TraceSnapshot& was = *before.trace;
        const LaneId main = laneOf(was, "100");
        const LaneId autograd = laneOf(was, "101");
        const LaneId stream = laneOf(was, "7");
        LaneState state = before.state;
        state.setCollapsed(main, true);
        state.setHidden(autograd, true);
        state.setHeight(stream, 200);
        state.pin(stream);
        state.move(was, autograd, main);
        state.setGroupCollapsed(groupOfLane(was, stream), true);
        state.moveGroup(was, groupOfLane(was, stream), groupOfLane(was, main));
        state.setMemoryHeight(0, 150);

        TraceFixture f; // one more process before, one more thread between, lanes numbered otherwise
        const uint32_t other = f.lane("50", "50");
        const uint32_t streamNow = f.lane("0", "7");
        const uint32_t worker = f.lane("100", "100500");
        const uint32_t autogradNow = f.lane("100", "101");
        const uint32_t mainNow = f.lane("100", "100");
        f.op(other, "aten::sum", 0, 100, 9).op(worker, "aten::mul", 10, 100, 8).op(mainNow, "aten::mm", 0, 2000, 1);
        f.op(autogradNow, "MmBackward0", 9000, 500, 3).call(mainNow, "cudaLaunchKernel", 1200, 100, 55, 1);
        f.kernel(streamNow, "gemm", 1500, 400, 55, 1);
        f.memory(1, 64, 0, -1, 64).memory(2, 64, 1, 0, 64, 128).memory(3, 64, 1, 1, 64, 128);
        const auto trace = f.snapshot();
        const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
        const TraceSnapshot& is = *trace;
        const LaneState now = state.carriedTo(*index, *before.index);

        QVERIFY(now.isCollapsed(laneOf(is, "100")));
        QVERIFY(!now.isCollapsed(laneOf(is, "50")));
        QVERIFY(now.isHidden(laneOf(is, "101")));
        QVERIFY(!now.isHidden(laneOf(is, "100500")));
        QCOMPARE(now.heightOf(laneOf(is, "7")), uint16_t{200});
        QCOMPARE(now.pinned, std::vector{laneOf(is, "7")});
        const uint32_t host = groupOfLane(is, laneOf(is, "100"));
        QVERIFY(std::ranges::equal(
            now.orderOf(is, host), std::vector{laneOf(is, "101"), laneOf(is, "100"), laneOf(is, "100500")}));
        QVERIFY(now.isGroupCollapsed(groupOfLane(is, laneOf(is, "7"))));
        QVERIFY(!now.isGroupCollapsed(host));
        QCOMPARE(now.groupsInOrder(is),
            (std::vector{
                groupOfLane(is, laneOf(is, "7")), host, groupCount(is) - 1, groupOfLane(is, laneOf(is, "50"))}));
        QCOMPARE(index->memory().size(), size_t{3});
        for (uint32_t t = 0; t < 3; ++t) {
            const bool isArranged = index->memory()[t].deviceType == before.index->memory()[0].deviceType
                && index->memory()[t].deviceId == before.index->memory()[0].deviceId;
            QCOMPARE(now.memoryHeightOf(t), isArranged ? uint16_t{150} : uint16_t{100});
        }
    }

    void itemsFollowEachOther();
    void kernelRowsAreTaller();
    void collapsingTakesRoomAway();
    void lanesCanBeLeftOut();
    void aPointFindsItsRow();
    void bandOfHiddenSlicesIsWhereTheyWouldBe();
    void hitTakesTheLongestInThePixel();
    void hitHasAPixelOfSlack();
    void hitEqualsBruteForce_data();
    void hitEqualsBruteForce();
    void clickingOnGoesThroughThePixel();
    void hitInACollapsedLane();
    void hitWherePixelsAreNarrowerThanANanosecond();
    void linksOfEachEnd();
    void followingArrowsBackAndForth();
    void arrowsEndAtTheEdgeOfTheView();
    void deepLanesBeginFolded();
    void pinnedLanesComeFirst();
    void goldenGeometry();
    void hiddenLanesLeaveTheirBand();
    void lanesMoveWithinTheirProcess();
    void rowsGrowAndShrink();
    void pinnedLanesStayInView();
    void arrowsReachPinnedAndHiddenLanes();
    void arrowsInViewAreSpreadEvenly();
    void thousandsOfLanesAreLookedUpQuickly();
};

void TestLaneLayout::itemsFollowEachOther()
{
    const LinkedTrace t;
    const LaneLayout layout = t.layout();
    QCOMPARE(kindsOf(layout), "GLLGBLMGM");
    int y = 0;
    for (const LaneItem& item : layout.items()) {
        QCOMPARE(item.y, y);
        y = item.bottom();
        QCOMPARE(layout.itemAt(item.y), &item);
        QCOMPARE(layout.itemAt(item.bottom() - 1), &item);
    }
    QCOMPARE(layout.height(), y);
    QVERIFY(!layout.itemAt(-1));
    QVERIFY(!layout.itemAt(y));
    QCOMPARE(layout.itemsIn(0, y).size(), layout.items().size());
    QCOMPARE(layout.itemsIn(22, 23).size(), size_t{1});
}

void TestLaneLayout::kernelRowsAreTaller()
{
    const LinkedTrace t;
    const LaneLayout layout = t.layout();
    const LaneMetrics metrics;
    const LaneItem* host = layout.itemOf(t.named("aten::mm").lane);
    const LaneItem* stream = layout.itemOf(t.named("gemm").lane);
    QCOMPARE(host->height, 2 * metrics.padding + 2 * metrics.row + metrics.separator);
    QCOMPARE(stream->height, 2 * metrics.padding + metrics.kernelRow + metrics.separator);
}

void TestLaneLayout::collapsingTakesRoomAway()
{
    LinkedTrace t;
    const LaneId host = t.named("aten::mm").lane;
    const int before = t.layout().height();
    t.state.setCollapsed(host, true);
    const LaneLayout collapsed = t.layout();
    QVERIFY(collapsed.height() < before);
    QCOMPARE(collapsed.itemOf(host)->height, LaneMetrics().collapsed + 1);
    t.state.setGroupCollapsed(0, true);
    const LaneLayout closed = t.layout();
    QCOMPARE(kindsOf(closed), "GGBLMGM");
    QVERIFY(!closed.itemOf(host));
}

void TestLaneLayout::lanesCanBeLeftOut()
{
    const LinkedTrace t;
    const LaneId host = t.named("aten::mm").lane;
    const LaneLayout layout(*t.index, LaneMetrics(), t.state, [host](LaneId id) { return id == host; });
    QCOMPARE(kindsOf(layout), "GLGM");
    QVERIFY(!layout.bandOf(*t.index, t.named("gemm")).has_value());
}

void TestLaneLayout::aPointFindsItsRow()
{
    const LinkedTrace t;
    const LaneLayout layout = t.layout();
    const LaneItem& item = *layout.itemOf(t.named("aten::mm").lane);
    QVERIFY(!LaneLayout::rowAt(item, item.y + 1).has_value());
    for (uint16_t row = 0; row < item.rows; ++row) {
        const LaneLayout::Band band = LaneLayout::rowBand(item, row);
        QCOMPARE(*LaneLayout::rowAt(item, band.top), row);
        QCOMPARE(*LaneLayout::rowAt(item, band.bottom), row);
    }
    QVERIFY(!LaneLayout::rowAt(item, item.bottom() - 1).has_value());
}

void TestLaneLayout::bandOfHiddenSlicesIsWhereTheyWouldBe()
{
    LinkedTrace t;
    const SliceRef gemm = t.named("gemm");
    const uint32_t group = groupIndex(*t.trace, gemm.lane);
    t.state.setGroupCollapsed(group, true);
    const LaneLayout layout = t.layout();
    const auto band = layout.bandOf(*t.index, gemm);
    QVERIFY(band.has_value());
    QVERIFY(band->top > layout.groupItem(group)->y && band->bottom < layout.groupItem(group)->bottom());
}

void TestLaneLayout::hitTakesTheLongestInThePixel()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 3000; ++i)
        f.op(main, i == 1234 ? "long" : "short", i * 100, i == 1234 ? 90 : 10);
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    const LaneLayout layout(*index, LaneMetrics(), LaneState::forIndex(*index, 24));
    const int y = LaneLayout::rowBand(*layout.itemOf(LaneId(0)), 0).top + 2;
    const PixelScale scale({0, 300'000}, 30);
    const TimelineHit hit = hitTest(*index, layout, scale, 12, y);
    QCOMPARE(nameOf(*trace, hit.slice), std::string("long"));
    QCOMPARE(*hit.row, uint16_t{0});
    QVERIFY(!hitTest(*index, layout, scale, 12, layout.height() + 5).item);
}

void TestLaneLayout::hitEqualsBruteForce_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 6; ++seed)
        QTest::addRow("store %u", seed) << seed;
}

void TestLaneLayout::hitEqualsBruteForce()
{
    QFETCH(const unsigned, seed);
    std::mt19937 random(seed);
    const auto below = [&random](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    int64_t at = -50'000;
    for (int i = 0; i < 1500; ++i) {
        // Nested up to four deep, some of no length, some far longer, some far away.
        int64_t startNs = at;
        int64_t lengthNs = below(20) == 0 ? below(20'000) : below(200);
        at += lengthNs + (below(50) == 0 ? below(100'000) : below(40));
        for (int depth = 0; depth <= below(4); ++depth) {
            f.op(main, "op", startNs, lengthNs);
            startNs += lengthNs / 4;
            lengthNs /= 2;
        }
    }
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    const LaneLayout layout(*index, LaneMetrics(), LaneState::forIndex(*index, 24));
    const LaneItem& item = *layout.itemOf(LaneId(0));
    const TimeRange whole = trace->span();
    constexpr int kWidth = 300;
    for (int view = 0; view < 60; ++view) {
        const int64_t spanNs = kWidth + (whole.spanNs() >> below(14));
        const int64_t beginNs = whole.beginNs - 1000 + below(whole.spanNs());
        const PixelScale scale({beginNs, beginNs + spanNs}, kWidth);
        const int x = static_cast<int>(below(kWidth));
        for (uint16_t row = 0; row < item.rows; ++row) {
            const SliceRow slices = index->row(item.lane, item.frames, row).slices;
            const auto longestIn = [&](int first, int last) {
                SliceRef longest;
                for (uint32_t k = 0; k < slices.size(); ++k) {
                    const int64_t endNs = slices.startNs(k) + std::max<int64_t>(slices.durationNs(k), 1);
                    const bool touches
                        = slices.startNs(k) < scale.firstNsOf(last + 1) && endNs > scale.firstNsOf(first);
                    const SliceRef slice{item.lane, slices.laneIndex(k)};
                    if (touches && (!longest.isValid() || trace->durationNs(slice) > trace->durationNs(longest)))
                        longest = slice;
                }
                return longest;
            };
            const SliceRef inPixel = longestIn(x, x);
            const SliceRef expected = inPixel.isValid() ? inPixel : longestIn(x - 1, x + 1);
            const int y = LaneLayout::rowBand(item, row).top + 1;
            QCOMPARE(hitTest(*index, layout, scale, x, y).slice, expected);
        }
    }
}

void TestLaneLayout::hitHasAPixelOfSlack()
{
    const LinkedTrace t;
    const LaneLayout layout = t.layout();
    const int y = LaneLayout::rowBand(*layout.itemOf(t.named("gemm").lane), 0).top + 2;
    const PixelScale scale({0, 10'000}, 1000);
    QCOMPARE(nameOf(*t.trace, hitTest(*t.index, layout, scale, 150, y).slice), std::string("gemm"));
    QCOMPARE(nameOf(*t.trace, hitTest(*t.index, layout, scale, 149, y).slice), std::string("gemm"));
    QCOMPARE(nameOf(*t.trace, hitTest(*t.index, layout, scale, 190, y).slice), std::string("gemm"));
    QVERIFY(!hitTest(*t.index, layout, scale, 148, y).slice.isValid());
    QVERIFY(!hitTest(*t.index, layout, scale, 192, y).slice.isValid());
}

void TestLaneLayout::clickingOnGoesThroughThePixel()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 4; ++i)
        f.op(main, std::string(1, static_cast<char>('a' + i)), 1000 + i * 10, i == 2 ? 8 : 5);
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    const PixelScale scale({0, 100'000}, 100);
    SliceRef slice = sliceNamed(*trace, "c");
    QByteArray seen;
    for (int i = 0; i < 5; ++i) {
        seen += QByteArray::fromStdString(nameOf(*trace, slice));
        slice = nextInPixel(*index, Frames::Shown, scale, 0, slice);
    }
    QCOMPARE(seen, "cdabc");
}

void TestLaneLayout::hitInACollapsedLane()
{
    LinkedTrace t;
    const LaneId host = t.named("aten::mm").lane;
    t.state.setCollapsed(host, true);
    const LaneLayout layout = t.layout();
    const int y = layout.itemOf(host)->y + 8;
    const PixelScale scale({0, 10'000}, 1000);
    QCOMPARE(nameOf(*t.trace, hitTest(*t.index, layout, scale, 125, y).slice), std::string("aten::mm"));
    QVERIFY(!hitTest(*t.index, layout, scale, 250, y).slice.isValid());
}

void TestLaneLayout::hitWherePixelsAreNarrowerThanANanosecond()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "first", 0, 1);
    f.op(main, "second", 7, 1);
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    const PixelScale scale({-5, 15}, 1000);
    LaneState state;
    for (const bool isCollapsed : {false, true}) {
        state.setCollapsed(LaneId(0), isCollapsed);
        const LaneLayout layout(*index, LaneMetrics(), state);
        const int y = LaneLayout::rowBand(*layout.itemOf(LaneId(0)), 0).top + 2;
        for (int x = 600; x < 650; ++x)
            QCOMPARE(nameOf(*trace, hitTest(*index, layout, scale, x, y).slice), std::string("second"));
        for (const int x : {598, 652, 302})
            QVERIFY(!hitTest(*index, layout, scale, x, y).slice.isValid());
        QCOMPARE(nameOf(*trace, hitTest(*index, layout, scale, 275, y).slice), std::string("first"));
    }
}

void TestLaneLayout::linksOfEachEnd()
{
    const LinkedTrace t;
    const auto textOf = [&](std::string_view name) {
        QByteArray text;
        for (const SliceLink& link : linksOf(*t.trace, t.named(name), 100))
            text += QByteArray::fromStdString(nameOf(*t.trace, link.from) + ">" + nameOf(*t.trace, link.to))
                + "LFO"[static_cast<size_t>(link.kind)] + ' ';
        return text;
    };
    QCOMPARE(textOf("aten::mm"), "cudaLaunchKernel>gemmL aten::mm>MmBackward0F ");
    QCOMPARE(textOf("cudaLaunchKernel"), "cudaLaunchKernel>gemmL ");
    QCOMPARE(textOf("gemm"), "cudaLaunchKernel>gemmL ");
    QCOMPARE(textOf("MmBackward0"), "aten::mm>MmBackward0F ");
    QVERIFY(linksOf(*t.trace, {}, 100).empty());
    QCOMPARE(linksOf(*t.trace, t.named("aten::mm"), 1).size(), size_t{1});
    QCOMPARE(linksIn(*t.trace, {0, 1990}, 100).links.size(), size_t{1});
    QCOMPARE(linksIn(*t.trace, {0, 5000}, 100).links.size(), size_t{2});
    // The arrow of the file counts too, that of a launch once.
    QCOMPARE(linksIn(*t.trace, {0, 10'000}, 100).total, uint64_t{3});
}

void TestLaneLayout::followingArrowsBackAndForth()
{
    const LinkedTrace t;
    const auto next = [&](std::string_view name, bool forward) {
        return nameOf(*t.trace, followLink(*t.trace, t.named(name), forward));
    };
    QCOMPARE(next("aten::add", true), std::string("add_kernel"));
    QCOMPARE(next("launch2", true), std::string("add_kernel"));
    QCOMPARE(next("add_kernel", false), std::string("launch2"));
    QCOMPARE(next("add_kernel", true), std::string("-"));
    QCOMPARE(next("MmBackward0", false), std::string("aten::mm"));
}

void TestLaneLayout::arrowsEndAtTheEdgeOfTheView()
{
    const LinkedTrace t;
    const LaneLayout layout = t.layout();
    ViewWindow window;
    window.width = 1000;
    window.height = layout.height();
    const PixelScale all({0, 10'000}, 1000);
    window.scale = &all;
    const SliceLink launch{t.named("cudaLaunchKernel"), t.named("gemm"), LinkKind::Launch};
    const SliceLink backward{t.named("aten::mm"), t.named("MmBackward0"), LinkKind::ForwardBackward};
    const auto inside = arrowShape(*t.index, layout, window, launch);
    QVERIFY(inside.has_value());
    QVERIFY(inside->from.edge == ViewEdge::None && inside->to.edge == ViewEdge::None);
    QVERIFY(!inside->pointsUp);
    QCOMPARE(inside->to.y, static_cast<double>(layout.bandOf(*t.index, launch.to)->top));
    QVERIFY(inside->from.x > 120 && inside->from.x < 130);

    const PixelScale left({0, 4000}, 1000);
    window.scale = &left;
    const auto right = arrowShape(*t.index, layout, window, backward);
    QVERIFY(right.has_value() && right->to.edge == ViewEdge::Right);
    QCOMPARE(right->to.x, 1000.0);
    const PixelScale late({8000, 12'000}, 1000);
    window.scale = &late;
    QVERIFY(arrowShape(*t.index, layout, window, backward)->from.edge == ViewEdge::Left);
    QVERIFY(!arrowShape(*t.index, layout, window, launch).has_value());

    window.scale = &all;
    window.lanes = LaneScroll::of(layout, layout.height(), layout.bandOf(*t.index, launch.to)->top - 5, 0);
    QVERIFY(arrowShape(*t.index, layout, window, launch)->from.edge == ViewEdge::Top);
}

void TestLaneLayout::deepLanesBeginFolded()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    for (int i = 0; i < 40; ++i)
        f.python(main, "x.py(1): f", i, 1000 - 2 * i);
    f.op(main, "aten::mm", 100, 10);
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    QVERIFY(LaneState::forIndex(*index, 24).framesOf(LaneId(0)) == Frames::Folded);
    QVERIFY(LaneState::forIndex(*index, 60).framesOf(LaneId(0)) == Frames::Shown);
    const LaneLayout layout(*index, LaneMetrics(), LaneState::forIndex(*index, 24));
    QCOMPARE(layout.itemOf(LaneId(0))->rows, uint16_t{1});
    // A frame that is folded away still has a place to point at.
    QVERIFY(layout.bandOf(*index, SliceRef{LaneId(0), 5}).has_value());
}

namespace {

/// One item a line: kind, what, y, height, and what is said of it.
QByteArray geometryOf(const LinkedTrace& t, const LaneLayout& layout)
{
    QByteArray text;
    for (const LaneItem& item : layout.items()) {
        text += "GBLM"[static_cast<size_t>(item.kind)];
        text += item.kind == LaneItemKind::Lane ? ' ' + QByteArray::fromStdString(t.trace->laneLabel(item.lane))
                                                : ' ' + QByteArray::number(item.group);
        text += ' ' + QByteArray::number(item.y) + '+' + QByteArray::number(item.height);
        text += item.isPinned ? " pinned" : "";
        text += item.isCollapsed ? " folded" : "";
        text += item.hidden > 0 ? ' ' + QByteArray::number(item.hidden) + " hidden" : QByteArray();
        text += '\n';
    }
    return text;
}

} // namespace

void TestLaneLayout::pinnedLanesComeFirst()
{
    LinkedTrace t;
    const LaneId stream = t.named("gemm").lane;
    const LaneId host = t.named("aten::mm").lane;
    t.state.pin(stream);
    t.state.pin(host);
    const LaneLayout both = t.layout();
    QCOMPARE(kindsOf(both), "LLGLGBMGM");
    QCOMPARE(both.items()[0].lane, stream);
    QCOMPARE(both.items()[1].lane, host);
    QVERIFY(both.itemOf(stream)->isPinned);
    QCOMPARE(both.laneCount(), size_t{3});
    t.state.pin(host, stream);
    QCOMPARE(t.layout().items()[0].lane, host);
    t.state.unpin(host);
    // Back in its own place.
    QCOMPARE(kindsOf(t.layout()), "LGLLGBMGM");
    QCOMPARE(t.layout().items()[2].lane, host);
    t.state.setHidden(stream, true);
    QCOMPARE(t.layout().pinnedHeight(), 0);
    QCOMPARE(t.layout().scrolledTop(), 0);
}

void TestLaneLayout::goldenGeometry()
{
    LinkedTrace t;
    t.state.pin(t.named("gemm").lane);
    t.state.setCollapsed(t.named("MmBackward0").lane, true);
    t.state.setHeight(t.named("aten::mm").lane, 200);
    QCOMPARE(geometryOf(t, t.layout()),
        "L 7 0+36 pinned\n"
        "G 0 40+22\n"
        "L 100 62+87\n"
        "L 101 149+21 folded\n"
        "G 1 170+22\n"
        "B 1 192+23\n"
        "M 1 215+73\n"
        "G 2 288+22\n"
        "M 2 310+73\n");
}

void TestLaneLayout::hiddenLanesLeaveTheirBand()
{
    LinkedTrace t;
    const SliceRef mm = t.named("aten::mm");
    t.state.setHidden(mm.lane, true);
    const LaneLayout one = t.layout();
    QCOMPARE(kindsOf(one), "GLGBLMGM");
    QCOMPARE(one.groupItem(0)->hidden, 1u);
    QCOMPARE(one.itemAt(one.bandOf(*t.index, mm)->top), one.groupItem(0));
    // A whole process hidden: its band is all that stays, without strips and memory.
    t.state.setHidden(t.named("gemm").lane, true);
    QCOMPARE(kindsOf(t.layout()), "GLGGM");
}

void TestLaneLayout::lanesMoveWithinTheirProcess()
{
    LinkedTrace t;
    const LaneId host = t.named("aten::mm").lane;
    const LaneId autograd = t.named("MmBackward0").lane;
    t.state.move(*t.trace, autograd, host);
    QCOMPARE(t.layout().items()[1].lane, autograd);
    QCOMPARE(t.layout().items()[2].lane, host);
    t.state.move(*t.trace, autograd, std::nullopt);
    QCOMPARE(t.layout().items()[2].lane, autograd);
    t.state.move(*t.trace, autograd, autograd);
    QCOMPARE(t.layout().items()[2].lane, autograd);
    QCOMPARE(kindsOf(t.layout()), "GLLGBLMGM");
}

void TestLaneLayout::rowsGrowAndShrink()
{
    LinkedTrace t;
    const LaneId host = t.named("aten::mm").lane;
    const LaneMetrics metrics;
    const int usual = t.layout().itemOf(host)->height;
    t.state.setHeight(host, 300);
    QCOMPARE(t.layout().itemOf(host)->height, usual + 4 * metrics.row);
    t.state.setHeight(host, 1);
    QCOMPARE(t.state.heightOf(host), LaneState::kLeastPercent);
    const LaneLayout low = t.layout();
    QCOMPARE(low.itemOf(host)->height, metrics.separator + 2 * metrics.padding + 2 * 6);
    t.state.setHeight(host, 100);
    QCOMPARE(t.layout().itemOf(host)->height, usual);
    t.state.setMemoryHeight(0, 200);
    const LaneLayout tall = t.layout();
    const auto memory = std::ranges::find_if(
        tall.items(), [](const LaneItem& item) { return item.kind == LaneItemKind::Memory && item.index == 0; });
    QCOMPARE(memory->height, 2 * metrics.memory + metrics.separator);
}

void TestLaneLayout::pinnedLanesStayInView()
{
    LinkedTrace t;
    t.state.pin(t.named("gemm").lane);
    const LaneLayout layout = t.layout();
    const LaneScroll top = LaneScroll::of(layout, 200, 0, 0);
    const LaneScroll scrolled = LaneScroll::of(layout, 200, 50, 0);
    QCOMPARE(top.shownTop, layout.scrolledTop());
    const LaneItem& pinned = layout.items()[0];
    const LaneItem& other = layout.items()[2];
    QCOMPARE(top.viewY(pinned.y), 0);
    QCOMPARE(scrolled.viewY(pinned.bottom()), pinned.height);
    QCOMPARE(top.viewY(other.y), other.y);
    QCOMPARE(scrolled.viewY(other.y), other.y - 50);
    for (int y = 0; y < 200; ++y) {
        const int content = scrolled.contentY(y);
        if (y < scrolled.pinnedShown() || y >= scrolled.shownTop)
            QCOMPARE(scrolled.viewY(content), y);
        else
            QVERIFY(!layout.itemAt(content)); // the divider
    }
    // Where they would take the whole view, they leave room and scroll by themselves.
    const LaneScroll low = LaneScroll::of(layout, 40, 0, 1000);
    QCOMPARE(low.pinnedShown(), 24);
    QCOMPARE(low.pinnedScroll, layout.pinnedHeight() - 24);
    QCOMPARE(low.contentY(23), layout.pinnedHeight() - 1);
}

void TestLaneLayout::arrowsReachPinnedAndHiddenLanes()
{
    LinkedTrace t;
    const SliceLink launch{t.named("cudaLaunchKernel"), t.named("gemm"), LinkKind::Launch};
    ViewWindow window;
    const PixelScale all({0, 10'000}, 1000);
    window.scale = &all;
    window.width = 1000;
    window.height = 150;
    t.state.pin(launch.to.lane);
    const LaneLayout pinned = t.layout();
    for (const int scroll : {0, 60, 100}) {
        window.lanes = LaneScroll::of(pinned, 150, scroll, 0);
        const auto shape = arrowShape(*t.index, pinned, window, launch);
        QVERIFY(shape.has_value());
        QVERIFY(shape->pointsUp);
        QVERIFY(shape->to.edge == ViewEdge::None);
        QCOMPARE(shape->to.y, static_cast<double>(pinned.bandOf(*t.index, launch.to)->bottom));
        // What has scrolled away under the pinned lanes leaves by their lower edge.
        QCOMPARE(shape->from.edge == ViewEdge::Top, scroll > 0);
        QVERIFY(shape->from.y >= window.lanes.shownTop);
    }
    t.state.unpin(launch.to.lane);
    t.state.setHidden(launch.to.lane, true);
    const LaneLayout hidden = t.layout();
    window.lanes = {};
    window.height = hidden.height();
    const auto shape = arrowShape(*t.index, hidden, window, launch);
    QVERIFY(shape.has_value());
    QCOMPARE(hidden.itemAt(static_cast<int>(shape->to.y)), hidden.groupItem(1));
}

void TestLaneLayout::arrowsInViewAreSpreadEvenly()
{
    TraceFixture f;
    const uint32_t main = f.lane("100", "100");
    const uint32_t stream = f.lane("0", "7");
    for (uint32_t i = 0; i < 1000; ++i) {
        f.call(main, "cudaLaunchKernel", i * 100, 10, i + 1);
        f.kernel(stream, "k", i * 100 + 20, 10, i + 1);
    }
    const auto trace = f.snapshot();
    const LinkSample all = linksIn(*trace, {0, 1'000'000}, 2000);
    QCOMPARE(all.total, uint64_t{1000});
    QCOMPARE(all.links.size(), size_t{1000});
    const LinkSample some = linksIn(*trace, {0, 1'000'000}, 200);
    QCOMPARE(some.total, uint64_t{1000});
    QVERIFY(some.links.size() > 100 && some.links.size() <= 200);
    int64_t before = -1;
    int64_t widest = 0;
    for (const SliceLink& link : some.links) {
        const int64_t at = trace->startNs(link.from);
        QVERIFY(at > before);
        if (before >= 0)
            widest = std::max(widest, at - before);
        before = at;
    }
    QCOMPARE(widest, int64_t{800});
    QVERIFY(before > 99'000);
    QCOMPARE(linksIn(*trace, {50'000, 51'000}, 200).total, uint64_t{10});
}

void TestLaneLayout::thousandsOfLanesAreLookedUpQuickly()
{
    TraceFixture f;
    constexpr uint32_t kLanes = 5000;
    for (uint32_t i = 0; i < kLanes; ++i)
        f.op(f.lane(std::to_string(i / 100), std::to_string(i)), "op", i, 10);
    const auto trace = f.snapshot();
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    LaneState state = LaneState::forIndex(*index, 24);
    for (uint32_t g = 0; g < trace->groups().size(); ++g)
        state.setGroupCollapsed(g, g % 2 == 0);
    const LaneLayout layout(*index, LaneMetrics(), state);
    QCOMPARE(layout.laneCount(), size_t{kLanes / 2});
    for (uint32_t i = 0; i < kLanes; ++i) {
        const uint32_t group = groupIndex(*trace, LaneId(i));
        const auto band = layout.bandOf(*index, {LaneId(i), 0});
        QVERIFY(band.has_value());
        QCOMPARE(layout.itemOf(LaneId(i)) == nullptr, group % 2 == 0);
        QCOMPARE(layout.itemAt(band->top)->kind, group % 2 == 0 ? LaneItemKind::Group : LaneItemKind::Lane);
    }
}

QTEST_GUILESS_MAIN(TestLaneLayout)
#include "tst_lane_layout.moc"
