#include "model/same_slice.h"

#include "model/snapshot_delta.h"

#include <bit>

namespace torchline {

namespace {

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

} // namespace

int64_t shiftBetween(const LaneMatch& match)
{
    for (uint32_t f = 0; f < match.from().files().size(); ++f) {
        const std::optional<uint32_t> now = match.file(f);
        if (now && match.from().file(f).info.originNs == match.to().file(*now).info.originNs)
            return subSaturated(match.to().fileOffsetNs(*now), match.from().fileOffsetNs(f));
    }
    return 0;
}

SliceRef sameSlice(const LaneMatch& match, SliceRef slice)
{
    const std::optional<LaneId> lane = slice.isValid() ? match.lane(slice.lane) : std::nullopt;
    return lane ? sliceIn(match.from(), slice, match.to(), *lane) : SliceRef();
}

SliceRef sameSlice(const TraceSnapshot& from, SliceRef slice, const TraceSnapshot& in)
{
    return &from == &in || !slice.isValid() ? slice : sameSlice(LaneMatch(from, in), slice);
}

bool haveSameLanes(const TraceSnapshot& a, const TraceSnapshot& b)
{
    if (a.lanes().size() != b.lanes().size())
        return false;
    const std::vector<std::optional<uint32_t>> files = matchedFiles(fileNames(a), fileNames(b));
    for (uint32_t l = 0; l < a.lanes().size(); ++l) {
        const LaneId id(l);
        const Lane& laneA = a.lane(id);
        const Lane& laneB = b.lane(id);
        if (files[laneA.fileIndex()] != laneB.fileIndex() || laneA.isDevice() != laneB.isDevice()
            || a.pid(id) != b.pid(id) || a.tid(id) != b.tid(id) || laneA.offsetNs() != laneB.offsetNs())
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
        const std::optional<LaneId> before = delta.match().lane(lane);
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
