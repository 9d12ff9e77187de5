#pragma once
// giveBackLargeBlocks: how a process that loads traces wants its memory managed.
// Thread: the main one, before there are others.

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace torchline {

/// Large blocks go back to the system when they are freed: else those that loading needs for a while stay, a tenth of
/// the whole. To be called first in main().
inline void giveBackLargeBlocks()
{
#if defined(__GLIBC__)
    constexpr int kLargeBytes = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, kLargeBytes);
#endif
}

} // namespace torchline
