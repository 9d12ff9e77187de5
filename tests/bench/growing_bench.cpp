// bench-growing RECORDS THREADS [memory] [open]: what the next picture of a recording costs that has so many records already,
// 10 000 more each time; the same of its last picture, of the table of its operators, and of both made from nothing.
// Prints "KEY MS" lines, medians of the thread's processor time.

#include "frame_times.h"
#include "growing_trace.h"
#include "measure.h"

#include "analysis/growing_operators.h"
#include "load_session.h"
#include "record/live_view_data.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

int main(int argc, char** argv)
{
    using namespace torchline;
    using namespace torchline::bench;
    if (argc < 3) {
        std::fputs("bench-growing RECORDS THREADS [memory] [open]\n", stderr);
        return 2;
    }
    constexpr int kPictures = 15;
    constexpr uint64_t kFresh = 10'000;
    const std::vector<std::string_view> options(argv + 3, argv + argc);
    const auto has = [&](std::string_view option) { return std::ranges::find(options, option) != options.end(); };
    GrowingTrace recording({static_cast<uint32_t>(std::atoi(argv[2])), has("memory"), has("open")});
    recording.growTo(std::strtoull(argv[1], nullptr, 10));
    const auto settled = recording.snapshot();
    std::shared_ptr<const LiveViewData> last = liveViewData(settled, "run", nullptr);
    std::vector<double> snapshotMs;
    std::vector<double> indexMs;
    std::vector<double> pictureMs;
    std::vector<double> tableMs;
    GrowingOperators operators({});
    static_cast<void>(operators.table(settled));
    for (int i = 0; i < kPictures; ++i) {
        recording.growTo(recording.records() + kFresh);
        const double begin = threadMs();
        auto trace = recording.snapshot();
        const double taken = threadMs();
        last = liveViewData(std::move(trace), "run", last.get());
        const double made = threadMs();
        static_cast<void>(operators.table(last->loaded->trace));
        tableMs.push_back(threadMs() - made);
        snapshotMs.push_back(taken - begin);
        indexMs.push_back(made - taken);
        pictureMs.push_back(made - begin);
    }
    const auto costOf = [](const auto& work) {
        const double begin = threadMs();
        work();
        return threadMs() - begin;
    };
    const std::shared_ptr<const TraceSnapshot> trace = last->loaded->trace;
    std::printf("snapshot %f\nview-data %f\npicture %f\ntable %f\nslices %llu\n", spreadOf(snapshotMs).median,
        spreadOf(indexMs).median, spreadOf(pictureMs).median, spreadOf(tableMs).median,
        static_cast<unsigned long long>(trace->sliceCount()));
    std::printf("last %f\n", costOf([&] { static_cast<void>(lastViewData(trace, "run", last.get())); }));
    std::printf("last-from-nothing %f\n", costOf([&] { static_cast<void>(lastViewData(trace, "run", nullptr)); }));
    std::printf("table-from-nothing %f\n", costOf([&] { static_cast<void>(operatorTable(*trace, {})); }));
    return 0;
}
