#pragma once
// EventScanner: events of the trace-event format, from text to rows. A pure function of the text it is given: it reads
// no file, keeps nothing between calls but the texts it met, and can start at any event. Several scanners can work on
// several stretches of a file at once; their rows are then taken in file order.
// Thread: one.

#include "import/scan/chunk_rows.h"
#include "import/scan/event_shapes.h"

namespace torchline {

/// A stretch of the file in memory, followed by kTextPadding bytes of `"`.
struct TextSpan {
    const char* begin = nullptr;
    const char* limit = nullptr;
    uint64_t offset = 0; ///< of begin in the text
    bool textEnds = false; ///< nothing follows limit

    [[nodiscard]] uint64_t offsetOf(const char* p) const { return offset + static_cast<uint64_t>(p - begin); }
};

/// What stood before the place where scanning goes on.
struct ListState {
    bool afterValue = false; ///< an event, and no comma since
    bool afterComma = false;
    uint32_t innerLists = 0; ///< brackets that opened a list of events inside of the list
    bool isLoose = false; ///< events one after the other without a list around them: no commas expected

    friend bool operator==(const ListState&, const ListState&) = default;
};

enum class ScanStop : uint8_t {
    NeedMore, ///< `at`: an event whose end is not in the text in hand, or its limit
    ListEnd, ///< `at`: behind `]`
    ObjectEnd, ///< `at`: a `}` where an event or `]` was expected
    HeaderKey, ///< `at`: a string followed by a colon there
    Damaged, ///< `at`: an event that is not as events are
    Unexpected, ///< `at`: something that begins no value
    Bound, ///< `at`: an event that begins at or behind the bound
};

struct ScanOutcome {
    ScanStop stop = ScanStop::NeedMore;
    const char* at = nullptr;
};

/// What an event would be, without taking it.
enum class Trial : uint8_t {
    Event, ///< complete and with a phase
    NoEvent,
    Unfinished, ///< its end is not in the text in hand; as far as it goes it is one
};

class EventScanner {
public:
    /// Takes the events of a list from p on that begin before `bound`, until something other than an event or a comma
    /// comes.
    [[nodiscard]] ScanOutcome scan(const TextSpan& text, const char* p, ListState& state, const char* bound);
    [[nodiscard]] ScanOutcome scan(const TextSpan& text, const char* p, ListState& state)
    {
        return scan(text, p, state, text.limit);
    }
    /// Takes the one event at p although quotes or backslashes in it are not escaped. Returns the place behind it, or
    /// null if it makes no sense in this way either.
    [[nodiscard]] const char* scanRepaired(const TextSpan& text, const char* p);
    [[nodiscard]] static Trial tryEvent(const TextSpan& text, const char* p);

    [[nodiscard]] ChunkRows& rows() { return m_rows; }
    [[nodiscard]] const ChunkRows& rows() const { return m_rows; }
    [[nodiscard]] const TextTable& texts() const { return m_texts; }
    [[nodiscard]] size_t memoryUsage() const
    {
        return m_rows.memoryUsage() + m_shapes.memoryUsage() + m_texts.memoryUsage();
    }

private:
    const char* readStrict(const char* p, Walk& walk, EventFields& fields);
    template <typename Rules> void readCounterArgs(const EventFields& fields, Walk& walk, EventRow& row);
    template <typename Rules> void commit(const EventFields& fields, const Walk& walk, uint64_t offset);
    void addSliceArgs(const EventFields& fields, EventRow& row);
    void addMemoryArgs(const EventFields& fields, EventRow& row);
    void addMetadataArgs(const EventFields& fields, EventRow& row);
    void addTrouble(Trouble trouble, uint64_t offset, LocalText found = 0, uint32_t count = 1);
    static bool beginsInnerList(const TextSpan& text, const char* p, ScanOutcome& outcome);
    const char* skipOther(const TextSpan& text, const char* p, ListState& state, ScanOutcome& outcome);
    LocalText localText(const Token& token);
    LocalText localText(const Token& token, TextTable::Recent& recent);

    ChunkRows m_rows;
    EventShapes m_shapes;
    TextTable m_texts;
    TextTable::Recent m_category;
    TextTable::Recent m_pid;
    TextTable::Recent m_tid;
};

} // namespace torchline
