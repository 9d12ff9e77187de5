#pragma once
// Shapes and dtypes of an operator's inputs, read straight from LibTorch's objects: calling it for a foreign tensor may
// print, throw or run Python code. Thread: that of the operator.

#include <cstdint>

namespace torchline::agent {

/// The words of InputShapes for `count` values at `inputs`; how many words. words: room for `room` of them; what does
/// not fit is left out, a tensor whole.
[[nodiscard]] uint32_t readShapes(
    const void* inputs, uint64_t count, int rankAt, const void* undefinedTensor, uint64_t* words, uint32_t room);

} // namespace torchline::agent
