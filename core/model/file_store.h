#pragma once
// FileStore: everything read from one file (or one recording), as columns. Immutable once published by TraceBuilder.
// Thread: any, const after construction. Times are ns from FileInfo::originNs; TraceSnapshot puts files on one axis.
// Texts are ids of the session's StringPool; categories are small ids of this store.

#include "base/ids.h"
#include "base/time.h"
#include "model/event_source.h"
#include "model/flow_id.h"
#include "model/notice.h"
#include "model/shared_blocks.h"
#include "model/slice_block.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace torchline {

constexpr uint32_t kNoSlice = std::numeric_limits<uint32_t>::max();
constexpr int64_t kNoValue = std::numeric_limits<int64_t>::min();

/// A slice inside its own FileStore: lane index of that store and place in the lane.
struct StoreRef {
    uint32_t lane = kNoSlice;
    uint32_t index = kNoSlice;

    [[nodiscard]] constexpr bool isValid() const { return lane != kNoSlice; }
    friend constexpr auto operator<=>(StoreRef, StoreRef) = default;
};

/// What sums over all slices of a lane need to know of one of its blocks.
struct BlockFacts {
    int64_t firstEndNs = std::numeric_limits<int64_t>::max(); ///< earliest end of a slice
    int64_t lastEndNs = std::numeric_limits<int64_t>::min();
    uint16_t kinds = 0; ///< bit i: slices of SliceKind i

    [[nodiscard]] constexpr bool has(SliceKind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1u) != 0; }
};

/// Second layer of a lane, attached when its slices are complete: who is inside whom, and drawing rows.
/// Inside: starts at or after, before the end, ends no later. Rows of one lane never hold two slices at one time.
struct LaneNesting {
    SharedBlocks<uint32_t, SliceBlock::kRows> parent; ///< index in the lane or kNoSlice
    SharedBlocks<uint16_t, SliceBlock::kRows> depth; ///< outermost 1
    /// Drawing row, 0 at the top; empty where it is always one less than the depth.
    SharedBlocks<uint16_t, SliceBlock::kRows> row;
    uint16_t maxDepth = 0;
    uint16_t rowCount = 0;
    std::vector<SliceList> rows; ///< slices of each row, by start; empty when there is one row

    [[nodiscard]] uint16_t rowOf(uint32_t i) const
    {
        return row.empty() ? static_cast<uint16_t>(depth[i] - 1) : row[i];
    }
    [[nodiscard]] size_t memoryUsage() const;
};

/// A process number or text of the file with what the file says about it.
struct ProcessInfo {
    NameId pid; ///< canonical text: the number, or the text
    NameId name; ///< invalid: no name given
    NameId labels; ///< invalid: none
    std::optional<int64_t> sortIndex;
    bool isDevice = false; ///< its lanes carry device work. One pid can have a host and a device entry
};

struct LaneStore {
    uint32_t process = 0; ///< index in FileStore::processes
    NameId tid;
    NameId name; ///< invalid: no name given
    std::optional<int64_t> sortIndex;
    bool isDevice = false; ///< a stream: carries device slices
    bool carriesSteps = false; ///< has host marks named ProfilerStep#N
    uint32_t size = 0;
    std::vector<std::shared_ptr<const SliceBlock>> blocks;
    std::vector<BlockFacts> facts; ///< of each block
    LaneNesting nesting;
};

/// Where device work says that it ran.
struct DevicePlace {
    NameId device; ///< text of the `device` arg; invalid: absent, the process stands for it
    NameId stream; ///< text of the `stream` arg; invalid: absent, the thread stands for it

    friend auto operator<=>(const DevicePlace&, const DevicePlace&) = default;
};

/// What sums need about one piece of device work, ordered by event offset.
struct DeviceWork {
    uint64_t eventOffset = 0;
    int64_t bytes = kNoValue;
    uint32_t place = 0; ///< index in FileStore::devicePlaces
    int32_t occupancyPercent = -1; ///< est. achieved occupancy %, -1: absent
};

/// What many [memory] markers have in common.
struct MemoryOrigin {
    NameId name; ///< "[memory]" or a name of the same kind
    NameId pid;
    NameId tid;
    int32_t deviceType = -1; ///< c10::DeviceType: 0 CPU, 1 CUDA; -1: absent
    int32_t deviceId = -1;
    CategoryId category;
    char scope = 't';

    friend auto operator<=>(const MemoryOrigin&, const MemoryOrigin&) = default;
};

