// Pyramids and search: no drawing.

#include "frame_times.h"
#include "slice_stores.h"
#include "timeline_subjects.h"

#include "import/load.h"
#include "lod/mark_index.h"
#include "query/query.h"

#include <chrono>
#include <cstdio>

namespace torchline::bench {

namespace {

using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void reportBytes(const lod::TimelineIndex& index)
{
    size_t bytes = 0;
    for (uint32_t lane = 0; lane < index.trace().lanes().size(); ++lane) {
        for (uint16_t row = 0; row < index.rowCount(LaneId(lane), lod::Frames::Shown); ++row)
            bytes += index.row(LaneId(lane), lod::Frames::Shown, row).index->memoryUsage();
    }
    const auto slices = static_cast<double>(index.trace().sliceCount());
    std::printf("pyramid-bytes-a-slice %f\nindex-bytes-a-slice %f\n", static_cast<double>(bytes) / slices,
        static_cast<double>(index.memoryUsage()) / slices);
}

} // namespace

bool buildIndex(const std::string& file)
{
    LoadOptions options;
    options.threads = 1;
    const double begin = threadMs();
    const auto trace = loadTraces({file}, options);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message().c_str());
        return false;
    }
    const double loaded = threadMs();
    const WorkClasses classes(**trace, 1);
    const auto index = lod::TimelineIndex::build(*trace, classes, {}, 1);
    const double built = threadMs();
    std::printf("load %f\nbuild %f\nslices %llu\n", loaded - begin, built - loaded,
        static_cast<unsigned long long>((*trace)->sliceCount()));
    reportBytes(*index);
    return true;
}

bool weighPyramids(uint64_t slices)
{
    const SliceStore store = makeSlices(Shape::Flat, slices);
    const WorkClasses classes(*store.trace);
    const double begin = threadMs();
    const auto index = lod::TimelineIndex::build(store.trace, classes, {}, 1);
    std::printf("build %f\n", threadMs() - begin);
    reportBytes(*index);
    return true;
}

bool searchNames(uint64_t slices)
{
    const SliceStore store = makeSlices(Shape::Flat, slices);
    const auto index = lod::TimelineIndex::build(store.trace, WorkClasses(*store.trace));
    // A tenth of the slices, one in two thousand, none: what a person types letter by letter.
    for (const char* text : {"softmax", "rare", "nowhere"}) {
        double first = 1e9;
        double all = 1e9;
        uint64_t count = 0;
        constexpr int kTimes = 5;
        for (int i = 0; i < kTimes; ++i) {
            const auto query = Query::parse(text);
            const Clock::time_point begin = Clock::now();
            double firstMs = 0;
            const auto mask = query->search(*store.trace, [&](const SliceMask& soFar) {
                const auto hits = lod::MarkIndex::build(index, soFar);
                if (firstMs == 0 && hits->count() > 0)
                    firstMs = msSince(begin);
            });
            const auto hits = lod::MarkIndex::build(index, *mask);
            const double allMs = msSince(begin);
            all = std::min(all, allMs);
            first = std::min(first, firstMs == 0 ? allMs : firstMs);
            count = hits->count();
        }
        std::printf("first-%s %f\nall-%s %f\ncount-%s %llu\n", text, first, text, all, text,
            static_cast<unsigned long long>(count));
    }
    return true;
}

} // namespace torchline::bench
