#include "model/nesting.h"

#include <QtTest>

#include <algorithm>
#include <ctime>
#include <random>

using namespace torchline;

namespace {

struct Shape {
    const char* name;
    int slices;
    int64_t lastStart;
    int64_t longest;
    bool wholeUnits; ///< times on a coarse grid: equal starts, equal intervals, zero lengths
};

constexpr Shape kShapes[]{
    {"sparse", 60, 10'000, 50, false},
    {"crowded", 80, 200, 100, false},
    {"equal times", 80, 6, 4, true},
    {"long over short", 60, 100, 1000, false},
};

/// One of a device has annotations with rows of their own.
LaneColumns randomLane(std::mt19937& random, const Shape& shape)
{
    LaneColumns lane;
    std::vector<uint64_t> offsets(static_cast<size_t>(shape.slices));
    for (size_t i = 0; i < offsets.size(); ++i)
        offsets[i] = 10 * i;
    std::shuffle(offsets.begin(), offsets.end(), random);
    constexpr SliceKind kKinds[]
        = {SliceKind::CpuOp, SliceKind::PythonFunction, SliceKind::Kernel, SliceKind::DeviceAnnotation};
    const unsigned kinds = random() % 2 == 0 ? 4 : 3;
    for (const uint64_t offset : offsets) {
        SliceRow row;
        row.startNs = static_cast<int64_t>(random() % static_cast<uint64_t>(shape.lastStart));
        row.durationNs = static_cast<int64_t>(random() % static_cast<uint64_t>(shape.longest));
        if (shape.wholeUnits) {
            row.startNs *= 1000;
            row.durationNs *= 1000;
        }
        row.kind = kKinds[random() % kinds];
        row.eventOffset = offset;
        lane.append(row);
    }
    lane.sort();
    return lane;
}

bool isInside(const LaneColumns& lane, uint32_t inner, uint32_t outer)
{
    return lane.startNs(inner) >= lane.startNs(outer) && lane.startNs(inner) < lane.endNs(outer)
        && lane.endNs(inner) <= lane.endNs(outer);
}

bool crosses(const LaneColumns& lane, uint32_t later, uint32_t earlier)
{
    return lane.endNs(earlier) > lane.startNs(later) && lane.endNs(earlier) < lane.endNs(later);
}

std::vector<uint32_t> parentsOf(const LaneNesting& nesting)
{
    return {nesting.parent.begin(), nesting.parent.end()};
}

LaneColumns laneOf(const std::vector<std::pair<int64_t, int64_t>>& startsAndDurations)
{
    LaneColumns lane;
    uint64_t offset = 0;
    for (const auto& [startNs, durationNs] : startsAndDurations) {
        SliceRow row;
        row.startNs = startNs;
        row.durationNs = durationNs;
        row.kind = SliceKind::Kernel;
        row.eventOffset = ++offset;
        lane.append(row);
    }
    lane.sort();
    return lane;
}

} // namespace

class TestNesting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesComeOutByStartThenLongerThenFileOrder();
    void parentIsTheLatestSliceThatContains();
    void crossingIsFlaggedExactlyWhereAnEarlierSliceEndsInside();
    void rowIsTheFirstFreeOneBelowTheParent();
    void rowListsHoldEverySliceOnceInOrder();
    void framesAroundAnnotationsAreNoFault();
    void workThatOutlastsTheSecondNextStartContradictsItsStream();
    void ofTwoEqualIntervalsTheFirstWrittenIsTheParent();
    void zeroLengthIsInsideButParentsNothing();
    void depthAndRowsAreHeldAtTheirLimit();
    void manyCrossingSlicesStayFast();
    void extremeTimesDoNotWrap();
};

void TestNesting::slicesComeOutByStartThenLongerThenFileOrder()
{
    std::mt19937 random(1);
    for (const Shape& shape : kShapes) {
        const LaneColumns lane = randomLane(random, shape);
        QCOMPARE(lane.size(), static_cast<uint32_t>(shape.slices));
        for (uint32_t i = 1; i < lane.size(); ++i) {
            const auto key
                = [&](uint32_t k) { return std::tuple(lane.startNs(k), -lane.durationNs(k), lane.eventOffset(k)); };
            QVERIFY(key(i - 1) < key(i));
        }
    }
}

