#pragma once
// Overview: a whole trace at a glance, for minimap and step strip: how busy host and devices are in each of a few
// thousand columns and with what, and how long each profiler step took.
// Thread: const after construction; built once, on a worker. Cost: build O(busy pieces log lanes); its size does not
// grow with the trace but for 64 bytes a step.

#include "lod/density_sums.h"
#include "lod/timeline_index.h"
#include "model/steps.h"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace torchline::lod {

/// Host or device side of the trace. A process is busy while any of its threads is, a device while any stream is.
struct DensityBand {
    bool isDevice = false;
    std::string name; ///< number of the device if there is just one; else empty
    std::string title; ///< what the file calls that device, with its number: "MTIA 9"; empty if it does not
    uint32_t sources = 0; ///< processes or devices that it is the mean of
    int64_t busyNs = 0; ///< sum over the sources, inside Overview::range()
    std::vector<DensityColumn> columns;
};

/// One ProfilerStep. Marks of the same number that overlap, as ranks write them, are one step: the slowest counts.
struct StepBar {
    StepMark mark; ///< the longest
    TimeRange range; ///< from the first mark's begin to the last one's end
    uint32_t marks = 1;
    int64_t busyNs = 0; ///< devices of the mark's file, inside the mark; sum over them
    uint32_t devices = 0; ///< 0: unknown
    bool isSlow = false; ///< longer than 1.1 x the median

    [[nodiscard]] int64_t durationNs() const { return mark.range.spanNs(); }
    /// Of the time of its devices; none without devices.
    [[nodiscard]] std::optional<double> busyShare() const;
};

class Overview {
public:
    static constexpr size_t kMostColumns = 4096;

    /// steps: of the index's snapshot, in order of start. Null when stopped.
    [[nodiscard]] static std::shared_ptr<const Overview> build(
        const TimelineIndex& index, std::span<const StepMark> steps, std::stop_token stop = {});

    /// Of a trace that grows: columns are powers of two wide, so that sums of what is over can be taken over from the
    /// one before. before: null, or that of the index that this one grew from by the delta.
    [[nodiscard]] static std::shared_ptr<const Overview> grown(const TimelineIndex& index,
        std::span<const StepMark> steps, const Overview* before, const SnapshotDelta& delta);

    [[nodiscard]] const std::shared_ptr<const TraceSnapshot>& traceRef() const { return m_trace; }
    /// What the columns cover: TraceSnapshot::fitSpan(), at least 1 ns.
    [[nodiscard]] TimeRange range() const { return m_range; }
    [[nodiscard]] int64_t columnNs() const { return m_columnNs; }
    /// Host above devices; a side without work is left out.
    [[nodiscard]] std::span<const DensityBand> bands() const { return m_bands; }
    /// In order of start.
    [[nodiscard]] std::span<const StepBar> steps() const { return m_steps; }
    [[nodiscard]] int64_t medianStepNs() const { return m_medianStepNs; }
    /// Index of the step that a time lies in (the last one that began), or none.
    [[nodiscard]] std::optional<size_t> stepAt(int64_t timeNs) const;

private:
    /// Sums of all host work before a time.
    struct Seal {
        int64_t untilNs = 0;
        std::shared_ptr<const DensitySums> sums;
    };
    /// Busy rows of a process.
    using Rows = std::vector<const BusyRow*>;

    Overview() = default;
    [[nodiscard]] static std::shared_ptr<Overview> begun(const TimelineIndex& index);
    void addHost(const TimelineIndex& index, const std::stop_token& stop);
    void growHost(const TimelineIndex& index, const Overview* before, const SnapshotDelta& delta);
    [[nodiscard]] std::vector<Rows> chooseHostRows(const TimelineIndex& index);
    /// Before it all is as it was for the one before.
    [[nodiscard]] int64_t sameUntilNs(
        const TimelineIndex& index, const Overview& before, const SnapshotDelta& delta) const;
    void thinSeals(int64_t nowNs);
    void addDevices(const TimelineIndex& index, const std::stop_token& stop);
    void addSteps(const TimelineIndex& index, std::span<const StepMark> steps);

    std::shared_ptr<const TraceSnapshot> m_trace;
    TimeRange m_range;
    int64_t m_columnNs = 1;
    std::vector<DensityBand> m_bands;
    std::vector<StepBar> m_steps;
    int64_t m_medianStepNs = 0;
    std::vector<LaneId> m_hostLanes; ///< that say whether their process is busy
    std::vector<Seal> m_seals; ///< of one that grows; rising
};

} // namespace torchline::lod
