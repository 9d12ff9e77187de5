#pragma once
// CounterPyramid: a value over time that holds until the next sample, read as lowest and highest value of each pixel.
// No sample is ever left out, so a peak cannot get lost. Nodes of 16 samples, 1.1 bytes a sample beside the samples.
// Thread: const after construction. Cost: query O(pixels log n).

#include "lod/pixel_scale.h"
#include "model/shared_blocks.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace torchline::lod {

class CounterPyramid {
public:
    struct Column {
        int64_t low = 0;
        int64_t high = 0;
        int64_t last = 0; ///< in effect at the right end
        bool isKnown = false; ///< false before the first sample
    };

    using Samples = SharedBlocks<int64_t, 1u << 12>;
    /// Values that change together share their times.
    using Times = std::shared_ptr<const Samples>;

    CounterPyramid() = default;
    /// As many values as times. Times ascend; of equal times the last value stays in effect.
    CounterPyramid(Times timesNs, Samples values);
    /// The same, of a counter that grew: so many samples are those of `before`. Cost: O(samples behind them).
    CounterPyramid(Times timesNs, Samples values, const CounterPyramid& before, size_t same);

    [[nodiscard]] bool isEmpty() const { return m_values.empty(); }
    [[nodiscard]] const Times& timesNs() const { return m_timesNs; }
    [[nodiscard]] const Samples& values() const { return m_values; }
    /// Pixels [x0, x1) of the grid; each with the value that it begins with and all samples in it.
    void columns(const PixelGrid& grid, int x0, int x1, std::vector<Column>& out) const;
    /// The value in effect and the last before a time, or false before the first sample.
    [[nodiscard]] bool valueAt(int64_t timeNs, int64_t& value) const;
    [[nodiscard]] int64_t highest() const;
    /// Of shared times its share.
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct Extremes {
        int64_t low;
        int64_t high;
    };
    static constexpr size_t kFanOut = 16;
    [[nodiscard]] Extremes extremes(size_t begin, size_t end) const;

    using Level = SharedBlocks<Extremes, 1u << 8>;

    Times m_timesNs;
    Samples m_values;
    std::vector<Level> m_levels; ///< of 16, 256, ... samples a node
};

} // namespace torchline::lod
