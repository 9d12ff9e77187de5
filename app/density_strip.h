#pragma once
// The shape of a trace in a few columns: the share of each column's time that its devices work (without device work:
// that some thread is inside a slice). Streams and threads that overlap add up, at most to all of the time. Shown
// beside recent files. Thread: any. Cost: O(slices).

#include "model/trace_snapshot.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace torchline {

struct DensityStrip {
    std::string columns; ///< one byte each, 255 = busy all the time
    bool isDevice = false;
};

[[nodiscard]] DensityStrip densityStrip(const TraceSnapshot& trace, size_t columns, std::stop_token stop = {});

} // namespace torchline
