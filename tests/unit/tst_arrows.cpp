#include "trace_fixture.h"

#include <QtTest>

using namespace torchline;

namespace {

std::vector<std::string> arrowTexts(const TraceSnapshot& trace)
{
    std::vector<std::string> texts;
    trace.forEachArrow(
        0, [&](const Arrow& arrow) { texts.push_back(nameOf(trace, arrow.from) + " > " + nameOf(trace, arrow.to)); });
    std::sort(texts.begin(), texts.end());
    return texts;
}

using Texts = std::vector<std::string>;

} // namespace

class TestArrows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arrowNeedsEqualCategoryNameAndId();
    void oneStartCanHaveManyFinishes();
    void ofSeveralStartsTheLatestThatIsNotAfterIsTaken();
    void finishMayBeEarlierThanItsOnlyStart();
    void finishWithoutEnclosingBindsToTheNextSlice();
    void endStandsOnTheSliceThatStartsThereElseAround();
    void launchArrowPrefersTheCallOfItsNumber();
    void forwardArrowPrefersOperators();
    void endOnNoSliceIsCountedAndNotDrawn();
    void halfArrowsAtCallsAreUsual();
    void workWithoutStartIsCounted();
    void stepsArePassedOver();
    void idsAreComparedAsTexts();
    void arrowIsFoundFromBothEnds();
    void sharedNumberOfHostAndStreamGoesToTheRightSide();
};

void TestArrows::arrowNeedsEqualCategoryNameAndId()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(host, "launch", 0, 5, 40).op(host, "forward", 10, 5);
    f.kernel(stream, "kernel", 20, 5, 40).op(f.lane("1", "2"), "backward", 30, 5);
    f.arrow("ac2g", "40", host, 0, stream, 20);
    f.arrow("fwdbwd", "40", host, 10, f.lane("1", "2"), 30);
    const auto trace = f.snapshot();
    QCOMPARE(arrowTexts(*trace), (Texts{"forward > backward", "launch > kernel"}));
    QVERIFY(trace->file(0).notices.empty());
}

void TestArrows::oneStartCanHaveManyFinishes()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(host, "graph", 0, 5, 40).kernel(stream, "a", 20, 5, 40).kernel(stream, "b", 30, 5, 40);
    f.flow(host, FlowPhase::Start, "ac2g", "40", 0);
    f.flow(stream, FlowPhase::Finish, "ac2g", "40", 20).flow(stream, FlowPhase::Finish, "ac2g", "40", 30);
    const auto trace = f.snapshot();
    QCOMPARE(arrowTexts(*trace), (Texts{"graph > a", "graph > b"}));
    QCOMPARE(trace->arrowsFrom(sliceNamed(*trace, "graph")).size(), size_t{2});
}

void TestArrows::ofSeveralStartsTheLatestThatIsNotAfterIsTaken()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(host, "launch 1", 100, 5, 42).call(host, "launch 2", 200, 5, 42);
    f.kernel(stream, "early", 50, 5, 42).kernel(stream, "k1", 150, 5, 42).kernel(stream, "k2", 200, 5, 42);
    f.flow(stream, FlowPhase::Finish, "ac2g", "42", 200).flow(stream, FlowPhase::Finish, "ac2g", "42", 50);
    f.flow(stream, FlowPhase::Finish, "ac2g", "42", 150);
    f.flow(host, FlowPhase::Start, "ac2g", "42", 200).flow(host, FlowPhase::Start, "ac2g", "42", 100);
    QCOMPARE(arrowTexts(*f.snapshot()), (Texts{"launch 1 > early", "launch 1 > k1", "launch 2 > k2"}));
}

void TestArrows::finishMayBeEarlierThanItsOnlyStart()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(host, "launch", 552, 3, 1).kernel(stream, "early", 549, 8, 1).arrow("ac2g", "1", host, 552, stream, 549);
    const auto trace = f.snapshot();
    QCOMPARE(arrowTexts(*trace), Texts{"launch > early"});
    const Arrow arrow = trace->arrowsTo(sliceNamed(*trace, "early")).front();
    QCOMPARE(arrow.fromNs - arrow.toNs, int64_t{3});
}

