#include "capture/messages.h"

#include "base/text.h"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>

namespace torchline::capture {

namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 8;

/// Reads the members of one object; the first that is not what it should be is remembered.
class Members {
public:
    explicit Members(const Json& object)
        : m_object(object)
    {
    }

    template <typename Number> Number number(const char* key, Number otherwise = 0)
    {
        const Json* value = find(key);
        if (value == nullptr)
            return otherwise;
        if (value->is_number_unsigned()) {
            const auto read = value->get<uint64_t>();
            if (read <= static_cast<uint64_t>(std::numeric_limits<Number>::max()))
                return static_cast<Number>(read);
        }
        refuse(key);
        return otherwise;
    }

    bool boolean(const char* key)
    {
        const Json* value = find(key);
        if (value == nullptr)
            return false;
        if (value->is_boolean())
            return value->get<bool>();
        refuse(key);
        return false;
    }

    std::string text(const char* key)
    {
        const Json* value = find(key);
        if (value == nullptr)
            return {};
        if (value->is_string())
            return value->get<std::string>();
        refuse(key);
        return {};
    }

    std::vector<std::string> texts(const char* key)
    {
        std::vector<std::string> all;
        const Json* value = find(key);
        if (value == nullptr)
            return all;
        if (!value->is_array()) {
            refuse(key);
            return all;
        }
        for (const Json& each : *value) {
            if (!each.is_string())
                refuse(key);
            else
                all.push_back(each.get<std::string>());
        }
        return all;
    }

    const Json* object(const char* key)
    {
        const Json* value = find(key);
        if (value == nullptr || value->is_object())
            return value;
        refuse(key);
        return nullptr;
    }

    void require(const char* key)
    {
        if (find(key) == nullptr)
            refuse(key);
    }
    void refuse(const char* key)
    {
        if (m_refused.empty())
            m_refused = key;
    }
    [[nodiscard]] const std::string& refused() const { return m_refused; }

private:
    [[nodiscard]] const Json* find(const char* key) const
    {
        const auto found = m_object.find(key);
        return found == m_object.end() || found->is_null() ? nullptr : &*found;
    }

    const Json& m_object;
    std::string m_refused;
};

Hello readHello(Members& members)
{
    Hello hello;
    members.require("protocol");
    hello.protocol = members.number<uint32_t>("protocol");
    hello.agent = members.text("agent");
    members.require("pid");
    hello.pid = members.number<int32_t>("pid");
    hello.parentPid = members.number<int32_t>("ppid");
    hello.startedNs = members.number<uint64_t>("started_ns");
    hello.executable = members.text("exe");
    hello.arguments = members.texts("args");
    hello.rank = members.text("rank");
    hello.localRank = members.text("local_rank");
    hello.worldSize = members.text("world_size");
    hello.isResumed = members.boolean("resumed");
    return hello;
}

Bound readBound(Members& members)
{
    Bound bound;
    if (const Json* torch = members.object("torch")) {
        Members parts(*torch);
        bound.torchPath = parts.text("path");
        bound.namesOnly = parts.boolean("names_only");
        bound.hasShapes = parts.boolean("shapes");
        if (!parts.refused().empty())
            members.refuse("torch");
    }
    bound.memorySlots = members.number<uint64_t>("memory");
    const std::string clock = members.text("clock");
    if (clock == "tsc")
        bound.clock = wire::ClockKind::Tsc;
    else if (clock != "monotonic")
        members.refuse("clock");
    bound.segment = members.number<uint32_t>("segment");
    return bound;
}

StateChange readState(Members& members)
{
    constexpr std::array<std::string_view, 5> kStates{"idle", "waiting", "warmup", "recording", "done"};
    constexpr std::array<std::string_view, 3> kReasons{"asked", "schedule", "window gone"};
    StateChange change;
    const auto state = std::ranges::find(kStates, members.text("state"));
    if (state == kStates.end())
        members.refuse("state");
    else
        change.state = static_cast<AgentState>(state - kStates.begin());
    change.step = members.number<uint64_t>("step");
    change.atNs = members.number<uint64_t>("at_ns");
    // A newer agent may know more reasons.
    change.reason = static_cast<StateReason>(std::ranges::find(kReasons, members.text("reason")) - kReasons.begin());
    return change;
}

Message readMessage(const std::string& type, Members& members)
{
    if (type == "hello")
        return readHello(members);
    if (type == "bound")
        return readBound(members);
    if (type == "state")
        return readState(members);
    if (type == "note")
        return Note{members.text("code"), members.text("text")};
    if (type == "pong")
        return Pong{members.number<uint64_t>("at_ns")};
    return UnknownMessage{type};
}

Error notAMessage(const std::string& what)
{
    return Error(ErrorCode::Format, "the agent sent what is no message: " + what);
}

std::string words(const RecordOptions& options)
{
    const auto number
        = [](const char* key, uint64_t value) { return std::string(" ") + key + '=' + std::to_string(value); };
    std::string line = number("scopes", options.scopes) + number("shapes", options.shapes ? 1 : 0)
        + number("memory", options.memory ? 1 : 0) + number("stacks", options.stackFrames)
        + number("children", options.children ? 1 : 0);
    const wire::Schedule& schedule = options.schedule;
    if (!schedule.isEmpty())
        line += number("skip_first", schedule.skipFirst) + number("wait", schedule.wait)
            + number("warmup", schedule.warmup) + number("active", schedule.active) + number("repeat", schedule.repeat);
    if (!options.step.empty())
        line += " step=" + percentEncoded(options.step);
    return line;
}

} // namespace

Result<Message> parseMessage(std::string_view packet)
{
    if (packet.size() > kMaxPacket)
        return notAMessage("it is longer than 64 KiB");
    bool isTooDeep = false;
    const Json::parser_callback_t watchDepth = [&isTooDeep](int depth, Json::parse_event_t, Json&) {
        isTooDeep = isTooDeep || depth > kMaxDepth;
        return !isTooDeep;
    };
    const Json object = Json::parse(packet.begin(), packet.end(), watchDepth, false);
    if (isTooDeep)
        return notAMessage("it is nested too deep");
    if (!object.is_object())
        return notAMessage("it is no JSON object");
    Members members(object);
    members.require("type");
    const std::string type = members.text("type");
    Message message = readMessage(type, members);
    if (!members.refused().empty())
        return notAMessage((type.empty() ? std::string() : "in '" + escapeControls(type) + "' ") + "the value of '"
            + members.refused() + "' is missing or makes no sense");
    return message;
}

std::string noteText(const Note& note)
{
    const Json object{{"type", "note"}, {"code", note.code}, {"text", note.text}};
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string startLine(const RecordOptions& options)
{
    return "start" + words(options);
}

std::string stopLine()
{
    return "stop";
}

std::string detachLine()
{
    return "detach";
}

std::string pingLine()
{
    return "ping";
}

std::string configText(const RecordOptions& options, bool recordNow)
{
    return std::string("record=") + (recordNow ? "now" : "idle") + words(options);
}

std::string percentEncoded(std::string_view text)
{
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:*?,";
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (kPlain.find(c) != std::string_view::npos) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += kHex[byte >> 4];
        encoded += kHex[byte & 15];
    }
    return encoded;
}

} // namespace torchline::capture
