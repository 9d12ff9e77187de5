#include "timeline/step_walk.h"

#include "common/format.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr int kMostStepsInView = 3;

} // namespace

std::optional<size_t> currentStep(const ViewState& state)
{
    const OverviewPtr& overview = state.overview();
    if (!overview || overview->steps().empty())
        return std::nullopt;
    const std::span<const lod::StepBar> steps = overview->steps();
    if (const SliceRef selected = state.selection(); selected.isValid()) {
        const auto at = overview->stepAt(state.trace()->startNs(selected));
        if (at && steps[*at].mark.slice == selected)
            return at;
    }
    const TimeRange visible = state.visible();
    const auto at = overview->stepAt(addSaturated(visible.beginNs, visible.spanNs() / 2));
    if (!at || visible.spanNs() / kMostStepsInView > steps[*at].range.spanNs())
        return std::nullopt;
    return at;
}

void goToStep(ViewState& state, size_t step)
{
    const lod::StepBar& bar = state.overview()->steps()[step];
    state.goTo(bar.range);
    state.select(bar.mark.slice);
}

void walkSteps(ViewState& state, bool forward)
{
    const OverviewPtr& overview = state.overview();
    if (!overview || overview->steps().empty())
        return;
    const std::span<const lod::StepBar> steps = overview->steps();
    if (const auto current = currentStep(state)) {
        if (forward ? *current + 1 < steps.size() : *current > 0)
            goToStep(state, forward ? *current + 1 : *current - 1);
        return;
    }
    const auto beginOf = [](const lod::StepBar& bar) { return bar.range.beginNs; };
    const TimeRange visible = state.visible();
    if (forward) {
        const auto at = std::ranges::lower_bound(steps, visible.beginNs, {}, beginOf);
        if (at != steps.end())
            goToStep(state, static_cast<size_t>(at - steps.begin()));
        return;
    }
    const auto after = std::ranges::lower_bound(steps, visible.endNs, {}, beginOf);
    if (after != steps.begin())
        goToStep(state, static_cast<size_t>(after - steps.begin()) - 1);
}

void scopeToStep(ViewState& state, size_t step)
{
    const lod::StepBar& bar = state.overview()->steps()[step];
    Scope scope = state.scope();
    scope.step = bar.mark.number;
    if (!bar.mark.number)
        scope.range = bar.range;
    state.setScope(scope);
}

QString stepText(const ViewState& state, const lod::StepBar& bar)
{
    if (bar.mark.number)
        return QString::number(*bar.mark.number);
    return displayText(state.trace()->text(state.trace()->name(bar.mark.slice)));
}

} // namespace torchline
