// The whole trace at a glance: density of host and devices against brute force, profiler steps.

#include "lod/overview.h"
#include "trace_fixture.h"

#include <QTest>

#include <random>
#include <set>

using namespace torchline;
using namespace torchline::lod;

namespace {

std::shared_ptr<const Overview> overviewOf(const std::shared_ptr<const TraceSnapshot>& trace)
{
    const auto index = TimelineIndex::build(trace, WorkClasses(*trace));
    return Overview::build(*index, profilerSteps(*trace));
}

const DensityBand* bandOf(const Overview& overview, bool isDevice)
{
    const auto at = std::ranges::find(overview.bands(), isDevice, &DensityBand::isDevice);
    return at == overview.bands().end() ? nullptr : &*at;
}

/// Nanoseconds of the column in which one of the slices runs.
int64_t busyBrute(const std::vector<TimeRange>& slices, TimeRange column)
{
    int64_t busy = 0;
    for (int64_t ns = column.beginNs; ns < column.endNs; ++ns)
        busy += std::ranges::any_of(slices, [ns](const TimeRange& slice) { return slice.contains(ns); }) ? 1 : 0;
    return busy;
}

} // namespace

class TestOverview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void densityEqualsBruteForce_data();
    void densityEqualsBruteForce();
    void whatEndsBeforeItBeginsStillShows();
    void threadsThatOnlyWaitAndTheProfilerDoNotCount();
    void sidesWithoutWorkAreLeftOut();
    void stepsHaveTheirBusyShareAndTheSlowOnesAreMarked();
    void ranksOfOneStepAreOneBar();
    void stepsAreFoundByTime();
};

