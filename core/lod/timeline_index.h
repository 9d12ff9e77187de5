#pragma once
// TimelineIndex: what drawing, hit tests and lane shares need about a snapshot: classes, pyramids of every drawing row,
// busy intervals of lanes and devices. Built once for a snapshot, on a worker; views share it.
// Thread: const after construction; build() uses several. Cost: build O(n log n); about 6 bytes a slice.

#include "lod/busy_row.h"
#include "lod/interval_row.h"
#include "lod/memory_track.h"
#include "model/snapshot_delta.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace torchline::lod {

/// Whether a lane shows all of its Python frames, or of them only the modules ("nn.Module: ...").
enum class Frames : uint8_t { Shown, Folded };

struct RowView {
    SliceRow slices;
    const RowIndex* index = nullptr;
};

struct DeviceBusy {
    uint32_t group = 0; ///< index in TraceSnapshot::groups()
    std::string device; ///< as TraceSnapshot::deviceOf has it
    IntervalRow busy;
};

/// What lies nearest to a stretch of time in which a lane shows nothing.
struct Neighbours {
    SliceRef before; ///< ends last before it
    SliceRef after; ///< begins first after it
};

class TimelineIndex {
public:
    /// Null when stopped. `threads`: the caller included; 0: as the machine has.
    [[nodiscard]] static std::shared_ptr<const TimelineIndex> build(std::shared_ptr<const TraceSnapshot> trace,
        const WorkClasses& classes, std::stop_token stop = {}, size_t threads = 0);
    /// Of a trace that grows: in sections, so that the next one takes over those that did not change. before: null, or
    /// that of the snapshot that the delta goes out from.
    [[nodiscard]] static std::shared_ptr<const TimelineIndex> grown(std::shared_ptr<const TraceSnapshot> trace,
        const WorkClasses& classes, const TimelineIndex* before, const SnapshotDelta& delta, std::stop_token stop = {});

    [[nodiscard]] const TraceSnapshot& trace() const { return *m_trace; }
    [[nodiscard]] const std::shared_ptr<const TraceSnapshot>& traceRef() const { return m_trace; }

    [[nodiscard]] WorkClass classOf(SliceRef s) const
    {
        return static_cast<WorkClass>(m_lanes[s.lane.value()].classes[s.index]);
    }

    /// True if folding takes rows or slices away.
    [[nodiscard]] bool hasFrames(LaneId lane) const { return !m_lanes[lane.value()].foldedSlices.empty(); }
    [[nodiscard]] uint16_t rowCount(LaneId lane, Frames frames) const;
    [[nodiscard]] RowView row(LaneId lane, Frames frames, uint16_t row) const;
    /// None for frames that are folded away.
    [[nodiscard]] std::optional<uint16_t> rowOf(SliceRef s, Frames frames) const;
    /// True for rows that hold device work: drawn taller.
    [[nodiscard]] bool rowHasDeviceWork(LaneId lane, uint16_t row) const;
    /// Bit i: the lane has slices of SliceKind i.
    [[nodiscard]] uint16_t kinds(LaneId lane) const { return m_lanes[lane.value()].kinds; }

    /// Outermost work of a lane, merged: operators, calls, device work; no steps, annotations or Python frames, unless
    /// the lane has nothing else.
    [[nodiscard]] const BusyRow& busy(LaneId lane) const { return m_lanes[lane.value()].busy; }
    /// Union of the device work of each device, by group.
    [[nodiscard]] std::span<const DeviceBusy> devices() const { return m_devices; }

    [[nodiscard]] std::span<const MemoryTrack> memory() const { return m_memory; }
    /// Index in memory().
    [[nodiscard]] std::optional<uint32_t> trackOf(uint32_t fileIndex, int32_t deviceType, int32_t deviceId) const;
    /// Group of the device whose memory it is; none for host memory and devices without work.
    [[nodiscard]] std::optional<uint32_t> groupOf(const MemoryTrack& track) const;

    /// The outermost work at a time, for a lane drawn as one row; invalid if none.
    [[nodiscard]] SliceRef outermostAt(LaneId lane, int64_t timeNs) const;
    /// None if something of the lane lies in the range.
    [[nodiscard]] std::optional<Neighbours> neighbours(LaneId lane, Frames frames, TimeRange range) const;

    [[nodiscard]] size_t memoryUsage() const;

private:
    struct LaneIndex {
        SliceClasses classes;
        std::vector<RowIndex> rows;
        std::vector<bool> workRows;
        uint16_t kinds = 0;
        BusyRow busy;
        // Only where folding changes something:
        std::vector<SliceList> foldedSlices; ///< of each row, by start
        std::vector<RowIndex> foldedRows;
    };
    static constexpr uint16_t kHidden = 0xFFFF; ///< no row: the frame is folded away
    static constexpr uint32_t kGrowingSection = SliceList::kBlock; ///< slices
    /// What an index is made from.
    struct Sources {
        const WorkClasses& classes;
        const TimelineIndex* before = nullptr; ///< null: nothing
        const SnapshotDelta* delta = nullptr; ///< from before
        uint32_t sectionSlices = RowIndex::kOneSection;
    };

    TimelineIndex() = default;
    [[nodiscard]] static std::shared_ptr<const TimelineIndex> build(
        std::shared_ptr<const TraceSnapshot> trace, const Sources& sources, const std::stop_token& stop, size_t threads);
    [[nodiscard]] std::optional<LaneId> laneBefore(LaneId id, const Sources& sources) const;
    void classify(LaneId id, const Sources& sources, const std::stop_token& stop);
    void buildRows(const Sources& sources, size_t threads, const std::stop_token& stop);
    [[nodiscard]] RowIndex rowIndex(LaneId id, uint16_t r, const Sources& sources) const;
    void buildBusy(LaneId id, const Sources& sources);
    void fold(LaneId id);
    void buildDevices(const std::stop_token& stop);

    std::shared_ptr<const TraceSnapshot> m_trace;
    std::vector<LaneIndex> m_lanes; ///< by LaneId
    std::vector<DeviceBusy> m_devices;
    std::vector<MemoryTrack> m_memory;
};

} // namespace torchline::lod
