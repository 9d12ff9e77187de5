// TraceReader: a list of events.
#include "import/trace_reader.h"

#include "import/scan/value_capture.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr size_t kMostEventBytes = size_t{256} << 20;
constexpr size_t kCloseLookahead = 4096;

} // namespace

void TraceReader::readEvents(ListKind kind)
{
    ListState state;
    state.isLoose = kind == ListKind::Loose;
    m_sawList = true;
    m_want = m_window.chunkBytes();
    for (;;) {
        m_window.reach(m_at, 1);
        const uint64_t begin = m_at;
        const TextSpan text = m_window.text(begin);
        const ScanOutcome outcome = m_scanner.scan(text, text.begin, state);
        m_at = text.offsetOf(outcome.at);
        m_taker.take(m_scanner.rows());
        m_scanner.rows().clear();
        if (!m_pause()) {
            m_isStopped = true;
            return;
        }
        if (!goOnAfter(outcome, kind, state, m_at > begin))
            return;
    }
}

/// False: this list is at its end.
bool TraceReader::goOnAfter(ScanOutcome outcome, ListKind kind, ListState& state, bool hasAdvanced)
{
    switch (outcome.stop) {
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
