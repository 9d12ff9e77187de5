#pragma once
// FrameTimes: what frames cost, as CPU time of this thread, so that neighbours on the machine count as little as can
// be. The same frames are drawn several times over; a frame counts with its fastest time. Thread: one.

#include <cstddef>
#include <functional>
#include <vector>

namespace torchline::bench {

/// CPU time of the calling thread, ms.
[[nodiscard]] double threadMs();

class FrameTimes {
public:
    /// Draws frame 0 to count - 1, `repeats` times over.
    static FrameTimes of(size_t count, int repeats, const std::function<void(size_t frame)>& draw);

    [[nodiscard]] double median() const { return at(0.5); }
    [[nodiscard]] double p99() const { return at(0.99); }

private:
    [[nodiscard]] double at(double share) const;

    std::vector<double> m_best; ///< ms, rising
};

} // namespace torchline::bench
