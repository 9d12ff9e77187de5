#include "export/event_json.h"

#include "export/json_writer.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace torchline {

namespace {

bool isInteger(std::string_view text)
{
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    return !digits.empty() && digits.size() <= 20 && (digits[0] != '0' || text == "0")
        && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A number of the file as a number, anything else as text.
void appendId(std::string& out, std::string_view text)
{
    if (isInteger(text))
        out += text;
    else
        appendJsonText(out, text);
}

/// Behind the string that begins at `at`, in JSON that is known to be sound.
size_t behindString(std::string_view json, size_t at)
{
    for (++at; json[at] != '"'; ++at)
        at += json[at] == '\\' ? 1 : 0;
    return at + 1;
}

/// Behind the value that begins at `at`, in JSON that is known to be sound.
size_t behindValue(std::string_view json, size_t at)
{
    if (json[at] == '"')
        return behindString(json, at);
    size_t depth = 0;
    while (at < json.size()) {
        const char c = json[at];
        if (c == '"') {
            at = behindString(json, at);
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        if (c == '}' || c == ']') {
            if (depth == 0)
                return at;
            if (--depth == 0)
                return at + 1;
        }
        if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            return at;
        ++at;
    }
    return at;
}

size_t skipBlanks(std::string_view json, size_t at)
{
    return std::min(json.find_first_not_of(" \n\r\t", at), json.size());
}

bool isSound(std::string_view json)
{
    return nlohmann::json::accept(json.begin(), json.end());
}

} // namespace

std::string_view argsOfText(std::string_view eventText)
{
    if (eventText.empty() || eventText[0] != '{' || !isSound(eventText))
        return {};
    std::string_view args;
    size_t at = skipBlanks(eventText, 1);
    while (at < eventText.size() && eventText[at] == '"') {
        const size_t keyEnd = behindString(eventText, at);
        const std::string_view key = eventText.substr(at + 1, keyEnd - at - 2);
        at = skipBlanks(eventText, skipBlanks(eventText, keyEnd) + 1);
        const size_t end = behindValue(eventText, at);
        if (key == "args" && eventText[at] == '{')
            args = eventText.substr(at, end - at);
        at = skipBlanks(eventText, end);
        if (at < eventText.size() && eventText[at] == ',')
            at = skipBlanks(eventText, at + 1);
    }
    return args;
}

void appendArgValue(std::string& out, std::string_view value)
{
    if (!value.empty() && value[0] != '"' && isSound(value))
        out += value;
    else
        appendJsonText(out, value);
}

EventJson::EventJson(const TraceSnapshot& trace, uint32_t fileIndex)
    : m_trace(trace)
    , m_store(trace.file(fileIndex))
    , m_isRecording(m_store.info.format == "recording")
{
    for (const LaneStore& lane : m_store.lanes)
        m_lanes.emplace_back(lane, fileIndex, 0);
}

void EventJson::addTime(std::string& out, std::string_view key, int64_t columnNs) const
{
    out.append(", \"").append(key).append("\": ");
    out += microsecondsText(key == "dur" ? columnNs : addSaturated(columnNs, m_store.info.originNs));
}

void EventJson::addCategoryAndName(std::string& out, CategoryId category, NameId name) const
{
    if (category.isValid()) {
        out += ", \"cat\": ";
        appendJsonText(out, m_trace.text(m_store.categories[category.value()]));
    }
    out += ", \"name\": ";
    appendJsonText(out, m_trace.text(name));
}

void EventJson::addPlace(std::string& out, NameId pid, NameId tid) const
{
    if (pid.isValid()) {
        out += ", \"pid\": ";
        appendId(out, m_trace.text(pid));
    }
    if (tid.isValid()) {
        out += ", \"tid\": ";
        appendId(out, m_trace.text(tid));
    }
}

void EventJson::addLanePlace(std::string& out, StoreRef slice) const
{
    const LaneStore& lane = m_store.lanes[slice.lane];
    addPlace(out, m_store.processes[lane.process].pid, lane.tid);
}

void EventJson::addSlice(std::string& out, uint32_t laneIndex, uint32_t index, std::string_view text) const
{
    const Lane& lane = m_lanes[laneIndex];
    const uint8_t flags = lane.flags(index);
    const bool isUnfinished = (flags & SliceUnfinished) != 0;
    const bool isPair = (flags & SliceFromPair) != 0 || (isUnfinished && m_isRecording);
    out += isPair ? "{\"ph\": \"B\"" : "{\"ph\": \"X\"";
    addCategoryAndName(out, lane.category(index), lane.name(index));
    addLanePlace(out, {laneIndex, index});
    addTime(out, "ts", lane.startNs(index));
    if (!isPair && !isUnfinished)
        addTime(out, "dur", lane.durationNs(index));
    if (const std::string_view args = argsOfText(text); !args.empty()) {
        out.append(", \"args\": ").append(args);
    } else if (!m_store.source && (lane.externalId(index) != 0 || lane.correlation(index) != 0)) {
        out += ", \"args\": {\"External id\": " + std::to_string(lane.externalId(index))
            + ", \"correlation\": " + std::to_string(lane.correlation(index)) + '}';
    }
    out += '}';
}

void EventJson::addPairEnd(std::string& out, uint32_t laneIndex, uint32_t index, std::string_view text) const
{
    const Lane& lane = m_lanes[laneIndex];
    out += "{\"ph\": \"E\"";
    addCategoryAndName(out, lane.category(index), lane.name(index));
    addLanePlace(out, {laneIndex, index});
    addTime(out, "ts", lane.endNs(index));
    if (const std::string_view args = argsOfText(text); !args.empty())
        out.append(", \"args\": ").append(args);
    out += '}';
}

void EventJson::addMemory(std::string& out, const MemorySample& sample, std::string_view text) const
{
    out += "{\"ph\": \"i\"";
    addCategoryAndName(out, sample.category, sample.name);
    out += std::string(", \"s\": \"") + sample.scope + '"';
    addPlace(out, sample.pid, sample.tid);
    addTime(out, "ts", sample.timeNs);
    out += ", \"args\": ";
    const std::string_view args = argsOfText(text);
    if (m_store.source && !m_isRecording && !args.empty()) {
        out.append(args).append("}");
        return;
    }
    out += '{';
    if (sample.totalReserved != kNoValue)
        out += "\"Total Reserved\": " + std::to_string(sample.totalReserved) + ", ";
    if (sample.totalAllocated != kNoValue)
        out += "\"Total Allocated\": " + std::to_string(sample.totalAllocated) + ", ";
    out += "\"Bytes\": " + std::to_string(sample.bytes) + ", \"Device Id\": " + std::to_string(sample.deviceId)
        + ", \"Device Type\": " + std::to_string(sample.deviceType) + ", \"Addr\": " + std::to_string(sample.address)
        + "}}";
}

void EventJson::addInstant(std::string& out, const Instant& instant, std::string_view text) const
{
    out += "{\"ph\": \"i\"";
    addCategoryAndName(out, instant.category, instant.name);
    out += std::string(", \"s\": \"") + instant.scope + '"';
    addPlace(out, instant.pid, instant.tid);
    if (instant.hasTime)
        addTime(out, "ts", instant.timeNs);
    if (const std::string_view args = argsOfText(text); !args.empty())
        out.append(", \"args\": ").append(args);
    out += '}';
}

void EventJson::addAsync(std::string& out, const AsyncSlice& slice, bool isEnd, std::string_view text) const
{
    out += isEnd ? "{\"ph\": \"e\"" : "{\"ph\": \"b\"";
    addCategoryAndName(out, slice.category, slice.name);
    if (const std::string_view id = m_trace.text(slice.id); !id.empty()) {
        out += ", \"id\": ";
        appendId(out, id);
    }
    addPlace(out, slice.pid, NameId());
    addTime(out, "ts", isEnd ? addSaturated(slice.startNs, slice.durationNs) : slice.startNs);
    if (const std::string_view args = argsOfText(text); !args.empty())
        out.append(", \"args\": ").append(args);
    out += '}';
}

void EventJson::addArrow(std::string& out, const StoreArrow& arrow, bool isEnd) const
{
    const StoreRef slice = isEnd ? arrow.to : arrow.from;
    out += isEnd ? "{\"ph\": \"f\", \"id\": " : "{\"ph\": \"s\", \"id\": ";
    appendId(out, m_trace.text(arrow.id));
    addLanePlace(out, slice);
    addTime(out, "ts", isEnd ? arrow.toNs : arrow.fromNs);
    addCategoryAndName(out, arrow.category, arrow.name);
    // An end before its slice is bound to the next slice, not to one around it.
    if (isEnd && arrow.toNs >= m_lanes[slice.lane].startNs(slice.index))
        out += ", \"bp\": \"e\"";
    out += '}';
}

void EventJson::addCounter(
    std::string& out, const Counter& counter, std::span<const CounterSample* const> samples) const
{
    out += "{\"ph\": \"C\"";
    addCategoryAndName(out, CategoryId(), counter.name);
    addPlace(out, counter.pid, NameId());
    if (const std::string_view id = m_trace.text(counter.id); !id.empty()) {
        out += ", \"id\": ";
        appendId(out, id);
    }
    const auto first
        = std::find_if(samples.begin(), samples.end(), [](const CounterSample* s) { return s != nullptr; });
    addTime(out, "ts", (*first)->timeNs);
    out += ", \"args\": {";
    for (size_t i = 0; i < samples.size(); ++i) {
        if (samples[i] == nullptr)
            continue;
        out += out.back() == '{' ? "" : ", ";
        appendJsonText(out, m_trace.text(counter.series[i].name));
        out += ": ";
        appendArgValue(out, m_trace.text(samples[i]->text));
    }
    out += "}}";
}

void EventJson::addMetadata(
    std::string& out, std::string_view what, NameId pid, NameId tid, std::string_view key, std::string_view value) const
{
    if (!out.empty())
        out += ",\n";
    out.append("{\"ph\": \"M\", \"name\": \"").append(what).append("\"");
    addPlace(out, pid, tid);
    if (!tid.isValid())
        out += ", \"tid\": 0";
    addTime(out, "ts", m_store.firstNs);
    out.append(", \"args\": {\"").append(key).append("\": ");
    out.append(value).append("}}");
}

void EventJson::addProcessNames(std::string& out, const ProcessInfo& process) const
{
    std::string value;
    if (process.name.isValid()) {
        appendJsonText(value, m_trace.text(process.name));
        addMetadata(out, "process_name", process.pid, NameId(), "name", value);
    }
    if (process.labels.isValid()) {
        value.clear();
        appendJsonText(value, m_trace.text(process.labels));
        addMetadata(out, "process_labels", process.pid, NameId(), "labels", value);
    }
    if (process.sortIndex)
        addMetadata(out, "process_sort_index", process.pid, NameId(), "sort_index", std::to_string(*process.sortIndex));
}

void EventJson::addThreadNames(std::string& out, const LaneStore& lane) const
{
    const NameId pid = m_store.processes[lane.process].pid;
    if (lane.name.isValid()) {
        std::string value;
        appendJsonText(value, m_trace.text(lane.name));
        addMetadata(out, "thread_name", pid, lane.tid, "name", value);
    }
    if (lane.sortIndex)
        addMetadata(out, "thread_sort_index", pid, lane.tid, "sort_index", std::to_string(*lane.sortIndex));
}

} // namespace torchline
