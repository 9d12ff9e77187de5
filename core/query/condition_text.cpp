#include "query/condition_text.h"

namespace torchline {

namespace {

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

} // namespace

std::string laneCondition(const TraceSnapshot& trace, LaneId lane)
{
    std::string condition = "pid = " + quoted(trace.pid(lane)) + " and tid = " + quoted(trace.tid(lane));
    if (trace.files().size() > 1)
        condition = "file = " + std::to_string(trace.lane(lane).fileIndex()) + " and " + condition;
    return condition;
}

std::string durationCondition(std::string_view name, int64_t leastNs, int64_t endNs)
{
    return "name = " + quoted(name) + " and dur >= " + std::to_string(leastNs) + "ns and dur < " + std::to_string(endNs)
        + "ns";
}

} // namespace torchline
