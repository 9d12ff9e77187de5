#include "model/lane_match.h"

namespace torchline {

namespace {

std::string lastPart(const std::string& path)
{
    return path.substr(path.find_last_of('/') + 1);
}

/// Of those that have no other yet.
template <typename KeyOf>
void matchBy(KeyOf keyOf, std::span<const FileName> from, std::span<const FileName> to,
    std::vector<std::optional<uint32_t>>& found, std::vector<bool>& isTaken)
{
    std::multimap<FileName, uint32_t> free;
    for (uint32_t i = 0; i < to.size(); ++i) {
        if (!isTaken[i])
            free.emplace(keyOf(to[i]), i);
    }
    for (uint32_t i = 0; i < from.size(); ++i) {
        if (found[i])
            continue;
        const FileName key = keyOf(from[i]);
        const auto at = free.lower_bound(key);
        if (at == free.end() || at->first != key)
            continue;
        found[i] = at->second;
        isTaken[at->second] = true;
        free.erase(at);
    }
}

} // namespace

std::vector<FileName> fileNames(const TraceSnapshot& trace)
{
    std::vector<FileName> names;
    for (const auto& file : trace.files())
        names.push_back({file->info.path, file->info.member.value_or(std::string()),
            file->processes.empty() ? std::string() : std::string(trace.text(file->processes.front().pid))});
    return names;
}

std::vector<std::optional<uint32_t>> matchedFiles(std::span<const FileName> from, std::span<const FileName> to)
{
    std::vector<std::optional<uint32_t>> found(from.size());
    std::vector<bool> isTaken(to.size(), false);
    matchBy([](const FileName& name) { return name; }, from, to, found, isTaken);
    matchBy([](const FileName& name) { return FileName{name.path, name.member, {}}; }, from, to, found, isTaken);
    matchBy([](const FileName& name) { return FileName{lastPart(name.path), name.member, {}}; }, from, to, found,
        isTaken);
    return found;
}

LaneNames::LaneNames(const TraceSnapshot& trace)
{
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lanes()[l];
        m_lanes.try_emplace(
            {lane.fileIndex(), trace.pid(LaneId(l)), trace.tid(LaneId(l)), lane.isDevice()}, LaneId(l));
    }
    for (uint32_t g = 0; g < trace.groups().size(); ++g) {
        const ProcessGroup& group = trace.groups()[g];
        m_groups.try_emplace({group.fileIndex, trace.pid(group), group.isDevice}, g);
    }
}

std::optional<LaneId> LaneNames::lane(
    uint32_t fileIndex, std::string_view pid, std::string_view tid, bool isDevice) const
{
    const auto found = m_lanes.find({fileIndex, pid, tid, isDevice});
    return found == m_lanes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t> LaneNames::group(uint32_t fileIndex, std::string_view pid, bool isDevice) const
{
    const auto found = m_groups.find({fileIndex, pid, isDevice});
    return found == m_groups.end() ? std::nullopt : std::optional(found->second);
}

LaneMatch::LaneMatch(const TraceSnapshot& from, const TraceSnapshot& to)
    : m_from(&from)
    , m_to(&to)
    , m_files(matchedFiles(fileNames(from), fileNames(to)))
    , m_lanes(from.lanes().size())
    , m_groups(from.groups().size())
{
    const LaneNames names(to);
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const Lane& lane = from.lanes()[l];
        if (const std::optional<uint32_t> fileNow = file(lane.fileIndex()))
            m_lanes[l] = names.lane(*fileNow, from.pid(LaneId(l)), from.tid(LaneId(l)), lane.isDevice());
    }
    for (uint32_t g = 0; g < m_groups.size(); ++g) {
        const ProcessGroup& group = from.groups()[g];
        if (const std::optional<uint32_t> fileNow = file(group.fileIndex))
            m_groups[g] = names.group(*fileNow, from.pid(group), group.isDevice);
    }
}

} // namespace torchline
