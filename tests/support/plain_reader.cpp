#include "plain_reader.h"

#include "base/int128.h"

#include <algorithm>
#include <optional>

#include <simdjson.h>

namespace torchline::test {

namespace {

using namespace simdjson;

/// A decimal number as digits x 10^-18.
std::optional<Int128> exact(std::string_view token)
{
    constexpr int kDecimals = 18;
    constexpr int kMostWhole = 19;
    while (
        !token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
        token.remove_suffix(1);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        token = token.substr(1, token.size() - 2); // some recorders write times as texts
    const bool isNegative = token.starts_with('-');
    token.remove_prefix(isNegative ? 1 : 0);
    Int128 value = 0;
    int whole = 0;
    int decimals = -1;
    for (const char c : token) {
        if (c == '.' && decimals < 0) {
            decimals = 0;
        } else if (c >= '0' && c <= '9') {
            if (decimals == kDecimals || whole == kMostWhole)
                return std::nullopt;
            value = value * 10 + (c - '0');
            ++(decimals < 0 ? whole : decimals);
        } else {
            return std::nullopt; // an exponent, a word
        }
    }
    if (whole == 0)
        return std::nullopt;
    for (int i = std::max(decimals, 0); i < kDecimals; ++i)
        value *= 10;
    return isNegative ? -value : value;
}

/// Microseconds x 10^18 to the nearest nanosecond, halves up.
int64_t nanoseconds(Int128 value)
{
    constexpr Int128 kUnit = 1'000'000'000'000'000; // 10^-3 us
    const Int128 shifted = value + kUnit / 2;
    Int128 whole = shifted / kUnit;
    if (shifted % kUnit < 0)
        --whole;
    return static_cast<int64_t>(whole);
}

struct Event {
    std::string name;
    std::string category;
    std::string pid;
    std::string tid;
    std::string id;
    std::string phase;
    std::optional<Int128> time;
    std::optional<Int128> duration;
    bool hasName = false;
    bool hasId = false;
    bool bindsEnclosing = false;
    std::map<std::string, std::string> args; ///< scalars, as written
};

class Reader {
public:
    PlainTrace read(std::string_view text)
    {
        const padded_string padded(text);
        ondemand::document document;
        try {
            if (m_parser.iterate(padded).get(document) != SUCCESS || !readDocument(document))
                odd("no well-formed JSON with events");
        } catch (const simdjson_error&) {
            odd("no well-formed JSON, or nested deeper than simdjson goes");
        }
        if (m_trace.oddity.empty())
            finish();
        return std::move(m_trace);
    }

private:
    void odd(const char* why)
    {
        if (m_trace.oddity.empty())
            m_trace.oddity = why;
    }

    bool readDocument(ondemand::document& document)
    {
        ondemand::json_type type{};
        if (document.type().get(type) != SUCCESS)
            return false;
        if (type == ondemand::json_type::array) {
            ondemand::array events;
            return document.get_array().get(events) == SUCCESS && readEvents(events) && isAtEnd(document);
        }
        ondemand::object top;
        if (document.get_object().get(top) != SUCCESS)
            return false;
        int lists = 0;
        for (auto field : top) {
            std::string_view key;
            ondemand::value value;
            if (field.unescaped_key().get(key) != SUCCESS || field.value().get(value) != SUCCESS)
                return false;
            if (key != "traceEvents") {
                if (!skip(value))
                    return false;
                continue;
            }
            ondemand::array events;
            if (value.get_array().get(events) != SUCCESS || !readEvents(events))
                return false;
            ++lists;
        }
        if (lists > 1)
            odd("several lists of events");
        return lists > 0 && isAtEnd(document);
    }

    static bool isAtEnd(ondemand::document& document) { return document.current_location().error() == OUT_OF_BOUNDS; }

    /// Looked at to the end, so that text that is not well-formed is noticed.
    static bool skip(ondemand::value value, size_t level = 0)
    {
        ondemand::json_type type{};
        if (level == DEFAULT_MAX_DEPTH)
            throw simdjson_error(DEPTH_ERROR);
        if (value.type().get(type) != SUCCESS)
            return false;
        if (type == ondemand::json_type::array) {
            for (auto element : value.get_array()) {
                ondemand::value inner;
                if (element.get(inner) != SUCCESS || !skip(inner, level + 1))
                    return false;
            }
            return true;
        }
        if (type == ondemand::json_type::object) {
            for (auto field : value.get_object()) {
                ondemand::value inner;
                if (field.value().get(inner) != SUCCESS || !skip(inner, level + 1))
                    return false;
            }
            return true;
        }
        if (type == ondemand::json_type::string)
            return value.get_string().error() == SUCCESS;
        if (type == ondemand::json_type::number) {
            double number = 0;
            return value.get_double().get(number) == SUCCESS;
        }
        return type == ondemand::json_type::null || value.get_bool().error() == SUCCESS;
    }

    bool readEvents(ondemand::array events)
    {
        for (auto element : events) {
            ondemand::object object;
            if (element.get_object().get(object) != SUCCESS)
                return false;
            Event event;
            for (auto field : object) {
                std::string_view key;
                ondemand::value value;
                if (field.unescaped_key().get(key) != SUCCESS || field.value().get(value) != SUCCESS
                    || !readField(key, value, event))
                    return false;
            }
            take(event);
        }
        return true;
    }

    static bool readField(std::string_view key, ondemand::value value, Event& event)
    {
        if (key == "ts" || key == "dur") {
            (key == "ts" ? event.time : event.duration) = exact(value.raw_json_token());
            return true;
        }
        if (key == "args" && value.type() == ondemand::json_type::object) {
            for (auto field : value.get_object()) {
                std::string_view arg;
                ondemand::value inner;
                if (field.unescaped_key().get(arg) != SUCCESS)
                    return false;
                const std::string name(arg);
                if (field.value().get(inner) != SUCCESS)
                    return false;
                const ondemand::json_type type = inner.type();
                if (type == ondemand::json_type::array || type == ondemand::json_type::object) {
                    if (!skip(inner))
                        return false;
                } else {
                    event.args[name] = scalar(inner);
                }
            }
            return true;
        }
        std::string* target = key == "name" ? &event.name
            : key == "cat"                  ? &event.category
            : key == "pid"                  ? &event.pid
            : key == "tid"                  ? &event.tid
            : key == "id"                   ? &event.id
            : key == "ph"                   ? &event.phase
                                            : nullptr;
        if (target == nullptr && key != "bp")
            return skip(value);
        const ondemand::json_type type = value.type();
        if (type == ondemand::json_type::array || type == ondemand::json_type::object)
            return false;
        const std::string text = scalar(value);
        if (key == "bp") {
            event.bindsEnclosing = text == "e";
            return true;
        }
        *target = text;
        event.hasName |= key == "name" && type == ondemand::json_type::string && !text.empty();
        event.hasId |= key == "id";
        return true;
    }

    /// A text decoded, all else as written.
    static std::string scalar(ondemand::value value)
    {
        std::string_view text;
        if (value.type() == ondemand::json_type::string)
            return value.get_string().get(text) == SUCCESS ? std::string(text) : std::string();
        text = value.raw_json_token();
        while (
            !text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t'))
            text.remove_suffix(1);
        return std::string(text);
    }

    static int64_t number(const Event& event, const char* arg, int64_t missing)
    {
        const auto found = event.args.find(arg);
        return found == event.args.end() ? missing : std::stoll(found->second);
    }

    void take(const Event& event)
    {
        if (event.phase == "M")
            return;
        if (!event.time) {
            odd("an event without a plain time");
            return;
        }
        const int64_t timeNs = nanoseconds(*event.time);
        const PlainLane lane{event.pid, event.tid};
        if (event.phase == "X") {
            if (!event.duration || *event.duration < 0 || !event.hasName) {
                odd("a slice without a plain duration or name");
                return;
            }
            m_trace.lanes[lane].push_back(
                {timeNs, nanoseconds(*event.time + *event.duration), event.name, event.category});
        } else if (event.phase == "s" || event.phase == "f") {
            if (!event.hasId)
                odd("an arrow without id");
            m_flows[{event.category, event.name, event.id}].push_back(
                {timeNs, event.phase == "s", event.bindsEnclosing, lane});
        } else if (event.phase == "i" || event.phase == "I") {
            if (event.name == "[memory]" && event.args.contains("Bytes"))
                m_trace.memory.emplace_back(timeNs, number(event, "Bytes", 0),
                    static_cast<uint64_t>(number(event, "Addr", 0)), number(event, "Total Allocated", INT64_MIN),
                    number(event, "Device Type", -1), number(event, "Device Id", -1));
            else
                ++m_trace.instants;
        } else if (event.phase == "C") {
            for (const auto& [series, digits] : event.args) {
                if (!exact(digits))
                    odd("a counter that is no plain number");
                m_trace.samples.emplace_back(event.name, series, timeNs, digits);
            }
        } else {
            odd("a phase without a rule here");
        }
    }

    /// Whether an arrow's end stands on a slice.
    bool hasFooting(const PlainFlow& flow) const
    {
        const auto found = m_trace.lanes.find(flow.lane);
        if (found == m_trace.lanes.end())
            return false;
        const std::vector<PlainSlice>& slices = found->second;
        const auto from = std::lower_bound(slices.begin(), slices.end(), flow.timeNs,
            [](const PlainSlice& slice, int64_t timeNs) { return slice.startNs < timeNs; });
        if (from != slices.end() && (from->startNs == flow.timeNs || (!flow.isStart && !flow.bindsEnclosing)))
            return true;
        if (!flow.isStart && !flow.bindsEnclosing)
            return false;
        const auto before = static_cast<size_t>(from - slices.begin());
        return before > 0 && m_latestEnd.at(flow.lane)[before - 1] > flow.timeNs;
    }

    void finish()
    {
        for (auto& [lane, slices] : m_trace.lanes) {
            std::sort(slices.begin(), slices.end());
            std::vector<int64_t>& latest = m_latestEnd[lane];
            for (const PlainSlice& slice : slices)
                latest.push_back(latest.empty() ? slice.endNs : std::max(latest.back(), slice.endNs));
        }
        std::sort(m_trace.memory.begin(), m_trace.memory.end());
        std::sort(m_trace.samples.begin(), m_trace.samples.end());
        for (const auto& [key, flows] : m_flows)
            addArrows(key, flows);
        std::sort(m_trace.arrows.begin(), m_trace.arrows.end());
    }

    /// A finish takes the latest start that is not after it, else the first.
    void addArrows(const std::tuple<std::string, std::string, std::string>& key, const std::vector<PlainFlow>& flows)
    {
        for (const PlainFlow& finish : flows) {
            if (finish.isStart)
                continue;
            const PlainFlow* start = nullptr;
            for (const PlainFlow& other : flows) {
                if (!other.isStart)
                    continue;
                const bool isBetter = start == nullptr
                    || (other.timeNs <= finish.timeNs ? start->timeNs > finish.timeNs || other.timeNs >= start->timeNs
                                                      : start->timeNs > finish.timeNs && other.timeNs < start->timeNs);
                if (isBetter)
                    start = &other;
            }
            if (start != nullptr && hasFooting(*start) && hasFooting(finish))
                m_trace.arrows.emplace_back(
                    std::get<0>(key), std::get<1>(key), std::get<2>(key), start->timeNs, finish.timeNs);
        }
    }

    ondemand::parser m_parser;
    PlainTrace m_trace;
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<PlainFlow>> m_flows;
    std::map<PlainLane, std::vector<int64_t>> m_latestEnd; ///< of the slices up to each
};

} // namespace

PlainTrace readPlainly(std::string_view text)
{
    return Reader().read(text);
}

} // namespace torchline::test
