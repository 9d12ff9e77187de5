#pragma once
// Return addresses of an operator's callers, as one id of the segment. They are taken by libunwind, which keeps for
// each thread what it learned of a frame: no lock, allocation or system call once the frames are known. Where one is
// new it reads its unwind tables, with signals blocked and under locks of its own and of the loader. The agent links no
// libunwind: it opens the one that is there.

#include "agent/id_cache.h"

#include <cstddef>
#include <cstdint>

namespace torchline::agent {

struct ThreadBlock;

/// What a thread keeps to find the id of a stack again.
struct StackCache {
    IdCache<512> ids;
    void* frames[64];
    bool isUnwinding; ///< inside libunwind: not again by a signal handler; a child may find it locked
};

/// Opens libunwind and has it set itself up. False: there is none. Thread: the control thread, before it the
/// constructor; in a forked child its first operator, for which nothing is left to do. May wait for the loader.
[[nodiscard]] bool readyStacks();
[[nodiscard]] bool areStacksReady();
/// Whether libunwind is setting itself up at this moment.
[[nodiscard]] bool isReadyingStacks();

/// The stack of the calling thread, at most `frames` of it; 0 if there is none or no room. Thread: that of the
/// operator.
[[nodiscard]] uint32_t internStack(ThreadBlock& block, uint32_t frames);

} // namespace torchline::agent
