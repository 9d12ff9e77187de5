#pragma once
// MemoryForecast: whether what is being read will fit into memory, told before the machine begins to swap.
// Thread: one. Cost: a look at what was counted; the machine is asked once.

#include "base/result.h"

#include <cstdint>
#include <optional>

namespace torchline {

/// What this process can still take: free or to be had back, within the limit of its control group. None: not known.
[[nodiscard]] std::optional<uint64_t> availableMemory();

class MemoryForecast {
public:
    /// availableBytes 0: what the machine has.
    explicit MemoryForecast(uint64_t availableBytes);

    /// `share` of the text was read, which took `textBytes` of memory; `otherBytes` are there besides. An Error if the
    /// whole of it will not fit.
    [[nodiscard]] Status check(double share, uint64_t textBytes, uint64_t otherBytes) const;

private:
    std::optional<uint64_t> m_availableBytes;
};

} // namespace torchline