void TestOverview::densityEqualsBruteForce_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 12; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void TestOverview::densityEqualsBruteForce()
{
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const auto upTo = [&random](int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
    const int64_t lengthNs = 200 + upTo(20'000);
    TraceFixture f;
    const std::array host{f.lane("1", "1"), f.lane("1", "2"), f.lane("2", "5")};
    const std::array streams{f.lane("0", "7"), f.lane("0", "20")};
    std::array<std::vector<TimeRange>, 2> hostOf; // by process
    std::vector<TimeRange> device;
    f.op(host[0], "aten::mm", 0, 5);
    hostOf[0].push_back({0, 5});
    f.op(host[0], "aten::add", lengthNs - 3, 3);
    hostOf[0].push_back({lengthNs - 3, lengthNs});
    for (int i = 0; i < 60; ++i) {
        const auto lane = static_cast<size_t>(upTo(2));
        const int64_t start = upTo(lengthNs - 10);
        const int64_t duration = std::min(1 + upTo(i % 10 == 0 ? 500 : 40), lengthNs - start);
        f.op(host[lane], "aten::add", start, duration);
        hostOf[lane == 2 ? 1 : 0].push_back({start, start + duration});
        const int64_t work = upTo(lengthNs - 10);
        const int64_t workNs = std::min(1 + upTo(60), lengthNs - work);
        f.kernel(streams[static_cast<size_t>(upTo(1))], "gemm", work, workNs, 0);
        device.push_back({work, work + workNs});
    }
    const auto trace = f.snapshot();
    if (trace->fitSpan() != TimeRange{0, lengthNs})
        QSKIP("an outlier by chance");
    const auto overview = overviewOf(trace);
    QCOMPARE(overview->range(), (TimeRange{0, lengthNs}));
    const DensityBand* cpu = bandOf(*overview, false);
    const DensityBand* gpu = bandOf(*overview, true);
    QVERIFY(cpu != nullptr && gpu != nullptr);
    QCOMPARE(cpu->sources, 2u);
    QCOMPARE(gpu->name, std::string("0"));
    int64_t cpuNs = 0;
    int64_t gpuNs = 0;
    for (size_t c = 0; c < cpu->columns.size(); ++c) {
        const int64_t begin = static_cast<int64_t>(c) * overview->columnNs();
        const TimeRange column{begin, std::min(begin + overview->columnNs(), lengthNs)};
        const int64_t busyHost = busyBrute(hostOf[0], column) + busyBrute(hostOf[1], column);
        const int64_t busyDevice = busyBrute(device, column);
        cpuNs += busyHost;
        gpuNs += busyDevice;
        const auto shareOf = [&](int64_t busy, int sources) {
            return static_cast<double>(busy) / static_cast<double>(column.spanNs() * sources) * 65535;
        };
        QVERIFY2(std::abs(cpu->columns[c].share - shareOf(busyHost, 2)) < 0.51, qPrintable(QString::number(c)));
        QVERIFY2(std::abs(gpu->columns[c].share - shareOf(busyDevice, 1)) < 0.51, qPrintable(QString::number(c)));
        if (busyDevice > 0)
            QCOMPARE(gpu->columns[c].cls, WorkClass::Matrix);
    }
    QCOMPARE(cpu->busyNs, cpuNs);
    QCOMPARE(gpu->busyNs, gpuNs);
}

void TestOverview::whatEndsBeforeItBeginsStillShows()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.op(main, "aten::mm", 0, 100);
    f.op(main, "aten::view", 1'000'000'000, 0);
    f.op(main, "aten::add", 2'000'000'000, 100);
    const auto overview = overviewOf(f.snapshot());
    const DensityBand* cpu = bandOf(*overview, false);
    QVERIFY(cpu != nullptr);
    QVERIFY(cpu->columns.size() <= Overview::kMostColumns);
    const auto at = static_cast<size_t>((1'000'000'000 - overview->range().beginNs) / overview->columnNs());
    QVERIFY(cpu->columns[at].share >= 1);
    QCOMPARE(cpu->columns[at + 100].share, 0);
}

void TestOverview::threadsThatOnlyWaitAndTheProfilerDoNotCount()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::mm", 0, 500);
    f.op(f.lane("1", "1"), "aten::mm", 900, 100);
    f.slice(f.lane("Spans", "PyTorch Profiler"), "Trace", "PyTorch Profiler (0)", 0, 1000);
    f.python(f.lane("1", "2"), "threading.py(655): wait", 0, 1000);
    const auto overview = overviewOf(f.snapshot());
    QCOMPARE(overview->bands().size(), 1u);
    QCOMPARE(overview->bands()[0].sources, 1u);
    QCOMPARE(overview->bands()[0].busyNs, 600);
}

void TestOverview::sidesWithoutWorkAreLeftOut()
{
    TraceFixture device;
    device.kernel(device.lane("0", "7"), "gemm", 0, 10, 0);
    const auto alone = overviewOf(device.snapshot());
    QCOMPARE(alone->bands().size(), 1u);
    QVERIFY(alone->bands()[0].isDevice);
    TraceFixture nothing;
    const auto empty = overviewOf(nothing.snapshot());
    QVERIFY(empty->bands().empty());
    QVERIFY(empty->steps().empty());
    QVERIFY(!empty->range().isEmpty());
    // A trace that is none of torch's: all of its threads count.
    TraceFixture other;
    other.slice(other.lane("9", "9"), "build", "compile a.cpp", 0, 10);
    QCOMPARE(overviewOf(other.snapshot())->bands().size(), 1u);
}

void TestOverview::stepsHaveTheirBusyShareAndTheSlowOnesAreMarked()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    int64_t at = 0;
    for (const int64_t length : {100, 104, 100, 111, 100}) {
        f.annotation(main, "ProfilerStep#" + std::to_string(at), at, length);
        f.kernel(stream, "gemm", at + 10, 50, 0);
        at += length;
    }
    const auto overview = overviewOf(f.snapshot());
    QCOMPARE(overview->steps().size(), 5u);
    QCOMPARE(overview->medianStepNs(), 100);
    QCOMPARE(overview->steps()[0].busyShare(), std::optional(0.5));
    QCOMPARE(overview->steps()[1].busyNs, 50);
    QVERIFY(!overview->steps()[1].isSlow);
    QVERIFY(overview->steps()[3].isSlow);
    QCOMPARE(overview->steps()[3].mark.number, std::optional<int64_t>(304));
}

void TestOverview::ranksOfOneStepAreOneBar()
{
    const auto pool = std::make_shared<StringPool>();
    std::vector<std::shared_ptr<const FileStore>> files;
    for (const int rank : {0, 1}) {
        TraceFixture f(pool);
        f.info.path = "rank" + std::to_string(rank);
        f.info.baseTimeNs = 1'700'000'000'000'000'000;
        const uint32_t main = f.lane("1", "1");
        f.annotation(main, "ProfilerStep#7", rank * 5, 100 + rank * 20);
        f.annotation(main, "ProfilerStep#8", 200, 100);
        f.kernel(f.lane("0", "7"), "gemm", 0, 60 * rank + 10, 0);
        files.push_back(f.store());
    }
    const auto overview = overviewOf(TraceSnapshot::combine(pool, files));
    QCOMPARE(overview->steps().size(), 2u);
    const StepBar& first = overview->steps()[0];
    QCOMPARE(first.marks, 2u);
    QCOMPARE(first.durationNs(), 120);
    QCOMPARE(first.range, (TimeRange{0, 125}));
    QCOMPARE(first.devices, 1u);
    QCOMPARE(first.busyNs, 65);
}

void TestOverview::stepsAreFoundByTime()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    f.annotation(main, "ProfilerStep#1", 100, 100);
    f.annotation(main, "ProfilerStep#2", 300, 100);
    f.op(main, "aten::mm", 0, 500);
    const auto overview = overviewOf(f.snapshot());
    QCOMPARE(overview->stepAt(99), std::optional<size_t>());
    QCOMPARE(overview->stepAt(100), std::optional<size_t>(0));
    QCOMPARE(overview->stepAt(199), std::optional<size_t>(0));
    QCOMPARE(overview->stepAt(250), std::optional<size_t>());
    QCOMPARE(overview->stepAt(399), std::optional<size_t>(1));
}

QTEST_GUILESS_MAIN(TestOverview)
#include "tst_overview.moc"
