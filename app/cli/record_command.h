#pragma once
// `torchline-cli record`: runs a program on this terminal and writes its recording. Thread: main only, before any other
// thread is started: it blocks the signals that it waits for.

#include "cli/record_options.h"

namespace torchline::cli {

/// The exit status: 0 the recording is written. Says one line on standard error.
[[nodiscard]] int runRecord(const RecordCommand& command);

} // namespace torchline::cli
