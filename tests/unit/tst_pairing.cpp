#include "model/pairing.h"
#include "trace_fixture.h"

#include <QtTest>

#include <ctime>

using namespace torchline;

namespace {

constexpr NameId kOuter(1);
constexpr NameId kInner(2);
constexpr NameId kUnnamed;

PairEvent beginOf(NameId name, int64_t timeNs, uint64_t offset)
{
    PairEvent event;
    event.timeNs = timeNs;
    event.isBegin = true;
    event.row.startNs = timeNs;
    event.row.name = name;
    event.row.eventOffset = offset;
    return event;
}

PairEvent endOf(NameId name, int64_t timeNs, uint64_t offset)
{
    PairEvent event = beginOf(name, timeNs, offset);
    event.isBegin = false;
    return event;
}

AsyncRecord asyncOf(
    AsyncPhase phase, uint32_t id, int64_t timeNs, uint64_t offset, NameId name = kOuter, uint32_t pid = 50)
{
    AsyncRecord record;
    record.phase = phase;
    record.timeNs = timeNs;
    record.name = name;
    record.category = CategoryId(0);
    record.id = NameId(id);
    record.pid = NameId(pid);
    record.eventOffset = offset;
    return record;
}

} // namespace

class TestPairing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endClosesTheLatestOpenBegin();
    void pairsFollowTimeAndNotFileOrder();
    void namedEndClosesTheBeginOfItsName();
    void namedEndClosesAnUnnamedBegin();
    void endWithoutBeginIsStray();
    void endOfAnotherNameIsStray();
    void beginWithoutEndStaysOpen();
    void beginAndEndAtOneTimeFollowFileOrder();
    void manyUnmatchedEndsStayFast();
    void asyncOperationsAreToldApartByTheirId();
    void asyncEndPrefersItsProcessAndName();
    void asyncEndOfAnotherProcessIsTheLastResort();
    void asyncWithoutEndLastsUntilTheRecordingEnds();
    void asyncPointsAreNoOperations();
};

void TestPairing::endClosesTheLatestOpenBegin()
{
    const PairedEvents paired
        = pairLaneEvents({beginOf(kOuter, 0, 1), beginOf(kInner, 1, 2), endOf(kUnnamed, 4, 3), endOf(kUnnamed, 9, 4)});
    QCOMPARE(paired.closed.size(), size_t{2});
    QCOMPARE(paired.closed[0].name, kInner);
    QCOMPARE(paired.closed[0].durationNs, int64_t{3});
    QCOMPARE(paired.closed[1].durationNs, int64_t{9});
    QCOMPARE(int{paired.closed[0].flags}, int{SliceFromPair});
    QCOMPARE(paired.ends, (std::vector<std::pair<uint64_t, uint64_t>>{{2, 3}, {1, 4}}));
    QVERIFY(paired.open.empty() && paired.strayEnds.empty());
}

void TestPairing::pairsFollowTimeAndNotFileOrder()
{
    const PairedEvents paired
        = pairLaneEvents({endOf(kUnnamed, 9, 1), endOf(kUnnamed, 4, 2), beginOf(kInner, 1, 3), beginOf(kOuter, 0, 4)});
    QCOMPARE(paired.closed.size(), size_t{2});
    QCOMPARE(paired.closed[0].name, kInner);
    QCOMPARE(paired.closed[1].durationNs, int64_t{9});
}

void TestPairing::namedEndClosesTheBeginOfItsName()
{
    const PairedEvents paired
        = pairLaneEvents({beginOf(kOuter, 0, 1), beginOf(kInner, 1, 2), endOf(kOuter, 4, 3), endOf(kInner, 9, 4)});
    QCOMPARE(paired.closed.size(), size_t{2});
    QCOMPARE(paired.closed[0].name, kOuter);
    QCOMPARE(paired.closed[0].durationNs, int64_t{4});
    QCOMPARE(paired.closed[1].durationNs, int64_t{8});
}

void TestPairing::namedEndClosesAnUnnamedBegin()
{
    const PairedEvents paired = pairLaneEvents({beginOf(NameId(0), 0, 1), endOf(kOuter, 4, 2)});
    QCOMPARE(paired.closed.size(), size_t{1});
}

void TestPairing::endWithoutBeginIsStray()
{
    const PairedEvents paired
        = pairLaneEvents({endOf(kUnnamed, 0, 1), beginOf(kOuter, 1, 2), endOf(kUnnamed, 2, 3), endOf(kUnnamed, 3, 4)});
    QCOMPARE(paired.strayEnds, (std::vector<uint64_t>{1, 4}));
    QCOMPARE(paired.closed.size(), size_t{1});
}

void TestPairing::endOfAnotherNameIsStray()
{
    const PairedEvents paired = pairLaneEvents({beginOf(kOuter, 0, 1), endOf(kInner, 1, 2)});
    QCOMPARE(paired.strayEnds, std::vector<uint64_t>{2});
    QCOMPARE(paired.open.size(), size_t{1});
}

