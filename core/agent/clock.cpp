#include "agent/clock.h"

#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace torchline::agent {
namespace {

#if defined(__x86_64__)
bool invariantCounter()
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

bool mayReadCounter()
{
    int setting = PR_TSC_ENABLE;
    return prctl(PR_GET_TSC, &setting) != 0 || setting == PR_TSC_ENABLE;
}

/// The kernel takes "tsc" off its list when it finds the counter unstable.
bool markedUnstable()
{
    const int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char text[256] = {};
    const ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    return got > 0 && std::strstr(text, "tsc") == nullptr;
}
#endif

} // namespace

wire::ClockKind chooseClock()
{
#if defined(__x86_64__)
    if (invariantCounter() && mayReadCounter() && !markedUnstable())
        return wire::ClockKind::Tsc;
#endif
    return wire::ClockKind::Monotonic;
}

uint64_t nanoseconds(clockid_t clock)
{
    timespec time;
    clock_gettime(clock, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

void refreshPair(wire::ClockPair& pair, wire::ClockKind clock)
{
    uint64_t best = UINT64_MAX;
    uint64_t counter = 0;
    uint64_t monotonic = 0;
    uint64_t real = 0;
    for (int i = 0; i < 8; ++i) {
        const uint64_t before = ticks(clock);
        const uint64_t between = nanoseconds(CLOCK_MONOTONIC);
        const uint64_t after = ticks(clock);
        if (after - before < best) {
            best = after - before;
            counter = clock == wire::ClockKind::Monotonic ? between : before + best / 2;
            monotonic = between;
            real = nanoseconds(CLOCK_REALTIME);
        }
    }
    const uint32_t sequence = pair.sequence.load(std::memory_order_relaxed);
    pair.sequence.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    pair.ticks.store(counter, std::memory_order_relaxed);
    pair.monotonicNs.store(monotonic, std::memory_order_relaxed);
    pair.realNs.store(real, std::memory_order_relaxed);
    pair.sequence.store(sequence + 2, std::memory_order_release);
}

} // namespace torchline::agent
