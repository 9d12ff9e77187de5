#include "import/trace_reader.h"

#include "base/text.h"
#include "import/scan/json_text.h"
#include "import/scan/value_capture.h"

#include <algorithm>
#include <array>

namespace torchline {

namespace {

constexpr size_t kMostKeyBytes = 64 * 1024;
constexpr size_t kMostHeaderKeys = 10'000;
constexpr size_t kMostHeaderBytes = size_t{4} << 20;

} // namespace

TraceReader::TraceReader(const ByteSource& source, TraceBuilder& builder, size_t chunkBytes, size_t threads)
    : m_source(source)
    , m_builder(builder)
    , m_window(source, chunkBytes)
    , m_taker(builder)
    , m_threads(threads)
{
}

size_t TraceReader::memoryUsage() const
{
    return m_window.memoryUsage() + m_scanner.memoryUsage() + m_ids.memoryUsage()
        + (m_ahead ? m_ahead->memoryUsage() : 0);
}

Status TraceReader::read(const std::function<bool()>& pause)
{
    m_pause = pause;
    readDocuments();
    if (m_window.error())
        return *m_window.error();
    if (m_isStopped)
        return Error(ErrorCode::Cancelled, "cancelled");
    return verdict();
}

/// The byte at the place, or -1 at the end of the text.
int TraceReader::peek()
{
    if (!m_window.covers(m_at))
        m_window.reach(m_at, 1);
    return m_window.covers(m_at) ? static_cast<uint8_t>(*m_window.text(m_at).begin) : -1;
}

int TraceReader::peekPastBlanks()
{
    for (;;) {
        const int c = peek();
        if (c < 0 || !isBlank(static_cast<char>(c)))
            return c;
        const TextSpan text = m_window.text(m_at);
        m_at = text.offsetOf(std::min(skipBlanks(text.begin), text.limit));
    }
}

void TraceReader::note(std::string_view code, std::string_view text, uint64_t offset, std::string_view found,
    NoticeSeverity severity, uint64_t count)
{
    m_builder.addNotice(code, text, offset, found, severity, count);
}

void TraceReader::noteTruncated(uint64_t offset)
{
    if (m_isTruncated)
        return;
    m_isTruncated = true;
    note("truncated-input", "The text is truncated: it ended early, everything before the cut was read", offset);
}

void TraceReader::readDocuments()
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    m_window.reach(0, kByteOrderMark.size());
    const TextSpan head = m_window.text(0);
    if (std::string_view(head.begin, static_cast<size_t>(head.limit - head.begin)).starts_with(kByteOrderMark))
        m_at = kByteOrderMark.size();

    bool isFirst = true;
    while (!m_isStopped) {
        const int c = peekPastBlanks();
        if (c < 0)
            return;
        if (c == '\0') {
            skipZeroBytes();
            continue;
        }
        if ((c == '{' || c == '[') && !isFirst)
            note("second-document", "More JSON follows after the end of the first document and was read too: %n", m_at);
        ListState state;
        if (c == '{') {
            readObject();
        } else if (c == '[') {
            ++m_at;
            readEvents(ListKind::BareArray);
        } else if (c == ']' || c == '}') {
            note("stray-bracket", "Brackets that do not belong there were skipped (invalid JSON): %n", m_at++);
        } else if (isFirst && findDocument()) {
            continue;
        } else if (skipGarbage(state)) {
            readEvents(ListKind::Loose);
        } else {
            return;
        }
        isFirst = false;
    }
}

void TraceReader::skipZeroBytes()
{
    const uint64_t begin = m_at;
    while (peek() == '\0') {
        const TextSpan text = m_window.text(m_at);
        m_at = text.offsetOf(std::find_if(text.begin, text.limit, [](char c) { return c != '\0'; }));
    }
    note("zero-bytes", "Zero bytes after or between the text were skipped: %n", begin, {}, NoticeSeverity::Info,
        m_at - begin);
}

