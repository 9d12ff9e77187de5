#pragma once
// Going from search hit to search hit. Thread: GUI thread only. Cost: O(lanes log hits).

#include "common/view_state.h"

namespace torchline {

/// Selects and reveals the hit behind (before) the selection; without one the first (last) from the view on. Goes round
/// at the ends. Nothing without hits.
void walkHits(ViewState& state, bool forward);

} // namespace torchline
