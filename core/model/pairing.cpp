#include "model/pairing.h"

#include <algorithm>
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

PairedAsync pairAsync(std::vector<AsyncRecord> records, int64_t recordingEndNs)
{
    std::sort(records.begin(), records.end(), [](const AsyncRecord& a, const AsyncRecord& b) {
        return std::tie(a.timeNs, a.eventOffset) < std::tie(b.timeNs, b.eventOffset);
    });
    // From the narrowest to the widest way to belong together; a wider one is tried only if the narrower finds nothing.
    using Key = std::tuple<CategoryId, NameId, NameId, NameId>;
    const auto keysOf = [](const AsyncRecord& r) {
        return std::array{Key{r.category, r.id, r.pid, r.name}, Key{r.category, r.id, NameId(), r.name},
            Key{r.category, r.id, r.pid, NameId()}, Key{r.category, r.id, NameId(), NameId()}};
    };
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    std::map<Key, std::vector<size_t>> open;
    std::vector<size_t> endOf(records.size(), kNone);
    PairedAsync result;
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i].phase == AsyncPhase::Point)
            continue;
        const auto keys = keysOf(records[i]);
        if (records[i].phase == AsyncPhase::Begin) {
            for (const Key& key : keys)
                open[key].push_back(i);
            continue;
        }
        size_t begin = kNone;
        const bool named = isNamed(records[i].name);
        for (size_t k = 0; k < keys.size() && begin == kNone; ++k) {
            if (!named && k < 2)
                continue;
            const auto found = open.find(keys[k]);
            if (found == open.end())
                continue;
            std::vector<size_t>& stack = found->second;
            while (!stack.empty() && endOf[stack.back()] != kNone)
                stack.pop_back();
            if (!stack.empty())
                begin = stack.back();
        }
        if (begin == kNone)
            result.strayEnds.push_back(records[i].eventOffset);
        else
            endOf[begin] = i;
    }
    for (size_t i = 0; i < records.size(); ++i) {
        const AsyncRecord& begin = records[i];
        if (begin.phase != AsyncPhase::Begin)
            continue;
        AsyncSlice slice;
        slice.startNs = begin.timeNs;
        slice.isUnfinished = endOf[i] == kNone;
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
    return result;
}

} // namespace torchline
