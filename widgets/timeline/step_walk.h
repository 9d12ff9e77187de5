#pragma once
// Going from profiler step to profiler step, as step strip, tool strip and keys do it.
// Thread: GUI thread only. Cost: O(log steps).

#include "common/view_state.h"

namespace torchline {

/// The selected step; else the one in the middle of a view that shows no more than a few. Index in Overview::steps().
[[nodiscard]] std::optional<size_t> currentStep(const ViewState& state);
/// Selects the mark of a step and shows it whole.
void goToStep(ViewState& state, size_t step);
/// The next or previous one; without a current step the first or last that lies in view.
void walkSteps(ViewState& state, bool forward);
/// The step becomes the scope of all tables; steps without a number do so by their time.
void scopeToStep(ViewState& state, size_t step);
/// "12", or the whole name of a mark that has no number.
[[nodiscard]] QString stepText(const ViewState& state, const lod::StepBar& bar);

} // namespace torchline
