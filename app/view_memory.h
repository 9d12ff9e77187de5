#pragma once
// ViewMemory: how a person looks at a trace: lanes, view, range, scope, selection, marks; taken from the views and
// given back to them; and its form in JSON, in which lanes are named as the files name them, so that it outlives a
// reload and another order of the files. Thread: any; of views the GUI thread. Times are ns on the common axis.

#include "common/view_state.h"
#include "lod/lane_state.h"

#include <nlohmann/json_fwd.hpp>

#include <QString>

#include <optional>
#include <vector>

namespace torchline {

class TimelineView;

struct ViewMemory {
    lod::LaneState lanes;
    QString laneFilter; ///< what lanes are called that are shown; empty: all
    std::optional<TimeRange> visible;
    int scroll = 0; ///< of the lanes, logical pixels
    std::optional<TimeRange> range;
    Scope scope;
    SliceRef selection;
    std::vector<TimeMark> marks; ///< kept ones alone

    [[nodiscard]] static ViewMemory of(const ViewState& state, const TimelineView& timeline);
    /// places: not only how the lanes are arranged, but also times, which mean nothing in another recording.
    void applyTo(ViewState& state, TimelineView& timeline, bool places) const;
};

[[nodiscard]] nlohmann::json toJson(const ViewMemory& view, const lod::TimelineIndex& index);
/// What does not fit the trace (a lane that is not there, a selection that is gone) is left out. Fails when a value has
/// another shape than it should.
[[nodiscard]] Result<ViewMemory> viewFromJson(const nlohmann::json& json, const lod::TimelineIndex& index);

} // namespace torchline
