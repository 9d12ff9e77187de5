#pragma once
// Why a recording holds nothing, as a sentence that says what to do. Thread: any; may read the program's file.

#include "capture/session_status.h"

#include <string>

namespace torchline::capture {

/// program: as given; path: of its file.
[[nodiscard]] std::string emptyRecordingFault(
    const SessionStatus& status, const std::string& program, const std::string& path);

} // namespace torchline::capture