void TestArrows::finishWithoutEnclosingBindsToTheNextSlice()
{
    TraceFixture f;
    const uint32_t a = f.lane("1", "1");
    const uint32_t b = f.lane("1", "2");
    f.op(a, "from", 0, 10).op(b, "around", 0, 100).op(b, "next", 50, 10);
    f.flow(a, FlowPhase::Start, "x", "1", 5).flow(b, FlowPhase::Finish, "x", "1", 20, false);
    f.flow(a, FlowPhase::Start, "x", "2", 5).flow(b, FlowPhase::Finish, "x", "2", 51, false);
    f.flow(a, FlowPhase::Start, "x", "3", 5).flow(b, FlowPhase::Finish, "x", "3", 51, true);
    const auto trace = f.snapshot();
    QCOMPARE(arrowTexts(*trace), (Texts{"from > next", "from > next"}));
    QCOMPARE(noticeOf(trace->file(0), "arrow-without-slice")->count, uint64_t{1});
}

void TestArrows::endStandsOnTheSliceThatStartsThereElseAround()
{
    TraceFixture f;
    const uint32_t a = f.lane("1", "1");
    const uint32_t b = f.lane("1", "2");
    f.op(a, "outer", 0, 100).op(a, "ended", 10, 10).op(a, "starts", 30, 10);
    f.op(b, "to", 0, 100);
    f.arrow("x", "1", a, 25, b, 0)
        .arrow("x", "2", a, 30, b, 0)
        .arrow("x", "3", a, 99, b, 0)
        .arrow("x", "4", a, 15, b, 0);
    QCOMPARE(arrowTexts(*f.snapshot()), (Texts{"ended > to", "outer > to", "outer > to", "starts > to"}));

    TraceFixture edges; // a slice is over at its end
    const uint32_t from = edges.lane("1", "1");
    const uint32_t to = edges.lane("1", "2");
    edges.op(from, "outer", 0, 100).op(from, "inner", 10, 10).op(to, "to", 0, 5);
    edges.arrow("x", "1", from, 20, to, 4).arrow("x", "2", from, 100, to, 4).arrow("x", "3", from, 19, to, 5);
    QCOMPARE(arrowTexts(*edges.snapshot()), Texts{"outer > to"});
}

void TestArrows::launchArrowPrefersTheCallOfItsNumber()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "op", 10, 20)
        .call(host, "launch 7", 10, 5, 7)
        .call(host, "launch 8", 10, 5, 8)
        .python(host, "frame", 10, 1);
    f.kernel(stream, "kernel 7", 20, 5, 7).kernel(stream, "kernel 8", 20, 0, 8);
    f.arrow("ac2g", "7", host, 10, stream, 20).arrow("ac2g", "8", host, 10, stream, 20);
    QCOMPARE(arrowTexts(*f.snapshot()), (Texts{"launch 7 > kernel 7", "launch 8 > kernel 8"}));
}

void TestArrows::forwardArrowPrefersOperators()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    f.op(host, "forward", 10, 20)
        .call(host, "launch", 10, 5, 7)
        .python(host, "frame", 10, 3)
        .op(other, "backward", 50, 9);
    f.arrow("fwdbwd", "7", host, 10, other, 50);
    QCOMPARE(arrowTexts(*f.snapshot()), Texts{"forward > backward"});
}

void TestArrows::endOnNoSliceIsCountedAndNotDrawn()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.call(host, "launch", 5, 5, 1).kernel(stream, "kernel", 20, 5, 1);
    f.arrow("ac2g", "902", host, 900, stream, 905).arrow("ac2g", "903", host, 5, stream, 950);
    f.arrow("ac2g", "904", f.lane("8", "8"), 5, stream, 20);
    const auto trace = f.snapshot();
    QVERIFY(arrowTexts(*trace).empty());
    QCOMPARE(noticeOf(trace->file(0), "arrow-without-slice")->count, uint64_t{3});
}

