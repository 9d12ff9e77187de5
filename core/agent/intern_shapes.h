#pragma once
// The shapes of an operator's inputs as one id of the segment. Thread: that of the operator, in its start callback
// only: the inputs are gone when it ends.

#include <cstdint>

namespace torchline::agent {

struct ThreadBlock;

/// 0 if there are no inputs or no room.
[[nodiscard]] uint32_t internShapes(ThreadBlock& block, const void* recordFunction);

} // namespace torchline::agent
