#pragma once
// A trace that grows, for tests. Thread: one.

#include "base/string_pool.h"
#include "model/trace_builder.h"
#include "model/trace_snapshot.h"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace torchline::test {

/// What a recorder writes: inner slices before those around them, now and then one that is late, that crosses others or
/// that is around all of the last second; two threads and one that mostly rests.
class GrowingWriter {
public:
    enum class Names : uint8_t { Own, Known }; ///< Known: some that operator tables know
    GrowingWriter(TraceBuilder& builder, StringPool& pool, uint32_t seed, Names names = Names::Own)
        : m_builder(builder)
        , m_pool(pool)
        , m_random(seed)
        , m_names(names)
    {
        for (int lane = 0; lane < 3; ++lane)
            m_lanes.push_back(builder.lane(pool.intern("7"), pool.intern(std::to_string(7 + lane))));
        m_op = builder.category("cpu_op");
        m_scope = builder.category("user_annotation");
    }

    void write(int records)
    {
        for (int i = 0; i < records; ++i)
            writeOne();
    }
    /// What runs at this moment, into a clone.
    void writeOpen(TraceBuilder& clone)
    {
        for (const uint32_t lane : m_lanes) {
            SliceRecord slice = recordOf("open", m_op, m_nowNs - static_cast<int64_t>(m_random() % 500), 0);
            slice.hasDuration = false;
            clone.addSlice(lane, slice);
        }
    }
    [[nodiscard]] int64_t nowNs() const { return m_nowNs; }

private:
    static constexpr int64_t kTickNs = 10'000;

    SliceRecord recordOf(std::string_view name, CategoryId category, int64_t startNs, int64_t durationNs)
    {
        SliceRecord slice;
        slice.startNs = startNs;
        slice.durationNs = durationNs;
        slice.name = m_pool.intern(name);
        slice.category = category;
        slice.kind = m_builder.kindOf(category);
        slice.eventOffset = ++m_place;
        return slice;
    }

    void writeOne()
    {
        const uint32_t lane = m_lanes[m_random() % 2000 == 0 ? 2 : m_random() % 2];
        const int64_t endNs = m_nowNs += kTickNs * (1 + static_cast<int64_t>(m_random() % 40));
        int64_t durationNs = kTickNs * static_cast<int64_t>(m_random() % 60);
        switch (m_random() % 1000) {
        case 0: // around much
            durationNs = kTickNs * static_cast<int64_t>(m_random() % 100'000);
            break;
        case 1:
            m_builder.addSlice(
                lane, recordOf("ProfilerStep#" + std::to_string(m_step++), m_scope, m_stepNs, endNs - m_stepNs));
            m_stepNs = endNs;
            return;
        case 2:
        case 3: // of long ago, or of an instant
            m_builder.addSlice(
                lane, recordOf("late", m_op, endNs - kTickNs * static_cast<int64_t>(m_random() % 20'000), 0));
            return;
        default:
            break;
        }
        if (m_random() % 4 == 0) {
            MemorySample sample;
            sample.timeNs = endNs - kTickNs * static_cast<int64_t>(m_random() % 100);
            sample.bytes = 64;
            sample.totalAllocated = static_cast<int64_t>(m_random() % 10'000);
            sample.eventOffset = ++m_place;
            MemoryOrigin origin;
            origin.name = m_pool.intern("[memory]");
            origin.deviceType = static_cast<int32_t>(m_random() % 2);
            if (origin.deviceType == 1 && m_random() % 2 == 0)
                sample.totalReserved = 10'000;
            m_builder.addMemory(sample, origin);
        }
        m_builder.addSlice(
            lane, recordOf(nameOf(m_random() % (1 + m_place / 1000)), m_op, endNs - durationNs, durationNs));
    }

    [[nodiscard]] std::string nameOf(uint64_t number) const
    {
        constexpr std::array kKnown{"aten::mm", "aten::is_leaf", "aten::add"};
        return m_names == Names::Known && number < kKnown.size() ? kKnown[number] : "op" + std::to_string(number);
    }

    TraceBuilder& m_builder;
    StringPool& m_pool;
    std::mt19937 m_random;
    Names m_names;
    std::vector<uint32_t> m_lanes;
    CategoryId m_op;
    CategoryId m_scope;
    int64_t m_nowNs = 1'000'000;
    int64_t m_stepNs = 1'000'000;
    int m_step = 0;
    uint64_t m_place = 0;
};

inline std::shared_ptr<const TraceSnapshot> snapshotOf(const std::shared_ptr<StringPool>& pool, TraceBuilder builder)
{
    return TraceSnapshot::combine(pool, {builder.finish({}, nullptr)}, 1);
}

} // namespace torchline::test
