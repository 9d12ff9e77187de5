#pragma once
// TickClock: ticks of a recorded process to ns of CLOCK_MONOTONIC. A line through two moments; each later moment bends
// it from there on, so that it meets the newest measurement a second later: it never jumps, never runs backwards, and
// what was converted once stays as it is, or operators would no longer lie inside each other.
// Thread: one. Cost: a multiplication a time.

#include "capture/frames.h"

#include <cstdint>
#include <vector>

namespace torchline {

class TickClock {
public:
    void addMoments(const ClockPart& clock);
    [[nodiscard]] bool isKnown() const { return !m_pieces.empty(); }
    [[nodiscard]] int64_t realOffsetNs() const { return m_realOffsetNs; } ///< Unix time minus CLOCK_MONOTONIC
    /// Not before isKnown().
    [[nodiscard]] int64_t nsOf(uint64_t ticks);

private:
    /// From `ticks` on: ns + (t - ticks) * slope / 2^kShift.
    struct Piece {
        uint64_t ticks;
        int64_t ns;
        uint64_t slope;
    };

    [[nodiscard]] static int64_t along(const Piece& piece, uint64_t ticks);

    std::vector<Piece> m_pieces;
    uint64_t m_latest = 0; ///< ticks of the latest time that was asked for
    int64_t m_realOffsetNs = 0;
};

} // namespace torchline
