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

std::shared_ptr<const TraceSnapshot> snapshotOf(const std::string& path, size_t threads)
{
    LoadOptions options;
    options.threads = threads;
    auto trace = loadTraces({path}, options);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message().c_str());
        return nullptr;
    }
    return *trace;
}

bool loadAll(const std::string& path, size_t threads)
{
    const auto trace = snapshotOf(path, threads);
    if (!trace)
        return false;
    const auto index = lod::TimelineIndex::build(trace, WorkClasses(*trace));
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
    return loadAll(path, 0);
}

bool loadWithOneThread(const std::string& path)
{
    return loadAll(path, 1);
}

bool loadWithTwoThreads(const std::string& path)
{
    return loadAll(path, 2);
}

bool readArguments(const std::string& path)
{
    constexpr int kPlaces = 40;
    const auto trace = snapshotOf(path, 0);
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
