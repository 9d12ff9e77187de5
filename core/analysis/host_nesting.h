#pragma once
// Who is inside whom among the operators and calls of a lane, by torch.profiler's rule: a slice closes every open one
// that it does not lie in. Python frames take no part. One pass in lane order; memory grows with the depth alone.
// Private to core/analysis. Thread: one owner.

#include "model/trace_snapshot.h"

#include <algorithm>
#include <span>
#include <vector>

namespace torchline {

/// An operator, annotation or call, in the order of its lane.
struct HostSlice {
    SliceRef ref;
    int64_t startNs = 0;
    int64_t endNs = 0;
    NameId name;
    SliceKind kind = SliceKind::Other;
    uint32_t externalId = 0;

    [[nodiscard]] int64_t durationNs() const { return subSaturated(endNs, startNs); }
};

[[nodiscard]] inline HostSlice hostSlice(const TraceSnapshot& trace, SliceRef ref)
{
    const Lane& lane = trace.lane(ref.lane);
    const uint32_t i = ref.index;
    return {ref, lane.startNs(i), lane.endNs(i), lane.name(i), lane.kind(i), lane.externalId(i)};
}

/// Slices of a lane from the first to before the last.
struct SlicePart {
    uint32_t first = 0;
    uint32_t last = kNoSlice;

    [[nodiscard]] bool contains(uint32_t index) const { return index >= first && index < last; }
};

/// Of a list by LaneId; an empty one stands for whole lanes.
[[nodiscard]] inline SlicePart partOf(std::span<const SlicePart> parts, LaneId lane)
{
    return parts.empty() ? SlicePart() : parts[lane.value()];
}

[[nodiscard]] inline bool carriesCalls(const Lane& lane)
{
    return std::ranges::any_of(lane.store().facts, [](const BlockFacts& facts) {
        return facts.has(SliceKind::Runtime) || facts.has(SliceKind::Driver);
    });
}

/// Calls visit(HostSlice) for the operators, annotations and calls of a part of a lane; joining: calls of other lanes
/// that are put among them, by start, then longer first. Ends early when visit returns false.
template <typename Visit>
void forEachHostSlice(
    const TraceSnapshot& trace, LaneId laneId, SlicePart part, std::span<const SliceRef> joining, Visit&& visit)
{
    const Lane& lane = trace.lane(laneId);
    const auto isBefore = [](const HostSlice& a, const HostSlice& b) {
        return a.startNs < b.startNs || (a.startNs == b.startNs && a.endNs > b.endNs);
    };
    size_t joined = 0;
    const uint32_t end = std::min(part.last, lane.size());
    for (uint32_t i = part.first; i < end; ++i) {
        const SliceKind kind = lane.kind(i);
        if (!isOperator(kind) && !isCall(kind))
            continue;
        const HostSlice slice = hostSlice(trace, {laneId, i});
        for (; joined < joining.size(); ++joined) {
            const HostSlice other = hostSlice(trace, joining[joined]);
            if (!isBefore(other, slice))
                break;
            if (!visit(other))
                return;
        }
        if (!visit(slice))
            return;
    }
    for (; joined < joining.size(); ++joined) {
        if (!visit(hostSlice(trace, joining[joined])))
            return;
    }
}

/// The slices open at a place, outermost first. Frame has startNs and endNs.
template <typename Frame> class OpenSlices {
public:
    /// Closes what a slice of this span does not lie in; close(frame, parent frame or null), innermost first.
    template <typename Close> void makeRoomFor(int64_t startNs, int64_t endNs, Close&& close)
    {
        while (!m_frames.empty() && (startNs >= m_frames.back().endNs || endNs > m_frames.back().endNs))
            closeLast(close);
    }
    template <typename Close> void closeAll(Close&& close)
    {
        while (!m_frames.empty())
            closeLast(close);
    }
    void open(Frame frame) { m_frames.push_back(std::move(frame)); }
    [[nodiscard]] Frame* innermost() { return m_frames.empty() ? nullptr : &m_frames.back(); }
    [[nodiscard]] std::span<const Frame> frames() const { return m_frames; }

private:
    template <typename Close> void closeLast(Close& close)
    {
        Frame frame = std::move(m_frames.back());
        m_frames.pop_back();
        close(frame, innermost());
    }

    std::vector<Frame> m_frames;
};

} // namespace torchline
