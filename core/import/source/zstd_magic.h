#pragma once
// What a frame of zstd begins with. Thread: any.

#include <cstddef>
#include <string_view>

namespace torchline {

constexpr size_t kZstdMagicBytes = 4;

/// Whether a frame, or one that is to be skipped (parallel programs begin with one), can begin with these bytes: at
/// least one, and no more than kZstdMagicBytes are looked at.
[[nodiscard]] inline bool beginsZstdFrame(std::string_view bytes)
{
    constexpr std::string_view kFrame = "\x28\xb5\x2f\xfd";
    constexpr std::string_view kSkippable = "\x50\x2a\x4d\x18"; // and 15 more in the first byte
    const std::string_view magic = bytes.substr(0, kZstdMagicBytes);
    if (kFrame.starts_with(magic))
        return true;
    return (magic.front() & '\xf0') == kSkippable.front() && kSkippable.substr(1).starts_with(magic.substr(1));
}

} // namespace torchline
