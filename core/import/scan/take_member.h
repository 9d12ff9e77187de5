#pragma once
// takeMember: one value of an event or of its args, into EventFields. In a header because it is the inside of two
// loops: that of readEvent and that of EventShapes. Thread: any.

#include "import/scan/event_fields.h"
#include "import/scan/json_text.h"
#include "import/scan/plain_number.h"

#include <limits>
#include <type_traits>

namespace torchline {

template <typename Rules> class MemberTaker {
public:
    MemberTaker(Walk& walk, EventFields& fields, StringPlace place)
        : m_walk(walk)
        , m_fields(fields)
        , m_place(place)
    {
    }

    /// Returns the place behind the value, or null with the walk's fault set. Args is none of its members.
    [[gnu::always_inline]] inline const char* take(Member member, const char* value)
    {
        EventFields& fields = m_fields;
        Token* token = nullptr;
        switch (member) {
        case Member::Phase:
            return phase(value);
        case Member::Time:
            return time(value, fields.time, fields.timeState);
        case Member::Duration:
            return time(value, fields.duration, fields.durationState);
        case Member::Name:
            token = &fields.name;
            break;
        case Member::Category:
            token = &fields.category;
            break;
        case Member::Pid:
            token = &fields.pid;
            break;
        case Member::Tid:
            token = &fields.tid;
            break;
        case Member::Id:
            token = &fields.id;
            break;
        case Member::SecondId:
            if (isGiven(fields.id))
                return pass(value);
            token = &fields.id;
            break;
        case Member::Scope: {
            const char* after = skip(value);
            if (after != nullptr && m_token.kind == TokenKind::String && m_token.text().size() == 1)
                fields.scope = *m_token.begin;
            return after;
        }
        case Member::BindPoint: {
            const char* after = skip(value);
            fields.bindsEnclosing = after != nullptr && m_token.kind == TokenKind::String && m_token.text() == "e";
            return after;
        }
        case Member::OwnArrow: {
            const char* after = skip(value);
            fields.hasOwnArrows |= after != nullptr && m_token.text() == "true";
            return after;
        }
        case Member::External:
            return link(value, fields.externalNumber, fields.externalText);
        case Member::Correlation:
            return link(value, fields.correlationNumber, fields.correlationText);
        case Member::Device:
            fields.hasDeviceArgs = true;
            token = &fields.device;
            break;
        case Member::Stream:
            fields.hasDeviceArgs = true;
            token = &fields.stream;
            break;
        case Member::DeviceBytes:
            return number(value, fields.deviceArgs.bytes, fields.hasDeviceArgs);
        case Member::Occupancy:
            return occupancy(value);
        case Member::Address: {
            Token noNumber;
            return link(value, fields.memory.address, noNumber);
        }
        case Member::MemoryBytes:
            return number(value, fields.memory.bytes, fields.hasMemoryArgs);
        case Member::DeviceType:
            return number(value, fields.memory.deviceType, fields.hasMemoryArgs);
        case Member::DeviceId:
            return number(value, fields.memory.deviceId, fields.hasMemoryArgs);
        case Member::TotalAllocated:
            return number(value, fields.memory.totalAllocated, fields.hasMemoryArgs);
        case Member::TotalReserved:
            return number(value, fields.memory.totalReserved, fields.hasMemoryArgs);
        case Member::ArgName:
            token = &fields.argName;
            break;
        case Member::Labels:
            token = &fields.labels;
            break;
        case Member::SortIndex: {
            bool isPresent = false;
            return number(value, fields.sortIndex, isPresent);
        }
        case Member::Args:
        case Member::Other:
            return pass(value);
        }
        return text(value, *token);
    }

private:
    static constexpr bool kIsStrict = std::is_same_v<Rules, StrictText>;

    /// Of a text that is a letter written as an escape; else none.
    static char escapedPhase(std::string_view raw)
    {
        const std::string text = raw.starts_with('\\') ? decodeString(raw).text : std::string();
        return text.size() == 1 ? text.front() : '\0';
    }
    /// Behind a value that nobody wants.
    const char* pass(const char* value)
    {
        if (kIsStrict && isDigit(*value)) {
            const char* end = bareEnd(value);
            return end < m_walk.limit ? end : m_walk.fail(m_walk.limit);
        }
        if (kIsStrict && *value == '"') {
            const char* end = stringEnd(value + 1);
            return end < m_walk.limit ? end + 1 : m_walk.fail(end);
        }
        return skip(value);
    }
    const char* skip(const char* value)
    {
        return takeValue<Rules>(value, m_walk, m_place, m_token) ? m_token.after : nullptr;
    }
    const char* text(const char* value, Token& target)
    {
        if (kIsStrict && (*value == '"' || isDigit(*value))) {
            const bool isString = *value == '"';
            target.kind = isString ? TokenKind::String : TokenKind::Bare;
            target.begin = value + (isString ? 1 : 0);
            target.end = isString ? stringEnd(value + 1) : bareEnd(value);
            target.after = target.end + (isString ? 1 : 0);
            return target.end < m_walk.limit ? target.after : m_walk.fail(m_walk.limit);
        }
        return takeValue<Rules>(value, m_walk, m_place, target) ? target.after : nullptr;
    }
    const char* phase(const char* value)
    {
        if (kIsStrict && value[0] == '"' && value[2] == '"' && value[1] != '"' && value[1] != '\\'
            && value + 2 < m_walk.limit) {
            m_fields.phase = value[1];
            return value + 3;
        }
        const Token& token = m_fields.phaseText;
        const char* after = text(value, m_fields.phaseText);
        if (after == nullptr || token.kind != TokenKind::String)
            m_fields.phase = '\0';
        else
            m_fields.phase = token.text().size() == 1 ? *token.begin : escapedPhase(token.text());
        return after;
    }
    const char* time(const char* value, FileTime& target, EventFields::TimeState& state)
    {
        using State = EventFields::TimeState;
        state = State::Known;
        if (const char* after = plainTime(value, target))
            return after;
        if (skip(value) == nullptr)
            return nullptr;
        const auto parsed = m_token.kind == TokenKind::Nested ? std::nullopt : parseMicroseconds(m_token.text());
        if (parsed)
            target = *parsed;
        else
            state = m_token.isNull() ? State::Absent : State::Unreadable;
        return m_token.after;
    }
    /// An id that ties events together.
    const char* link(const char* value, uint64_t& number, Token& text)
    {
        text = {};
        if (const char* after = plainNumber(value, number))
            return after;
        number = 0;
        if (skip(value) == nullptr)
            return nullptr;
        if (const auto parsed = m_token.kind == TokenKind::Nested ? std::nullopt : parseUnsigned(m_token.text()))
            number = *parsed;
        else if (isGiven(m_token) && !m_token.text().empty())
            text = m_token;
        return m_token.after;
    }
    template <typename Number> const char* number(const char* value, Number& target, bool& isPresent)
    {
        uint64_t plain = 0;
        if (const char* after = plainNumber(value, plain);
            after != nullptr && plain <= static_cast<uint64_t>(std::numeric_limits<Number>::max())) {
            target = static_cast<Number>(plain);
            isPresent = true;
            return after;
        }
        if (skip(value) == nullptr)
            return nullptr;
        isPresent |= setNumber(target);
        return m_token.after;
    }
    /// Whole number: a number, or the text of one. Anything else is absent, and counted unless it is null or was
    /// counted as an odd word.
    template <typename Number> bool setNumber(Number& target)
    {
        const auto value = m_token.kind == TokenKind::Nested ? std::nullopt : parseSigned(m_token.text());
        if (value && *value >= std::numeric_limits<Number>::min() && *value <= std::numeric_limits<Number>::max()) {
            target = static_cast<Number>(*value);
            return true;
        }
        const bool isWord = m_token.kind == TokenKind::Bare && !isDigit(*m_token.begin) && *m_token.begin != '-';
        m_fields.unreadableNumbers += isWord || m_token.text().empty() ? 0 : 1;
        return false;
    }
    /// Whole percent by the format; a few recorders write decimals.
    const char* occupancy(const char* value)
    {
        if (skip(value) == nullptr)
            return nullptr;
        if (const auto percent = m_token.kind == TokenKind::Nested ? std::nullopt : parseDouble(m_token.text());
            percent && *percent >= 0 && *percent <= 100) {
            m_fields.deviceArgs.occupancyPercent = static_cast<int32_t>(*percent + 0.5);
            m_fields.hasDeviceArgs = true;
        }
        return m_token.after;
    }

    Walk& m_walk;
    EventFields& m_fields;
    StringPlace m_place;
    Token m_token; ///< the last value that was taken as a token
};

} // namespace torchline
