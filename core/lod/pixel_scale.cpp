#include "lod/pixel_scale.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace torchline::lod {

namespace {

__extension__ typedef unsigned __int128 UInt128;

constexpr int kInverseBits = 62;

} // namespace

PixelScale::PixelScale(TimeRange visible, int widthPx)
{
    const auto span = static_cast<uint64_t>(std::max<int64_t>(visible.spanNs(), 1));
    const auto width = static_cast<uint64_t>(std::max(widthPx, 1));
    // inverse = width * 2^shift / span, as long as it has kInverseBits bits at most.
    m_shift = kInverseBits + static_cast<int>(std::bit_width(span)) - static_cast<int>(std::bit_width(width));
    if (((UInt128{width} << m_shift) / span) >> kInverseBits != 0)
        --m_shift;
    // Rounded up, so that times on the edge of a pixel lie in it and not before it.
    UInt128 inverse = ((UInt128{width} << m_shift) + span - 1) / span;
    if (inverse >> kInverseBits != 0) {
        inverse >>= 1;
        --m_shift;
    }
    m_inverse = static_cast<int64_t>(inverse);
    m_origin = (Int128{visible.beginNs} * m_inverse >> m_shift) << m_shift;
}

int64_t PixelScale::firstNsOf(int pixel) const
{
    const Int128 edge = m_origin + (Int128{pixel} << m_shift);
    Int128 time = edge / m_inverse;
    if (edge % m_inverse > 0)
        ++time;
    return time > kMaxNs ? kMaxNs : time < kMinNs ? kMinNs : static_cast<int64_t>(time);
}

int64_t PixelScale::unitWidth() const
{
    return std::max<int64_t>(1, static_cast<int64_t>(Int128{m_inverse} >> (m_shift - kFractionBits)));
}

int PixelScale::bucketShift() const
{
    const int exponent = m_shift - kInverseBits;
    return m_inverse == int64_t{1} << (kInverseBits - 1) ? exponent + 1 : exponent;
}

uint32_t PixelScale::bucketWeight(int shift) const
{
    constexpr int kBits = 30;
    return static_cast<uint32_t>((Int128{m_inverse} << shift >> (m_shift - kBits)) / 255);
}

int64_t PixelScale::nsOfPixels(double pixels) const
{
    const double ns = std::ldexp(pixels / static_cast<double>(m_inverse), m_shift);
    constexpr double kMost = 9e18;
    return static_cast<int64_t>(std::llround(std::clamp(ns, -kMost, kMost)));
}

double PixelScale::pixelsOfNs(int64_t ns) const
{
    return std::ldexp(static_cast<double>(ns) * static_cast<double>(m_inverse), -m_shift);
}

int64_t PixelScale::pixelsFrom(const PixelScale& other) const
{
    const Int128 pixels = (m_origin - other.m_origin) >> m_shift;
    return pixels > kMaxNs ? kMaxNs : pixels < kMinNs ? kMinNs : static_cast<int64_t>(pixels);
}

PixelGrid::PixelGrid(const PixelScale& scale, int widthPx)
    : m_scale(scale)
    , m_width(std::max(widthPx, 0))
    , m_bucketShift(scale.bucketShift())
{
    const auto edges = static_cast<size_t>(m_width) + 1;
    m_firstNs.resize(edges);
    for (size_t x = 0; x < edges; ++x)
        m_firstNs[x] = scale.firstNsOf(static_cast<int>(x));
    if (m_bucketShift < 0)
        return;
    m_firstBucket.resize(edges);
    const int64_t below = (int64_t{1} << m_bucketShift) - 1;
    for (size_t x = 0; x < edges; ++x)
        m_firstBucket[x] = addSaturated(m_firstNs[x], below) >> m_bucketShift;
    m_bucketOffset.resize(static_cast<size_t>(m_width));
    for (size_t x = 0; x < m_bucketOffset.size(); ++x) {
        const auto startNs = static_cast<int64_t>(static_cast<uint64_t>(m_firstBucket[x]) << m_bucketShift);
        const int64_t edge = static_cast<int64_t>(x) << PixelScale::kFractionBits;
        m_bucketOffset[x] = static_cast<uint32_t>(std::max<int64_t>(scale.position(startNs) - edge, 0));
    }
}

} // namespace torchline::lod
