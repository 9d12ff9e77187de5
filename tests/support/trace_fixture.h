#pragma once
// TraceFixture: builds a FileStore or TraceSnapshot by hand, through TraceBuilder, one record a line.
// Thread: one. Times are ns on the file's axis. Event offsets are given in the order of the calls: 10, 20, 30 ...
//
//     TraceFixture f;
//     const uint32_t main = f.lane("100", "100");
//     const uint32_t stream = f.lane("0", "7");
//     f.op(main, "aten::mm", 0, 100, 1);
//     f.call(main, "cudaLaunchKernel", 10, 5, 55);
//     f.kernel(stream, "gemm", 30, 40, 55).args({{"grid", "[8,1,1]"}});
//     const auto trace = f.snapshot();
//     const SliceRef gemm = sliceNamed(*trace, "gemm");

#include "model/trace_builder.h"
#include "model/trace_snapshot.h"

#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace torchline {

/// Arguments held in memory, by event offset.
class MemoryEventSource : public EventSource {
public:
    std::map<uint64_t, ArgList> events;

    [[nodiscard]] Result<ArgList> args(uint64_t eventOffset) const override;
    [[nodiscard]] Result<std::string> text(uint64_t eventOffset) const override;
    [[nodiscard]] Status argsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const override;
};

class TraceFixture {
public:
    /// Files that meet in one snapshot share a pool.
    explicit TraceFixture(std::shared_ptr<StringPool> pool = std::make_shared<StringPool>());

    FileInfo info; ///< given to finish()
    TraceBuilder builder; ///< for all that has no short form here

    NameId name(std::string_view text) { return m_pool->intern(text); }
    uint32_t lane(std::string_view pid, std::string_view tid);

    TraceFixture& slice(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs,
        int64_t durationNs, uint32_t externalId = 0, uint32_t correlation = 0);
    TraceFixture& op(
        uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs, uint32_t externalId = 0);
    TraceFixture& annotation(
        uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs, uint32_t externalId = 0);
    /// One of some names and lengths, with a child if it is long; its end.
    int64_t someOperators(uint32_t lane, std::mt19937_64& random, int64_t startNs);
    TraceFixture& python(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs);
    TraceFixture& call(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs,
        uint32_t correlation, uint32_t externalId = 0);
    /// Device work with a DeviceWork record; deviceText empty: the event has no device arg.
    TraceFixture& work(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs,
        int64_t durationNs, uint32_t correlation, uint32_t externalId = 0, std::string_view deviceText = "0",
        int64_t bytes = kNoValue, int32_t occupancyPercent = -1);
    TraceFixture& kernel(uint32_t lane, std::string_view sliceName, int64_t startNs, int64_t durationNs,
        uint32_t correlation, uint32_t externalId = 0, std::string_view deviceText = "0");
    TraceFixture& unfinished(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t startNs);
    TraceFixture& begin(uint32_t lane, std::string_view category, std::string_view sliceName, int64_t timeNs);
    TraceFixture& end(uint32_t lane, int64_t timeNs, std::string_view sliceName = {}); ///< empty: no name in the event
    TraceFixture& arrow(std::string_view category, std::string_view id, uint32_t fromLane, int64_t fromNs,
        uint32_t toLane, int64_t toNs);
    TraceFixture& flow(uint32_t lane, FlowPhase phase, std::string_view category, std::string_view id, int64_t timeNs,
        bool bindsEnclosing = true);
    TraceFixture& async(AsyncPhase phase, std::string_view category, std::string_view asyncName, std::string_view id,
        int64_t timeNs, std::string_view pid = "1");
    TraceFixture& memory(int64_t timeNs, int64_t bytes, int32_t deviceType, int32_t deviceId,
        int64_t totalAllocated = kNoValue, int64_t totalReserved = kNoValue);
    TraceFixture& instant(int64_t timeNs, std::string_view instantName);
    /// Arguments of the event added last.
    TraceFixture& args(ArgList list);

    [[nodiscard]] uint64_t lastOffset() const { return m_offset; }
    /// Ends the file; use once.
    [[nodiscard]] std::shared_ptr<const FileStore> store();
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> snapshot(uint64_t generation = 0);
    [[nodiscard]] std::shared_ptr<StringPool> pool() const { return m_pool; }

private:
    uint64_t nextOffset() { return m_offset += 10; }
    CategoryId categoryOf(std::string_view text);

    std::shared_ptr<StringPool> m_pool;
    std::shared_ptr<MemoryEventSource> m_source = std::make_shared<MemoryEventSource>();
    uint64_t m_offset = 0;
};

/// The first slice of this name, lanes in the order of their ids; invalid if there is none.
[[nodiscard]] SliceRef sliceNamed(const TraceSnapshot& trace, std::string_view name);
/// Name of a slice; "-" for an invalid one.
[[nodiscard]] std::string nameOf(const TraceSnapshot& trace, SliceRef slice);
/// The notice of this code, or null.
[[nodiscard]] const Notice* noticeOf(const FileStore& store, std::string_view code);

} // namespace torchline
