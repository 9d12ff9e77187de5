#pragma once
// Recordings that an earlier run left behind, unsaved: found, read again, removed. Thread: any but the GUI's.

#include "base/result.h"
#include "model/trace_snapshot.h"

#include <memory>
#include <stop_token>
#include <string>

namespace torchline {

/// Reads a spool with the code that read it live. The trace reads its details from the file.
[[nodiscard]] Result<std::shared_ptr<const TraceSnapshot>> recoverSpool(
    const std::string& path, const std::stop_token& stop = {});

} // namespace torchline
