#include "model/slice_kind.h"

#include <algorithm>
#include <array>
#include <string>

namespace torchline {

namespace {

struct Spelling {
    std::string_view text;
    SliceKind kind;
};

// Kineto's activity names, and those of its first releases. torch.profiler takes the device families of MTIA and HPU for
// work of the device (deviceTypeFromActivity in its kineto_shim.cpp).
constexpr std::array kSpellings{
    Spelling{"cpu_op", SliceKind::CpuOp},
    Spelling{"operator", SliceKind::CpuOp},
    Spelling{"user_annotation", SliceKind::UserAnnotation},
    Spelling{"python_function", SliceKind::PythonFunction},
    Spelling{"runtime", SliceKind::Runtime},
    Spelling{"driver", SliceKind::Driver},
    Spelling{"kernel", SliceKind::Kernel},
    Spelling{"mtia_ccp_events", SliceKind::Kernel},
    Spelling{"mtia_insight", SliceKind::Kernel},
    Spelling{"hpu_op", SliceKind::Kernel},
    Spelling{"gpu_memcpy", SliceKind::Memcpy},
    Spelling{"memcpy", SliceKind::Memcpy},
    Spelling{"gpu_memset", SliceKind::Memset},
    Spelling{"memset", SliceKind::Memset},
    Spelling{"cuda_event", SliceKind::DeviceSync},
    Spelling{"gpu_user_annotation", SliceKind::DeviceAnnotation},
    Spelling{"overhead", SliceKind::Overhead},
};

} // namespace

SliceKind sliceKindOf(std::string_view category)
{
    constexpr size_t kLongest = 64;
    if (category.size() > kLongest)
        return SliceKind::Other;
    std::array<char, kLongest> buffer;
    std::transform(category.begin(), category.end(), buffer.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::string_view text(buffer.data(), category.size());
    for (const Spelling& spelling : kSpellings) {
        if (text == spelling.text)
            return spelling.kind;
    }
    // cuda_runtime, hip_runtime, xpu_runtime, mtia_runtime, privateuse1_runtime ...
    if (text.ends_with("_runtime"))
        return SliceKind::Runtime;
    if (text.ends_with("_driver"))
        return SliceKind::Driver;
    if (text.ends_with("_sync"))
        return SliceKind::DeviceSync;
    return SliceKind::Other;
}

} // namespace torchline