void TestNesting::parentIsTheLatestSliceThatContains()
{
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        LaneColumns lane = randomLane(random, kShapes[round % 4]);
        const LaneNesting nesting = nestLane(lane).nesting;
        uint16_t deepest = 0;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            uint32_t parent = kNoSlice;
            for (uint32_t k = 0; k < i; ++k) {
                if (isInside(lane, i, k))
                    parent = k;
            }
            QCOMPARE(nesting.parent[i], parent);
            QCOMPARE(int{nesting.depth[i]}, parent == kNoSlice ? 1 : nesting.depth[parent] + 1);
            deepest = std::max(deepest, nesting.depth[i]);
        }
        QCOMPARE(nesting.maxDepth, deepest);
    }
}

void TestNesting::crossingIsFlaggedExactlyWhereAnEarlierSliceEndsInside()
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        LaneColumns lane = randomLane(random, kShapes[round % 4]);
        const NestedLane nested = nestLane(lane);
        uint32_t count = 0;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            bool expected = false;
            for (uint32_t k = 0; k < i; ++k)
                expected = expected || crosses(lane, i, k);
            QCOMPARE((lane.row(i).flags & SliceCrossing) != 0, expected);
            count += expected ? 1 : 0;
        }
        QCOMPARE(nested.crossing, count);
    }
}

/// Annotations of a device have the rows above all else.
void TestNesting::rowIsTheFirstFreeOneBelowTheParent()
{
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        LaneColumns lane = randomLane(random, kShapes[round % 4]);
        const LaneNesting nesting = nestLane(lane).nesting;
        const auto isApart = [&](uint32_t i) { return lane.kind(i) == SliceKind::DeviceAnnotation; };
        int apart = 0;
        for (uint32_t i = 0; i < lane.size(); ++i)
            apart = isApart(i) ? std::max(apart, nesting.rowOf(i) + 1) : apart;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            uint32_t above = nesting.parent[i];
            while (above != kNoSlice && isApart(above) != isApart(i))
                above = nesting.parent[above];
            int row = above != kNoSlice ? nesting.rowOf(above) + 1 : isApart(i) ? 0 : apart;
            const auto isTaken = [&](int candidate) {
                for (uint32_t k = 0; k < i; ++k) {
                    if (nesting.rowOf(k) == candidate && lane.endNs(k) > lane.startNs(i))
                        return true;
                }
                return false;
            };
            while (isTaken(row))
                ++row;
            QCOMPARE(int{nesting.rowOf(i)}, row);
        }
    }
}

void TestNesting::rowListsHoldEverySliceOnceInOrder()
{
    std::mt19937 random(5);
    for (int round = 0; round < 40; ++round) {
        LaneColumns lane = randomLane(random, kShapes[round % 4]);
        const LaneNesting nesting = nestLane(lane).nesting;
        if (nesting.rowCount == 1) {
            QVERIFY(nesting.rows.empty());
            continue;
        }
        QCOMPARE(nesting.rows.size(), size_t{nesting.rowCount});
        size_t inRows = 0;
        for (uint32_t row = 0; row < nesting.rowCount; ++row) {
            const SliceList& slices = nesting.rows[row];
            inRows += slices.size();
            for (uint32_t k = 0; k < slices.size(); ++k) {
                const uint32_t slice = slices[k];
                QCOMPARE(uint32_t{nesting.rowOf(slice)}, row);
                if (k > 0) {
                    const uint32_t before = slices[k - 1];
                    QVERIFY(before < slice);
                    QVERIFY(lane.endNs(before) <= lane.startNs(slice));
                }
            }
        }
        QCOMPARE(inRows, size_t{lane.size()});
    }
}

void TestNesting::framesAroundAnnotationsAreNoFault()
{
    std::mt19937 random(6);
    for (int round = 0; round < 100; ++round) {
        LaneColumns lane = randomLane(random, kShapes[round % 4]);
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            bool found = false;
            for (uint32_t k = 0; k < i; ++k) {
                const bool sameRecorder
                    = (lane.kind(i) == SliceKind::PythonFunction) == (lane.kind(k) == SliceKind::PythonFunction);
                found = found || (sameRecorder && crosses(lane, i, k));
            }
            if (found)
                expected.push_back(i);
        }
        QCOMPARE(nestLane(lane).withinRecorder, expected);
    }
}

