#include "subject.h"

#include "import/load.h"
#include "lod/timeline_index.h"
#include "lod/work_class.h"
#include "measure.h"

#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

namespace torchline::bench {

namespace {

std::shared_ptr<const TraceSnapshot> snapshotOf(const std::string& path, const LoadOptions& options)
{
    auto trace = loadTraces({path}, options);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message().c_str());
        return nullptr;
    }
    return *trace;
}

LoadOptions withThreads(size_t threads)
{
    LoadOptions options;
    options.threads = threads;
    return options;
}

bool loadAll(const std::string& path, const LoadOptions& options)
{
    const auto trace = snapshotOf(path, options);
    if (!trace)
        return false;
    const auto index = lod::TimelineIndex::build(trace, WorkClasses(*trace, options.threads), {}, options.threads);
    uint64_t notices = 0;
    for (const Notice& notice : trace->file(0).notices)
        notices += notice.severity == NoticeSeverity::Info ? 0 : 1;
    std::printf("slices %llu\nnotices %llu\nmemory %zu\n", static_cast<unsigned long long>(trace->sliceCount()),
        static_cast<unsigned long long>(notices),
        trace->memoryUsage() + trace->strings().memoryUsage() + index->memoryUsage());
    return notices == 0;
}

} // namespace

bool load(const std::string& path)
{
    return loadAll(path, {});
}

bool loadWithOneThread(const std::string& path)
{
    return loadAll(path, withThreads(1));
}

bool loadWithTwoThreads(const std::string& path)
{
    return loadAll(path, withThreads(2));
}

bool loadInParts(const std::string& path)
{
    int parts = 0;
    LoadOptions options;
    options.partial = [&parts](const std::shared_ptr<const TraceSnapshot>& part) {
        parts += lod::TimelineIndex::build(part, WorkClasses(*part)) ? 1 : 0;
    };
    const bool isLoaded = loadAll(path, options);
    std::printf("parts %d\n", parts);
    return isLoaded;
}

bool readArguments(const std::string& path)
{
    constexpr int kPlaces = 40;
    const auto trace = snapshotOf(path, {});
    if (!trace)
        return false;
    std::mt19937_64 random(1);
    std::vector<double> times;
    for (int i = 0; i < kPlaces; ++i) {
        uint64_t slice = random() % trace->sliceCount();
        LaneId lane(0);
        while (slice >= trace->lane(lane).size()) {
            slice -= trace->lane(lane).size();
            lane = LaneId(lane.value() + 1);
        }
        const auto begin = std::chrono::steady_clock::now();
        const auto args = trace->args({lane, static_cast<uint32_t>(slice)});
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        if (!args || args->empty())
            return false;
    }
    const Spread spread = spreadOf(std::move(times));
    std::printf("median %f\nworst %f\n", spread.median, spread.highest);
    return true;
}

} // namespace torchline::bench
