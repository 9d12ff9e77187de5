#include "query/event_args.h"

#include "base/text.h"

#include <algorithm>
#include <map>

namespace torchline {

namespace {

struct Request {
    uint64_t offset;
    size_t event;
};

/// Later values of a key replace earlier ones.
void mergeArgs(ArgList& args, ArgList&& more)
{
    for (auto& [key, value] : more) {
        const auto known = std::ranges::find(args, key, &ArgList::value_type::first);
        if (known == args.end())
            args.emplace_back(std::move(key), std::move(value));
        else
            known->second = std::move(value);
    }
}

} // namespace

EventParts partsOfSlice(const TraceSnapshot& trace, SliceRef slice)
{
    const Lane& lane = trace.lane(slice.lane);
    const uint64_t begin = lane.eventOffset(slice.index);
    if ((lane.flags(slice.index) & SliceFromPair) == 0)
        return {begin, begin};
    const auto& ends = trace.file(lane.fileIndex()).pairEnds;
    const auto found = std::ranges::lower_bound(ends, begin, {}, &std::pair<uint64_t, uint64_t>::first);
    const bool isClosed = found != ends.end() && found->first == begin;
    return {begin, isClosed ? found->second : begin};
}

Status argsOfEvents(
    const FileStore& file, std::span<const EventParts> events, const std::function<void(size_t, ArgList&&)>& done)
{
    if (!file.source) {
        for (size_t i = 0; i < events.size(); ++i)
            done(i, {});
        return {};
    }
    std::vector<Request> requests;
    requests.reserve(events.size());
    for (size_t i = 0; i < events.size(); ++i) {
        requests.push_back({events[i].begin, i});
        if (events[i].end != events[i].begin)
            requests.push_back({events[i].end, i});
    }
    std::ranges::sort(requests, {}, &Request::offset);
    std::vector<uint64_t> offsets;
    offsets.reserve(requests.size());
    for (const Request& request : requests)
        offsets.push_back(request.offset);

    struct Half {
        ArgList args;
        bool isBegin;
    };
    std::map<size_t, Half> halves; // events of which one part is read; an end can lie before its begin in the file
    const Status status = file.source->argsOfMany(offsets, [&](size_t k, ArgList&& args) {
        const size_t event = requests[k].event;
        if (events[event].end == events[event].begin) {
            done(event, std::move(args));
            return;
        }
        const bool isBegin = offsets[k] == events[event].begin;
        const auto other = halves.find(event);
        if (other == halves.end()) {
            halves.emplace(event, Half{std::move(args), isBegin});
            return;
        }
        ArgList& ofBegin = isBegin ? args : other->second.args;
        ArgList& ofEnd = isBegin ? other->second.args : args;
        mergeArgs(ofBegin, std::move(ofEnd));
        done(event, std::move(ofBegin));
        halves.erase(other);
    });
    if (!status)
        return status.error().within(escapeControls(file.info.path));
    return {};
}

} // namespace torchline