void TestNesting::workThatOutlastsTheSecondNextStartContradictsItsStream()
{
    QCOMPARE(contradictingWork(laneOf({{0, 20}, {14, 20}, {40, 5}})), std::vector<uint32_t>());
    QCOMPARE(contradictingWork(laneOf({{0, 3400}, {25, 45}, {75, 45}})), std::vector<uint32_t>{0});
    QCOMPARE(contradictingWork(laneOf({{0, 3400}, {25, 0}, {75, 0}})), std::vector<uint32_t>());
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const LaneColumns lane = randomLane(random, kShapes[round % 4]);
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            int later = 0;
            for (uint32_t k = i + 1; k < lane.size(); ++k)
                later
                    += isDeviceWork(lane.kind(k)) && lane.durationNs(k) > 0 && lane.startNs(k) < lane.endNs(i) ? 1 : 0;
            if (isDeviceWork(lane.kind(i)) && lane.durationNs(i) > 0 && later >= 2)
                expected.push_back(i);
        }
        QCOMPARE(contradictingWork(lane), expected);
    }
}

void TestNesting::ofTwoEqualIntervalsTheFirstWrittenIsTheParent()
{
    LaneColumns lane = laneOf({{5, 10}, {5, 10}, {5, 20}});
    const LaneNesting nesting = nestLane(lane).nesting;
    QCOMPARE(lane.eventOffset(0), uint64_t{3});
    QCOMPARE(lane.eventOffset(1), uint64_t{1});
    QCOMPARE(lane.eventOffset(2), uint64_t{2});
    QCOMPARE(parentsOf(nesting), (std::vector<uint32_t>{kNoSlice, 0, 1}));
}

void TestNesting::zeroLengthIsInsideButParentsNothing()
{
    LaneColumns lane = laneOf({{0, 10}, {0, 0}, {0, 0}, {5, 0}, {10, 0}, {10, 0}, {12, 0}});
    const NestedLane nested = nestLane(lane);
    QCOMPARE(parentsOf(nested.nesting), (std::vector<uint32_t>{kNoSlice, 0, 0, 0, kNoSlice, kNoSlice, kNoSlice}));
    QCOMPARE(nested.crossing, 0u);
}

void TestNesting::depthAndRowsAreHeldAtTheirLimit()
{
    LaneColumns lane;
    constexpr uint32_t kSlices = 70'000;
    for (uint32_t i = 0; i < kSlices; ++i)
        lane.append({int64_t{i}, 2 * int64_t{kSlices - i}, {}, SliceKind::PythonFunction, 0, {}, 0, 0, i});
    lane.sort();
    const NestedLane nested = nestLane(lane);
    QCOMPARE(int{nested.nesting.maxDepth}, 65535);
    QCOMPARE(int{nested.nesting.rowCount}, 65535);
    QCOMPARE(nested.beyondRows, kSlices - 65535);
    QCOMPARE(nested.nesting.parent[kSlices - 1], kSlices - 2);
    QCOMPARE(nested.nesting.rows.back().size(), size_t{kSlices - 65534});
}

void TestNesting::manyCrossingSlicesStayFast()
{
    LaneColumns lane;
    constexpr uint32_t kSlices = 400'000;
    for (uint32_t i = 0; i < kSlices; ++i)
        lane.append({int64_t{i}, int64_t{kSlices}, {}, SliceKind::CpuOp, 0, {}, 0, 0, i});
    const std::clock_t begin = std::clock();
    const NestedLane nested = nestLane(lane);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    QCOMPARE(nested.crossing, kSlices - 1);
    QCOMPARE(nested.beyondRows, kSlices - 65535);
    QVERIFY2(seconds < 5, "grows with the square of the slices");
}

void TestNesting::extremeTimesDoNotWrap()
{
    LaneColumns lane = laneOf({{kMinNs, kMaxNs}, {kMinNs, 1}, {0, kMaxNs}, {kMaxNs - 1, kMaxNs}, {kMaxNs, kMaxNs}});
    const NestedLane nested = nestLane(lane);
    QCOMPARE(lane.endNs(3), kMaxNs);
    QCOMPARE(parentsOf(nested.nesting), (std::vector<uint32_t>{kNoSlice, 0, kNoSlice, 2, kNoSlice}));
}

QTEST_GUILESS_MAIN(TestNesting)
#include "tst_nesting.moc"