void TestArrows::halfArrowsAtCallsAreUsual()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    f.call(host, "cudaStreamSynchronize", 5, 5, 1).call(host, "cudaMalloc", 20, 5, 2);
    f.flow(host, FlowPhase::Start, "ac2g", "1", 5).flow(host, FlowPhase::Finish, "ac2g", "2", 20);
    const auto store = f.store();
    QVERIFY(store->notices.empty());
    QVERIFY(store->links.arrows.empty());
}

void TestArrows::workWithoutStartIsCounted()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.kernel(stream, "kernel", 20, 5, 1).flow(stream, FlowPhase::Finish, "ac2g", "1", 20);
    const auto store = f.store();
    const Notice* notice = noticeOf(*store, "arrow-without-start");
    QVERIFY(notice);
    QCOMPARE(notice->count, uint64_t{1});
    QCOMPARE(notice->places.front().offset, std::optional<uint64_t>(20));
}

void TestArrows::stepsArePassedOver()
{
    TraceFixture f;
    const uint32_t a = f.lane("1", "1");
    const uint32_t b = f.lane("1", "2");
    f.op(a, "from", 0, 10).op(b, "between", 20, 10).op(b, "to", 40, 10);
    f.flow(a, FlowPhase::Start, "x", "1", 5)
        .flow(b, FlowPhase::Step, "x", "1", 25)
        .flow(b, FlowPhase::Finish, "x", "1", 45);
    const auto trace = f.snapshot();
    QCOMPARE(arrowTexts(*trace), Texts{"from > to"});
    QCOMPARE(noticeOf(trace->file(0), "arrow-steps")->severity, NoticeSeverity::Info);
}

void TestArrows::idsAreComparedAsTexts()
{
    TraceFixture f;
    const uint32_t a = f.lane("1", "1");
    const uint32_t b = f.lane("1", "2");
    f.op(a, "from 3", 0, 10).op(a, "from 4", 20, 10).op(b, "to 3", 40, 10).op(b, "to 4", 60, 10);
    f.arrow("async_npu", "1719234567890128123", a, 0, b, 40).arrow("async_npu", "1719234567890128124", a, 20, b, 60);
    QCOMPARE(arrowTexts(*f.snapshot()), (Texts{"from 3 > to 3", "from 4 > to 4"}));
}

void TestArrows::arrowIsFoundFromBothEnds()
{
    TraceFixture f;
    const uint32_t a = f.lane("1", "1");
    const uint32_t b = f.lane("1", "2");
    for (int64_t i = 0; i < 20; ++i) {
        f.op(a, "from", 100 * i, 50).op(b, "to", 100 * i + 10, 50);
        f.arrow("x", std::to_string(i), a, 100 * i, b, 100 * ((7 * i) % 20) + 10);
    }
    const auto trace = f.snapshot();
    size_t count = 0;
    trace->forEachArrow(0, [&](const Arrow& arrow) {
        ++count;
        const auto has = [&](const std::vector<Arrow>& arrows) {
            return std::any_of(arrows.begin(), arrows.end(), [&](const Arrow& other) { return other.id == arrow.id; });
        };
        QVERIFY(has(trace->arrowsFrom(arrow.from)));
        QVERIFY(has(trace->arrowsTo(arrow.to)));
        QCOMPARE(trace->arrowsTo(arrow.from).size(), size_t{0});
        QCOMPARE(arrow.category, "x");
    });
    QCOMPARE(count, size_t{20});
}

void TestArrows::sharedNumberOfHostAndStreamGoesToTheRightSide()
{
    TraceFixture f;
    const uint32_t both = f.lane("0", "7");
    f.op(both, "op", 0, 100).call(both, "launch", 10, 5, 1).kernel(both, "kernel", 10, 20, 1);
    f.arrow("ac2g", "1", both, 10, both, 10);
    QCOMPARE(arrowTexts(*f.snapshot()), Texts{"launch > kernel"});
}

QTEST_GUILESS_MAIN(TestArrows)
#include "tst_arrows.moc"
