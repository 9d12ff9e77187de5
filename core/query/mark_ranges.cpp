#include "query/mark_ranges.h"

#include "base/text.h"
#include "model/annotations.h"
#include "model/steps.h"

#include <algorithm>

namespace torchline {

namespace {

/// Ranges come in order of start.
void append(std::vector<TimeRange>& ranges, const TimeRange& range)
{
    if (!ranges.empty() && range.beginNs <= ranges.back().endNs)
        ranges.back().endNs = std::max(ranges.back().endNs, range.endNs);
    else
        ranges.push_back(range);
}

} // namespace

Error notInInput(std::string_view what, std::string_view known)
{
    std::string message = "there is no " + std::string(what) + " in the input";
    if (!known.empty())
        message += " (there are " + std::string(known) + ')';
    return Error(ErrorCode::Usage, std::move(message));
}

Result<FileRanges> stepRanges(const TraceSnapshot& trace, int64_t step)
{
    FileRanges byFile(trace.files().size());
    bool isKnown = false;
    std::optional<int64_t> least;
    std::optional<int64_t> most;
    for (const StepMark& mark : profilerSteps(trace)) {
        if (!mark.number)
            continue;
        least = std::min(*mark.number, least.value_or(*mark.number));
        most = std::max(*mark.number, most.value_or(*mark.number));
        if (*mark.number != step)
            continue;
        isKnown = true;
        append(byFile[trace.lane(mark.slice.lane).fileIndex()], mark.range);
    }
    if (!isKnown) {
        return notInInput("step " + std::to_string(step),
            least ? std::to_string(*least) + " to " + std::to_string(*most) : "none: no ProfilerStep marks");
    }
    return byFile;
}

Result<FileRanges> annotationRanges(const TraceSnapshot& trace, std::string_view name)
{
    FileRanges byFile(trace.files().size());
    const std::vector<SliceRef> annotations = annotationsNamed(trace, name);
    for (const SliceRef slice : annotations)
        append(byFile[trace.lane(slice.lane).fileIndex()], {trace.startNs(slice), trace.endNs(slice)});
    if (annotations.empty())
        return notInInput("annotation '" + escapeControls(name) + "'", {});
    return byFile;
}

std::vector<TimeRange> commonRanges(const std::vector<TimeRange>& ranges, const std::vector<TimeRange>& others)
{
    std::vector<TimeRange> common;
    auto other = others.begin();
    for (const TimeRange& range : ranges) {
        while (other != others.end() && other->endNs <= range.beginNs)
            ++other;
        for (auto at = other; at != others.end() && at->beginNs < range.endNs; ++at) {
            const TimeRange part{std::max(range.beginNs, at->beginNs), std::min(range.endNs, at->endNs)};
            if (!part.isEmpty())
                common.push_back(part);
        }
    }
    return common;
}

} // namespace torchline
