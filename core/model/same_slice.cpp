#include "model/same_slice.h"

#include "model/snapshot_delta.h"

#include <bit>

namespace torchline {

namespace {

bool isSameLane(const TraceSnapshot& from, LaneId a, const TraceSnapshot& in, LaneId b)
{
    const Lane& laneA = from.lane(a);
    const Lane& laneB = in.lane(b);
    return laneA.fileIndex() == laneB.fileIndex() && laneA.isDevice() == laneB.isDevice() && from.pid(a) == in.pid(b)
        && from.tid(a) == in.tid(b);
}

/// The axis of a trace moves when something is found to be earlier than all else; that of its file does not.
int64_t fileStartNs(const TraceSnapshot& trace, SliceRef slice)
{
    const Lane& lane = trace.lane(slice.lane);
    return addSaturated(
        subSaturated(lane.startNs(slice.index), lane.offsetNs()), trace.file(lane.fileIndex()).info.originNs);
}

/// The slice of one trace in the same lane of another.
SliceRef sliceIn(const TraceSnapshot& from, SliceRef slice, const TraceSnapshot& in, LaneId id)
{
    const Lane& lane = in.lane(id);
    const int64_t startNs = addSaturated(
        subSaturated(fileStartNs(from, slice), in.file(lane.fileIndex()).info.originNs), lane.offsetNs());
    const std::string_view name = from.text(from.name(slice));
    for (uint32_t k = lane.lowerBound(startNs); k < lane.size() && lane.startNs(k) == startNs; ++k) {
        if (in.text(lane.name(k)) == name)
            return {id, k};
    }
    return {};
}

std::optional<LaneId> sameLane(const TraceSnapshot& from, const TraceSnapshot& in, LaneId id)
{
    for (uint32_t l = 0; l < from.lanes().size(); ++l) {
        if (isSameLane(from, LaneId(l), in, id))
            return LaneId(l);
    }
    return std::nullopt;
}

} // namespace

int64_t shiftBetween(const TraceSnapshot& before, const TraceSnapshot& after)
{
    if (before.files().empty() || after.files().empty() || before.file(0).info.originNs != after.file(0).info.originNs)
        return 0;
    return subSaturated(after.fileOffsetNs(0), before.fileOffsetNs(0));
}

SliceRef sameSlice(const TraceSnapshot& from, SliceRef slice, const TraceSnapshot& in)
{
    if (&from == &in || !slice.isValid())
        return slice;
    for (uint32_t i = 0; i < in.lanes().size(); ++i) {
        if (!isSameLane(from, slice.lane, in, LaneId(i)))
            continue;
        const SliceRef found = sliceIn(from, slice, in, LaneId(i));
        if (found.isValid())
            return found;
    }
    return {};
}

bool haveSameLanes(const TraceSnapshot& a, const TraceSnapshot& b)
{
    if (a.lanes().size() != b.lanes().size())
        return false;
    for (uint32_t l = 0; l < a.lanes().size(); ++l) {
        if (!isSameLane(a, LaneId(l), b, LaneId(l)) || a.lanes()[l].offsetNs() != b.lanes()[l].offsetNs())
            return false;
    }
    return true;
}

SliceMask sameSlices(const TraceSnapshot& from, const SliceMask& mask, const TraceSnapshot& in)
{
    const SnapshotDelta delta(from, in);
    SliceMask result(in);
    for (uint32_t l = 0; l < in.lanes().size(); ++l) {
        const LaneId lane(l);
        const std::optional<LaneId> known = delta.laneBefore(lane);
        const std::optional<LaneId> before = known ? known : sameLane(from, in, lane);
        if (!before)
            continue;
        const uint32_t same = delta.sameUntil(lane);
        const std::span<const uint64_t> words = mask.words(*before);
        result.insertWords(lane, words.first(same / 64));
        for (size_t w = same / 64; w < words.size(); ++w) {
            for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
                const auto i = static_cast<uint32_t>(w * 64) + static_cast<uint32_t>(std::countr_zero(bits));
                const SliceRef old{*before, i};
                const SliceRef now = i < same ? SliceRef{lane, i} : sliceIn(from, old, in, lane);
                if (now.isValid())
                    result.insert(now);
            }
        }
    }
    return result;
}

} // namespace torchline
