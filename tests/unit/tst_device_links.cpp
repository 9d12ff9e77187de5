#include "trace_fixture.h"

#include <QtTest>

#include <random>
#include <set>

using namespace torchline;

namespace {

std::string ownerName(const TraceSnapshot& trace, std::string_view work)
{
    return nameOf(trace, trace.ownerOf(sliceNamed(trace, work)));
}

std::string callName(const TraceSnapshot& trace, std::string_view work)
{
    return nameOf(trace, trace.callOf(sliceNamed(trace, work)));
}

} // namespace

class TestDeviceLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ownExternalIdNamesTheOwner();
    void withoutExternalIdTheOperatorAroundTheCallOwns();
    void externalIdOfTheCallComesBeforeTheOperatorAroundIt();
    void correlationWrittenAsExternalIdIsNoLinkAcrossThreads();
    void correlationWrittenAsExternalIdCountsIfThatOperatorIsAround();
    void correlationZeroIsUnknown();
    void ofRepeatedNumbersTheNearestEarlierIsMeant();
    void ofRepeatedNumbersTheNearestIsMeantIfNoneIsEarlier();
    void annotationsOwnWorkAndPythonFramesDoNot();
    void crossingFrameDoesNotHideTheOperatorAroundACall();
    void oneCallCanLaunchManyPieces();
    void driverCallsLaunchToo();
    void mirroredAnnotationsAndWaitsAreNoWork();
    void workWithoutCallOrOperatorHasNeither();
    void workOfOwnerAndOfCallAreTheReverse();
    void longAndTextualNumbersAreComparedInFull();
};

void TestDeviceLinks::ownExternalIdNamesTheOwner()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "first", 0, 10, 1).op(host, "second", 20, 30, 2);
    f.call(host, "launch", 25, 2, 101, 2).kernel(stream, "kernel", 40, 5, 101, 1);
    const auto trace = f.snapshot();
    QCOMPARE(ownerName(*trace, "kernel"), "first");
    QCOMPARE(callName(*trace, "kernel"), "launch");
}

void TestDeviceLinks::withoutExternalIdTheOperatorAroundTheCallOwns()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "linear", 0, 60, 1).op(host, "addmm", 5, 50, 2).call(host, "launch", 10, 4, 101);
    f.kernel(stream, "kernel", 30, 22, 101);
    QCOMPARE(ownerName(*f.snapshot(), "kernel"), "addmm");
}

void TestDeviceLinks::externalIdOfTheCallComesBeforeTheOperatorAroundIt()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    const uint32_t stream = f.lane("0", "7");
    f.op(other, "meant", 0, 5, 9).op(host, "around", 0, 60, 1).call(host, "launch", 10, 4, 101, 9);
    f.kernel(stream, "kernel", 30, 22, 101);
    QCOMPARE(ownerName(*f.snapshot(), "kernel"), "meant");
}

void TestDeviceLinks::correlationWrittenAsExternalIdIsNoLinkAcrossThreads()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t other = f.lane("1", "2");
    const uint32_t stream = f.lane("0", "7");
    f.op(other, "wrong", 0, 100, 101).op(host, "right", 0, 60, 1).call(host, "launch", 10, 4, 101, 101);
    f.kernel(stream, "kernel", 30, 22, 101, 101).kernel(stream, "uncalled", 60, 5, 102, 102);
    f.op(other, "also wrong", 110, 10, 102);
    const auto trace = f.snapshot();
    QCOMPARE(ownerName(*trace, "kernel"), "right");
    QCOMPARE(ownerName(*trace, "uncalled"), "-");
}

void TestDeviceLinks::correlationWrittenAsExternalIdCountsIfThatOperatorIsAround()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "outer", 0, 60, 101).op(host, "inner", 5, 50, 2).call(host, "launch", 10, 4, 101, 101);
    f.kernel(stream, "kernel", 30, 22, 101, 101);
    QCOMPARE(ownerName(*f.snapshot(), "kernel"), "outer");

    TraceFixture g;
    const uint32_t crossed = g.lane("1", "1");
    g.op(crossed, "named so", 0, 60, 101).op(crossed, "sticks out", 5, 90, 2).call(crossed, "launch", 10, 4, 101);
    g.op(crossed, "named so, but over", 0, 9, 101).kernel(g.lane("0", "7"), "kernel", 30, 22, 101, 101);
    QCOMPARE(ownerName(*g.snapshot(), "kernel"), "named so");
}

void TestDeviceLinks::correlationZeroIsUnknown()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "mm", 0, 30, 1).call(host, "launch", 5, 2, 0).kernel(stream, "orphan", 10, 8, 0);
    const auto trace = f.snapshot();
    QCOMPARE(callName(*trace, "orphan"), "-");
    QCOMPARE(ownerName(*trace, "orphan"), "-");
}

