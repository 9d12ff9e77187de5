#pragma once
// takeMember: one value of an event or of its args, into EventFields. In a header because it is the inside of two
// loops: that of readEvent and that of EventShapes. Thread: any.

#include "import/scan/event_fields.h"
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
    const char* take(Member member, const char* value)
    {
        EventFields& fields = m_fields;
        switch (member) {
        case Member::Phase:
            return phase(value);
        case Member::Time:
            return time(value, fields.time, fields.timeState);
        case Member::Duration:
            return time(value, fields.duration, fields.durationState);
        case Member::Name:
            return text(value, fields.name);
        case Member::Category:
            return text(value, fields.category);
        case Member::Pid:
            return text(value, fields.pid);
        case Member::Tid:
            return text(value, fields.tid);
        case Member::Id:
            return text(value, fields.id);
        case Member::SecondId:
            return isGiven(fields.id) ? skip(value) : text(value, fields.id);
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
            return text(value, fields.device);
        case Member::Stream:
            fields.hasDeviceArgs = true;
            return text(value, fields.stream);
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
            return text(value, fields.argName);
        case Member::Labels:
            return text(value, fields.labels);
        case Member::SortIndex: {
            bool isPresent = false;
            return number(value, fields.sortIndex, isPresent);
        }
        case Member::Args:
        case Member::Other:
            break;
        }
        return skip(value);
    }

private:
    const char* skip(const char* value)
    {
        return takeValue<Rules>(value, m_walk, m_place, m_token) ? m_token.after : nullptr;
    }
    const char* text(const char* value, Token& target)
    {
        const char* after = skip(value);
        target = m_token;
        return after;
    }
    const char* phase(const char* value)
    {
        if (std::is_same_v<Rules, StrictText> && value[0] == '"' && value[2] == '"' && value[1] != '"'
            && value[1] != '\\' && value + 2 < m_walk.limit) {
            m_fields.phase = value[1];
            return value + 3;
        }
        const char* after = text(value, m_fields.phaseText);
        const bool isPhase = after != nullptr && m_token.kind == TokenKind::String && m_token.text().size() == 1;
        m_fields.phase = isPhase ? *m_token.begin : '\0';
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
