#pragma once
// 128-bit integers of GCC and clang under names that -Wpedantic accepts.

namespace torchline {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

} // namespace torchline
