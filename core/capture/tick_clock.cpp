#include "capture/tick_clock.h"

#include "base/int128.h"
#include "base/time.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr int kShift = 56;
constexpr uint64_t kOneToOne = uint64_t{1} << kShift;
constexpr uint64_t kMostSlope = uint64_t{200} << kShift; ///< ns a tick

uint64_t slopeOf(uint64_t ns, uint64_t ticks)
{
    const UInt128 slope = (UInt128{ns} << kShift) / ticks;
    return slope > kMostSlope ? kMostSlope : static_cast<uint64_t>(slope);
}

} // namespace

int64_t TickClock::along(const Piece& piece, uint64_t ticks)
{
    const bool isBefore = ticks < piece.ticks;
    const uint64_t distance = isBefore ? piece.ticks - ticks : ticks - piece.ticks;
    const UInt128 product = UInt128{distance} * piece.slope;
    constexpr UInt128 kMost = UInt128{static_cast<uint64_t>(kMaxNs)} << kShift;
    const auto ns = static_cast<int64_t>(static_cast<uint64_t>(std::min(product, kMost) >> kShift));
    return isBefore ? subSaturated(piece.ns, ns) : addSaturated(piece.ns, ns);
}

void TickClock::addMoments(const ClockPart& clock)
{
    const ClockMoment& first = clock.first;
    const ClockMoment& last = clock.last;
    if (m_pieces.empty())
        m_realOffsetNs = static_cast<int64_t>(first.realNs - first.monotonicNs);
    if (clock.kind == wire::ClockKind::Monotonic) {
        if (m_pieces.empty())
            m_pieces.push_back({0, 0, kOneToOne});
        return;
    }
    if (last.ticks <= first.ticks || last.monotonicNs <= first.monotonicNs)
        return;
    const Piece line{first.ticks, static_cast<int64_t>(first.monotonicNs),
        slopeOf(last.monotonicNs - first.monotonicNs, last.ticks - first.ticks)};
    if (line.slope == 0)
        return;
    if (m_pieces.empty()) {
        m_pieces.push_back(line);
        return;
    }
    const uint64_t bend = std::max({last.ticks, m_latest, m_pieces.back().ticks});
    const auto second = static_cast<uint64_t>((UInt128{1'000'000'000} << kShift) / line.slope);
    Piece piece{bend, along(m_pieces.back(), bend), line.slope};
    const int64_t aim = subSaturated(along(line, bend + second), piece.ns);
    // A clock that is far off is followed no faster than by half of the time that passes.
    const uint64_t least = line.slope / 2;
    const uint64_t most = line.slope + line.slope / 2;
    piece.slope
        = aim <= 0 || second == 0 ? least : std::clamp(slopeOf(static_cast<uint64_t>(aim), second), least, most);
    if (bend == m_pieces.back().ticks)
        m_pieces.back().slope = piece.slope;
    else
        m_pieces.push_back(piece);
}

int64_t TickClock::nsOf(uint64_t ticks)
{
    m_latest = std::max(m_latest, ticks);
    const auto piece
        = std::find_if(m_pieces.rbegin(), m_pieces.rend() - 1, [ticks](const Piece& p) { return p.ticks <= ticks; });
    return along(*piece, ticks);
}

} // namespace torchline