void TestDeviceLinks::ofRepeatedNumbersTheNearestEarlierIsMeant()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "first", 500, 30, 3).call(host, "launch 1", 505, 2, 42);
    f.op(host, "second", 1500, 30, 3).call(host, "launch 2", 1505, 2, 42);
    f.kernel(stream, "by call 2", 1510, 9, 42).kernel(stream, "by call 1", 510, 8, 42);
    f.kernel(stream, "by id 1", 900, 8, 0, 3).kernel(stream, "by id 2", 1600, 8, 0, 3);
    const auto trace = f.snapshot();
    QCOMPARE(callName(*trace, "by call 1"), "launch 1");
    QCOMPARE(callName(*trace, "by call 2"), "launch 2");
    QCOMPARE(ownerName(*trace, "by call 1"), "first");
    QCOMPARE(ownerName(*trace, "by call 2"), "second");
    QCOMPARE(ownerName(*trace, "by id 1"), "first");
    QCOMPARE(ownerName(*trace, "by id 2"), "second");

    TraceFixture same; // what starts at the same time is not later
    const uint32_t thread = same.lane("1", "1");
    same.op(thread, "earlier", 0, 10, 3).call(thread, "launch 1", 5, 2, 42);
    same.op(thread, "same time", 100, 10, 3).call(thread, "launch 2", 100, 2, 42);
    same.kernel(same.lane("0", "7"), "kernel", 100, 5, 42, 3);
    const auto other = same.snapshot();
    QCOMPARE(callName(*other, "kernel"), "launch 2");
    QCOMPARE(ownerName(*other, "kernel"), "same time");
}

void TestDeviceLinks::ofRepeatedNumbersTheNearestIsMeantIfNoneIsEarlier()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "near", 550, 30, 3).call(host, "launch near", 552, 2, 42);
    f.op(host, "far", 1500, 30, 3).call(host, "launch far", 1505, 2, 42);
    f.kernel(stream, "early", 549, 8, 42, 3);
    const auto trace = f.snapshot();
    QCOMPARE(callName(*trace, "early"), "launch near");
    QCOMPARE(ownerName(*trace, "early"), "near");
}

void TestDeviceLinks::annotationsOwnWorkAndPythonFramesDoNot()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "ProfilerStep#3", 0, 60, 1).python(host, "frame", 5, 50).call(host, "launch", 10, 4, 101);
    f.kernel(stream, "kernel", 30, 22, 101);
    QCOMPARE(ownerName(*f.snapshot(), "kernel"), "ProfilerStep#3");
}

void TestDeviceLinks::crossingFrameDoesNotHideTheOperatorAroundACall()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.annotation(host, "stage", 0, 60).python(host, "frame", 10, 100).call(host, "launch", 20, 4, 101);
    f.op(host, "short", 30, 20).op(host, "sticks out", 40, 30).call(host, "launch", 45, 3, 102);
    f.kernel(stream, "a", 80, 1, 101).kernel(stream, "b", 90, 1, 102);
    const auto trace = f.snapshot();
    QCOMPARE(nameOf(*trace, trace->parent(sliceNamed(*trace, "launch"))), "frame");
    QCOMPARE(ownerName(*trace, "a"), "stage");
    QCOMPARE(ownerName(*trace, "b"), "sticks out");

    TraceFixture g; // an operator that a call outlasts is not around it
    const uint32_t thread = g.lane("1", "1");
    g.op(thread, "around", 0, 100).op(thread, "outlasted", 10, 20).call(thread, "launch", 20, 30, 101);
    g.kernel(g.lane("0", "7"), "kernel", 80, 1, 101);
    QCOMPARE(ownerName(*g.snapshot(), "kernel"), "around");
}

void TestDeviceLinks::oneCallCanLaunchManyPieces()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t one = f.lane("0", "7");
    const uint32_t two = f.lane("0", "20");
    f.op(host, "replay", 0, 60, 1).call(host, "cudaGraphLaunch", 10, 4, 101);
    f.kernel(one, "a", 30, 5, 101).kernel(two, "b", 31, 5, 101).work(two, "gpu_memset", "set", 40, 1, 101);
    const auto trace = f.snapshot();
    QCOMPARE(trace->workOfCall(sliceNamed(*trace, "cudaGraphLaunch")).size(), size_t{3});
    QCOMPARE(trace->workOfOwner(sliceNamed(*trace, "replay")).size(), size_t{3});
}

