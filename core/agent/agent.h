#pragma once
// What the agent knows of its process: one object, made without running code. Thread: see each field.

#include "agent/clock.h"
#include "agent/lock.h"
#include "agent/segment.h"
#include "agent/settings.h"
#include "agent/torch_binding.h"

#include <atomic>
#include <climits>

namespace torchline::agent {

constexpr uint32_t kMaxSegments = 8;

/// What the window is told once, as a note.
enum Trouble : uint32_t {
    TroubleNoMemfd = 1U << 0,
    TroubleProbeFailed = 1U << 1,
    TroubleNoShapes = 1U << 2,
    TroubleNoMemoryRecords = 1U << 3,
    TroubleSymbolsMissing = 1U << 4,
    TroubleNoStacks = 1U << 5,
    TroubleStacksAfterFork = 1U << 6,
    TroubleStacksAfterClose = 1U << 7,
};

struct Agent {
    // read by every operator; written when recording starts or stops
    alignas(64) std::atomic<wire::RecordState> state{wire::RecordState::Idle};
    std::atomic<bool> wantShapes{false};
    std::atomic<bool> wantMemory{false};
    std::atomic<uint32_t> stackFrames{0}; ///< taken of each operator; 0: none
    std::atomic<StepRule::Kind> stepKind{StepRule::Kind::Scope};
    wire::ClockKind clock{};
    Offsets offsets;
    NameFunction nameOf = nullptr;

    // steps: any thread
    alignas(64) std::atomic<uint64_t> step{0};
    std::atomic<uint64_t> outermostEnds{0};
    std::atomic<uint64_t> stateSince{0}; ///< CLOCK_MONOTONIC
    std::atomic<bool> scheduleDone{false};

    // slots and segments: under `slots`, but for the atomics, which may be read at any time
    alignas(64) Lock slots;
    std::atomic<Segment*> segments[kMaxSegments]{};
    std::atomic<uint32_t> segmentCount{0};

    // the control thread, and before it the constructor
    Settings settings;
    TorchBinding torch;
    std::atomic<uint32_t> troubles{0}; ///< Trouble, not yet told
    std::atomic<uint32_t> announced{0}; ///< segments that the window was told of
    std::atomic<bool> settled{false}; ///< nothing more to wait for: told, or nobody to tell
    char socketPath[108] = {};
    int patchedSlots = 0;
    bool loaderMayBeLocked = false; ///< forked while another thread had it: not to be asked by an operator
    uint32_t stacksForbidden = 0; ///< Trouble; 0: they may be taken
};

extern constinit Agent g_agent;

} // namespace torchline::agent
