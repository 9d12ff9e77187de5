#include "render_wish.h"

#include "base/text.h"
#include "common/lane_title.h"
#include "common/scope_text.h"
#include "export/slice_order.h"
#include "model/steps.h"

#include <algorithm>
#include <array>
#include <iostream>

#include <fnmatch.h>

namespace torchline {

namespace {

Result<SliceRef> sliceOfId(const TraceSnapshot& trace, uint64_t id)
{
    if (id >= trace.sliceCount())
        return Error(ErrorCode::Usage,
            "--select: there is no slice " + std::to_string(id) + " (ids are 0 to "
                + std::to_string(trace.sliceCount() - std::min<uint64_t>(trace.sliceCount(), 1)) + ")");
    SliceOrder order(trace);
    std::optional<SliceRef> slice = order.next();
    for (uint64_t i = 0; i < id && slice; ++i)
        slice = order.next();
    return *slice;
}

} // namespace

bool laneMatches(const TraceSnapshot& trace, LaneId lane, const std::vector<std::string>& globs)
{
    const std::array<std::string, 3> labels{
        trace.laneLabel(lane), std::string(trace.tid(lane)), laneTitle(trace, lane).toStdString()};
    return std::ranges::any_of(globs, [&labels](const std::string& glob) {
        return std::ranges::any_of(
            labels, [&glob](const std::string& label) { return ::fnmatch(glob.c_str(), label.c_str(), 0) == 0; });
    });
}

Result<RenderInput> RenderInput::of(const std::vector<std::string>& files)
{
    const auto session = std::ranges::find_if(files, SessionFile::isPath);
    if (session == files.end())
        return RenderInput{files, {}, std::nullopt};
    const auto fault = [&session](ErrorCode code, const std::string& what) {
        return Error(code, escapeControls(*session) + ": " + what);
    };
    if (files.size() > 1)
        return fault(ErrorCode::Usage, "a session is drawn by itself, not together with others");
    auto read = SessionFile::read(*session);
    if (!read)
        return fault(read.error().code(), read.error().message());
    RenderInput input;
    for (const SessionFile::Trace& trace : read->traces) {
        if (!sizeOfFile(trace.path))
            return fault(ErrorCode::Io, "its trace " + escapeControls(trace.path) + " is missing");
        input.traces.push_back(trace.path);
    }
    input.sessionPath = *session;
    input.session = std::move(*read);
    return input;
}

void RenderInput::reportChanges() const
{
    if (!session)
        return;
    for (const SessionFile::Trace& trace : session->traces) {
        const uint64_t size = sizeOfFile(trace.path).value_or(0);
        if (size != trace.sizeBytes)
            std::cerr << "torchline: " + escapeControls(sessionPath)
                    + ": changed since the session was saved: " + escapeControls(trace.path) + " ("
                    + std::to_string(trace.sizeBytes) + " bytes then, " + std::to_string(size) + " now)\n";
    }
}

Result<RenderWish> RenderWish::read(
    const lod::TimelineIndex& index, const RenderOptions& options, const RenderInput& input)
{
    const TraceSnapshot& trace = index.trace();
    RenderWish wish;
    if (input.session) {
        auto view = viewFromJson(input.session->view, index);
        if (!view)
            return Error(view.error().code(), escapeControls(input.sessionPath) + ": " + view.error().message());
        wish.scope = view->scope;
        wish.session = std::move(*view);
    }
    if (options.range)
        wish.scope.range = options.range;
    if (options.step)
        wish.scope.step = options.step;
    if (options.annotation)
        wish.scope.annotation = options.annotation;
    auto resolved = resolveScope(trace, withFilter(wish.scope, options.filter));
    if (!resolved)
        return resolved.error();
    if (!options.filter.empty())
        wish.marks = std::make_shared<const SliceMask>(std::move(resolved->slices));
    for (const std::string& glob : options.lanes) {
        if (std::ranges::none_of(trace.laneOrder(), [&](LaneId lane) { return laneMatches(trace, lane, {glob}); }))
            return Error(ErrorCode::Usage, "--lanes: no lane matches '" + escapeControls(glob) + "'");
    }
    if (options.range) {
        const TimeRange all = trace.span();
        wish.visible = TimeRange{std::max(options.range->beginNs, all.beginNs),
            std::min(options.range->endNs, std::max(all.endNs, int64_t{1}))};
        if (wish.visible->isEmpty())
            wish.visible = options.range;
    }
    if (options.step) {
        for (const StepMark& mark : profilerSteps(trace)) {
            if (mark.number == options.step)
                wish.visible = mark.range;
        }
    }
    if (options.select) {
        const auto slice = sliceOfId(trace, *options.select);
        if (!slice)
            return slice.error();
        wish.selection = *slice;
    }
    return wish;
}

} // namespace torchline
