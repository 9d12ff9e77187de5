#pragma once
// A forked child has the parent's memory, but not its threads, and the segment is not mapped in it. It notices at its
// first operator, by a page that the kernel empties at fork, and goes on as a process of its own. Thread: any.

#include <atomic>
#include <cstdint>

namespace torchline::agent {

/// Zeros in a child.
struct ForkPage {
    std::atomic<uint32_t> sameProcess;
    std::atomic<uint32_t> claimed; ///< by the thread of the child that sets it up
};

extern constinit ForkPage* g_forkPage;

[[nodiscard]] inline bool isSameProcess()
{
    return g_forkPage->sameProcess.load(std::memory_order_acquire) != 0;
}

/// In the constructor. False: no memory.
[[nodiscard]] bool guardForks();

/// In a child, at its first operator: makes its own segment and control thread, or stops recording for good. False if
/// this thread cannot go on now.
[[nodiscard]] bool continueInChild();

/// Operators that were open when this thread forked, told once: their ends come without a beginning.
[[nodiscard]] uint32_t openBeforeFork();

/// Held while we are inside LibTorch or walk the list of libraries, whose locks a child must not find taken: no fork
/// happens meanwhile. Never around what may wait for the loader (dlopen, dlsym): a library may fork while it is loaded.
class NoForkNow {
public:
    NoForkNow();
    ~NoForkNow();
    NoForkNow(const NoForkNow&) = delete;
    NoForkNow& operator=(const NoForkNow&) = delete;
};

} // namespace torchline::agent
