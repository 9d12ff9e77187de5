#pragma once
// Ingest: frames into the model. Joins what arrives in pieces (operators that end on another thread, sizes of freed
// blocks, numbers of backward rows, arrows from forward to backward), puts all on CLOCK_MONOTONIC, and fills the stores
// just as a Kineto file of the same run would be read: cpu_op, user_annotation, [memory], ProfilerStep#N. Each process
// is a store of its own, all on one axis.
// Thread: one owner for take(), snapshot() and finish(); what they return, any. The result does not depend on how the
// records were cut into drains.

#include "base/result.h"
#include "capture/frames.h"
#include "capture/spool.h"
#include "model/trace_snapshot.h"

#include <memory>
#include <string>

namespace torchline {

constexpr uint64_t kDefaultRecordingBytes = uint64_t{2} << 30;

struct IngestOptions {
    uint64_t memoryBytes = kDefaultRecordingBytes; ///< of the model; beyond it the oldest records go first
    std::string path; ///< FileInfo::path of the stores: what the recording is called until it is saved
};

struct IngestCounters {
    uint64_t operators = 0;
    uint64_t memoryRecords = 0;
    uint64_t steps = 0;
    uint64_t dropped = 0; ///< records lost on the way, as Dropped records count them
    uint64_t forgotten = 0; ///< records that made room for newer ones
    uint64_t damagedSlots = 0;
};

class Ingest : public FrameSink {
public:
    Ingest(std::shared_ptr<StringPool> pool, IngestOptions options = {});
    ~Ingest() override;

    /// Where args are read from; before the first frame. Without one, slices have no args.
    void setSpool(std::shared_ptr<const SpoolBytes> spool);

    void take(const Frame& frame) override;

    /// What is there so far, processes in the order in which they said hello (without those that wrote no records).
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> snapshot(uint64_t generation);
    /// The same at the end: operators that did not end are unfinished and last until the recording ends.
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> finish(uint64_t generation);

    [[nodiscard]] const IngestCounters& counters() const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace torchline
