#pragma once
// PixelScale: the one mapping between times and device pixels. A time lies in the same pixel at every pan position:
// its place is one 128-bit product of the absolute time, so a shifted picture equals a fresh one.
// PixelGrid: the same for all pixels of a frame, with the bucket indexes that pyramids are read by.
// Thread: values.

#include "base/time.h"

#include <array>
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
    friend class ViewPositions;

    int64_t m_inverse = int64_t{1} << 61; ///< pixels a ns, times 2^m_shift; in [2^61, 2^62)
    int m_shift = 61;
    Int128 m_origin = 0; ///< left edge of pixel 0, times 2^m_shift
};

/// PixelScale::position() of times that lie in the pixels of a grid, for inner loops.
class ViewPositions {
public:
    ViewPositions() = default;
    ViewPositions(const PixelScale& scale, int64_t firstNs);

    [[nodiscard]] int64_t of(int64_t timeNs) const
    {
        const UInt128 since = static_cast<uint64_t>(timeNs - m_firstNs) << m_before;
        return static_cast<int64_t>(static_cast<uint64_t>((since * m_inverse + m_rest) >> 64) >> m_after);
    }

private:
    __extension__ typedef unsigned __int128 UInt128;

    // The product is shifted so that its upper half is the position; a shift of 128 bits by a variable costs more.
    UInt128 m_rest = 0; ///< from the left edge of pixel 0 to its first ns, shifted likewise
    uint64_t m_inverse = 0;
    int64_t m_firstNs = 0;
    int m_before = 0;
    int m_after = 0;
};

class PixelGrid {
public:
    /// Coverage from which on a bucket lies in the pixels that it covers, not in the one in which it starts.
    static constexpr uint32_t kSolid = 128;

    /// Buckets of 2^bucketShift() ns that start in a pixel: one or two.
    struct Starting {
        uint32_t bits = 0;
        uint32_t spill = 0; ///< how far the last one reaches into the next pixel, in 2^-kFractionBits pixels

        /// From bucketOrigin() on.
        [[nodiscard]] uint32_t first() const { return bits >> 1; }
        [[nodiscard]] uint32_t last() const { return (bits >> 1) + (bits & 1); }
        [[nodiscard]] uint32_t isTwo() const { return bits & 1; } ///< 0 or 1
    };
    /// What a bucket adds to the pixel in which it starts, by isTwo() and its coverage, in 2^-kFractionBits pixels.
    struct Shares {
        std::array<std::array<uint32_t, 256>, 2> first{}; ///< of the first of two; nothing if there is one
        std::array<std::array<uint32_t, 256>, 2> faint{}; ///< of the last one, nothing if it is solid
    };

    PixelGrid() = default;
    PixelGrid(const PixelScale& scale, int widthPx);

    [[nodiscard]] const PixelScale& scale() const { return m_scale; }
    [[nodiscard]] int width() const { return m_width; }
    /// First time of a pixel, 0 .. width().
    [[nodiscard]] int64_t firstNs(int pixel) const { return m_firstNs[static_cast<size_t>(pixel)]; }
    [[nodiscard]] TimeRange span() const { return {m_firstNs.front(), m_firstNs.back()}; }
    [[nodiscard]] const ViewPositions& viewPositions() const { return m_positions; }

    /// As PixelScale::bucketShift(); all below only if it is not negative.
    [[nodiscard]] int bucketShift() const { return m_bucketShift; }
    [[nodiscard]] static int64_t startNs(int64_t bucket, int shift)
    {
        return static_cast<int64_t>(static_cast<uint64_t>(bucket) << shift);
    }
    /// Index of the first bucket that starts in a pixel or later, 0 .. width().
    [[nodiscard]] int64_t firstBucket(int pixel) const { return m_firstBucket[static_cast<size_t>(pixel)]; }
    /// In 2^-kFractionBits pixels, rounded down.
    [[nodiscard]] uint32_t bucketWidth() const { return m_bucketWidth; }
    /// By pixel, -1 .. width() - 1.
    [[nodiscard]] const Starting* starting() const { return m_starting.data() + 1; }
    [[nodiscard]] int64_t bucketOrigin() const { return m_bucketOrigin; }
    [[nodiscard]] const Shares& shares() const { return m_shares; }
    /// Whether some bucket starts in each pixel: not so where times end.
    [[nodiscard]] bool isEven() const { return m_isEven; }

private:
    void readBuckets();
    void weighBuckets();

    PixelScale m_scale;
    int m_width = 0;
    std::vector<int64_t> m_firstNs;
    ViewPositions m_positions;
    int m_bucketShift = -1;
    uint32_t m_bucketWidth = 0;
    int64_t m_bucketOrigin = 0;
    bool m_isEven = true;
    std::vector<int64_t> m_firstBucket;
    std::vector<Starting> m_starting;
    Shares m_shares;
};

} // namespace torchline::lod
