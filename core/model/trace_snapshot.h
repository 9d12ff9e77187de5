#pragma once
// TraceSnapshot: what every view, table and command reads. One or more FileStores on one time axis, immutable.
// Thread: any, const after construction; handed around as std::shared_ptr<const TraceSnapshot>.
// Times are ns from the start of the first slice of all files. Cost: accessors O(1) unless said.

#include "base/string_pool.h"
#include "model/file_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torchline {

/// A lane of a snapshot: its store's columns on the common axis. Cheap to copy; valid as long as the snapshot.
class Lane {
public:
    Lane(const LaneStore& store, uint32_t fileIndex, int64_t offsetNs)
        : m_store(&store)
        , m_fileIndex(fileIndex)
        , m_offsetNs(offsetNs)
    {
    }

    [[nodiscard]] const LaneStore& store() const { return *m_store; }
    [[nodiscard]] uint32_t fileIndex() const { return m_fileIndex; }
    [[nodiscard]] int64_t offsetNs() const { return m_offsetNs; }
    [[nodiscard]] bool isDevice() const { return m_store->isDevice; }
    [[nodiscard]] uint32_t size() const { return m_store->size; }

    [[nodiscard]] int64_t startNs(uint32_t i) const
    {
        return addSaturated(block(i).startNs[i % SliceBlock::kRows], m_offsetNs);
    }
    [[nodiscard]] int64_t durationNs(uint32_t i) const { return block(i).durationNs[i % SliceBlock::kRows]; }
    [[nodiscard]] int64_t endNs(uint32_t i) const { return addSaturated(startNs(i), durationNs(i)); }
    [[nodiscard]] NameId name(uint32_t i) const { return block(i).name[i % SliceBlock::kRows]; }
    [[nodiscard]] SliceKind kind(uint32_t i) const { return block(i).kind[i % SliceBlock::kRows]; }
    [[nodiscard]] uint8_t flags(uint32_t i) const { return block(i).flags[i % SliceBlock::kRows]; }
    [[nodiscard]] CategoryId category(uint32_t i) const { return block(i).category[i % SliceBlock::kRows]; }
    [[nodiscard]] uint32_t externalId(uint32_t i) const { return block(i).externalId[i % SliceBlock::kRows]; }
    [[nodiscard]] uint32_t correlation(uint32_t i) const { return block(i).correlation[i % SliceBlock::kRows]; }
    [[nodiscard]] uint64_t eventOffset(uint32_t i) const { return block(i).eventOffset[i % SliceBlock::kRows]; }

    [[nodiscard]] uint32_t parent(uint32_t i) const { return m_store->nesting.parent[i]; } ///< kNoSlice: outermost
    [[nodiscard]] uint16_t depth(uint32_t i) const { return m_store->nesting.depth[i]; } ///< outermost 1
    [[nodiscard]] uint16_t row(uint32_t i) const { return m_store->nesting.rowOf(i); }
    [[nodiscard]] uint16_t rowCount() const { return m_store->nesting.rowCount; }
    [[nodiscard]] uint16_t maxDepth() const { return m_store->nesting.maxDepth; }
    /// Slices of a drawing row by start; null: all of them, as they are.
    [[nodiscard]] const SliceList* rowSlices(uint16_t row) const
    {
        return m_store->nesting.rows.empty() ? nullptr : &m_store->nesting.rows[row];
    }
    /// Their number, and the lane index of the k-th of them.
    [[nodiscard]] uint32_t rowSize(uint16_t row) const
    {
        const SliceList* slices = rowSlices(row);
        return slices == nullptr ? m_store->size : static_cast<uint32_t>(slices->size());
    }
    [[nodiscard]] uint32_t rowSlice(uint16_t row, uint32_t k) const
    {
        const SliceList* slices = rowSlices(row);
        return slices == nullptr ? k : (*slices)[k];
    }
    /// First slice that starts at or after t (size() if none): O(log n).
    [[nodiscard]] uint32_t lowerBound(int64_t timeNs) const;

private:
    [[nodiscard]] const SliceBlock& block(uint32_t i) const { return *m_store->blocks[i / SliceBlock::kRows]; }

    const LaneStore* m_store;
    uint32_t m_fileIndex;
    int64_t m_offsetNs;
};

/// A band of the window: one process of one file with its lanes, top to bottom.
struct ProcessGroup {
    uint32_t fileIndex = 0;
    uint32_t process = 0; ///< index in FileStore::processes
    bool isDevice = false;
    std::string label; ///< given name, or the id where there is none
    std::string note; ///< labels of the file, rank, device name; may be empty
    std::vector<LaneId> lanes;
};

struct Arrow {
    SliceRef from;
    SliceRef to;
    int64_t fromNs = 0;
    int64_t toNs = 0;
    std::string_view category;
    NameId name;
    FlowId id;
};

class TraceSnapshot {
public:
    /// Puts files on one axis: baseTimeNanoseconds + ts where given, Unix time where ts is large enough to be one, else
    /// the file's own start at 0 (with a notice when there are several files).
    [[nodiscard]] static std::shared_ptr<const TraceSnapshot> combine(std::shared_ptr<const StringPool> pool,
        std::vector<std::shared_ptr<const FileStore>> files, uint64_t generation = 0);

