#pragma once
// How large a picture may be: what the raster engine and a sensible amount of memory allow.
// Thread: any.

#include <cstdint>
#include <optional>
#include <string>

namespace torchline {

constexpr int kMostPictureSide = 16384; ///< pixels
constexpr int64_t kMostPicturePixels = 150'000'000; ///< 600 MB while it is drawn
constexpr double kLeastScale = 0.5;
constexpr double kMostScale = 8;

/// Why a picture of so many pixels at this scale is refused, as a sentence without a final stop; none if it is fine.
[[nodiscard]] inline std::optional<std::string> pictureSizeFault(int width, int height, double scale)
{
    const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
    if (width < 1 || height < 1)
        return size + " leave nothing to draw on";
    if (width > kMostPictureSide || height > kMostPictureSide)
        return size + " are too many: at most " + std::to_string(kMostPictureSide) + " a side";
    if (int64_t{width} * height > kMostPicturePixels)
        return size + " are too many: at most 150 million in all";
    if (!(scale >= kLeastScale && scale <= kMostScale))
        return "the scale has to lie between 0.5 and 8";
    return std::nullopt;
}

} // namespace torchline
