// TraceReader: a list of events.
#include "import/trace_reader.h"

#include "import/scan/value_capture.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr size_t kMostEventBytes = size_t{256} << 20;
constexpr size_t kCloseLookahead = 4096;
constexpr uint32_t kMostFailedInRow = 4; ///< then beginnings are not guessed any more

} // namespace

void TraceReader::readEvents(ListKind kind)
{
    ListState state;
    state.isLoose = kind == ListKind::Loose;
    m_sawList = true;
    m_want = m_window.chunkBytes();
    m_failedInRow = 0;
    for (;;) {
        const uint64_t begin = m_at;
        std::optional<ScanStop> stop = scanOn(state);
        if (stop == ScanStop::Bound)
            stop = takeAhead(state);
        if (!m_pause())
            m_isStopped = true;
        if (m_isStopped || (stop && !goOnAfter(*stop, kind, state, m_at > begin)))
            break;
        if (stop == ScanStop::NeedMore)
            scanAhead(kind);
    }
    m_ahead.reset();
}

/// Takes events from the place on, with chunks scanned ahead up to the next of these.
ScanStop TraceReader::scanOn(ListState& state)
{
    m_window.reach(m_at, 1);
    const TextSpan text = m_window.text(m_at);
    const char* bound = text.limit;
    if (m_ahead)
        bound = text.begin
            + std::min(m_ahead->boundaryBehind(m_at) - m_at, static_cast<uint64_t>(text.limit - text.begin));
    const ScanOutcome outcome = m_scanner.scan(text, text.begin, state, bound);
    m_at = text.offsetOf(outcome.at);
    m_taker.take(m_scanner.rows(), m_ids);
    m_scanner.rows().clear();
    return outcome.stop;
}

/// In the middle of a long list: lets others scan what follows the window.
void TraceReader::scanAhead(ListKind kind)
{
    if (m_ahead || m_threads < 2 || kind == ListKind::Loose || m_failedInRow >= kMostFailedInRow || m_window.textEnds())
        return;
    m_ahead.emplace(m_source, m_window, m_window.chunkBytes(), m_threads);
}

/// At an event: takes the chunks that begin exactly here, one after the other. How the last one ended if that is not at
/// an event; else nothing, and it goes on at m_at.
std::optional<ScanStop> TraceReader::takeAhead(ListState& state)
{
    for (;;) {
        ScannedChunk* chunk = m_ahead->chunkAt(m_at);
        if (chunk == nullptr || !chunk->hasStart || chunk->start != m_at || chunk->startState != state) {
            ++m_joints.failed;
            if (++m_failedInRow == kMostFailedInRow)
                m_ahead.reset();
            return std::nullopt;
        }
        ++m_joints.proved;
        m_failedInRow = 0;
        m_taker.take(chunk->scanner.rows(), chunk->ids);
        m_at = chunk->end;
        state = chunk->endState;
        if (!m_pause())
            m_isStopped = true;
        if (chunk->stop == ScanStop::ListEnd)
            return chunk->stop;
        if (chunk->stop != ScanStop::Bound || m_isStopped)
            return std::nullopt;
    }
}

/// False: this list is at its end.
bool TraceReader::goOnAfter(ScanStop stop, ListKind kind, ListState& state, bool hasAdvanced)
{
    switch (stop) {
    case ScanStop::NeedMore:
        if (!m_window.textEnds())
            return growForEvent(state, hasAdvanced);
        if (m_at < m_window.end() && recoverEvent(state))
            return true;
        if (!m_isStopped)
            endOfText(kind);
        return false;
    case ScanStop::ListEnd:
        if (kind != ListKind::Loose)
            return false;
        note("stray-bracket", "Brackets that do not belong there were skipped (invalid JSON): %n", m_at - 1);
        state.afterComma = false;
        return true;
    case ScanStop::ObjectEnd:
        return closeObject(kind, state);
    case ScanStop::HeaderKey:
        if (kind != ListKind::TraceEvents)
            return skipGarbage(state);
        note("missing-bracket", "The list of events is not closed by a bracket (invalid JSON)", m_at);
        return false;
    case ScanStop::Damaged:
        return recoverEvent(state) || giveUpEvent();
    case ScanStop::Unexpected:
        return skipGarbage(state);
    case ScanStop::Bound:
        return true;
    }
    return false;
}

/// Reads on from m_at, where something stands whose end is not in the window; into a larger window if it is alone in
/// it.
bool TraceReader::growForEvent(ListState& state, bool hasAdvanced)
{
    const size_t have = m_window.available(m_at);
    if (hasAdvanced)
        m_want = m_window.chunkBytes();
    while (m_want <= have)
        m_want *= 2;
    if (m_want > std::max(kMostEventBytes, m_window.chunkBytes())) {
        skipOversized(state);
        return !m_isStopped;
    }
    m_window.reach(m_at, m_want);
    return true;
}

void TraceReader::endOfText(ListKind kind)
{
    const uint64_t offset = m_at;
    m_at = m_window.end();
    if (offset < m_at || kind == ListKind::TraceEvents)
        noteTruncated(offset);
    else if (kind == ListKind::BareArray)
        note("unclosed-list",
            "The list of events is not closed, which the format allows; the recording may have ended early", offset, {},
            NoticeSeverity::Info);
}

/// A `}` in the list: one too many after an event, or the end of everything without a `]`.
bool TraceReader::closeObject(ListKind kind, ListState& state)
{
    m_window.reach(m_at, kCloseLookahead);
    const TextSpan text = m_window.text(m_at);
    const char* next = skipBlanks(text.begin + 1);
    if (next < text.limit && *next == ',')
        next = skipBlanks(next + 1);
    const bool goesOn = kind != ListKind::TraceEvents || (next < text.limit && (*next == '{' || *next == ']'));
    if (!goesOn) {
        note("missing-bracket", "The list of events is not closed by a bracket (invalid JSON)", m_at);
        return false;
    }
    note("stray-bracket", "Brackets that do not belong there were skipped (invalid JSON): %n", m_at);
    ++m_at;
    state.afterValue = true;
    state.afterComma = false;
    return true;
}

void TraceReader::skipOversized(ListState& state)
{
    const uint64_t begin = m_at;
    note("oversized-event", "Events longer than 256 MiB were skipped: %n", begin);
    ValueCapture value;
    if (captureValue(value) || m_isStopped || !findEvent(begin, begin + 1)) {
        state.afterValue = true;
        return;
    }
    state.afterValue = false;
}

/// No event follows the damaged one. Always false: the list is at its end.
bool TraceReader::giveUpEvent()
{
    if (m_isStopped)
        return false;
    const uint64_t begin = m_at;
    const bool hasEnd = findListEnd(begin);
    if (!hasEnd)
        m_at = m_window.end();
    note("damaged-event", "Damaged events were skipped (invalid JSON): %n", begin,
        std::to_string(m_at - begin) + " bytes");
    if (!hasEnd)
        noteTruncated(m_at);
    return false;
}

} // namespace torchline
