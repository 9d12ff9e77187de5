#pragma once
// Finds out by itself where the fields lie that LibTorch's headers would tell: builds objects of known content and
// looks for it. Thread: one at a time; LibTorch must be loaded and initialised.

#include "agent/torch_binding.h"

namespace torchline::agent {

/// All -1 where the probe failed or found what no known LibTorch has; rank is left alone.
[[nodiscard]] Offsets probeRecordFunction(const TorchBinding& torch);

/// Where a tensor holds its rank, with the sizes behind it and the dtype 104 bytes behind it; -1 if that was not found.
[[nodiscard]] int probeTensor(const TorchBinding& torch);

constexpr int kDtypeBehindRank = 104; ///< c10::TensorImpl::data_type_, in all versions
constexpr size_t kInlineRank = 5; ///< sizes of a higher rank lie elsewhere

} // namespace torchline::agent
