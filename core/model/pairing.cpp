#include "model/pairing.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

namespace torchline {

namespace {

bool isNamed(NameId name)
{
    constexpr NameId kEmptyText(0);
    return name.isValid() && name != kEmptyText;
}

} // namespace

PairedEvents pairLaneEvents(std::vector<PairEvent> events)
{
    std::sort(events.begin(), events.end(), [](const PairEvent& a, const PairEvent& b) {
        return std::tie(a.timeNs, a.row.eventOffset) < std::tie(b.timeNs, b.row.eventOffset);
    });
    PairedEvents result;
    std::vector<bool> isClosed(events.size(), false);
    std::vector<size_t> open; // all open begins, closed ones are dropped when they come to the top
    std::unordered_map<NameId, std::vector<size_t>> openOfName; // likewise
    const auto top = [&](std::vector<size_t>& stack) -> std::optional<size_t> {
        while (!stack.empty() && isClosed[stack.back()])
            stack.pop_back();
        return stack.empty() ? std::nullopt : std::optional(stack.back());
    };
    for (size_t i = 0; i < events.size(); ++i) {
        if (events[i].isBegin) {
            open.push_back(i);
            openOfName[events[i].row.name].push_back(i);
            continue;
        }
        std::optional<size_t> begin = isNamed(events[i].row.name) ? top(openOfName[events[i].row.name]) : top(open);
        if (!begin && isNamed(events[i].row.name)) {
            if (const std::optional<size_t> last = top(open); last && !isNamed(events[*last].row.name))
                begin = last;
        }
        if (!begin) {
            result.strayEnds.push_back(events[i].row.eventOffset);
            continue;
        }
        isClosed[*begin] = true;
        SliceRow row = events[*begin].row;
        row.durationNs = subSaturated(events[i].timeNs, row.startNs);
        row.flags |= SliceFromPair;
        result.closed.push_back(row);
        result.ends.emplace_back(row.eventOffset, events[i].row.eventOffset);
    }
    for (size_t i = 0; i < events.size(); ++i) {
        if (events[i].isBegin && !isClosed[i]) {
            SliceRow row = events[i].row;
            row.flags |= SliceFromPair | SliceUnfinished;
            result.open.push_back(row);
        }
    }
    return result;
}

namespace {

constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

// Operations of one category and id, in the order of time: fills in which record ends which.
class AsyncGroup {
public:
    AsyncGroup(const std::vector<AsyncRecord>& records, std::vector<size_t>& endOf)
        : m_records(records)
        , m_endOf(endOf)
    {
    }

    void begin(size_t index)
    {
        for (const Key& key : keysOf(m_records[index]))
            m_open[key].push_back(index);
    }

    bool end(size_t index)
    {
        const auto keys = keysOf(m_records[index]);
        for (auto key = isNamed(m_records[index].name) ? keys.begin() : keys.begin() + 2; key != keys.end(); ++key) {
            const auto found = m_open.find(*key);
            if (found == m_open.end())
                continue;
            std::vector<size_t>& open = found->second;
            while (!open.empty() && m_endOf[open.back()] != kNoRecord)
                open.pop_back();
            if (!open.empty()) {
                m_endOf[open.back()] = index;
                return true;
            }
        }
        return false;
    }

private:
    using Key = std::pair<NameId, NameId>; ///< process, name

    // From the narrowest to the widest way to belong together; a wider one is tried only if the narrower finds nothing.
    static std::array<Key, 4> keysOf(const AsyncRecord& r)
    {
        return {Key{r.pid, r.name}, Key{NameId(), r.name}, Key{r.pid, NameId()}, Key{NameId(), NameId()}};
    }

    const std::vector<AsyncRecord>& m_records;
    std::vector<size_t>& m_endOf;
    std::map<Key, std::vector<size_t>> m_open;
};

} // namespace

PairedAsync pairAsync(std::vector<AsyncRecord> records, int64_t recordingEndNs)
{
    std::erase_if(records, [](const AsyncRecord& r) { return r.phase == AsyncPhase::Point; });
    std::sort(records.begin(), records.end(), [](const AsyncRecord& a, const AsyncRecord& b) {
        return std::tie(a.category, a.id, a.timeNs, a.eventOffset)
            < std::tie(b.category, b.id, b.timeNs, b.eventOffset);
    });
    PairedAsync result;
    std::vector<size_t> endOf(records.size(), kNoRecord);
    std::optional<AsyncGroup> group;
    for (size_t i = 0; i < records.size(); ++i) {
        if (i == 0 || records[i].category != records[i - 1].category || records[i].id != records[i - 1].id)
            group.emplace(records, endOf);
        if (records[i].phase == AsyncPhase::Begin)
            group->begin(i);
        else if (!group->end(i))
            result.strayEnds.push_back(records[i].eventOffset);
    }
    for (size_t i = 0; i < records.size(); ++i) {
        const AsyncRecord& begin = records[i];
        if (begin.phase != AsyncPhase::Begin)
            continue;
        AsyncSlice slice;
        slice.startNs = begin.timeNs;
        slice.isUnfinished = endOf[i] == kNoRecord;
        const int64_t endNs = slice.isUnfinished ? std::max(recordingEndNs, begin.timeNs) : records[endOf[i]].timeNs;
        slice.durationNs = subSaturated(endNs, begin.timeNs);
        slice.name = begin.name;
        slice.category = begin.category;
        slice.id = begin.id;
        slice.pid = begin.pid;
        slice.eventOffset = begin.eventOffset;
        slice.endOffset = slice.isUnfinished ? begin.eventOffset : records[endOf[i]].eventOffset;
        result.slices.push_back(slice);
    }
    std::sort(result.slices.begin(), result.slices.end(), [](const AsyncSlice& a, const AsyncSlice& b) {
        return std::tie(a.startNs, a.eventOffset) < std::tie(b.startNs, b.eventOffset);
    });
    std::sort(result.strayEnds.begin(), result.strayEnds.end());
    return result;
}

} // namespace torchline
