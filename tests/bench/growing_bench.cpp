// bench-growing RECORDS THREADS [memory]: what the next picture of a recording costs that has so many records already,
// 10 000 more each time; prints "KEY MS" lines, medians of the thread's processor time.

#include "frame_times.h"
#include "growing_trace.h"
#include "measure.h"

#include "load_session.h"
#include "record/live_view_data.h"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv)
{
    using namespace torchline;
    using namespace torchline::bench;
    if (argc < 3) {
        std::fputs("bench-growing RECORDS THREADS [memory]\n", stderr);
        return 2;
    }
    constexpr int kPictures = 15;
    constexpr uint64_t kFresh = 10'000;
    GrowingTrace recording({static_cast<uint32_t>(std::atoi(argv[2])), argc > 3});
    recording.growTo(std::strtoull(argv[1], nullptr, 10));
    const auto settled = recording.snapshot();
    std::shared_ptr<const LiveViewData> last = liveViewData(settled, "run", nullptr);
    std::vector<double> snapshotMs;
    std::vector<double> indexMs;
    std::vector<double> pictureMs;
    for (int i = 0; i < kPictures; ++i) {
        recording.growTo(recording.records() + kFresh);
        const double begin = threadMs();
        auto trace = recording.snapshot();
        const double taken = threadMs();
        last = liveViewData(std::move(trace), "run", last.get());
        const double made = threadMs();
        snapshotMs.push_back(taken - begin);
        indexMs.push_back(made - taken);
        pictureMs.push_back(made - begin);
    }
    std::printf("snapshot %f\nview-data %f\npicture %f\nslices %llu\n", spreadOf(snapshotMs).median,
        spreadOf(indexMs).median, spreadOf(pictureMs).median,
        static_cast<unsigned long long>(last->loaded->trace->sliceCount()));
    return 0;
}
