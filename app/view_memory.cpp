#include "view_memory.h"

#include "base/text.h"
#include "timeline/timeline_view.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace torchline {

namespace {

using Json = nlohmann::json;

Json rangeJson(TimeRange range)
{
    return {range.beginNs, range.endNs};
}

TimeRange rangeOf(const Json& json)
{
    return {json.at(0).get<int64_t>(), json.at(1).get<int64_t>()};
}

std::optional<TimeRange> rangeIn(const Json& json, const char* key)
{
    if (!json.contains(key))
        return std::nullopt;
    const TimeRange range = rangeOf(json.at(key));
    return range.isEmpty() ? std::nullopt : std::optional(range);
}

/// [file, process, thread], as the files name them.
Json laneJson(const TraceSnapshot& trace, LaneId lane)
{
    return {trace.lane(lane).fileIndex(), toValidUtf8(trace.pid(lane)), toValidUtf8(trace.tid(lane))};
}

/// [file, process]; of memory without a process null.
Json groupJson(const TraceSnapshot& trace, uint32_t group)
{
    if (group >= trace.groups().size())
        return nullptr;
    const LaneId lane = trace.groups()[group].lanes.front();
    return {trace.lane(lane).fileIndex(), toValidUtf8(trace.pid(lane))};
}

/// Lanes and processes of a trace by those names.
class Names {
public:
    explicit Names(const TraceSnapshot& trace)
    {
        for (uint32_t i = 0; i < trace.lanes().size(); ++i)
            m_lanes.emplace(laneJson(trace, LaneId(i)).dump(), LaneId(i));
        for (uint32_t g = 0; g < lod::groupCount(trace); ++g)
            m_groups.emplace(groupJson(trace, g).dump(), g);
    }

    [[nodiscard]] std::optional<LaneId> lane(const Json& json) const { return find(m_lanes, json); }
    [[nodiscard]] std::optional<uint32_t> group(const Json& json) const { return find(m_groups, json); }
    template <typename Visit> void forEachLane(const Json& json, const char* key, Visit visit) const
    {
        for (const Json& name : json.value(key, Json::array())) {
            if (const auto found = lane(name))
                visit(*found);
        }
    }

private:
    template <typename Id>
    [[nodiscard]] static std::optional<Id> find(const std::map<std::string, Id>& names, const Json& json)
    {
        const auto at = names.find(json.dump());
        return at == names.end() ? std::nullopt : std::optional(at->second);
    }

    std::map<std::string, LaneId> m_lanes;
    std::map<std::string, uint32_t> m_groups;
};

Json lanesJson(const lod::LaneState& lanes, const lod::TimelineIndex& index)
{
    const TraceSnapshot& trace = index.trace();
    const lod::LaneState usual = lod::LaneState::forIndex(index);
    Json json = Json::object();
    const auto append = [&json](const char* key, Json value) { json[key].push_back(std::move(value)); };
    for (const LaneId lane : lanes.pinned)
        append("pinned", laneJson(trace, lane));
    for (const std::vector<LaneId>& order : lanes.order) {
        Json names = Json::array();
        for (const LaneId lane : order)
            names.push_back(laneJson(trace, lane));
        if (!order.empty())
            append("order", std::move(names));
    }
    for (uint32_t i = 0; i < trace.lanes().size(); ++i) {
        const LaneId lane(i);
        if (lanes.isHidden(lane))
            append("hidden", laneJson(trace, lane));
        if (lanes.isCollapsed(lane))
            append("folded", laneJson(trace, lane));
        if (lanes.framesOf(lane) != usual.framesOf(lane))
            append("frames_other", laneJson(trace, lane));
        if (lanes.heightOf(lane) != usual.heightOf(lane))
            append("heights", {laneJson(trace, lane), lanes.heightOf(lane)});
    }
    for (const uint32_t group : lanes.groupOrder)
        append("process_order", groupJson(trace, group));
    for (uint32_t g = 0; g < lod::groupCount(trace); ++g) {
        if (lanes.isGroupCollapsed(g))
            append("folded_processes", groupJson(trace, g));
    }
    for (uint32_t m = 0; m < index.memory().size(); ++m) {
        if (lanes.memoryHeightOf(m) != usual.memoryHeightOf(m))
            append("memory_heights", {m, lanes.memoryHeightOf(m)});
    }
    return json;
}

lod::LaneState lanesOf(const Json& json, const lod::TimelineIndex& index, const Names& names)
{
    const TraceSnapshot& trace = index.trace();
    lod::LaneState lanes = lod::LaneState::forIndex(index);
    names.forEachLane(json, "pinned", [&](LaneId lane) { lanes.pin(lane); });
    // From the last to the first to the top: what is new since then comes last.
    for (const Json& saved : json.value("order", Json::array())) {
        for (size_t i = saved.size(); i-- > 0;) {
            if (const auto lane = names.lane(saved.at(i)))
                lanes.move(trace, *lane, lanes.orderOf(trace, lod::groupIndex(trace, *lane)).front());
        }
    }
    const Json processes = json.value("process_order", Json::array());
    for (size_t i = processes.size(); i-- > 0;) {
        if (const auto group = names.group(processes.at(i)))
            lanes.moveGroup(trace, *group, lanes.groupsInOrder(trace).front());
    }
    names.forEachLane(json, "hidden", [&](LaneId lane) { lanes.setHidden(lane, true); });
    names.forEachLane(json, "folded", [&](LaneId lane) { lanes.setCollapsed(lane, true); });
    names.forEachLane(json, "frames_other", [&](LaneId lane) {
        lanes.setFrames(lane, lanes.framesOf(lane) == lod::Frames::Shown ? lod::Frames::Folded : lod::Frames::Shown);
    });
    for (const Json& entry : json.value("heights", Json::array())) {
        if (const auto lane = names.lane(entry.at(0)))
            lanes.setHeight(*lane, entry.at(1).get<int>());
    }
    for (const Json& name : json.value("folded_processes", Json::array())) {
        if (const auto group = names.group(name))
            lanes.setGroupCollapsed(*group, true);
    }
    for (const Json& entry : json.value("memory_heights", Json::array())) {
        const auto track = entry.at(0).get<uint32_t>();
        if (track < index.memory().size())
            lanes.setMemoryHeight(track, entry.at(1).get<int>());
    }
    return lanes;
}

Json scopeJson(const Scope& scope)
{
    Json json = Json::object();
    if (scope.range)
        json["range"] = rangeJson(*scope.range);
    if (scope.step)
        json["step"] = *scope.step;
    if (scope.annotation)
        json["annotation"] = toValidUtf8(*scope.annotation);
    if (!scope.files.empty())
        json["files"] = scope.files;
    if (!scope.ranks.empty())
        json["ranks"] = scope.ranks;
    if (!scope.filter.empty())
        json["filter"] = toValidUtf8(scope.filter);
    return json;
}

Scope scopeOf(const Json& json)
{
    Scope scope;
    scope.range = rangeIn(json, "range");
    if (json.contains("step"))
        scope.step = json.at("step").get<int64_t>();
    if (json.contains("annotation"))
        scope.annotation = json.at("annotation").get<std::string>();
    scope.files = json.value("files", scope.files);
    scope.ranks = json.value("ranks", scope.ranks);
    scope.filter = json.value("filter", scope.filter);
    return scope;
}

Json selectionJson(const TraceSnapshot& trace, SliceRef slice)
{
    return {{"lane", laneJson(trace, slice.lane)}, {"start", trace.startNs(slice)},
        {"name", toValidUtf8(trace.text(trace.name(slice)))}};
}

SliceRef selectionOf(const Json& json, const TraceSnapshot& trace, const Names& names)
{
    const auto found = names.lane(json.at("lane"));
    const auto startNs = json.at("start").get<int64_t>();
    const auto name = json.at("name").get<std::string>();
    if (!found)
        return {};
    const Lane& lane = trace.lane(*found);
    for (uint32_t i = lane.lowerBound(startNs); i < lane.size() && lane.startNs(i) == startNs; ++i) {
        if (toValidUtf8(trace.text(lane.name(i))) == name)
            return {*found, i};
    }
    return {};
}

} // namespace

