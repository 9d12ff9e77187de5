#include "import/scan/event_scanner.h"

#include "import/scan/plain_number.h"

#include <array>

namespace torchline {

namespace {

/// Phases that make rows.
constexpr std::array<bool, 256> kReadPhases = [] {
    std::array<bool, 256> isRead = {};
    for (const char phase : std::string_view("XBEiIRCMstfbneSTpF"))
        isRead[static_cast<uint8_t>(phase)] = true;
    return isRead;
}();
constexpr size_t kMostComparedSeries = 64;

/// Ids of arrows are nearly all different: numbers as recorders write them make no texts.
bool isPlainId(const Token& token, uint64_t& number)
{
    const bool isPlain = token.begin != nullptr && token.kind == TokenKind::Bare
        && (*token.begin != '0' || token.end == token.begin + 1);
    return isPlain && plainNumber(token.begin, number) == token.end;
}

} // namespace

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

void EventScanner::addSliceArgs(const EventFields& fields, EventRow& row)
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

void EventScanner::addMemoryArgs(const EventFields& fields, EventRow& row)
{
    if (!fields.hasMemoryArgs)
        return;
    row.extra = static_cast<uint32_t>(m_rows.memory.size());
    m_rows.memory.push_back(fields.memory);
}

void EventScanner::addMetadataArgs(const EventFields& fields, EventRow& row)
{
    row.extra = static_cast<uint32_t>(m_rows.metadata.size());
    m_rows.metadata.push_back({localText(fields.argName), localText(fields.labels), fields.sortIndex});
}

template <typename Rules> void EventScanner::readCounterArgs(const EventFields& fields, Walk& walk, EventRow& row)
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

template <typename Rules> void EventScanner::commit(const EventFields& fields, const Walk& walk, uint64_t offset)
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
    if (!kReadPhases[static_cast<uint8_t>(fields.phase)]) {
        char buffer[32] = {fields.phase};
        addTrouble(Trouble::UnknownPhase, offset,
            fields.phase != 0 ? m_texts.add(buffer, 1, TextForm::Quoted) : localText(fields.phaseText));
        return;
    }

    uint8_t flags = fields.bindsEnclosing ? EventBindsEnclosing : 0;
    const auto flag = [&flags](bool isSet, EventFlag bit) { flags = static_cast<uint8_t>(flags | (isSet ? bit : 0)); };
    using TimeState = EventFields::TimeState;
    flag(fields.timeState == TimeState::Known, EventHasTime);
    flag(fields.timeState == TimeState::Unreadable, EventTimeUnreadable);
    flag(fields.durationState == TimeState::Known, EventHasDuration);
    flag(fields.durationState == TimeState::Unreadable, EventDurationUnreadable);
    flag(fields.time.isSaturated || fields.duration.isSaturated, EventTimeSaturated);
    uint64_t idNumber = 0;
    flag(isPlainId(fields.id, idNumber), EventIdIsNumber);
    // All of it at once: a row that is cleared first costs more.
    m_rows.events.push_back({.offset = offset,
        .timeNs = fields.timeState == TimeState::Known ? roundedNs(fields.time) : 0,
        .durationNs = fields.durationState == TimeState::Known ? roundedDurationNs(fields.time, fields.duration) : 0,
        .externalId = {},
        .correlation = {},
        .name = localText(fields.name),
        .category = localText(fields.category, m_category),
        .pid = localText(fields.pid, m_pid),
        .tid = localText(fields.tid, m_tid),
        .id = (flags & EventIdIsNumber) != 0 ? 0 : localText(fields.id),
        .idNumber = idNumber,
        .extra = kNoExtra,
        .extraCount = 0,
        .phase = fields.phase,
        .scope = fields.scope,
        .flags = flags});
    EventRow& row = m_rows.events.back();

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
    if (fields.hasOwnArrows)
        addTrouble(Trouble::OwnArrow, offset, row.name);
}

const char* EventScanner::readStrict(const char* p, Walk& walk, EventFields& fields)
{
    const Walk before = walk;
    if (const char* after = m_shapes.read(p, walk, fields))
        return after;
    walk = before;
    fields.reset();
    const char* after = readEvent<StrictText>(p, walk, fields);
    if (after != nullptr && fields.hasMembers && walk.strayCommas == 0 && walk.missingCommas == 0)
        m_shapes.learn(p, walk.limit);
    return after;
}

ScanOutcome EventScanner::scan(const TextSpan& text, const char* p, ListState& state, const char* bound)
{
    EventFields fields;
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
            fields.reset();
            const char* after = readStrict(p, walk, fields);
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
    EventFields fields;
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
    EventFields fields;
    if (readEvent<StrictText>(p, walk, fields) != nullptr)
        return fields.phase != 0 ? Trial::Event : Trial::NoEvent;
    if (walk.fault == WalkFault::Limit)
        return fields.phase != 0 ? Trial::Unfinished : Trial::NoEvent;
    Walk again;
    again.limit = text.limit;
    again.textEnds = text.textEnds;
    EventFields repaired;
    const char* after = readEvent<RepairedText>(p, again, repaired);
    return after != nullptr && repaired.phase != 0 ? Trial::Event : Trial::NoEvent;
}

} // namespace torchline
