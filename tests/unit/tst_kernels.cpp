#include "analysis/kernels.h"
#include "trace_fixture.h"

#include <QTest>

using namespace torchline;

namespace {

KernelTable tableOf(
    const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy = {}, const SliceMask* scope = nullptr)
{
    Result<KernelTable> table = kernelTable(trace, groupBy, scope);
    return table ? std::move(*table) : KernelTable();
}

/// The row with this name and these keys; -1 calls if there is none or more than one.
KernelRow rowOf(const KernelTable& table, std::string_view name, const std::vector<std::string>& keys = {})
{
    KernelRow found;
    found.calls = -1;
    for (const KernelRow& row : table.rows) {
        if (row.name != name || (!keys.empty() && row.keys != keys))
            continue;
        if (found.calls != -1)
            return KernelRow();
        found = row;
    }
    return found;
}

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAndExtremesByName();
    void annotationsAndSynchronisationAreNoWork();
    void bytesAndOccupancyCountWhereStated();
    void groupsByOwnerShapeDeviceAndStream();
    void scopeNarrowsTheWork();
    void slicesAndRowsAgree();
    void cancelledComputationIsAnError();
    void busyTimeIsTheUnionByDevice();
    void devicesComeInOrderOfTheirNumbers();
    void workWithoutOwnerIsUnattributed();
};

void TestKernels::sumsAndExtremesByName()
{
    TraceFixture f;
    const uint32_t a = f.lane("0", "7");
    const uint32_t b = f.lane("0", "20");
    f.kernel(b, "gemm", 100, 30, 1)
        .kernel(a, "gemm", 50, 10, 2)
        .kernel(a, "relu", 70, 5, 3)
        .kernel(a, "gemm", 90, 0, 4);
    const auto trace = f.snapshot();
    const KernelTable table = tableOf(*trace);
    QCOMPARE(table.rows.size(), 2u);
    QCOMPARE(table.totalNs, 45);
    QCOMPARE(table.rows[0].name, std::string("gemm"));
    QCOMPARE(table.rows[0].calls, 3);
    QCOMPARE(table.rows[0].totalNs, 40);
    QCOMPARE(table.rows[0].minNs, 0);
    QCOMPARE(table.rows[0].maxNs, 30);
    QCOMPARE(trace->durationNs(table.rows[0].first), 10);
    QVERIFY(!table.rows[0].bytes.has_value());
    QCOMPARE(table.rows[0].occupancyNs, 0);
}

void TestKernels::annotationsAndSynchronisationAreNoWork()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.slice(stream, "gpu_user_annotation", "step", 0, 1000).slice(stream, "cuda_sync", "Stream Sync", 10, 20);
    f.work(stream, "gpu_memset", "Memset (Device)", 40, 4, 1).work(stream, "Memcpy", "Memcpy HtoD", 60, 6, 2);
    const auto trace = f.snapshot();
    const KernelTable table = tableOf(*trace);
    QCOMPARE(table.rows.size(), 2u);
    QCOMPARE(rowOf(table, "Memset (Device)").kind, SliceKind::Memset);
    QCOMPARE(rowOf(table, "Memcpy HtoD").kind, SliceKind::Memcpy);
    QCOMPARE(deviceTotals(*trace).workSumNs, 10);
}

void TestKernels::bytesAndOccupancyCountWhereStated()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.work(stream, "gpu_memcpy", "copy", 0, 10, 1, 0, "0", 4000).work(stream, "gpu_memcpy", "copy", 20, 30, 2);
    f.work(stream, "gpu_memcpy", "copy", 60, 20, 3, 0, "0", 500);
    f.work(stream, "kernel", "k", 100, 10, 4, 0, "0", kNoValue, 50);
    f.work(stream, "kernel", "k", 120, 30, 5, 0, "0", kNoValue, 90).work(stream, "kernel", "k", 160, 7, 6);
    const KernelTable table = tableOf(*f.snapshot());
    const KernelRow copy = rowOf(table, "copy");
    QCOMPARE(copy.bytes, 4500);
    QCOMPARE(copy.bytesNs, 30);
    QCOMPARE(copy.totalNs, 60);
    QCOMPARE(rowOf(table, "k").occupancyWeight, 50 * 10 + 90 * 30);
    QCOMPARE(rowOf(table, "k").occupancyNs, 40);
}

void TestKernels::groupsByOwnerShapeDeviceAndStream()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t seven = f.lane("0", "7");
    const uint32_t other = f.lane("1", "8");
    f.op(main, "aten::mm", 0, 10, 1).args({{"Input Dims", "[[2,3],[3,4]]"}});
    f.op(main, "aten::mm", 20, 10, 2).args({{"Input Dims", "[[5,5],[5,5]]"}});
    f.call(main, "launch", 2, 1, 11, 1).call(main, "launch", 22, 1, 12, 2);
    f.kernel(seven, "k", 100, 10, 11, 1).kernel(other, "k", 200, 20, 12, 2, "1").kernel(seven, "k", 300, 40, 0, 0, "");
    const auto trace = f.snapshot();
    QCOMPARE(rowOf(tableOf(*trace), "k").totalNs, 70);
    const KernelTable byOp = tableOf(*trace, {GroupKey::Op});
    QCOMPARE(rowOf(byOp, "k", {"aten::mm"}).totalNs, 30);
    QCOMPARE(rowOf(byOp, "k", {""}).totalNs, 40);
    const KernelTable byShape = tableOf(*trace, {GroupKey::Shape});
    QCOMPARE(rowOf(byShape, "k", {"[[2,3],[3,4]]"}).totalNs, 10);
    QCOMPARE(rowOf(byShape, "k", {"[[5,5],[5,5]]"}).totalNs, 20);
    QCOMPARE(rowOf(byShape, "k", {""}).totalNs, 40);
    const KernelTable byPlace = tableOf(*trace, {GroupKey::Device, GroupKey::Stream});
    QCOMPARE(rowOf(byPlace, "k", {"0", "7"}).totalNs, 50);
    QCOMPARE(rowOf(byPlace, "k", {"1", "8"}).totalNs, 20);
}