void TestPairing::beginWithoutEndStaysOpen()
{
    const PairedEvents paired = pairLaneEvents({beginOf(kOuter, 0, 1), beginOf(kInner, 1, 2), endOf(kUnnamed, 3, 3)});
    QCOMPARE(paired.open.size(), size_t{1});
    QCOMPARE(paired.open[0].name, kOuter);
    QCOMPARE(int{paired.open[0].flags}, SliceFromPair | SliceUnfinished);
}

void TestPairing::beginAndEndAtOneTimeFollowFileOrder()
{
    const PairedEvents paired
        = pairLaneEvents({beginOf(kOuter, 0, 1), endOf(kUnnamed, 5, 2), beginOf(kInner, 5, 3), endOf(kUnnamed, 5, 4)});
    QCOMPARE(paired.closed.size(), size_t{2});
    QCOMPARE(paired.closed[0].durationNs, int64_t{5});
    QCOMPARE(paired.closed[1].name, kInner);
    QCOMPARE(paired.closed[1].durationNs, int64_t{0});
}

void TestPairing::manyUnmatchedEndsStayFast()
{
    std::vector<PairEvent> events;
    constexpr int kEvents = 100'000;
    for (int i = 0; i < kEvents; ++i)
        events.push_back(beginOf(i % 2 == 0 ? kOuter : NameId(7), i, static_cast<uint64_t>(i)));
    for (int i = 0; i < kEvents; ++i)
        events.push_back(endOf(i % 2 == 0 ? kOuter : kInner, kEvents + i, static_cast<uint64_t>(kEvents + i)));
    const std::clock_t begin = std::clock();
    const PairedEvents paired = pairLaneEvents(events);
    QCOMPARE(paired.closed.size(), size_t{kEvents / 2});
    QCOMPARE(paired.strayEnds.size(), size_t{kEvents / 2});
    QVERIFY2(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 5, "grows with the square of the events");
}

void TestPairing::asyncOperationsAreToldApartByTheirId()
{
    const PairedAsync paired = pairAsync({asyncOf(AsyncPhase::Begin, 1, 201, 1), asyncOf(AsyncPhase::Begin, 2, 203, 2),
                                             asyncOf(AsyncPhase::End, 1, 208, 3), asyncOf(AsyncPhase::End, 2, 209, 4)},
        1000);
    QCOMPARE(paired.slices.size(), size_t{2});
    QCOMPARE(paired.slices[0].durationNs, int64_t{7});
    QCOMPARE(paired.slices[0].endOffset, uint64_t{3});
    QCOMPARE(paired.slices[1].durationNs, int64_t{6});
    QVERIFY(!paired.slices[0].isUnfinished);
    QVERIFY(paired.strayEnds.empty());
}

void TestPairing::asyncEndPrefersItsProcessAndName()
{
    const PairedAsync paired
        = pairAsync({asyncOf(AsyncPhase::Begin, 1, 0, 1, kOuter, 50), asyncOf(AsyncPhase::Begin, 1, 1, 2, kInner, 50),
                        asyncOf(AsyncPhase::Begin, 1, 2, 3, kOuter, 51), asyncOf(AsyncPhase::End, 1, 9, 4, kOuter, 50)},
            20);
    QCOMPARE(paired.slices.size(), size_t{3});
    QCOMPARE(paired.slices[0].durationNs, int64_t{9});
    QVERIFY(!paired.slices[0].isUnfinished);
    QVERIFY(paired.slices[1].isUnfinished);
    QVERIFY(paired.slices[2].isUnfinished);
}

void TestPairing::asyncEndOfAnotherProcessIsTheLastResort()
{
    const PairedAsync paired = pairAsync(
        {asyncOf(AsyncPhase::Begin, 1, 0, 1, kOuter, 50), asyncOf(AsyncPhase::End, 1, 9, 4, kOuter, 51)}, 20);
    QCOMPARE(paired.slices.size(), size_t{1});
    QCOMPARE(paired.slices[0].durationNs, int64_t{9});
}

void TestPairing::asyncWithoutEndLastsUntilTheRecordingEnds()
{
    const PairedAsync paired = pairAsync({asyncOf(AsyncPhase::Begin, 1, 5, 1), asyncOf(AsyncPhase::End, 2, 6, 2)}, 20);
    QCOMPARE(paired.slices.size(), size_t{1});
    QVERIFY(paired.slices[0].isUnfinished);
    QCOMPARE(paired.slices[0].durationNs, int64_t{15});
    QCOMPARE(paired.slices[0].endOffset, uint64_t{1});
    QCOMPARE(paired.strayEnds, std::vector<uint64_t>{2});
}

void TestPairing::asyncPointsAreNoOperations()
{
    const PairedAsync paired = pairAsync({asyncOf(AsyncPhase::Point, 1, 5, 1)}, 20);
    QVERIFY(paired.slices.empty() && paired.strayEnds.empty());
}

QTEST_GUILESS_MAIN(TestPairing)
#include "tst_pairing.moc"
