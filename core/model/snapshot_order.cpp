#include "model/snapshot_order.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>

namespace torchline {

namespace {

constexpr int64_t kLastHost = 4'999'999;
constexpr int64_t kFirstDevice = 5'000'000;
constexpr int64_t kOverhead = 500'000'000;
constexpr int64_t kTraces = 536'870'911; // Kineto's own figures for these two
constexpr int64_t kSpans = 536'870'912;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::optional<int64_t> numberOf(std::string_view text)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

int64_t processPlace(const ProcessInfo& process, std::string_view pid)
{
    if (process.sortIndex)
        return *process.sortIndex;
    if (pid == "Spans")
        return kSpans;
    if (pid == "Traces")
        return kTraces;
    const std::optional<int64_t> number = numberOf(pid);
    if (number && *number < 0)
        return kOverhead;
    if (process.isDevice)
        return kFirstDevice + std::clamp<int64_t>(number.value_or(kFirstDevice), 0, kFirstDevice);
    return std::clamp<int64_t>(number.value_or(kLastHost), 0, kLastHost);
}

/// Thread numbers that recorders cut to 32 bits come out negative.
int64_t threadPlace(std::string_view tid)
{
    const int64_t number = numberOf(tid).value_or(kMaxNs);
    return number < 0 && number >= std::numeric_limits<int32_t>::min() ? number + (int64_t{1} << 32) : number;
}

/// True if the file gives these lanes an order that is not just that of their numbers.
bool hasStatedOrder(const std::vector<const LaneStore*>& lanes, const StringPool& pool)
{
    const auto differs = [&](const LaneStore* lane) { return lane->sortIndex != lanes.front()->sortIndex; };
    const auto isNumber
        = [&](const LaneStore* lane) { return !lane->sortIndex || lane->sortIndex == numberOf(pool.text(lane->tid)); };
    return std::any_of(lanes.begin(), lanes.end(), differs) && !std::all_of(lanes.begin(), lanes.end(), isNumber);
}

void orderLanes(std::vector<LaneId>& lanes, const FileStore& store, uint32_t laneBase, const StringPool& pool)
{
    const auto laneOf = [&](LaneId id) -> const LaneStore& { return store.lanes[id.value() - laneBase]; };
    std::vector<const LaneStore*> stores;
    for (const LaneId id : lanes)
        stores.push_back(&laneOf(id));
    const bool stated = hasStatedOrder(stores, pool);
    const auto mainness = [&](const LaneStore& lane) {
        if (stated || lane.isDevice)
            return 0;
        if (lane.tid == store.processes[lane.process].pid)
            return 0;
        return lane.carriesSteps ? 1 : 2;
    };
    const auto place = [&](const LaneStore& lane) { return lane.sortIndex.value_or(threadPlace(pool.text(lane.tid))); };
    std::stable_sort(lanes.begin(), lanes.end(), [&](LaneId idA, LaneId idB) {
        const LaneStore& a = laneOf(idA);
        const LaneStore& b = laneOf(idB);
        const auto keyA = std::tuple(mainness(a), place(a));
        const auto keyB = std::tuple(mainness(b), place(b));
        if (keyA != keyB)
            return keyA < keyB;
        return isNaturallyBefore(pool.text(a.tid), pool.text(b.tid));
    });
}

std::string rankNote(const FileInfo& info)
{
    if (!info.rank)
        return {};
    std::string note = "rank " + std::to_string(*info.rank);
    const std::string* distributed = findArg(info.header, "distributedInfo");
    constexpr std::string_view kKey = "\"world_size\":";
    const size_t at = distributed ? distributed->find(kKey) : std::string::npos;
    if (at == std::string::npos)
        return note;
    size_t begin = at + kKey.size();
    if (begin < distributed->size() && (*distributed)[begin] == '"')
        ++begin;
    size_t end = begin;
    while (end < distributed->size() && isDigit((*distributed)[end]))
        ++end;
    return end == begin ? note : note + " of " + distributed->substr(begin, end - begin);
}

} // namespace

bool isNaturallyBefore(std::string_view a, std::string_view b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a.size() && k < b.size()) {
        if (!isDigit(a[i]) || !isDigit(b[k])) {
            if (a[i] != b[k])
                return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
            ++i;
            ++k;
            continue;
        }
        const auto digits = [](std::string_view text, size_t& at) {
            while (at < text.size() && text[at] == '0')
                ++at;
            const size_t begin = at;
            while (at < text.size() && isDigit(text[at]))
                ++at;
            return text.substr(begin, at - begin);
        };
        const std::string_view numberA = digits(a, i);
        const std::string_view numberB = digits(b, k);
        if (numberA.size() != numberB.size())
            return numberA.size() < numberB.size();
        if (numberA != numberB)
            return numberA < numberB;
    }
    if (a.size() - i != b.size() - k)
        return a.size() - i < b.size() - k;
    return a < b;
}

std::vector<ProcessGroup> orderedGroups(
    const FileStore& store, uint32_t fileIndex, uint32_t laneBase, const StringPool& pool)
{
    const std::string rank = rankNote(store.info);
    std::vector<ProcessGroup> groups(store.processes.size());
    for (uint32_t p = 0; p < groups.size(); ++p) {
        const ProcessInfo& process = store.processes[p];
        ProcessGroup& group = groups[p];
        group.fileIndex = fileIndex;
        group.process = p;
        group.isDevice = process.isDevice;
        group.label = pool.text(process.name.isValid() ? process.name : process.pid);
        group.note = pool.text(process.labels);
        if (!rank.empty())
            group.note += group.note.empty() ? rank : ", " + rank;
    }
    for (uint32_t l = 0; l < store.lanes.size(); ++l)
        groups[store.lanes[l].process].lanes.push_back(LaneId(laneBase + l));
    for (ProcessGroup& group : groups)
        orderLanes(group.lanes, store, laneBase, pool);
    std::stable_sort(groups.begin(), groups.end(), [&](const ProcessGroup& a, const ProcessGroup& b) {
        const ProcessInfo& processA = store.processes[a.process];
        const ProcessInfo& processB = store.processes[b.process];
        const std::string_view pidA = pool.text(processA.pid);
        const std::string_view pidB = pool.text(processB.pid);
        const auto keyA = std::tuple(processPlace(processA, pidA), a.isDevice);
        const auto keyB = std::tuple(processPlace(processB, pidB), b.isDevice);
        return keyA != keyB ? keyA < keyB : isNaturallyBefore(pidA, pidB);
    });
    return groups;
}

} // namespace torchline