    /// Grows with each publication; a result computed for another generation is stale.
    [[nodiscard]] uint64_t generation() const { return m_generation; }
    [[nodiscard]] const StringPool& strings() const { return *m_pool; }
    [[nodiscard]] std::string_view text(NameId id) const { return m_pool->text(id); }

    [[nodiscard]] std::span<const std::shared_ptr<const FileStore>> files() const { return m_files; }
    [[nodiscard]] const FileStore& file(uint32_t index) const { return *m_files[index]; }
    /// Some file is not read to its end yet.
    [[nodiscard]] bool isPartial() const;
    /// Common-axis time = file column time + this.
    [[nodiscard]] int64_t fileOffsetNs(uint32_t index) const { return m_fileOffsetsNs[index]; }
    /// Notices that concern how the files fit together (time bases); those of a file are in its store.
    [[nodiscard]] std::span<const Notice> notices() const { return m_notices; }

    [[nodiscard]] std::span<const Lane> lanes() const { return m_lanes; } ///< by LaneId
    [[nodiscard]] const Lane& lane(LaneId id) const { return m_lanes[id.value()]; }
    [[nodiscard]] LaneId laneId(uint32_t fileIndex, uint32_t storeLane) const
    {
        return LaneId(m_laneBase[fileIndex] + storeLane);
    }
    [[nodiscard]] std::span<const ProcessGroup> groups() const { return m_groups; } ///< top to bottom
    /// Lanes as the window shows them, top to bottom.
    [[nodiscard]] std::span<const LaneId> laneOrder() const { return m_laneOrder; }
    [[nodiscard]] const ProcessGroup& groupOf(LaneId lane) const { return m_groups[m_groupOfLane[lane.value()]]; }
    /// Given name of the thread or stream, or its id.
    [[nodiscard]] std::string laneLabel(LaneId lane) const;
    [[nodiscard]] std::string_view pid(LaneId lane) const;
    [[nodiscard]] std::string_view pid(const ProcessGroup& group) const;
    [[nodiscard]] std::string_view tid(LaneId lane) const;
    [[nodiscard]] std::string_view categoryText(uint32_t fileIndex, CategoryId category) const;

    [[nodiscard]] uint64_t sliceCount() const { return m_sliceCount; }
    /// [0, end of the last slice).
    [[nodiscard]] TimeRange span() const { return m_span; }
    /// What the first view shows: span() without far-off slices such as those at time 0.
    [[nodiscard]] TimeRange fitSpan() const { return m_fitSpan; }

    [[nodiscard]] int64_t startNs(SliceRef s) const { return lane(s.lane).startNs(s.index); }
    [[nodiscard]] int64_t durationNs(SliceRef s) const { return lane(s.lane).durationNs(s.index); }
    [[nodiscard]] int64_t endNs(SliceRef s) const { return lane(s.lane).endNs(s.index); }
    [[nodiscard]] NameId name(SliceRef s) const { return lane(s.lane).name(s.index); }
    [[nodiscard]] SliceKind kind(SliceRef s) const { return lane(s.lane).kind(s.index); }
    [[nodiscard]] SliceRef parent(SliceRef s) const;
    [[nodiscard]] Result<ArgList> args(SliceRef s) const; ///< blocks on the disk

    // Links; O(log n) plus what they return.
    [[nodiscard]] SliceRef callOf(SliceRef deviceWork) const;
    [[nodiscard]] SliceRef ownerOf(SliceRef deviceWork) const;
    [[nodiscard]] std::vector<SliceRef> workOfCall(SliceRef call) const;
    [[nodiscard]] std::vector<SliceRef> workOfOwner(SliceRef op) const;
    [[nodiscard]] std::vector<Arrow> arrowsFrom(SliceRef s) const;
    [[nodiscard]] std::vector<Arrow> arrowsTo(SliceRef s) const;
    /// All arrows of one file, as (from, to) order has them.
    void forEachArrow(uint32_t fileIndex, const std::function<void(const Arrow&)>& visit) const;
    /// The record beside a piece of device work, or null; O(log n).
    [[nodiscard]] const DeviceWork* deviceWork(SliceRef s) const;
    /// Text of the device a slice of a device lane ran on: the `device` arg, else the process.
    [[nodiscard]] std::string_view deviceOf(SliceRef s) const;
    /// Text of its stream: the `stream` arg, else the thread.
    [[nodiscard]] std::string_view streamOf(SliceRef s) const;

    [[nodiscard]] SliceRef toGlobal(uint32_t fileIndex, StoreRef ref) const;
    [[nodiscard]] StoreRef toStore(SliceRef ref) const;

    [[nodiscard]] size_t memoryUsage() const;

private:
    TraceSnapshot() = default;
    [[nodiscard]] Arrow globalArrow(uint32_t fileIndex, const StoreArrow& arrow) const;
    [[nodiscard]] DevicePlace placeOf(SliceRef s) const;

    std::shared_ptr<const StringPool> m_pool;
    std::vector<std::shared_ptr<const FileStore>> m_files;
    std::vector<int64_t> m_fileOffsetsNs;
    std::vector<uint32_t> m_laneBase;
    std::vector<Lane> m_lanes;
    std::vector<ProcessGroup> m_groups;
    std::vector<uint32_t> m_groupOfLane;
    std::vector<LaneId> m_laneOrder;
    std::vector<Notice> m_notices;
    uint64_t m_sliceCount = 0;
    TimeRange m_span;
    TimeRange m_fitSpan;
    uint64_t m_generation = 0;
};

} // namespace torchline