ViewMemory ViewMemory::of(const ViewState& state, const TimelineView& timeline)
{
    ViewMemory view;
    view.lanes = timeline.laneState();
    view.laneFilter = timeline.nameFilter();
    view.visible = state.visible();
    view.scroll = timeline.scrollPosition();
    view.range = state.range();
    view.scope = state.scope();
    view.selection = state.selection();
    std::ranges::copy_if(state.timeMarks(), std::back_inserter(view.marks), &TimeMark::isKept);
    return view;
}

void ViewMemory::applyTo(ViewState& state, TimelineView& timeline, bool places) const
{
    timeline.setLaneState(lanes);
    timeline.setNameFilter(laneFilter);
    state.setTimeMarks(marks);
    if (!places)
        return;
    state.setRange(range);
    state.goTo(visible.value_or(state.visible()), scope);
    state.select(selection);
    timeline.setScrollPosition(scroll);
}

Json toJson(const ViewMemory& view, const lod::TimelineIndex& index)
{
    const TraceSnapshot& trace = index.trace();
    Json json = {{"lanes", lanesJson(view.lanes, index)}, {"scroll", view.scroll}, {"scope", scopeJson(view.scope)}};
    if (!view.laneFilter.isEmpty())
        json["lane_filter"] = view.laneFilter.toStdString();
    if (view.visible)
        json["visible"] = rangeJson(*view.visible);
    if (view.range)
        json["range"] = rangeJson(*view.range);
    if (view.selection.isValid())
        json["selection"] = selectionJson(trace, view.selection);
    json["marks"] = Json::array();
    for (const TimeMark& mark : view.marks)
        json["marks"].push_back(rangeJson(mark.range));
    return json;
}

Result<ViewMemory> viewFromJson(const Json& json, const lod::TimelineIndex& index)
{
    try {
        const Names names(index.trace());
        ViewMemory view;
        view.lanes = lanesOf(json.value("lanes", Json::object()), index, names);
        view.laneFilter = QString::fromStdString(json.value("lane_filter", std::string()));
        view.visible = rangeIn(json, "visible");
        view.scroll = json.value("scroll", 0);
        view.range = rangeIn(json, "range");
        view.scope = scopeOf(json.value("scope", Json::object()));
        if (json.contains("selection"))
            view.selection = selectionOf(json.at("selection"), index.trace(), names);
        for (const Json& mark : json.value("marks", Json::array())) {
            if (const TimeRange range = rangeOf(mark); !range.isEmpty())
                view.marks.push_back({range, true});
        }
        return view;
    } catch (const Json::exception& fault) {
        return Error(ErrorCode::Format, std::string("its view is damaged: ") + fault.what());
    }
}

} // namespace torchline
