#pragma once
// QueryMatcher: one Query on one TraceSnapshot, event by event. Texts are compared once for each different name.
// Thread: one at a time (it fills caches); Query and snapshot outlive it.

#include "query/query.h"
#include "query/query_node.h"

#include <array>
#include <map>
#include <vector>

namespace torchline {

/// An event that is no slice: marker, async slice, counter. What it does not have matches no condition.
struct QueryRecord {
    uint32_t fileIndex = 0;
    NameId name;
    std::string_view category;
    NameId pid;
    NameId tid;
    std::string device;
    std::optional<int64_t> startNs; ///< common axis
    std::optional<int64_t> durationNs;
    std::optional<int64_t> bytes;
    bool isUnfinished = false;
};

enum class QueryAnswer : uint8_t { No, Yes, NeedsArgs };

class QueryMatcher {
public:
    QueryMatcher(const Query& query, const TraceSnapshot& trace);

    /// NeedsArgs: args is null and the answer depends on them.
    [[nodiscard]] QueryAnswer matches(SliceRef slice, const ArgList* args = nullptr);
    /// Nothing but names decides: then matchesName() is the answer for each slice of that name, found once.
    [[nodiscard]] bool asksForNamesAlone() const;
    [[nodiscard]] QueryAnswer matchesName(NameId name)
    {
        if (name.value() < m_nameAnswers.size() && m_nameAnswers[name.value()] >= 0)
            return m_nameAnswers[name.value()] != 0 ? QueryAnswer::Yes : QueryAnswer::No;
        return askForName(name);
    }
    [[nodiscard]] QueryAnswer matches(const QueryRecord& record, const ArgList* args = nullptr);

private:
    struct Event; // a slice or a record
    struct TestCache {
        std::vector<int8_t> byName; ///< by NameId: -1 unknown, else the answer
        std::vector<std::vector<int8_t>> byCategory; ///< by file and CategoryId
        std::vector<std::vector<TimeRange>> stepRanges; ///< by file, ascending, disjoint
        LaneId lane; ///< whose answer laneAnswer is
        bool laneAnswer = false;
    };

    [[nodiscard]] QueryAnswer askForName(NameId name);
    void collectTests(const QueryNode& node);
    [[nodiscard]] std::vector<std::vector<TimeRange>> stepRangesOf(const QueryTest& test) const;
    [[nodiscard]] QueryAnswer answer(const QueryNode& node, const Event& event);
    [[nodiscard]] QueryAnswer answerTest(const QueryNode& node, const Event& event);
    [[nodiscard]] bool matchesNameTest(const QueryNode& node, NameId name);
    [[nodiscard]] bool matchesCategory(const QueryNode& node, const Event& event);
    [[nodiscard]] bool matchesLane(const QueryNode& node, const Event& event);
    [[nodiscard]] bool matchesPlace(const QueryTest& test, const Event& event) const;
    [[nodiscard]] std::optional<int64_t> numberOf(QueryField field, const Event& event);
    [[nodiscard]] QueryAnswer matchesLinkId(const QueryTest& test, const Event& event) const;
    [[nodiscard]] int64_t selfTime(const Event& event);

    const TraceSnapshot& m_trace;
    const QueryNode* m_root;
    std::vector<int8_t> m_nameAnswers; ///< by NameId: -1 unknown, else the answer
    std::vector<TestCache> m_caches; ///< by QueryNode::testIndex
    LaneId m_selfLane;
    std::vector<int64_t> m_selfNs; ///< of m_selfLane
};

} // namespace torchline
