#pragma once
// Schedule: which steps of a program are recorded, as torch.profiler's schedule() counts them. The window asks for it,
// the agent keeps it; PROTOCOL.md names the words between them. Thread: values. Unit: steps.

#include <cstdint>

namespace torchline::wire {

struct Schedule {
    uint64_t skipFirst = 0;
    uint64_t wait = 0;
    uint64_t warmup = 0;
    uint64_t active = 0;
    uint64_t repeat = 0; ///< 0: again and again

    /// Everything is recorded, until told otherwise.
    [[nodiscard]] constexpr bool isEmpty() const { return active == 0; }
    friend constexpr bool operator==(const Schedule&, const Schedule&) = default;
};

} // namespace torchline::wire