void TraceReader::readObject()
{
    const uint64_t begin = m_at++;
    const size_t headerBefore = m_header.size();
    bool afterValue = false;
    while (!m_isStopped) {
        const int c = peekPastBlanks();
        if (c < 0) {
            noteTruncated(m_at);
            return;
        }
        if (c == '}') {
            ++m_at;
            return;
        }
        if (c == ',') {
            if (!afterValue)
                note("stray-comma", "Commas with nothing between them were skipped (invalid JSON): %n", m_at);
            afterValue = false;
            ++m_at;
            continue;
        }
        const uint64_t keyBegin = m_at;
        std::string key;
        if (c != '"' || !readKey(key)) {
            if (isCutBehind(keyBegin) || !recoverHeader(keyBegin))
                return;
            continue;
        }
        if (afterValue)
            note("missing-comma", "Commas are missing (invalid JSON), nothing was lost: %n", keyBegin);
        if (key == "ph" && !m_sawTraceEvents) {
            // The object is an event itself: one event after the other, without a list around them.
            m_header.resize(headerBefore);
            m_headerPlace.clear();
            for (size_t i = 0; i < headerBefore; ++i)
                m_headerPlace[m_header[i].first] = i;
            m_at = begin;
            note("loose-events", "The events stand one after the other, without a list around them", begin, {},
                NoticeSeverity::Info);
            readEvents(ListKind::Loose);
            return;
        }
        afterValue = true;
        if (key == "traceEvents")
            readTraceEvents();
        else if (!readHeaderValue(key))
            return;
    }
}

/// At the opening quote; goes behind the colon. False: there is no key here.
bool TraceReader::readKey(std::string& key)
{
    ValueCapture capture;
    if (!captureValue(capture) || capture.bytes() > kMostKeyBytes || peekPastBlanks() != ':')
        return false;
    ++m_at;
    key = capture.shown();
    peekPastBlanks();
    return true;
}

bool TraceReader::captureValue(ValueCapture& value)
{
    for (;;) {
        if (peek() < 0)
            return false;
        const TextSpan text = m_window.text(m_at);
        size_t used = 0;
        const auto state = value.feed({text.begin, static_cast<size_t>(text.limit - text.begin)}, used);
        m_at += used;
        if (state != ValueCapture::State::Running)
            return state == ValueCapture::State::Complete;
        if (!m_pause()) {
            m_isStopped = true;
            return false;
        }
    }
}

/// Of repeated keys the last one stays, where it stands.
void TraceReader::addHeader(const std::string& key, std::string value, uint64_t offset)
{
    m_isKineto |= key == "schemaVersion" || key == "deviceProperties" || key == "traceName";
    if (m_header.size() >= kMostHeaderKeys || m_headerBytes > kMostHeaderBytes) {
        note("header-too-long", "Keys of the header beyond 4 MiB are not kept: %n", offset, key.substr(0, 40),
            NoticeSeverity::Info);
        return;
    }
    m_headerBytes += key.size() + value.size();
    const auto [place, isNew] = m_headerPlace.try_emplace(key, m_header.size());
    if (!isNew)
        m_header[std::exchange(place->second, m_header.size())].first.clear();
    m_header.emplace_back(key, std::move(value));
}

ArgList TraceReader::header() const
{
    ArgList header;
    for (size_t place = 0; place < m_header.size(); ++place) {
        const auto last = m_headerPlace.find(m_header[place].first);
        if (last != m_headerPlace.end() && last->second == place)
            header.push_back(m_header[place]);
    }
    return header;
}

/// At a value; false: nothing of the object is left.
bool TraceReader::readHeaderValue(const std::string& key)
{
    const uint64_t begin = m_at;
    ValueCapture value;
    const bool isWhole = captureValue(value);
    const int next = isWhole ? peekPastBlanks() : -1;
    if (m_isStopped)
        return false;
    if (isWhole && value.bytes() > 0 && (next == ',' || next == '}' || next == '"')) {
        addHeader(key, value.shown(), begin);
        return true;
    }
    if (repairHeaderValue(key, begin))
        return true;
    return !isCutBehind(begin) && recoverHeader(begin);
}

