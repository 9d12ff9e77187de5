#include "view_memory.h"

#include "base/text.h"
#include "model/lane_match.h"
#include "timeline/timeline_view.h"

#include <nlohmann/json.hpp>

#include <algorithm>

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

/// Where JSON names a file, it is by its place in this list.
Json filesJson(const TraceSnapshot& trace)
{
    Json json = Json::array();
    for (const FileName& file : fileNames(trace))
        json.push_back({toValidUtf8(file.path), toValidUtf8(file.member), toValidUtf8(file.process)});
    return json;
}

/// [file, process, thread, device], as the files name them.
Json laneJson(const TraceSnapshot& trace, LaneId lane)
{
    return {trace.lane(lane).fileIndex(), toValidUtf8(trace.pid(lane)), toValidUtf8(trace.tid(lane)),
        trace.lane(lane).isDevice()};
}

/// [file, process, device]; of memory without a process null.
Json groupJson(const TraceSnapshot& trace, uint32_t index)
{
    if (index >= trace.groups().size())
        return nullptr;
    const ProcessGroup& group = trace.groups()[index];
    return {group.fileIndex, toValidUtf8(trace.pid(group)), group.isDevice};
}

/// [file, device type, device]: the memory of one device.
Json trackJson(const lod::MemoryTrack& track)
{
    return {track.fileIndex, track.deviceType, track.deviceId};
}

/// What JSON names, in a trace of the same files, in whatever order.
class Named {
public:
    Named(const Json& files, const lod::TimelineIndex& index)
        : m_index(index)
        , m_names(index.trace())
    {
        m_fileNow = matchedFiles(namesOf(files), namesOf(filesJson(index.trace())));
    }

    [[nodiscard]] std::optional<LaneId> lane(const Json& json) const
    {
        const auto file = fileOf(json);
        return file ? m_names.lane(*file, textAt(json, 1), textAt(json, 2), json.at(3).get<bool>()) : std::nullopt;
    }
    [[nodiscard]] std::optional<uint32_t> group(const Json& json) const
    {
        if (json.is_null())
            return lod::groupCount(m_index.trace()) - 1;
        const auto file = fileOf(json);
        return file ? m_names.group(*file, textAt(json, 1), json.at(2).get<bool>()) : std::nullopt;
    }
    [[nodiscard]] std::optional<uint32_t> track(const Json& json) const
    {
        const auto file = fileOf(json);
        return file ? m_index.trackOf(*file, json.at(1).get<int32_t>(), json.at(2).get<int32_t>()) : std::nullopt;
    }
    template <typename Visit> void forEachLane(const Json& json, const char* key, Visit visit) const
    {
        for (const Json& name : json.value(key, Json::array())) {
            if (const auto found = lane(name))
                visit(*found);
        }
    }

private:
    [[nodiscard]] static std::vector<FileName> namesOf(const Json& files)
    {
        std::vector<FileName> names;
        for (const Json& file : files)
            names.push_back(
                {file.at(0).get<std::string>(), file.at(1).get<std::string>(), file.at(2).get<std::string>()});
        return names;
    }
    [[nodiscard]] static const std::string& textAt(const Json& json, size_t place)
    {
        return json.at(place).get_ref<const std::string&>();
    }
    [[nodiscard]] std::optional<uint32_t> fileOf(const Json& json) const
    {
        const auto saved = json.at(0).get<size_t>();
        return saved < m_fileNow.size() ? m_fileNow[saved] : std::nullopt;
    }

    const lod::TimelineIndex& m_index;
    LaneNames m_names;
    std::vector<std::optional<uint32_t>> m_fileNow; ///< by place in the list of JSON
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
            append("memory_heights", {trackJson(index.memory()[m]), lanes.memoryHeightOf(m)});
    }
    return json;
}

lod::LaneState lanesOf(const Json& json, const lod::TimelineIndex& index, const Named& names)
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
        if (const auto track = names.track(entry.at(0)))
            lanes.setMemoryHeight(*track, entry.at(1).get<int>());
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

SliceRef selectionOf(const Json& json, const TraceSnapshot& trace, const Named& names)
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
    Json json = {{"files", filesJson(trace)}, {"lanes", lanesJson(view.lanes, index)}, {"scroll", view.scroll},
        {"scope", scopeJson(view.scope)}};
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
        const Named names(json.value("files", Json::array()), index);
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
