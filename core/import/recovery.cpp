// TraceReader: getting over damage. Everything here decides on a fixed number of bytes from a place on, so that the
// result is the same whatever the window holds.
#include "import/trace_reader.h"

#include "import/scan/json_text.h"

#include <algorithm>
#include <cstring>

namespace torchline {

namespace {

constexpr size_t kRepairBytes = size_t{1} << 20; ///< within which a damaged event must end to be repaired
constexpr size_t kTrialBytes = 64 * 1024; ///< within which an event must end to be a place to go on at
// A text that is damaged everywhere gets less of both, so that time stays proportional to its length.
constexpr uint32_t kMostGenerous = 64;
constexpr size_t kFrugalRepairBytes = 16 * 1024;
constexpr size_t kFrugalTrialBytes = 4096;
constexpr uint32_t kMostUnfinishedTrials = 16;
constexpr size_t kLookBehind = 64;
constexpr size_t kLookAhead = 4096;
constexpr uint64_t kLeadingGarbage = 64 * 1024;

/// The last byte before p that is no blank, not before begin; 0 if there is none.
char lastBefore(const char* p, const char* begin)
{
    while (p > begin && isBlank(p[-1]))
        --p;
    return p > begin ? p[-1] : '\0';
}

/// `{` and a key of events; not what is the value of a key, and not what stands in a string.
bool mayBeginEvent(const char* p, const char* behindLimit, const TextSpan& text)
{
    const char* limit = std::min(text.limit, p + kLookAhead);
    const char* key = skipBlanks(p + 1);
    if (key >= limit || *key != '"' || !isEventKey(key + 1))
        return false;
    const char* colon = skipBlanks(stringEnd(key + 1) + 1);
    if (colon >= limit || *colon != ':')
        return false;
    const char before = lastBefore(p, behindLimit);
    return before != ':' && before != '"' && before != '\\';
}

} // namespace

/// The text from `at` on, `ahead` bytes of it if there are that many, with kLookBehind bytes before it in memory, as
/// far as they do not lie before `lowest`.
TextSpan TraceReader::view(uint64_t lowest, uint64_t at, size_t ahead)
{
    const uint64_t behind = std::min<uint64_t>(kLookBehind, at - lowest);
    m_window.reach(at - behind, static_cast<size_t>(behind) + ahead);
    TextSpan text = m_window.text(at - behind);
    text.begin = std::min(text.begin + behind, text.limit);
    text.offset = at;
    return text;
}

/// Goes from one such byte to the next until one fits. Sets at; false: none, or stopped.
template <typename Fits> bool TraceReader::findByte(char byte, uint64_t lowest, uint64_t& at, Fits&& fits)
{
    for (;;) {
        const TextSpan text = view(lowest, at, kLookAhead);
        if (text.begin >= text.limit)
            return false;
        // What could need bytes beyond the window is left for the next one.
        const auto size = static_cast<size_t>(text.limit - text.begin);
        const size_t usable = text.textEnds ? size : size - std::min(size - 1, kLookAhead - 1);
        const char* behindLimit = text.begin - std::min<uint64_t>(kLookBehind, at - lowest);
        const char* end = text.begin + usable;
        const char* p = text.begin;
        while (p < end) {
            p = static_cast<const char*>(std::memchr(p, byte, static_cast<size_t>(end - p)));
            if (p == nullptr)
                break;
            if (fits(p, std::max(behindLimit, p - kLookBehind), text)) {
                at = text.offsetOf(p);
                return true;
            }
            ++p;
        }
        at += usable;
        if (!m_pause()) {
            m_isStopped = true;
            return false;
        }
    }
}

bool TraceReader::isEventAt(uint64_t lowest, uint64_t at)
{
    const size_t bytes = m_rejectedTrials < kMostGenerous ? kTrialBytes : kFrugalTrialBytes;
    view(lowest, at, bytes);
    const ShortenedText shortened(m_window, at, bytes);
    const Trial trial = EventScanner::tryEvent(shortened.span(), shortened.span().begin);
    // An event longer than that, or the last one of a truncated text. Not without a limit: nested beginnings without
    // ends would be gone through again and again.
    if (trial == Trial::Unfinished && m_unfinishedTrials < kMostUnfinishedTrials) {
        ++m_unfinishedTrials;
        return true;
    }
    m_rejectedTrials += trial == Trial::Event ? 0 : 1;
    return trial == Trial::Event;
}

/// Moves m_at to the next event from `from` on. False: there is none, and m_at is where it was.
bool TraceReader::findEvent(uint64_t lowest, uint64_t from)
{
    for (uint64_t at = from; findByte('{', lowest, at, mayBeginEvent); ++at) {
        if (isEventAt(lowest, at)) {
            m_at = at;
            return true;
        }
    }
    return false;
}

/// At a damaged event: repairs it, or goes to the next one. False: neither, and m_at is where it was.
bool TraceReader::recoverEvent(ListState& state)
{
    const uint64_t begin = m_at;
    const size_t bytes = m_failedRepairs < kMostGenerous ? kRepairBytes : kFrugalRepairBytes;
    m_window.reach(begin, bytes);
    const char* after = nullptr;
    {
        const ShortenedText shortened(m_window, begin, bytes);
        const TextSpan& text = shortened.span();
        after = m_scanner.scanRepaired(text, text.begin);
        if (after != nullptr)
            m_at = text.offsetOf(after);
    }
    if (after != nullptr) {
        m_taker.take(m_scanner.rows(), m_ids);
        m_scanner.rows().clear();
        state.afterValue = true;
        state.afterComma = false;
        return true;
    }
    ++m_failedRepairs;
    if (!findEvent(begin, begin + 1))
        return false;
    note("damaged-event", "Damaged events were skipped (invalid JSON): %n", begin,
        std::to_string(m_at - begin) + " bytes");
    state.afterValue = false;
    state.afterComma = false;
    return true;
}

/// At something between events that is none. True: m_at is at the next event.
bool TraceReader::skipGarbage(ListState& state)
{
    const uint64_t begin = m_at;
    const bool hasEvent = findEvent(begin, begin);
    if (m_isStopped)
        return false;
    if (!hasEvent && !findListEnd(begin))
        m_at = m_window.end();
    note("skipped-bytes", "Bytes between the events that are no JSON were skipped: %n", begin, {},
        NoticeSeverity::Warning, m_at - begin);
    state.afterValue = false;
    state.afterComma = false;
    return hasEvent;
}

/// The `]` behind the last event: what follows it is a key, or the end of the object. Moves m_at behind it.
bool TraceReader::findListEnd(uint64_t from)
{
    uint64_t at = from;
    const auto fits = [](const char* p, const char* behindLimit, const TextSpan& text) {
        if (lastBefore(p, behindLimit) != '}')
            return false;
        const char* limit = std::min(text.limit, p + kLookAhead);
        const char* next = skipBlanks(p + 1);
        if (next >= limit)
            return text.textEnds;
        if (*next == '}') {
            next = skipBlanks(next + 1);
            return next >= limit && text.textEnds;
        }
        if (*next != ',')
            return false;
        next = skipBlanks(next + 1);
        if (next >= limit || *next != '"')
            return false;
        next = skipBlanks(stringEnd(next + 1) + 1);
        return next < limit && *next == ':';
    };
    if (!findByte(']', from, at, fits))
        return false;
    m_at = at + 1;
    return true;
}

bool TraceReader::findEventsKey(uint64_t from, uint64_t& at)
{
    at = from;
    return findByte('"', from, at, [](const char* p, const char* /*behindLimit*/, const TextSpan& text) {
        constexpr std::string_view kKey = "\"traceEvents\"";
        const char* limit = std::min(text.limit, p + kLookAhead);
        if (static_cast<size_t>(limit - p) < kKey.size() || std::memcmp(p, kKey.data(), kKey.size()) != 0)
            return false;
        const char* colon = skipBlanks(p + kKey.size());
        if (colon >= limit || *colon != ':')
            return false;
        const char* bracket = skipBlanks(colon + 1);
        return bracket < limit && *bracket == '[';
    });
}

/// The value of this key is damaged. True: m_at is behind what could be read of it.
bool TraceReader::repairHeaderValue(const std::string& key, uint64_t valueBegin)
{
    m_window.reach(valueBegin, kRepairBytes);
    if (!m_window.covers(valueBegin))
        return false;
    const ShortenedText shortened(m_window, valueBegin, kRepairBytes);
    const TextSpan& text = shortened.span();
    Walk walk;
    walk.limit = text.limit;
    walk.textEnds = text.textEnds;
    Token token;
    if (!takeValue<RepairedText>(text.begin, walk, StringPlace::MemberValue, token) || token.text().empty())
        return false;
    const char* next = skipBlanks(token.after);
    if (next >= text.limit || (*next != ',' && *next != '}'))
        return false;
    addHeader(key, token.kind == TokenKind::String ? shownString(token.text()) : shownValue(token.text()), valueBegin);
    note("repaired-header", "Quotes or backslashes in the header that are not escaped (invalid JSON) were repaired: %n",
        valueBegin, key);
    m_at = text.offsetOf(token.after);
    return true;
}

/// Damage among the top-level keys. True: m_at is at the key of the events, or behind the events.
bool TraceReader::recoverHeader(uint64_t valueBegin)
{
    if (m_isStopped)
        return false;
    note("damaged-header", "Damaged parts of the header were skipped (invalid JSON): %n", valueBegin);
    uint64_t at = 0;
    if (findEventsKey(valueBegin, at)) {
        m_at = at;
        return true;
    }
    if (!m_isStopped && findEvent(valueBegin, valueBegin)) {
        readEvents(ListKind::TraceEvents);
        return !m_isStopped;
    }
    m_at = m_window.end();
    return false;
}

/// Text before the first brace: a log line that got into the file. True: m_at is at the brace.
bool TraceReader::findDocument()
{
    const uint64_t begin = m_at;
    uint64_t at = begin;
    const auto fits = [&](const char* p, const char* behindLimit, const TextSpan& text) {
        if (text.offsetOf(p) > begin + kLeadingGarbage)
            return true; // far enough
        const char before = p > behindLimit ? p[-1] : '\n';
        const char* key = skipBlanks(p + 1);
        return (before == '\n' || before == '\r') && key < text.limit && *key == '"';
    };
    if (!findByte('{', begin, at, fits) || at > begin + kLeadingGarbage)
        return false;
    note("skipped-bytes", "Bytes between the events that are no JSON were skipped: %n", begin, {},
        NoticeSeverity::Warning, at - begin);
    m_at = at;
    return true;
}

} // namespace torchline
