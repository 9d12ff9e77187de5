#include "frame_times.h"

#include <algorithm>
#include <ctime>

namespace torchline::bench {

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
            const double beginMs = threadMs();
            draw(frame);
            const double ms = threadMs() - beginMs;
            if (i == 0)
                times.m_best.push_back(ms);
            else
                times.m_best[frame] = std::min(times.m_best[frame], ms);
        }
    }
    std::sort(times.m_best.begin(), times.m_best.end());
    return times;
}

double FrameTimes::at(double share) const
{
    return m_best[std::min(m_best.size() - 1, static_cast<size_t>(share * static_cast<double>(m_best.size())))];
}

} // namespace torchline::bench
