#pragma once
// Where the time of each profiler step goes: semantics.md 3 (highest rank first: device, then host while it idles).
// Thread: any but the GUI thread. Cost: O(slices log slices).

#include "model/slice_mask.h"
#include "model/steps.h"

#include <array>
#include <stop_token>
#include <vector>

namespace torchline {

enum class StepCategory : uint8_t { Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CpuExec, Other, Count };

struct StepRow {
    StepMark mark;
    std::string name;
    std::array<int64_t, static_cast<size_t>(StepCategory::Count)> costNs{};
};

/// scope: only marks that are in (null: all).
[[nodiscard]] std::vector<StepRow> stepBreakdown(
    const TraceSnapshot& trace, const SliceMask* scope = nullptr, std::stop_token stop = {});

} // namespace torchline
