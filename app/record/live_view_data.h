#pragma once
// LiveViewData: what the window shows of a recording that grows: the trace with its index, and the last half minute of
// step times and memory for the charts. Thread: made on any but the GUI's, const afterwards.

#include "load_session.h"

#include "lod/memory_track.h"

namespace torchline {

struct LiveStep {
    int64_t beginNs = 0;
    int64_t endNs = 0;
};

struct LiveViewData {
    std::shared_ptr<const LoadedTrace> loaded;
    std::vector<LiveStep> steps; ///< of the last half minute, in order
    int64_t medianStepNs = 0; ///< of the last 50; 0: there are none
    std::optional<lod::MemoryTrack> memory; ///< of the busiest device
    int64_t endNs = 0; ///< of the trace: now, when it was made
    int64_t madeAtNs = 0; ///< steady clock
    int64_t costNs = 0; ///< processor time of making it, snapshot included
};

constexpr int64_t kChartSpanNs = 30'000'000'000;

/// Of a recording that goes on; before: null, or what was made of it last. Cost: see preparedGrowing().
[[nodiscard]] std::shared_ptr<LiveViewData> liveViewData(
    std::shared_ptr<const TraceSnapshot> trace, const std::string& label, const LiveViewData* before);
/// Of one that is complete: all that is shown of a trace.
[[nodiscard]] std::shared_ptr<LiveViewData> lastViewData(
    std::shared_ptr<const TraceSnapshot> trace, const std::string& label, const LiveViewData* before);
[[nodiscard]] int64_t steadyNowNs();
/// Processor time of the calling thread so far.
[[nodiscard]] int64_t threadCpuNs();

} // namespace torchline
