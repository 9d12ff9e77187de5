#include "slice_stores.h"

#include "trace_fixture.h"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace torchline::bench {

namespace {

constexpr size_t kNames = 2000;
constexpr int64_t kMeanNs = 2000;
constexpr int64_t kMeanGapNs = 500;

std::vector<NameId> namesIn(TraceFixture& fixture)
{
    constexpr std::array kStems{"aten::mm", "aten::add_", "aten::view", "aten::layer_norm", "nccl:all_reduce",
        "aten::copy_", "cudaLaunchKernel", "aten::softmax", "flash_attention", "Optimizer.step"};
    std::vector<NameId> names;
    for (size_t i = 0; i < kNames; ++i)
        names.push_back(fixture.name(std::string(kStems[i % kStems.size()]) + "_" + std::to_string(i)));
    names.back() = fixture.name("aten::rare");
    return names;
}

class Writer {
public:
    Writer(Shape shape, uint64_t slices)
        : m_shape(shape)
        , m_names(namesIn(m_fixture))
        , m_op(m_fixture.builder.category("cpu_op"))
    {
        const int rowsALane = shape == Shape::Nested ? kNestedRows : 1;
        const uint64_t aRow = slices / kRows;
        for (int lane = 0; lane < kRows / rowsALane; ++lane)
            fillLane(m_fixture.lane("1", std::to_string(lane + 1)), aRow, rowsALane);
    }

    SliceStore finish()
    {
        SliceStore store;
        store.trace = m_fixture.snapshot(1);
        store.whole = store.trace->span();
        store.dense = m_shape == Shape::Outlier ? TimeRange{0, m_denseEndNs} : store.whole;
        return store;
    }

private:
    static constexpr int kNestedRows = 10;

    void fillLane(uint32_t lane, uint64_t count, int rows)
    {
        const uint64_t outliers = m_shape == Shape::Outlier ? std::max<uint64_t>(count / 5000, 1) : 0;
        int64_t atNs = 0;
        for (uint64_t i = 0; i + outliers < count; ++i) {
            const auto lengthNs = static_cast<int64_t>(kMeanNs / 2 + random() % kMeanNs);
            addNest(lane, atNs, lengthNs, rows);
            atNs += lengthNs + static_cast<int64_t>(random() % (2 * kMeanGapNs));
        }
        m_denseEndNs = std::max(m_denseEndNs, atNs);
        constexpr int64_t kTimesLonger = 200; ///< dense part: 0.5 % of the whole
        const int64_t apartNs = outliers == 0 ? 0 : atNs * (kTimesLonger - 1) / static_cast<int64_t>(outliers);
        for (uint64_t i = 0; i < outliers; ++i)
            addNest(lane, atNs + apartNs * static_cast<int64_t>(i + 1), kMeanNs, rows);
    }

    /// One slice in each row, each a little shorter than the one around it.
    void addNest(uint32_t lane, int64_t startNs, int64_t lengthNs, int rows)
    {
        for (int row = 0; row < rows; ++row) {
            SliceRecord record;
            record.startNs = startNs + row * 10;
            record.durationNs = lengthNs - row * 40;
            record.name = m_names[random() % m_names.size()];
            record.category = m_op;
            record.kind = SliceKind::CpuOp;
            record.eventOffset = ++m_events;
            m_fixture.builder.addSlice(lane, record);
        }
    }

    uint64_t random() { return m_random(); }

    Shape m_shape;
    TraceFixture m_fixture;
    std::vector<NameId> m_names;
    CategoryId m_op;
    std::minstd_rand m_random{1};
    uint64_t m_events = 0;
    int64_t m_denseEndNs = 0;
};

} // namespace

std::optional<Shape> shapeNamed(std::string_view name)
{
    if (name == "flat")
        return Shape::Flat;
    if (name == "outlier")
        return Shape::Outlier;
    if (name == "nested")
        return Shape::Nested;
    return std::nullopt;
}

SliceStore makeSlices(Shape shape, uint64_t slices)
{
    return Writer(shape, slices).finish();
}

} // namespace torchline::bench