void TestKernels::scopeNarrowsTheWork()
{
    TraceFixture f;
    const uint32_t stream = f.lane("0", "7");
    f.kernel(stream, "a", 0, 10, 1).kernel(stream, "a", 20, 30, 2).kernel(stream, "b", 60, 5, 3);
    const auto trace = f.snapshot();
    SliceMask scope(*trace);
    scope.insert({sliceNamed(*trace, "a").lane, 1});
    const KernelTable table = tableOf(*trace, {}, &scope);
    QCOMPARE(table.rows.size(), 1u);
    QCOMPARE(table.rows[0].totalNs, 30);
    QCOMPARE(table.totalNs, 30);
    QVERIFY(!kernelRowOfSlice(*trace, table, {sliceNamed(*trace, "a").lane, 0}).has_value());
}

void TestKernels::slicesAndRowsAgree()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(main, "aten::mm", 0, 10, 1);
    f.kernel(stream, "b", 60, 5, 3).kernel(stream, "a", 10, 10, 1).kernel(stream, "a", 20, 30, 2);
    f.slice(stream, "cuda_sync", "Stream Sync", 200, 20);
    const auto trace = f.snapshot();
    const KernelTable table = tableOf(*trace);
    for (size_t r = 0; r < table.rows.size(); ++r) {
        const Result<SliceMask> slices = slicesOfKernelRow(*trace, table, r);
        QVERIFY(slices);
        QCOMPARE(static_cast<int64_t>(slices->count()), table.rows[r].calls);
        for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
            for (uint32_t i = 0; i < trace->lanes()[l].size(); ++i) {
                const SliceRef slice{LaneId(l), i};
                QCOMPARE(slices->contains(slice), kernelRowOfSlice(*trace, table, slice) == r);
            }
        }
    }
    QVERIFY(!kernelRowOfSlice(*trace, table, sliceNamed(*trace, "aten::mm")).has_value());
    QVERIFY(!kernelRowOfSlice(*trace, table, sliceNamed(*trace, "Stream Sync")).has_value());
}

void TestKernels::cancelledComputationIsAnError()
{
    TraceFixture f;
    f.kernel(f.lane("0", "7"), "k", 0, 10, 1);
    std::stop_source stop;
    stop.request_stop();
    const Result<KernelTable> table = kernelTable(*f.snapshot(), {}, nullptr, stop.get_token());
    QVERIFY(!table);
    QCOMPARE(table.error().code(), ErrorCode::Cancelled);
}

void TestKernels::busyTimeIsTheUnionByDevice()
{
    TraceFixture f;
    const uint32_t seven = f.lane("0", "7");
    const uint32_t twenty = f.lane("0", "20");
    f.kernel(seven, "k", 0, 40, 1).kernel(twenty, "k", 30, 20, 2).kernel(seven, "k", 60, 10, 3);
    f.kernel(twenty, "k", 70, 5, 4).kernel(seven, "k", 10, 5, 5, 0, "1");
    const DeviceTotals totals = deviceTotals(*f.snapshot());
    QCOMPARE(totals.busy.size(), 2u);
    QCOMPARE(totals.busy[0].device, std::string("0"));
    QCOMPARE(totals.busy[0].busyNs, 50 + 15);
    QCOMPARE(totals.busy[1].busyNs, 5);
    QCOMPARE(totals.workSumNs, 80);
    QCOMPARE(totals.unattributedNs, 80);
}

void TestKernels::devicesComeInOrderOfTheirNumbers()
{
    const auto pool = std::make_shared<StringPool>();
    TraceFixture first(pool);
    for (const char* device : {"10", "npu", "9", "2"})
        first.kernel(first.lane("0", device), "k", 0, 1, 0, 0, device);
    TraceFixture second(pool);
    second.kernel(second.lane("4", "7"), "k", 0, 1, 0, 0, "");
    const auto trace = TraceSnapshot::combine(pool, {first.store(), second.store()});
    std::vector<std::string> devices;
    for (const DeviceTotals::Busy& busy : deviceTotals(*trace).busy)
        devices.push_back(std::to_string(busy.fileIndex) + '/' + busy.device);
    QCOMPARE(devices, (std::vector<std::string>{"0/2", "0/9", "0/10", "0/npu", "1/4"}));
}

void TestKernels::workWithoutOwnerIsUnattributed()
{
    TraceFixture f;
    const uint32_t main = f.lane("1", "1");
    const uint32_t stream = f.lane("0", "7");
    f.op(main, "a", 0, 10, 1).kernel(stream, "k", 100, 10, 0, 1).kernel(stream, "k", 200, 7, 0);
    const DeviceTotals totals = deviceTotals(*f.snapshot());
    QCOMPARE(totals.workSumNs, 17);
    QCOMPARE(totals.unattributedNs, 7);
}

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
