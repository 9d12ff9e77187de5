#include "import/scan/event_scanner.h"

#include "import/scan/decimal.h"

#include <limits>

namespace torchline {

namespace {

constexpr std::string_view kReadPhases = "XBEiIRCMstfbneSTpF";
constexpr size_t kMostComparedSeries = 64;

/// Eight digits at p, or null.
const char* eightDigits(const char* p, uint64_t& value)
{
    uint64_t word = WordSteps::load(p);
    constexpr uint64_t kZeros = 0x3030303030303030ULL;
    // All upper halves are 3, and adding 6 to the lower halves carries nowhere.
    if (((word & 0xF0F0F0F0F0F0F0F0ULL) ^ kZeros) != 0
        || ((word + 0x0606060606060606ULL) & 0xF0F0F0F0F0F0F0F0ULL) != kZeros)
        return nullptr;
    word -= kZeros;
    word = word * 10 + (word >> 8);
    value = (((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL)
                + ((word >> 16 & 0x000000FF000000FFULL) * 0x0000271000000001ULL))
        >> 32;
    return p + 8;
}

/// The digits at p; at most 18 are right.
const char* readDigits(const char* p, uint64_t& value)
{
    uint64_t result = 0;
    if (const char* next = eightDigits(p, result)) {
        p = next;
        uint64_t more = 0;
        if (next = eightDigits(p, more); next != nullptr) {
            p = next;
            result = result * 100'000'000 + more;
        }
    }
    while (isDigit(*p))
        result = result * 10 + static_cast<uint64_t>(*p++ - '0');
    value = result;
    return p;
}

/// The number written at p if it is plain digits, at most 18 of them, and nothing else; else null.
const char* plainNumber(const char* p, uint64_t& value)
{
    constexpr ptrdiff_t kMostDigits = 18;
    uint64_t result = 0;
    const char* end = readDigits(p, result);
    if (end == p || end - p > kMostDigits || !hasClass(*end, ByteEndsNumber))
        return nullptr;
    value = result;
    return end;
}

/// Microseconds as recorders write them: digits, then nothing or exactly three decimals; else null.
const char* plainTime(const char* p, FileTime& time)
{
    constexpr ptrdiff_t kMostDigits = 16;
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / 1000 - 1;
    const bool isNegative = *p == '-';
    const char* digits = p + (isNegative ? 1 : 0);
    uint64_t whole = 0;
    const char* q = readDigits(digits, whole);
    if (q == digits || q - digits > kMostDigits || whole > kMost)
        return nullptr;
    auto ns = static_cast<int64_t>(whole) * 1000;
    if (*q == '.') {
        if (!isDigit(q[1]) || !isDigit(q[2]) || !isDigit(q[3]))
            return nullptr;
        ns += (q[1] - '0') * 100 + (q[2] - '0') * 10 + (q[3] - '0');
        q += 4;
    }
    if (!hasClass(*q, ByteEndsNumber))
        return nullptr;
    time = {isNegative ? -ns : ns, 0, false};
    return q;
}

} // namespace

/// What one event says, with texts still in the file's bytes.
struct EventScanner::Fields {
    enum class TimeState : uint8_t { Absent, Known, Unreadable };

    Token name;
    Token category;
    Token pid;
    Token tid;
    Token id;
    Token phaseText;
    FileTime time;
    FileTime duration;
    TimeState timeState = TimeState::Absent;
    TimeState durationState = TimeState::Absent;
    char phase = 0;
    char scope = 0;
    bool bindsEnclosing = false;
    bool hasOwnArrows = false; ///< flow_in, flow_out: the second form of arrows, without events of their own
    bool hasMembers = false;
    bool hasMemoryArgs = false;
    bool hasDeviceArgs = false;
    uint32_t unreadableNumbers = 0;

