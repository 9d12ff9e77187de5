#pragma once
// SegmentReader: maps the shared memory of a recorded process and empties its rings into frames. Trusts nothing in it:
// sizes, heads, ids and texts are copied first and checked then; a slot that breaks a rule of PROTOCOL.md is closed and
// counted, the others go on. Nothing that the other side does makes it read outside of the mapping, loop or throw.
// Thread: one. Cost: one pass over what is new; 0.1 ms when nothing is.

#include "base/result.h"
#include "capture/frames.h"

#include <memory>
#include <string>
#include <vector>

namespace torchline {

struct SegmentCounters {
    uint64_t records = 0; ///< passed on
    uint64_t bytes = 0;
    uint64_t unknownRecords = 0; ///< of types that this reader does not know: skipped
    uint64_t dropped = 0; ///< as the writers count them
    uint64_t opsTooDeep = 0;
    uint64_t threadsWithoutSlot = 0;
    uint64_t namesRefused = 0;
    uint64_t stacksRefused = 0;
    uint32_t damagedSlots = 0;
};

/// What runs on one thread.
struct OpenOpsOfThread {
    uint32_t tid = 0;
    std::string threadName;
    struct Op {
        std::string name;
        uint64_t startTicks = 0;
    };
    std::vector<Op> ops; ///< outermost first
};

class SegmentReader {
public:
    /// Takes the descriptor over. An error says what is wrong: no seals, sizes that do not fit, another version, a
    /// process number that is not `pid` (0: not compared).
    [[nodiscard]] static Result<SegmentReader> open(int descriptor, uint16_t process, uint32_t pid = 0);

    SegmentReader(SegmentReader&&) noexcept;
    SegmentReader& operator=(SegmentReader&&) noexcept;
    ~SegmentReader();

    /// Passes on what came since the last call: clock, arena, threads, records, counts; then makes room for the
    /// writers. At most what the rings held when it began: returns even if the writers are faster.
    void drain(FrameSink& sink);
    /// The last drain: also what was still running (OpenOps frames). To be called when the process is gone or was told
    /// to stop; `drain` afterwards is allowed.
    void drainEnd(FrameSink& sink);

    [[nodiscard]] uint32_t number() const; ///< of the segment in its process
    [[nodiscard]] uint32_t pid() const;
    [[nodiscard]] wire::RecordState state() const; ///< Idle for a number that is none
    [[nodiscard]] uint64_t step() const;
    [[nodiscard]] const SegmentCounters& counters() const; ///< as of the last drain
    /// What runs at this moment, thread by thread. Exact when the program stands still or is dead, else a glimpse.
    [[nodiscard]] std::vector<OpenOpsOfThread> openOps() const;

private:
    struct State;
    explicit SegmentReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace torchline
