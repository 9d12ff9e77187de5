#pragma once
// RowTaker: rows of scanners into a TraceBuilder: texts become ids of the session, known arguments become records, and
// whatever is odd becomes a notice. Rows of one file come in file order, whichever scanner found them.
// Thread: one.

#include "import/scan/event_scanner.h"
#include "model/trace_builder.h"

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace torchline {

struct CategoryOf {
    CategoryId id;
    SliceKind kind = SliceKind::Other;
};

/// What the texts of one scanner have become. A text gets its id when a row that has it is taken, so ids follow the
/// file, and texts of rows that nobody took have none.
struct TextIds {
    explicit TextIds(const TextTable& table)
        : texts(table)
    {
    }
    [[nodiscard]] size_t memoryUsage() const;

    const TextTable& texts; ///< grows with the rows that are taken
    std::vector<NameId> names; ///< by LocalText; invalid: not looked up yet
    std::vector<NameId> ids;
    std::vector<CategoryOf> categories;
    std::unordered_map<uint64_t, uint32_t> lanes; ///< pid << 32 | tid as LocalText
    struct RecentLane {
        uint64_t key = ~uint64_t{0};
        uint32_t lane = 0;
    };
    std::array<RecentLane, 64> recentLanes; ///< events of a few lanes take turns
};

class RowTaker {
public:
    explicit RowTaker(TraceBuilder& builder);

    /// `ids`: of the scanner that found the rows.
    void take(const ChunkRows& rows, TextIds& ids);

    [[nodiscard]] uint64_t eventCount() const { return m_eventCount; } ///< rows taken
    [[nodiscard]] uint64_t labelCount() const { return m_labelCount; } ///< of these only names, labels, sort indexes
    [[nodiscard]] uint64_t otherCount() const { return m_otherCount; } ///< entries that made no row
    [[nodiscard]] bool hasKnownKinds() const { return m_hasKnownKinds; } ///< a category of Kineto occurred

private:
    void takeEvent(const ChunkRows& rows, const EventRow& row);
    void takeSlice(const ChunkRows& rows, const EventRow& row);
    void takeMarker(const ChunkRows& rows, const EventRow& row);
    void takeCounter(const ChunkRows& rows, const EventRow& row);
    void takeMetadata(const ChunkRows& rows, const EventRow& row);
    void takeFlow(const EventRow& row);
    void takeAsync(const EventRow& row);
    void takeTrouble(const TroubleRow& row);
    bool hasTime(const EventRow& row); ///< else notes it
    void noteTimes(const EventRow& row);
    void noteFlaws(uint8_t flaws, uint64_t offset, std::string_view text);

    NameId nameOf(LocalText text, uint64_t offset);
    NameId idOf(LocalText text, uint64_t offset); ///< numbers in their canonical form; the empty text for none
    NameId idOrNone(LocalText text, uint64_t offset); ///< invalid where there is none or it is empty
    NameId idOf(const EventRow& row); ///< of its `id`; invalid where there is none
    CategoryOf categoryOf(LocalText text, uint64_t offset);
    uint32_t linkOf(const LinkArg& link, uint64_t offset);
    uint32_t laneOf(const EventRow& row);
    [[nodiscard]] std::string found(LocalText text) const;

    TraceBuilder& m_builder;
    TextIds* m_ids = nullptr; ///< while rows are taken
    NameId m_emptyName;
    NameId m_memoryName;
    uint64_t m_eventCount = 0;
    uint64_t m_labelCount = 0;
    uint64_t m_otherCount = 0;
    bool m_hasKnownKinds = false;
    std::unordered_set<std::string> m_flawedTexts; ///< as the file has them
};

} // namespace torchline
