#pragma once
// TraceReader: one JSON text from its first byte to its last: finds the events wherever they are, hands them to a
// scanner, keeps the header, and gets over damage so that it costs at most the damaged event.
// What it finds depends neither on how much of the text is in memory at a time nor on how many threads scan it.
// Thread: one, which starts others.

#include "import/row_taker.h"
#include "import/scan/text_window.h"
#include "import/scan_ahead.h"
#include "model/event_source.h"

#include <functional>
#include <unordered_map>

namespace torchline {

class ValueCapture;

/// How chunks that were scanned ahead fitted together.
struct JointCounts {
    uint64_t proved = 0; ///< began where the one before ended
    uint64_t failed = 0; ///< had to be scanned again from where the one before ended
};

class TraceReader {
public:
    /// `threads`: that scan, the caller included.
    TraceReader(const ByteSource& source, TraceBuilder& builder, size_t chunkBytes, size_t threads);

    /// `pause` is called every few milliseconds of work; reading ends early when it returns false.
    /// An error: the text cannot be read, or is no trace. The message says what and where.
    [[nodiscard]] Status read(const std::function<bool()>& pause);

    [[nodiscard]] uint64_t position() const { return m_at; } ///< in the text
    [[nodiscard]] bool isKineto() const { return m_isKineto || m_taker.hasKnownKinds(); }
    [[nodiscard]] ArgList header() const; ///< as far as it was read
    [[nodiscard]] const JointCounts& joints() const { return m_joints; }
    [[nodiscard]] size_t memoryUsage() const;

private:
    /// How the events at hand are enclosed.
    enum class ListKind : uint8_t { TraceEvents, BareArray, Loose };

    // trace_reader.cpp
    void readDocuments();
    void skipZeroBytes();
    void readObject();
    void readTraceEvents();
    bool readKey(std::string& key);
    bool readHeaderValue(const std::string& key);
    bool isCutBehind(uint64_t begin);
    bool captureValue(ValueCapture& value);
    void addHeader(const std::string& key, std::string value, uint64_t offset);
    int peek();
    int peekPastBlanks();
    [[nodiscard]] Status verdict() const;
    [[nodiscard]] std::string foreignJson() const;
    void note(std::string_view code, std::string_view text, uint64_t offset, std::string_view found = {},
        NoticeSeverity severity = NoticeSeverity::Warning, uint64_t count = 1);
    void noteTruncated(uint64_t offset);

    // event_list.cpp
    void readEvents(ListKind kind);
    ScanStop scanOn(ListState& state);
    void scanAhead(ListKind kind);
    std::optional<ScanStop> takeAhead(ListState& state);
    bool goOnAfter(ScanStop stop, ListKind kind, ListState& state, bool hasAdvanced);
    bool growForEvent(ListState& state, bool hasAdvanced);
    void endOfText(ListKind kind);
    bool closeObject(ListKind kind, ListState& state);
    void skipOversized(ListState& state);
    bool giveUpEvent();

    // recovery.cpp
    bool recoverEvent(ListState& state);
    bool skipGarbage(ListState& state);
    bool recoverHeader(uint64_t valueBegin);
    bool repairHeaderValue(const std::string& key, uint64_t valueBegin);
    bool findDocument();
    bool findEvent(uint64_t lowest, uint64_t from);
    bool findListEnd(uint64_t from);
    bool findEventsKey(uint64_t from, uint64_t& at);
    bool isEventAt(uint64_t lowest, uint64_t at);
    template <typename Fits> bool findByte(char byte, uint64_t lowest, uint64_t& at, Fits&& fits);
    TextSpan view(uint64_t lowest, uint64_t at, size_t ahead);

    const ByteSource& m_source;
    TraceBuilder& m_builder;
    TextWindow m_window;
    EventScanner m_scanner;
    TextIds m_ids{m_scanner.texts()};
    RowTaker m_taker;
    const size_t m_threads;
    std::optional<ScanAhead> m_ahead; ///< in a list that is longer than a window
    JointCounts m_joints;
    uint32_t m_failedInRow = 0;
    std::function<bool()> m_pause;
    uint64_t m_at = 0;
    size_t m_want = 0; ///< of the window, for an event that is longer than a chunk
    bool m_isStopped = false;
    bool m_isKineto = false;
    bool m_sawTraceEvents = false;
    bool m_sawList = false; ///< events or a list without any
    bool m_isTruncated = false; ///< and that was noted
    uint32_t m_unfinishedTrials = 0; ///< events taken for a place to go on at although their end was not in sight
    uint32_t m_rejectedTrials = 0;
    uint32_t m_failedRepairs = 0;
    ArgList m_header;
    std::unordered_map<std::string, size_t> m_headerPlace; ///< by key
    size_t m_headerBytes = 0;
    std::optional<uint64_t> m_notEventsAt; ///< traceEvents is something else than a list
};

} // namespace torchline
