#include "analysis/memory.h"
#include "trace_fixture.h"

#include <QTest>

using namespace torchline;

class TestMemorySeries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extremesAreThoseOfTheAllocatedTotal();
    void hostAndDevicesAreKeptApart();
    void recordsWithoutTotalAreNoSamples();
    void rangeAndFilesNarrow();
};

void TestMemorySeries::extremesAreThoseOfTheAllocatedTotal()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "a", 0, 1000);
    f.memory(10, 100, 1, 0, 4096, 20000).memory(20, 100, 1, 0, 12288, 30000).memory(30, -5, 1, 0, 12288, 10000);
    f.memory(40, -5, 1, 0, -8192).memory(50, 5, 1, 0, 64);
    const std::vector<MemorySeries> all = memorySeries(*f.snapshot());
    QCOMPARE(all.size(), 1u);
    QCOMPARE(all[0].device, std::string("1:0"));
    QCOMPARE(all[0].label, std::string("CUDA 0"));
    QCOMPARE(all[0].points.size(), 5u);
    QCOMPARE(all[0].minBytes, -8192);
    QCOMPARE(all[0].maxBytes, 12288);
    QCOMPARE(all[0].lastBytes, 64);
    QCOMPARE(all[0].peakAtNs, 20);
    QCOMPARE(all[0].reservedMaxBytes, 30000);
    QCOMPARE(all[0].points[3].reservedBytes, kNoValue);
    QCOMPARE(all[0].points[3].allocatedBytes, -8192);
    QCOMPARE(all[0].points[3].timeNs, 40);
}

void TestMemorySeries::hostAndDevicesAreKeptApart()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "a", 0, 1000);
    f.memory(10, 1, 1, 1, 7).memory(11, 1, 0, -1, 5).memory(12, 1, 1, 0, 6).memory(13, 1, 20, 3, 8);
    f.memory(14, 1, 99, 0, 9);
    std::vector<std::string> labels;
    for (const MemorySeries& series : memorySeries(*f.snapshot()))
        labels.push_back(series.device + ' ' + series.label + ' ' + std::to_string(series.lastBytes));
    QCOMPARE(labels,
        (std::vector<std::string>{
            "0:-1 CPU 5", "1:0 CUDA 0 6", "1:1 CUDA 1 7", "20:3 PRIVATEUSE1 3 8", "99:0 device type 99 0 9"}));
}

void TestMemorySeries::recordsWithoutTotalAreNoSamples()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "a", 0, 1000).memory(10, 1, 0, -1).memory(20, 1, 1, 0, 50);
    const std::vector<MemorySeries> all = memorySeries(*f.snapshot());
    QCOMPARE(all.size(), 1u);
    QCOMPARE(all[0].device, std::string("1:0"));
    QVERIFY(!all[0].reservedMaxBytes.has_value());
}

void TestMemorySeries::rangeAndFilesNarrow()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture first(pool);
    first.op(first.lane("1", "1"), "a", 0, 1000);
    first.memory(10, 1, 0, -1, 100).memory(20, 1, 0, -1, 300).memory(30, 1, 0, -1, 200);
    TraceFixture second(pool);
    second.op(second.lane("1", "1"), "a", 0, 1000).memory(15, 1, 0, -1, 7);
    const auto trace = TraceSnapshot::combine(pool, {first.store(), second.store()});
    QCOMPARE(memorySeries(*trace).size(), 2u);
    const TimeRange range{10, 20};
    const std::vector<MemorySeries> early = memorySeries(*trace, &range, {0});
    QCOMPARE(early.size(), 1u);
    QCOMPARE(early[0].points.size(), 1u);
    QCOMPARE(early[0].maxBytes, 100);
    const std::vector<MemorySeries> other = memorySeries(*trace, nullptr, {1});
    QCOMPARE(other.size(), 1u);
    QCOMPARE(other[0].fileIndex, 1u);
    QCOMPARE(other[0].peakAtNs, 15);
}

QTEST_GUILESS_MAIN(TestMemorySeries)
#include "tst_memory_series.moc"
