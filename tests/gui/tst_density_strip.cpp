// The shape of a trace in a few columns.

#include "density_strip.h"

#include "trace_fixture.h"

#include <QTest>

using namespace torchline;

namespace {

std::vector<int> valuesOf(const DensityStrip& strip)
{
    std::vector<int> values;
    for (const char c : strip.columns)
        values.push_back(static_cast<uint8_t>(c));
    return values;
}

} // namespace

class TestDensityStrip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deviceWorkFillsItsColumns()
    {
        TraceFixture f;
        const uint32_t host = f.lane("1", "1");
        const uint32_t stream = f.lane("0", "7");
        f.op(host, "aten::mm", 0, 1000);
        f.kernel(stream, "gemm", 0, 250, 1);
        f.kernel(stream, "gemm", 500, 125, 2);
        const auto strip = densityStrip(*f.snapshot(), 4);
        QVERIFY(strip.isDevice);
        QCOMPARE(valuesOf(strip), (std::vector<int>{255, 0, 128, 0}));
    }

    void withoutADeviceTheOutermostSlicesCount()
    {
        TraceFixture f;
        const uint32_t host = f.lane("1", "1");
        f.op(host, "outer", 0, 500).op(host, "inner", 0, 500).op(host, "end", 999, 1);
        const auto strip = densityStrip(*f.snapshot(), 2);
        QVERIFY(!strip.isDevice);
        QCOMPARE(valuesOf(strip), (std::vector<int>{255, 1}));
    }

    void parallelWorkNeverExceedsAll()
    {
        TraceFixture f;
        for (const char* thread : {"1", "2", "3"})
            f.op(f.lane("1", thread), "op", 0, 100);
        QCOMPARE(valuesOf(densityStrip(*f.snapshot(), 1)), std::vector<int>{255});
    }

    void nothingGivesNothing()
    {
        TraceFixture f;
        QVERIFY(densityStrip(*f.snapshot(), 10).columns.empty());
        TraceFixture g;
        g.op(g.lane("1", "1"), "op", 0, 100);
        QVERIFY(densityStrip(*g.snapshot(), 0).columns.empty());
    }
};

QTEST_GUILESS_MAIN(TestDensityStrip)
#include "tst_density_strip.moc"
