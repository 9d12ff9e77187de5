#pragma once
// RowKeys: row numbers of (name, kind, group keys), counted in the order in which they are first met.
// Private to core/analysis. Thread: one owner. Cost of rowOf(): a hash probe for the name and one for each key.

#include "analysis/operators.h"

#include <memory>
#include <string>
#include <vector>

namespace torchline {

/// Numbers pairs of ids in the order in which they are first met.
class PairNumbers {
public:
    [[nodiscard]] uint32_t of(uint32_t a, uint32_t b);
    [[nodiscard]] uint32_t size() const { return m_size; }

private:
    struct Slot {
        uint64_t pair = 0;
        uint32_t number = 0; ///< + 1; 0: free
    };
    void grow();

    std::vector<Slot> m_slots;
    uint32_t m_size = 0;
};

class RowKeys {
public:
    RowKeys(const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy);
    /// Goes on with the numbers and texts that others have, in a longer snapshot.
    RowKeys(const RowKeys& before, const TraceSnapshot& trace);

    /// Sets the keys that all slices of a lane share.
    void enterLane(LaneId lane);
    /// Sets the keys that a file decides, and no thread and process.
    void enterFile(uint32_t fileIndex);
    [[nodiscard]] bool has(GroupKey key) const;
    /// Sets a key of the slice that rowOf() is asked for next; no effect if the table is not grouped by it.
    void set(GroupKey key, NameId text);
    void set(GroupKey key, std::string_view text);
    /// Id of a text for set().
    [[nodiscard]] NameId textId(std::string_view text) { return m_texts->intern(text); }

    [[nodiscard]] uint32_t rowOf(NameId name, uint32_t kind);
    /// Texts of the keys as they are set now.
    [[nodiscard]] std::vector<std::string> texts() const;

private:
    std::string fileText(uint32_t fileIndex) const;

    const TraceSnapshot& m_trace;
    std::vector<GroupKey> m_groupBy;
    std::shared_ptr<StringPool> m_texts;
    std::vector<NameId> m_values; ///< by place in m_groupBy
    PairNumbers m_names;
    std::vector<PairNumbers> m_chain; ///< by place in m_groupBy: (number so far, value)
};

} // namespace torchline
