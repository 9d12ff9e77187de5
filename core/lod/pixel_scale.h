#pragma once
// PixelScale: the one mapping between times and device pixels. A time lies in the same pixel at every pan position:
// its place is one 128-bit product of the absolute time, so a shifted picture equals a fresh one.
// PixelGrid: the same for all pixels of a frame, with the bucket indexes that pyramids are read by.
// Thread: values.

#include "base/time.h"

#include <cstdint>
#include <vector>

namespace torchline::lod {

__extension__ typedef __int128 Int128;

class PixelScale {
public:
    /// Positions are in 2^-kFractionBits pixels.
    static constexpr int kFractionBits = 22;

    PixelScale() = default;
    /// visible on widthPx pixels; its begin lies in pixel 0. Both are at least 1.
    PixelScale(TimeRange visible, int widthPx);

    /// Distance of a time from the left edge of pixel 0; held to +-2^60.
    [[nodiscard]] int64_t position(int64_t timeNs) const
    {
        const Int128 distance = (Int128{timeNs} * m_inverse - m_origin) >> (m_shift - kFractionBits);
        constexpr int64_t kFar = int64_t{1} << 60;
        return distance > kFar ? kFar : distance < -kFar ? -kFar : static_cast<int64_t>(distance);
    }
    /// Pixel that holds a time; held to +-2^30 for times out of view.
    [[nodiscard]] int pixelOf(int64_t timeNs) const
    {
        const int64_t pixel = position(timeNs) >> kFractionBits;
        constexpr int64_t kFar = int64_t{1} << 30;
        return static_cast<int>(pixel > kFar ? kFar : pixel < -kFar ? -kFar : pixel);
    }
    /// First time at or after the left edge of a pixel.
    [[nodiscard]] int64_t firstNsOf(int pixel) const;
    /// Width of 1 ns in 2^-kFractionBits pixels, at least 1.
    [[nodiscard]] int64_t unitWidth() const;
    /// Widest power of two of ns that is not wider than a pixel, as exponent; negative: a pixel is finer than 1 ns.
    [[nodiscard]] int bucketShift() const;
    /// Width of a bucket of 2^shift ns in 2^-30 pixels, divided by 255; the bucket is not wider than a pixel.
    [[nodiscard]] uint32_t bucketWeight(int shift) const;
    /// Time as long as this many pixels, rounded.
    [[nodiscard]] int64_t nsOfPixels(double pixels) const;
    [[nodiscard]] double pixelsOfNs(int64_t ns) const;

    [[nodiscard]] bool hasSamePitch(const PixelScale& other) const
    {
        return m_inverse == other.m_inverse && m_shift == other.m_shift;
    }
    /// How far right pixel 0 lies of the other's pixel 0, in pixels; both of the same pitch.
    [[nodiscard]] int64_t pixelsFrom(const PixelScale& other) const;
    friend bool operator==(const PixelScale&, const PixelScale&) = default;

private:
    int64_t m_inverse = int64_t{1} << 61; ///< pixels a ns, times 2^m_shift; in [2^61, 2^62)
    int m_shift = 61;
    Int128 m_origin = 0; ///< left edge of pixel 0, times 2^m_shift
};

class PixelGrid {
public:
    PixelGrid() = default;
    PixelGrid(const PixelScale& scale, int widthPx);

    [[nodiscard]] const PixelScale& scale() const { return m_scale; }
    [[nodiscard]] int width() const { return m_width; }
    /// First time of a pixel, 0 .. width().
    [[nodiscard]] int64_t firstNs(int pixel) const { return m_firstNs[static_cast<size_t>(pixel)]; }
    [[nodiscard]] TimeRange span() const { return {m_firstNs.front(), m_firstNs.back()}; }
    /// As PixelScale::bucketShift().
    [[nodiscard]] int bucketShift() const { return m_bucketShift; }
    /// Index of the first bucket that starts in a pixel or later, 0 .. width(); only if bucketShift() >= 0.
    [[nodiscard]] int64_t firstBucket(int pixel) const { return m_firstBucket[static_cast<size_t>(pixel)]; }
    /// How far that bucket starts from the left edge of the pixel, in 2^-kFractionBits pixels; 0 .. width() - 1.
    [[nodiscard]] uint32_t bucketOffset(int pixel) const { return m_bucketOffset[static_cast<size_t>(pixel)]; }

private:
    PixelScale m_scale;
    int m_width = 0;
    int m_bucketShift = -1;
    std::vector<int64_t> m_firstNs;
    std::vector<int64_t> m_firstBucket;
    std::vector<uint32_t> m_bucketOffset;
};

} // namespace torchline::lod
