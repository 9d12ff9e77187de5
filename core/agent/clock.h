#pragma once
// The clock of operators: the processor's time stamp counter where it is trustworthy, else CLOCK_MONOTONIC, and pairs
// of both by which the reader turns one into the other. Thread: any; refreshPair: one writer at a time.

#include "capture/wire/segment.h"

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace torchline::agent {

/// Tsc if the processor says that it is invariant, the kernel has not marked it unstable and this process may read it.
[[nodiscard]] wire::ClockKind chooseClock();

[[nodiscard]] uint64_t nanoseconds(clockid_t clock);

[[nodiscard]] inline uint64_t ticks(wire::ClockKind clock)
{
#if defined(__x86_64__)
    if (clock == wire::ClockKind::Tsc) [[likely]]
        return __rdtsc();
#endif
    static_cast<void>(clock);
    return nanoseconds(CLOCK_MONOTONIC);
}

/// Of several tries the one with the narrowest window.
void refreshPair(wire::ClockPair& pair, wire::ClockKind clock);

} // namespace torchline::agent
