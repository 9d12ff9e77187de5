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
    if (edge - time * m_inverse > 0)
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

ViewPositions::ViewPositions(const PixelScale& scale, int64_t firstNs)
    : m_inverse(static_cast<uint64_t>(scale.m_inverse))
    , m_firstNs(firstNs)
{
    const int shift = scale.m_shift - PixelScale::kFractionBits;
    m_before = std::max(64 - shift, 0);
    m_after = std::max(shift - 64, 0);
    m_rest = static_cast<UInt128>(Int128{firstNs} * scale.m_inverse - scale.m_origin) << m_before;
}

PixelGrid::PixelGrid(const PixelScale& scale, int widthPx)
    : m_scale(scale)
    , m_width(std::max(widthPx, 0))
    , m_bucketShift(scale.bucketShift())
{
    m_firstNs.resize(static_cast<size_t>(m_width) + 1);
    for (int x = 0; x <= m_width; ++x)
        m_firstNs[static_cast<size_t>(x)] = scale.firstNsOf(x);
    m_positions = ViewPositions(scale, m_firstNs.front());
    if (m_bucketShift < 0)
        return;
    readBuckets();
    weighBuckets();
}

void PixelGrid::readBuckets()
{
    const int64_t below = (int64_t{1} << m_bucketShift) - 1;
    const auto firstFrom = [&](int64_t timeNs) { return addSaturated(timeNs, below) >> m_bucketShift; };
    m_firstBucket.resize(m_firstNs.size());
    std::ranges::transform(m_firstNs, m_firstBucket.begin(), firstFrom);
    m_bucketOrigin = firstFrom(m_scale.firstNsOf(-1));
    m_bucketWidth = m_scale.bucketWeight(m_bucketShift) * 255 >> 8;
    m_starting.resize(m_firstNs.size());
    for (int x = -1; x < m_width; ++x) {
        const int64_t first = x < 0 ? m_bucketOrigin : m_firstBucket[static_cast<size_t>(x)];
        const int64_t count = m_firstBucket[static_cast<size_t>(x + 1)] - first;
        m_isEven = m_isEven && count > 0;
        if (count == 0)
            continue;
        const bool isTwo = count > 1;
        Starting& starting = m_starting[static_cast<size_t>(x + 1)];
        starting.bits = static_cast<uint32_t>(first - m_bucketOrigin) << 1 | (isTwo ? 1 : 0);
        constexpr int64_t kPixel = int64_t{1} << PixelScale::kFractionBits;
        const int64_t offset = std::max<int64_t>(m_scale.position(startNs(first, m_bucketShift)) - x * kPixel, 0);
        const int64_t spill = offset + (isTwo ? 2 : 1) * int64_t{m_bucketWidth} - kPixel;
        starting.spill = static_cast<uint32_t>(std::clamp<int64_t>(spill, 0, m_bucketWidth));
    }
}

void PixelGrid::weighBuckets()
{
    constexpr uint32_t kWhole = (1u << 30) / 255 + 1; ///< a pixel in 2^-30 pixels, divided by 255
    constexpr uint32_t kHalf = (1u << 29) / 255 + 1;
    for (uint32_t coverage = 1; coverage < 256; ++coverage) {
        const bool isSolid = coverage >= kSolid;
        const uint32_t half = std::max(coverage * kHalf >> 8, 1u);
        m_shares.first[1][coverage] = isSolid ? static_cast<uint32_t>(uint64_t{m_bucketWidth} * coverage / 255) : half;
        m_shares.faint[0][coverage] = isSolid ? 0 : std::max(coverage * kWhole >> 8, 1u);
        m_shares.faint[1][coverage] = isSolid ? 0 : half;
    }
}

} // namespace torchline::lod