void TestDeviceLinks::driverCallsLaunchToo()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "triton", 0, 60, 1).slice(host, "cuda_driver", "cuLaunchKernel", 10, 4, 0, 101);
    f.kernel(stream, "kernel", 30, 5, 101);
    const auto trace = f.snapshot();
    QCOMPARE(callName(*trace, "kernel"), "cuLaunchKernel");
    QCOMPARE(ownerName(*trace, "kernel"), "triton");
}

void TestDeviceLinks::mirroredAnnotationsAndWaitsAreNoWork()
{
    TraceFixture f;
    const uint32_t host = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(host, "item", 0, 60, 1).call(host, "wait", 10, 4, 900);
    f.slice(stream, "cuda_sync", "Stream Sync", 12, 30, 1, 900);
    f.slice(stream, "gpu_user_annotation", "stage", 12, 30, 1);
    const auto store = f.store();
    QVERIFY(store->links.device.empty());
}

void TestDeviceLinks::workWithoutCallOrOperatorHasNeither()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.kernel(stream, "kernel", 30, 5, 101, 5);
    const auto trace = f.snapshot();
    QCOMPARE(callName(*trace, "kernel"), "-");
    QCOMPARE(ownerName(*trace, "kernel"), "-");
    QVERIFY(trace->workOfCall(sliceNamed(*trace, "kernel")).empty());
}

void TestDeviceLinks::workOfOwnerAndOfCallAreTheReverse()
{
    std::mt19937 random(1);
    const auto number = [&random](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    TraceFixture f;
    const uint32_t hosts[] = {f.lane("1", "1"), f.lane("1", "2")};
    const uint32_t streams[] = {f.lane("0", "7"), f.lane("0", "20"), f.lane("1", "7")};
    for (uint32_t i = 0; i < 300; ++i) {
        const int64_t t = 100 * i;
        const uint32_t host = hosts[random() % 2];
        f.op(host, "op", t, 80, 1 + number(100));
        f.call(host, "launch", t + 10, 5, 1 + number(200));
        f.kernel(
            streams[random() % 3], "kernel", t + static_cast<int64_t>(random() % 500), 50, number(200), number(100));
    }
    const auto trace = f.snapshot();
    size_t linked = 0;
    size_t listed = 0;
    for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace->lanes()[l].size(); ++i) {
            const SliceRef slice{LaneId(l), i};
            if (isDeviceWork(trace->kind(slice))) {
                const SliceRef call = trace->callOf(slice);
                const SliceRef owner = trace->ownerOf(slice);
                linked += (call.isValid() ? 1u : 0u) + (owner.isValid() ? 1u : 0u);
                if (call.isValid()) {
                    QVERIFY(isCall(trace->kind(call)));
                    QCOMPARE(trace->lane(call.lane).correlation(call.index), trace->lane(slice.lane).correlation(i));
                }
                QVERIFY(!owner.isValid() || isOperator(trace->kind(owner)));
                continue;
            }
            for (const SliceRef work : trace->workOfCall(slice)) {
                QCOMPARE(trace->callOf(work), slice);
                ++listed;
            }
            for (const SliceRef work : trace->workOfOwner(slice)) {
                QCOMPARE(trace->ownerOf(work), slice);
                ++listed;
            }
        }
    }
    QVERIFY(linked > 300);
    QCOMPARE(listed, linked);
}

void TestDeviceLinks::longAndTextualNumbersAreComparedInFull()
{
    TraceFixture f;
    TraceBuilder& b = f.builder;
    QCOMPARE(b.linkId(uint64_t{0}), 0u);
    QCOMPARE(b.linkId(uint64_t{5}), 5u);
    QCOMPARE(b.linkId("5"), 5u);
    QCOMPARE(b.linkId(uint64_t{0xFEFFFFFF}), 0xFEFFFFFFu);
    const uint32_t big = b.linkId(uint64_t{1} << 40 | 5);
    const uint32_t bigger = b.linkId(uint64_t{2} << 40 | 5);
    const uint32_t first = b.linkId(uint64_t{0xFF000000});
    const uint32_t text = b.linkId("0x5");
    QVERIFY(big >= 0xFF000000u && bigger >= 0xFF000000u && first >= 0xFF000000u && text >= 0xFF000000u);
    QCOMPARE(std::set<uint32_t>({big, bigger, first, text}).size(), size_t{4});
    QCOMPARE(b.linkId(uint64_t{1} << 40 | 5), big);
    QCOMPARE(b.linkId("1099511627781"), big);
    QCOMPARE(b.linkId("0x5"), text);
    QCOMPARE(b.linkId(std::string_view()), 0u);
}

QTEST_GUILESS_MAIN(TestDeviceLinks)
#include "tst_device_links.moc"