/// Whether reading a key or value of the header came to the end of the text, and not only because a quote is missing.
bool TraceReader::isCutBehind(uint64_t begin)
{
    uint64_t at = 0;
    if (m_isStopped || peek() >= 0 || findEventsKey(begin, at) || m_isStopped)
        return m_isStopped;
    // What may not be whole says nothing.
    noteTruncated(begin);
    m_at = m_window.end();
    return true;
}

void TraceReader::readTraceEvents()
{
    const uint64_t begin = m_at;
    if (m_sawTraceEvents)
        note("duplicate-trace-events", "The key traceEvents occurs more than once; the events of all were read", begin);
    m_sawTraceEvents = true;
    if (peek() == '[') {
        ++m_at;
        readEvents(ListKind::TraceEvents);
        return;
    }
    m_notEventsAt = begin;
    ValueCapture value;
    if (peek() >= 0 && captureValue(value))
        note("no-events", "There are no events: traceEvents is not a list", begin, value.shown().substr(0, 40));
}

/// What the top-level keys of JSON without events say about it.
std::string TraceReader::foreignJson() const
{
    struct Kind {
        std::string_view key;
        std::string_view what;
    };
    constexpr std::array kKinds = {
        Kind{"nodes", "an operator graph without times (an execution trace of PyTorch), which has no timeline"},
        Kind{"segments", "a memory snapshot of PyTorch (pytorch.org/memory_viz opens its pickle)"},
        Kind{"device_traces", "a memory snapshot of PyTorch (pytorch.org/memory_viz opens its pickle)"},
        Kind{"rocprofiler-sdk-tool",
            "a report of rocprofiler-sdk (let rocprofv3 write Perfetto traces for ui.perfetto.dev)"},
        Kind{"$schema", "a profile of another tool (speedscope.app opens many of them)"},
        Kind{"profiles", "a profile of another tool (speedscope.app opens many of them)"},
        Kind{"nbformat", "a notebook"},
    };
    const auto has = [this](std::string_view key) {
        return std::any_of(m_header.begin(), m_header.end(), [&](const auto& entry) { return entry.first == key; });
    };
    const auto* kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return has(k.key); });
    if (kind != kKinds.end())
        return std::string(kind->what);
    constexpr size_t kMostKeys = 6;
    std::string keys;
    for (size_t i = 0; i < std::min(m_header.size(), kMostKeys); ++i)
        keys += (i == 0 ? "\"" : ", \"") + escapeControls(m_header[i].first.substr(0, 40)) + "\"";
    if (m_header.size() > kMostKeys)
        keys += " ...";
    return keys.empty() ? "JSON without any key" : "JSON with the keys " + keys;
}

Status TraceReader::verdict() const
{
    if (m_taker.eventCount() > 0) {
        if (m_taker.eventCount() == m_taker.labelCount())
            m_builder.addNotice(
                "no-events", "There are no events in this file but names of processes and threads", std::nullopt);
        return {};
    }
    const bool isEmptyList = m_sawList && m_header.empty() && m_taker.otherCount() == 0 && !m_isTruncated;
    if (m_sawTraceEvents || isEmptyList) {
        if (!m_notEventsAt)
            m_builder.addNotice("no-events", "There are no events in this file", std::nullopt);
        return {};
    }
    if (m_sawList && m_header.empty())
        return Error(ErrorCode::Format,
            "not a trace: a JSON list without trace events, looked through to byte " + std::to_string(m_window.end()));
    std::string message = "not a trace: no traceEvents in it, it is " + foreignJson();
    if (m_isTruncated)
        message += "; the text is truncated";
    return Error(ErrorCode::Unsupported, message + ", looked through to byte " + std::to_string(m_window.end()));
}

} // namespace torchline