/// A [memory] marker. In time order.
struct MemorySample {
    int64_t timeNs = 0;
    int64_t bytes = 0; ///< signed: allocated or freed
    uint64_t address = 0;
    int64_t totalAllocated = kNoValue;
    int64_t totalReserved = kNoValue;
    uint64_t eventOffset = 0;
    uint32_t origin = 0; ///< index in FileStore::memoryOrigins
};

using MemorySamples = SharedBlocks<MemorySample, 1u << 12>;

/// A point event other than [memory]. In time order; those without a readable time come first.
struct Instant {
    int64_t timeNs = 0;
    bool hasTime = true;
    NameId name;
    CategoryId category;
    NameId pid; ///< invalid: global
    NameId tid;
    char scope = 't'; ///< g, p, t
    uint64_t eventOffset = 0;
};

/// b..e (or S..F): outside thread nesting. In start order.
struct AsyncSlice {
    int64_t startNs = 0;
    int64_t durationNs = 0;
    bool isUnfinished = false;
    NameId name;
    CategoryId category;
    NameId id;
    NameId pid;
    uint64_t eventOffset = 0;
    uint64_t endOffset = 0; ///< of the closing event; equal to eventOffset if there is none
};

struct CounterSample {
    int64_t timeNs = 0;
    double value = 0;
    NameId text; ///< the digits of the file
};

struct CounterSeries {
    NameId name;
    std::vector<CounterSample> samples; ///< in time order, numbers only
};

/// C events of one (process, name, id).
struct Counter {
    NameId name;
    NameId pid;
    NameId id; ///< invalid: none
    uint64_t records = 0; ///< C events that hold at least one number
    std::vector<CounterSeries> series;
};

/// An arrow whose two ends lie on slices.
struct StoreArrow {
    StoreRef from;
    StoreRef to;
    int64_t fromNs = 0;
    int64_t toNs = 0;
    CategoryId category;
    NameId name;
    FlowId id;
};

/// What a piece of device work belongs to; invalid refs where it is not known.
struct DeviceLink {
    StoreRef work;
    StoreRef call; ///< runtime or driver call that launched it
    StoreRef owner; ///< operator
};

/// Derived once per finished store; the rules are in device_links.h and arrows.h.
struct StoreLinks {
    std::vector<StoreArrow> arrows; ///< by (from, to)
    std::vector<uint32_t> arrowsByEnd; ///< indexes of arrows, by (to, from)
    std::vector<DeviceLink> device; ///< one for each piece of device work, by work
    std::vector<uint32_t> deviceByCall; ///< indexes of device with a valid call, by (call, work)
    std::vector<uint32_t> deviceByOwner; ///< indexes of device with a valid owner, by (owner, work)
};

struct FileInfo {
    std::string path; ///< as given by the user; raw bytes
    std::optional<std::string> member; ///< name inside an archive
    std::string format = "kineto";
    std::string compression = "none";
    uint64_t sizeBytes = 0; ///< of the file as it lies on disk; of the input read for a pipe
    int64_t originNs = 0; ///< file-axis time of column time 0: first readable ts
    std::optional<int64_t> baseTimeNs; ///< baseTimeNanoseconds
    std::optional<int64_t> rank; ///< distributedInfo.rank
    std::optional<uint64_t> partBytes; ///< so many bytes of the text were read when this was made; none: all
    /// Everything at top level but traceEvents: value as ArgList has it.
    ArgList header;
};

/// See the head of this file.
struct FileStore {
    FileInfo info;
    std::vector<NameId> categories; ///< by CategoryId, as written
    std::vector<ProcessInfo> processes; ///< in order of first appearance
    std::vector<LaneStore> lanes; ///< those that carry slices, in order of first appearance
    std::vector<DevicePlace> devicePlaces; ///< in order of first appearance
    std::vector<DeviceWork> deviceWork;
    std::vector<MemoryOrigin> memoryOrigins; ///< in order of first appearance
    MemorySamples memory;
    std::vector<Instant> instants;
    std::vector<AsyncSlice> asyncSlices;
    std::vector<Counter> counters;
    StoreLinks links;
    /// Event offsets of B and of the E that closes it, by B: the arguments of such a slice are those of both.
    std::vector<std::pair<uint64_t, uint64_t>> pairEnds;
    std::vector<Notice> notices;
    std::shared_ptr<const EventSource> source; ///< null in hand-built traces
    uint64_t sliceCount = 0;
    int64_t firstNs = 0; ///< start of the first slice; 0 without slices
    int64_t lastNs = 0; ///< end of the last slice
    TimeRange fitNs; ///< [firstNs, lastNs) without slices that lie far off the rest, such as those at time 0

    [[nodiscard]] size_t memoryUsage() const;
};

} // namespace torchline
