#pragma once
// What a recording is started with. Thread: values.

#include "capture/ingest.h"
#include "capture/launch_check.h"
#include "capture/record_options.h"

#include <cstdint>
#include <string>

namespace torchline::capture {

enum class BeginWhen : uint8_t { AtOnce, AfterTime, ByHand };

struct SessionOptions {
    LaunchRequest program;
    RecordOptions record;
    BeginWhen begin = BeginWhen::AtOnce;
    int64_t afterNs = 0; ///< AfterTime: since the launch
    int64_t forNs = 0; ///< recording ends after so much of it, the program goes on; 0: never
    uint64_t memoryBytes = kDefaultRecordingBytes; ///< of the model
    uint64_t spoolLimitBytes = 0; ///< recording ends there; 0: never
    std::string spoolFolder; ///< empty: no spool
    std::string agent; ///< path; empty: findAgent()
    std::string label; ///< what the recording is called
    bool wantsSnapshots = false; ///< while it runs
    std::string supervisor; ///< program that holds the program's terminal for the window; empty: it keeps ours
};

} // namespace torchline::capture
