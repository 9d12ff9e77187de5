#pragma once
// Shapes and dtypes of an operator's inputs, read straight from LibTorch's objects: calling it for a foreign tensor may
// print, throw or run Python code. Thread: that of the operator, in its start callback only: the inputs are gone when
// it ends.

#include <cstdint>

namespace torchline::agent {

struct ThreadBlock;

/// Id of the shapes in the block's segment; 0 if there are no inputs or no room.
[[nodiscard]] uint32_t internShapes(ThreadBlock& block, const void* recordFunction);

/// The words of InputShapes for `count` values at `inputs`; how many words. words: room for `room` of them; what does
/// not fit is left out, a tensor whole.
[[nodiscard]] uint32_t readShapes(
    const void* inputs, uint64_t count, int rankAt, const void* undefinedTensor, uint64_t* words, uint32_t room);

} // namespace torchline::agent
