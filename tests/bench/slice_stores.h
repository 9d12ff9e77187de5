#pragma once
// Synthetic traces for the timeline: as many slices as wanted, evenly over lanes, the same each time.
// Thread: one. Cost: O(slices).

#include "lod/timeline_index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace torchline::bench {

enum class Shape : uint8_t {
    Flat, ///< 200 lanes of one row
    Outlier, ///< the same, but 99.98 % of the slices lie in 0.5 % of the time
    Nested, ///< 20 lanes of ten rows: the same 200 rows
};
[[nodiscard]] std::optional<Shape> shapeNamed(std::string_view name);

constexpr int kRows = 200;

struct SliceStore {
    std::shared_ptr<const TraceSnapshot> trace;
    TimeRange dense; ///< where (nearly) all slices lie
    TimeRange whole;
};

/// Slices of 1 to 3 us, a fifth of the time idle, 2000 names of all kinds of work. One name in 2000 has "rare" in it.
[[nodiscard]] SliceStore makeSlices(Shape shape, uint64_t slices);

} // namespace torchline::bench
