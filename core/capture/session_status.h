#pragma once
// What a recording has come to, for whoever shows it. Thread: values.

#include "capture/exit_words.h"
#include "capture/messages.h"
#include "capture/session_machine.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchline::capture {

struct ProcessStatus {
    int32_t pid = 0;
    std::string executable;
    std::string rank;
    std::string torchPath; ///< empty: no LibTorch yet
    bool namesOnly = false;
    bool hasShapes = false;
    bool hasMemory = false;
    bool isConnected = false;
    AgentState state = AgentState::Idle;
    uint64_t step = 0;
    uint64_t records = 0;
};

struct SessionStatus {
    Phase phase = Phase::Idle;
    std::array<int64_t, kPhases> phaseNs{}; ///< time spent in each so far
    int64_t elapsedNs = 0; ///< since the launch
    uint64_t step = 0;
    uint64_t records = 0;
    uint64_t recordsPerSecond = 0; ///< of the last second
    uint64_t dropped = 0; ///< records that found no room
    uint64_t threadsWithoutSlot = 0;
    uint64_t opsTooDeep = 0;
    uint32_t damagedSlots = 0;
    uint64_t spoolBytes = 0;
    uint64_t spoolBytesPerSecond = 0;
    std::string spoolPath; ///< empty: there is none
    int32_t pid = 0; ///< of the program; 0: not started
    std::optional<int> waitStatus; ///< as waitpid has it, once the program ended
    std::string exitText; ///< then: in words, with what ran
    std::vector<RunningThread> running; ///< then: the open operators of each thread
    std::vector<ProcessStatus> processes;
    std::vector<Note> notes; ///< of agents and reader; each code and text once
    std::string stopReason; ///< why recording ended before the program did, if it was not asked for
    std::string fault; ///< why the phase is Failed

    [[nodiscard]] bool isProgramRunning() const { return pid != 0 && !waitStatus; }
};

} // namespace torchline::capture
