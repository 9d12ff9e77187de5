#include "frame_times.h"

#include <algorithm>
#include <ctime>

namespace torchline::bench {

namespace {

double shareOf(const std::vector<double>& rising, double share)
{
    return rising[std::min(rising.size() - 1, static_cast<size_t>(share * static_cast<double>(rising.size())))];
}

} // namespace

double threadMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

FrameTimes FrameTimes::of(size_t count, int repeats, const std::function<void(size_t)>& draw)
{
    FrameTimes times;
    for (int i = 0; i < repeats; ++i) {
        for (size_t frame = 0; frame < count; ++frame) {
            const double begin = threadMs();
            draw(frame);
            const double ms = threadMs() - begin;
            if (i == 0)
                times.m_best.push_back(ms);
            else
                times.m_best[frame] = std::min(times.m_best[frame], ms);
        }
        if (i == 0)
            times.m_first = times.m_best;
    }
    std::sort(times.m_best.begin(), times.m_best.end());
    std::sort(times.m_first.begin(), times.m_first.end());
    return times;
}

double FrameTimes::at(double share) const
{
    return shareOf(m_best, share);
}

double FrameTimes::firstP99() const
{
    return shareOf(m_first, 0.99);
}

} // namespace torchline::bench
