#pragma once
// The common time axis of several files.
// Thread: any. Cost: O(files).

#include "model/file_store.h"

#include <memory>
#include <span>
#include <vector>

namespace torchline {

struct TimeAxis {
    std::vector<int64_t> offsetsNs; ///< common time = column time + this, by file; the earliest slice of all is at 0
    std::vector<uint32_t> unaligned; ///< files without a known time base, put at 0 beside others
};

/// baseTimeNanoseconds + ts where given, Unix time where ts is large enough to be one, else the file's own start at 0.
[[nodiscard]] TimeAxis commonAxis(std::span<const std::shared_ptr<const FileStore>> files);

} // namespace torchline
