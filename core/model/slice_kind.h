#pragma once
// SliceKind: what a slice is, read off its category. One byte a slice; the written category is kept beside it.
// Thread: any.

#include <cstdint>
#include <string_view>

namespace torchline {

enum class SliceKind : uint8_t {
    Other, ///< no category or an unknown one
    CpuOp, ///< cpu_op, Operator
    UserAnnotation,
    PythonFunction,
    Runtime, ///< cuda_runtime and its siblings, old: Runtime
    Driver, ///< cuda_driver and its siblings
    Kernel,
    Memcpy,
    Memset,
    DeviceSync, ///< cuda_sync: waiting, shown on streams; no device work
    DeviceAnnotation, ///< gpu_user_annotation: mirrored on the GPU; no device work
    Overhead, ///< profiler overhead
};
constexpr unsigned kSliceKinds = 12;

/// Any spelling of any Kineto generation; upper and lower case do not matter.
[[nodiscard]] SliceKind sliceKindOf(std::string_view category);

/// Operators own device work and have rows in operator tables.
[[nodiscard]] constexpr bool isOperator(SliceKind kind)
{
    return kind == SliceKind::CpuOp || kind == SliceKind::UserAnnotation;
}
[[nodiscard]] constexpr bool isCall(SliceKind kind)
{
    return kind == SliceKind::Runtime || kind == SliceKind::Driver;
}
[[nodiscard]] constexpr bool isDeviceWork(SliceKind kind)
{
    return kind == SliceKind::Kernel || kind == SliceKind::Memcpy || kind == SliceKind::Memset;
}
/// Slices that live on device lanes.
[[nodiscard]] constexpr bool isOnDevice(SliceKind kind)
{
    return isDeviceWork(kind) || kind == SliceKind::DeviceSync || kind == SliceKind::DeviceAnnotation;
}

enum SliceFlag : uint8_t {
    SliceUnfinished = 1, ///< begin without end, or complete event without duration: ends with the recording
    SliceCrossing
    = 2, ///< partly overlaps an earlier slice of its lane: no parent among those it crosses, row of its own
    SliceClampedDuration = 4, ///< the file has a negative duration
    SliceFromPair = 8, ///< written as B and E
};

} // namespace torchline