    const char* args = nullptr; ///< the last args object
    uint64_t externalNumber = 0;
    uint64_t correlationNumber = 0;
    Token externalText;
    Token correlationText;
    Token device;
    Token stream;
    Token argName;
    Token labels;
    DeviceArgs deviceArgs;
    MemoryArgs memory;
    int64_t sortIndex = kNoNumber;
};

namespace {

/// A token with something in it.
bool isGiven(const Token& token)
{
    return token.begin != nullptr && (*token.begin != 'n' || !token.isNull());
}

/// Integer argument: a number, or the text of one. Anything else is absent, and counted unless it is null or was
/// counted as an odd word.
template <typename Number> bool setNumber(const Token& token, Number& number, uint32_t& unreadable)
{
    const auto value = token.kind == TokenKind::Nested ? std::nullopt : parseSigned(token.text());
    if (value && *value >= std::numeric_limits<Number>::min() && *value <= std::numeric_limits<Number>::max()) {
        number = static_cast<Number>(*value);
        return true;
    }
    const bool isWord = token.kind == TokenKind::Bare && !isDigit(*token.begin) && *token.begin != '-';
    unreadable += isWord || token.text().empty() ? 0 : 1;
    return false;
}

} // namespace

template <typename Rules> const char* EventScanner::readArgs(const char* p, Walk& walk, Fields& fields)
{
    Token token;
    const auto take = [&](const char* value) {
        return takeValue<Rules>(value, walk, StringPlace::MemberValue, token) ? token.after : nullptr;
    };
    const auto link = [&](const char* value, uint64_t& number, Token& text) -> const char* {
        text = {};
        if (const char* after = plainNumber(value, number))
            return after;
        number = 0;
        if (take(value) == nullptr)
            return nullptr;
        if (const auto parsed = token.kind == TokenKind::Nested ? std::nullopt : parseUnsigned(token.text()))
            number = *parsed;
        else if (isGiven(token) && !token.text().empty())
            text = token;
        return token.after;
    };
    const auto number = [&](const char* value, auto& target, bool& isPresent) -> const char* {
        using Number = std::remove_reference_t<decltype(target)>;
        uint64_t plain = 0;
        if (const char* after = plainNumber(value, plain);
            after != nullptr && plain <= static_cast<uint64_t>(std::numeric_limits<Number>::max())) {
            target = static_cast<Number>(plain);
            isPresent = true;
            return after;
        }
        if (take(value) == nullptr)
            return nullptr;
        isPresent |= setNumber(token, target, fields.unreadableNumbers);
        return token.after;
    };
    const auto text = [&](const char* value, Token& target) {
        const char* after = take(value);
        target = token;
        return after;
    };

    return walkObject<Rules>(p, walk, [&](std::string_view key, const char* value) -> const char* {
        switch (key.size()) {
        case 4:
            if (key == "Addr") {
                Token noNumber;
                return link(value, fields.memory.address, noNumber);
            }
            if (key == "name")
                return text(value, fields.argName);
            break;
        case 5:
            if (key == "Bytes")
                return number(value, fields.memory.bytes, fields.hasMemoryArgs);
            if (key == "bytes")
                return number(value, fields.deviceArgs.bytes, fields.hasDeviceArgs);
            break;
        case 6:
            if (key == "device") {
                fields.hasDeviceArgs = true;
                return text(value, fields.device);
            }
            if (key == "stream") {
                fields.hasDeviceArgs = true;
                return text(value, fields.stream);
            }
            if (key == "labels")
                return text(value, fields.labels);
            break;
        case 9:
            if (key == "Device Id")
                return number(value, fields.memory.deviceId, fields.hasMemoryArgs);
            break;
        case 10:
            if (key == "sort_index") {
                bool isPresent = false;
                return number(value, fields.sortIndex, isPresent);
            }
            break;
        case 11:
            if (key == "External id" || key == "external id")
                return link(value, fields.externalNumber, fields.externalText);
            if (key == "correlation")
                return link(value, fields.correlationNumber, fields.correlationText);
            if (key == "Device Type")
                return number(value, fields.memory.deviceType, fields.hasMemoryArgs);
            break;
        case 14:
            if (key == "Total Reserved")
                return number(value, fields.memory.totalReserved, fields.hasMemoryArgs);
            break;
        case 15:
            if (key == "Total Allocated")
                return number(value, fields.memory.totalAllocated, fields.hasMemoryArgs);
            break;
        case 25:
            if (key == "est. achieved occupancy %") {
                if (take(value) == nullptr)
                    return nullptr;
                // Whole percent by the format; a few recorders write decimals.
                if (const auto percent = token.kind == TokenKind::Nested ? std::nullopt : parseDouble(token.text());
                    percent && *percent >= 0 && *percent <= 100) {
                    fields.deviceArgs.occupancyPercent = static_cast<int32_t>(*percent + 0.5);
                    fields.hasDeviceArgs = true;
                }
                return token.after;
            }
            break;
        default:
            break;
        }
        return take(value);
    });
}

template <typename Rules> const char* EventScanner::readEvent(const char* p, Walk& walk, Fields& fields)
{
    Token token;
    const auto take = [&](const char* value) {
        return takeValue<Rules>(value, walk, StringPlace::EventValue, token) ? token.after : nullptr;
    };
    const auto text = [&](const char* value, Token& target) {
        const char* after = take(value);
        target = token;
        return after;
    };
    const auto time = [&](const char* value, FileTime& target, Fields::TimeState& state) -> const char* {
        state = Fields::TimeState::Known;
        if (const char* after = plainTime(value, target))
            return after;
        if (take(value) == nullptr)
            return nullptr;
        const auto parsed = token.kind == TokenKind::Nested ? std::nullopt : parseMicroseconds(token.text());
        if (parsed)
            target = *parsed;
        else
            state = token.isNull() ? Fields::TimeState::Absent : Fields::TimeState::Unreadable;
        return token.after;
    };

    return walkObject<Rules>(p, walk, [&](std::string_view key, const char* value) -> const char* {
        fields.hasMembers = true;
        switch (key.size()) {
        case 1:
            if (key == "s") {
                const char* after = take(value);
                if (after != nullptr && token.kind == TokenKind::String && token.text().size() == 1)
                    fields.scope = *token.begin;
                return after;
            }
            break;
        case 2:
            if (key == "ph") {
                if (std::is_same_v<Rules, StrictText> && value[0] == '"' && value[2] == '"' && value[1] != '"'
                    && value[1] != '\\' && value + 2 < walk.limit) {
                    fields.phase = value[1];
                    return value + 3;
                }
                const char* after = text(value, fields.phaseText);
                const bool isPhase = after != nullptr && token.kind == TokenKind::String && token.text().size() == 1;
                fields.phase = isPhase ? *token.begin : '\0';
                return after;
            }
            if (key == "ts")
                return time(value, fields.time, fields.timeState);
            if (key == "id")
                return text(value, fields.id);
            if (key == "bp") {
                const char* after = take(value);
                fields.bindsEnclosing = after != nullptr && token.kind == TokenKind::String && token.text() == "e";
                return after;
            }
            break;
        case 3:
            if (key == "cat")
                return text(value, fields.category);
            if (key == "dur")
                return time(value, fields.duration, fields.durationState);
            if (key == "pid")
                return text(value, fields.pid);
            if (key == "tid")
                return text(value, fields.tid);
            if (key == "id2" && !isGiven(fields.id))
                return text(value, fields.id);
            break;
        case 4:
            if (key == "name")
                return text(value, fields.name);
            if (key == "args" && *value == '{') {
                fields.args = value;
                return readArgs<Rules>(value, walk, fields);
            }
            break;
        case 7:
        case 8:
            if (key == "flow_in" || key == "flow_out") {
                const char* after = take(value);
                fields.hasOwnArrows |= after != nullptr && token.text() == "true";
                return after;
            }
            break;
        default:
            break;
        }
        return take(value);
    });
}

void EventScanner::setId(const Token& token, EventRow& row)
{
    const bool isPlain = token.kind == TokenKind::Bare && token.begin != nullptr
        && (*token.begin != '0' || token.end == token.begin + 1);
    if (isPlain && plainNumber(token.begin, row.idNumber) == token.end)
        row.flags |= EventIdIsNumber;
    else
        row.id = localText(token);
}

LocalText EventScanner::localText(const Token& token)
{
    if (!isGiven(token))
        return 0;
    const TextForm form = token.kind == TokenKind::String ? TextForm::Quoted : TextForm::Bare;
    return m_texts.add(token.begin, static_cast<size_t>(token.end - token.begin), form);
}

LocalText EventScanner::localText(const Token& token, TextTable::Recent& recent)
{
    if (!isGiven(token))
        return 0;
    const TextForm form = token.kind == TokenKind::String ? TextForm::Quoted : TextForm::Bare;
    return m_texts.add(token.begin, static_cast<size_t>(token.end - token.begin), form, recent);
}

void EventScanner::addTrouble(Trouble trouble, uint64_t offset, LocalText found, uint32_t count)
{
    m_rows.troubles.push_back({trouble, count, offset, found});
}

void EventScanner::addSliceArgs(const Fields& fields, EventRow& row)
{
    row.externalId = {fields.externalNumber, localText(fields.externalText)};
    row.correlation = {fields.correlationNumber, localText(fields.correlationText)};
    if (!fields.hasDeviceArgs)
        return;
    DeviceArgs args = fields.deviceArgs;
    args.device = localText(fields.device);
    args.stream = localText(fields.stream);
    row.extra = static_cast<uint32_t>(m_rows.device.size());
    m_rows.device.push_back(args);
}

void EventScanner::addMemoryArgs(const Fields& fields, EventRow& row)
{
    if (!fields.hasMemoryArgs)
        return;
    row.extra = static_cast<uint32_t>(m_rows.memory.size());
    m_rows.memory.push_back(fields.memory);
}

void EventScanner::addMetadataArgs(const Fields& fields, EventRow& row)
{
    row.extra = static_cast<uint32_t>(m_rows.metadata.size());
    m_rows.metadata.push_back({localText(fields.argName), localText(fields.labels), fields.sortIndex});
}

template <typename Rules> void EventScanner::readCounterArgs(const Fields& fields, Walk& walk, EventRow& row)
{
    row.extra = static_cast<uint32_t>(m_rows.counters.size());
    if (fields.args == nullptr)
        return;
    uint32_t gaps = 0;
    // It was walked before without a fault.
    walkObject<Rules>(fields.args, walk, [&](std::string_view key, const char* value) -> const char* {
        Token token;
        if (!takeValue<Rules>(value, walk, StringPlace::MemberValue, token))
            return nullptr;
        const auto number = token.kind == TokenKind::Nested ? std::nullopt : parseDouble(token.text());
        if (!number) {
            ++gaps;
            return token.after;
        }
        CounterArg arg;
        arg.value = *number;
        arg.series = m_texts.add(key.data(), key.size(), TextForm::Quoted);
        arg.digits = m_texts.add(token.begin, token.text().size(), TextForm::Bare);
        const auto first = m_rows.counters.begin() + row.extra;
        const auto same = m_rows.counters.end() - first <= static_cast<ptrdiff_t>(kMostComparedSeries)
            ? std::find_if(
                first, m_rows.counters.end(), [&](const CounterArg& other) { return other.series == arg.series; })
            : m_rows.counters.end();
        if (same != m_rows.counters.end())
            *same = arg;
        else
            m_rows.counters.push_back(arg);
        return token.after;
    });
    row.extraCount = static_cast<uint32_t>(m_rows.counters.size()) - row.extra;
    if (gaps > 0)
        addTrouble(Trouble::CounterGap, row.offset, row.name, gaps);
}

template <typename Rules> void EventScanner::commit(const Fields& fields, const Walk& walk, uint64_t offset)
{
    if (walk.strayCommas > 0)
        addTrouble(Trouble::StrayComma, offset, 0, walk.strayCommas);
    if (walk.missingCommas > 0)
        addTrouble(Trouble::MissingComma, offset, 0, walk.missingCommas);
    if (walk.oddWords > 0)
        addTrouble(Trouble::OddWord, offset, localText(fields.name), walk.oddWords);
    if (fields.unreadableNumbers > 0)
        addTrouble(Trouble::UnreadableNumber, offset, localText(fields.name), fields.unreadableNumbers);
    if (!fields.hasMembers) {
        addTrouble(Trouble::NotAnEvent, offset, m_texts.add("{}                ", 2, TextForm::Bare));
        return;
    }
    if (fields.phase == 0 || kReadPhases.find(fields.phase) == std::string_view::npos) {
        char buffer[32] = {fields.phase};
        addTrouble(Trouble::UnknownPhase, offset,
            fields.phase != 0 ? m_texts.add(buffer, 1, TextForm::Quoted) : localText(fields.phaseText));
        return;
    }

    EventRow row;
    row.offset = offset;
    row.phase = fields.phase;
    row.scope = fields.scope;
    row.name = localText(fields.name);
    row.category = localText(fields.category, m_category);
    row.pid = localText(fields.pid, m_pid);
    row.tid = localText(fields.tid, m_tid);
    setId(fields.id, row);
    if (fields.bindsEnclosing)
        row.flags |= EventBindsEnclosing;
    if (fields.timeState == Fields::TimeState::Known) {
        row.flags |= EventHasTime;
        row.timeNs = roundedNs(fields.time);
    } else if (fields.timeState == Fields::TimeState::Unreadable) {
        row.flags |= EventTimeUnreadable;
    }
    if (fields.durationState == Fields::TimeState::Known) {
        row.flags |= EventHasDuration;
        row.durationNs = roundedDurationNs(fields.time, fields.duration);
    } else if (fields.durationState == Fields::TimeState::Unreadable) {
        row.flags |= EventDurationUnreadable;
    }
    if (fields.time.isSaturated || fields.duration.isSaturated)
        row.flags |= EventTimeSaturated;

    switch (fields.phase) {
    case 'X':
    case 'B':
        addSliceArgs(fields, row);
        break;
    case 'i':
    case 'I':
    case 'R':
        addMemoryArgs(fields, row);
        break;
    case 'M':
        addMetadataArgs(fields, row);
        break;
    case 'C': {
        Walk again = walk;
        readCounterArgs<Rules>(fields, again, row);
        break;
    }
    default:
        break;
    }
    m_rows.events.push_back(row);
    if (fields.hasOwnArrows)
        addTrouble(Trouble::OwnArrow, offset, row.name);
}

ScanOutcome EventScanner::scan(const TextSpan& text, const char* p, ListState& state, const char* bound)
{
    for (;;) {
        p = skipBlanks(p);
        if (p >= text.limit)
            return {ScanStop::NeedMore, text.limit};
        switch (*p) {
        case ',':
            if (!state.afterValue)
                addTrouble(Trouble::StrayComma, text.offsetOf(p));
            state.afterValue = false;
            state.afterComma = true;
            ++p;
            break;
        case '{': {
            if (p >= bound)
                return {ScanStop::Bound, p};
            Walk walk;
            walk.limit = text.limit;
            walk.textEnds = text.textEnds;
            Fields fields;
            const char* after = readEvent<StrictText>(p, walk, fields);
            if (after == nullptr)
                return {walk.fault == WalkFault::Limit ? ScanStop::NeedMore : ScanStop::Damaged, p};
            if (state.afterValue && !state.isLoose)
                addTrouble(Trouble::MissingComma, text.offsetOf(p));
            commit<StrictText>(fields, walk, text.offsetOf(p));
            state.afterValue = true;
            state.afterComma = false;
            p = after;
            break;
        }
        case ']':
            if (state.afterComma)
                addTrouble(Trouble::StrayComma, text.offsetOf(p));
            state.afterComma = false;
            if (state.innerLists == 0)
                return {ScanStop::ListEnd, p + 1};
            --state.innerLists;
            ++p;
            break;
        case '}':
            return {ScanStop::ObjectEnd, p};
        default: {
            ScanOutcome outcome;
            if (*p == '[' && beginsInnerList(text, p, outcome)) {
                addTrouble(Trouble::StrayBracket, text.offsetOf(p));
                ++state.innerLists;
                ++p;
                break;
            }
            if (outcome.at != nullptr)
                return outcome;
            p = skipOther(text, p, state, outcome);
            if (p == nullptr)
                return outcome;
            break;
        }
        }
    }
}

/// A list of events in the list of events, or a stray bracket before the next one: not to be skipped as a whole.
/// Sets outcome if that cannot be told yet.
bool EventScanner::beginsInnerList(const TextSpan& text, const char* p, ScanOutcome& outcome)
{
    constexpr ptrdiff_t kMostKey = 16;
    const char* brace = skipBlanks(p + 1);
    const char* key = *brace == '{' ? skipBlanks(brace + 1) : brace;
    if (text.limit - key < kMostKey && !text.textEnds)
        outcome = {ScanStop::NeedMore, p};
    else if (key < text.limit && *brace == '{' && *key == '"')
        return isEventKey(key + 1);
    return false;
}

/// Something in the list that is no object: null, a number, a text, a list.
const char* EventScanner::skipOther(const TextSpan& text, const char* p, ListState& state, ScanOutcome& outcome)
{
    const bool isValue
        = *p == '"' || *p == '[' || *p == '-' || isDigit(*p) || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
    outcome = {ScanStop::Unexpected, p};
    if (!isValue)
        return nullptr;
    Walk walk;
    walk.limit = text.limit;
    Token token;
    const bool isWhole = takeValue<StrictText>(p, walk, StringPlace::Nested, token);
    const char* next = isWhole ? skipBlanks(token.after) : nullptr;
    if (walk.fault == WalkFault::Limit || next >= text.limit) {
        // At the end of the text there is nothing that could follow and make it clear.
        outcome.stop = ScanStop::NeedMore;
        return nullptr;
    }
    if (next == nullptr)
        return nullptr;
    if (*next == ':' && token.kind == TokenKind::String && !isEventKey(token.begin)) {
        outcome.stop = ScanStop::HeaderKey;
        return nullptr;
    }
    const bool isWord = token.kind != TokenKind::Bare || isDigit(*p) || *p == '-' || isJsonWord(token.text());
    if (!isWord || (*next != ',' && *next != ']' && *next != '{' && *next != '}'))
        return nullptr;
    constexpr size_t kMostShown = 40;
    const std::string_view shown = token.text().substr(0, kMostShown);
    addTrouble(Trouble::NotAnEvent, text.offsetOf(p), m_texts.add(shown.data(), shown.size(), TextForm::Bare));
    state.afterValue = true;
    state.afterComma = false;
    return token.after;
}

const char* EventScanner::scanRepaired(const TextSpan& text, const char* p)
{
    Walk walk;
    walk.limit = text.limit;
    walk.textEnds = text.textEnds;
    Fields fields;
    const char* after = readEvent<RepairedText>(p, walk, fields);
    if (after == nullptr)
        return nullptr;
    const char* next = skipBlanks(after);
    const bool fits = next >= text.limit ? text.textEnds : *next == ',' || *next == ']' || *next == '{' || *next == '}';
    if (!fits || fields.phase == 0)
        return nullptr;
    commit<RepairedText>(fields, walk, text.offsetOf(p));
    addTrouble(Trouble::RepairedText, text.offsetOf(p), localText(fields.name));
    return after;
}

Trial EventScanner::tryEvent(const TextSpan& text, const char* p)
{
    Walk walk;
    walk.limit = text.limit;
    walk.textEnds = text.textEnds;
    Fields fields;
    if (readEvent<StrictText>(p, walk, fields) != nullptr)
        return fields.phase != 0 ? Trial::Event : Trial::NoEvent;
    if (walk.fault == WalkFault::Limit)
        return fields.phase != 0 ? Trial::Unfinished : Trial::NoEvent;
    Walk again;
    again.limit = text.limit;
    again.textEnds = text.textEnds;
    Fields repaired;
    const char* after = readEvent<RepairedText>(p, again, repaired);
    return after != nullptr && repaired.phase != 0 ? Trial::Event : Trial::NoEvent;
}

} // namespace torchline
