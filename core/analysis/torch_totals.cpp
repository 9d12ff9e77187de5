#include "analysis/call_places.h"
#include "analysis/host_nesting.h"
#include "analysis/operator_rows.h"

namespace torchline {

namespace {

/// A slice that is open, or closed and held back because its parent may take it over.
struct Frame {
    SliceRef ref;
    int64_t startNs = 0;
    int64_t endNs = 0;
    NameId shownName;
    RowKind kind = RowKind::Op;
    int64_t ownWorkNs = 0;
    int64_t childNs = 0;
    int64_t childWorkNs = 0;
    MemoryBytes memory;
    MemoryBytes childMemory;
    uint32_t children = 0;
    bool holdsChild = false; ///< its only child so far has its name and waits in TorchLanes::m_held

    [[nodiscard]] int64_t durationNs() const { return subSaturated(endNs, startNs); }
    [[nodiscard]] int64_t workNs() const { return addSaturated(ownWorkNs, childWorkNs); }
};

class TorchLanes {
public:
    TorchLanes(OperatorRows& rows, const CallPlaces& calls, const std::stop_token& stop)
        : m_rows(rows)
        , m_trace(rows.trace())
        , m_calls(calls)
        , m_stop(stop)
    {
    }

    bool addHostLane(LaneId lane, SlicePart part)
    {
        m_rows.enterLane(lane);
        OwnedWork owned(m_trace, lane);
        const auto close = [this](Frame& frame, Frame* parent) { this->close(frame, parent); };
        uint32_t visited = 0;
        bool isCancelled = false;
        forEachHostSlice(m_trace, lane, part, m_calls.joining[lane.value()], [&](const HostSlice& slice) {
            isCancelled = (++visited & 0xFFFFu) == 0 && m_stop.stop_requested();
            if (m_rows.names().isHidden(slice.name))
                return !isCancelled;
            const bool isOwnLane = slice.ref.lane == lane;
            Frame frame;
            frame.ref = slice.ref;
            frame.startNs = slice.startNs;
            frame.endNs = slice.endNs;
            frame.shownName = m_rows.names().shown(slice.name);
            frame.kind = hostRowKind(slice.kind);
            const uint32_t file = m_trace.lane(lane).fileIndex();
            if (isCall(slice.kind) && isOwnLane && !m_calls.here.contains(slice.ref)) {
                if (!m_calls.elsewhere.contains(slice.ref)) {
                    frame.memory = m_rows.memory(file).during(slice.startNs, slice.endNs);
                    addRow(frame);
                }
                return !isCancelled;
            }
            m_open.makeRoomFor(slice.startNs, slice.endNs, close);
            frame.memory = m_rows.memory(file).during(slice.startNs, slice.endNs);
            if (isOwnLane)
                frame.ownWorkNs = owned.durationNs(slice.ref.index);
            m_open.open(frame);
            return !isCancelled;
        });
        m_open.closeAll(close);
        return !isCancelled;
    }

    void addDeviceLane(LaneId laneId)
    {
        m_rows.enterLane(laneId);
        const Lane& lane = m_trace.lane(laneId);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const SliceRef ref{laneId, i};
            const SliceKind kind = lane.kind(i);
            if ((!isDeviceWork(kind) && kind != SliceKind::DeviceAnnotation) || !m_rows.isIn(ref)
                || m_rows.names().isHidden(lane.name(i)))
                continue;
            const RowKind rowKind = isDeviceWork(kind) ? RowKind::Device : RowKind::DeviceAnnotation;
            const uint32_t number = m_rows.rowOf(ref, m_rows.names().shown(lane.name(i)), rowKind);
            OperatorRow& row = m_rows.row(number);
            ++row.calls;
            addTo(row.selfCudaNs, lane.durationNs(i));
            addTo(row.cudaTotalNs, lane.durationNs(i));
            m_rows.addMemory(number, lane.fileIndex(), {}, {});
            m_rows.addFlops(number, ref, rowKind);
        }
    }

    /// Rows of folded slices are those of the slices that took them over: outer ones first.
    void finish()
    {
        for (auto fold = m_folds.rbegin(); fold != m_folds.rend(); ++fold)
            m_rows.setFolded(fold->first, fold->second);
    }

private:
    void close(Frame& frame, Frame* parent)
    {
        if (frame.holdsChild) {
            // The only child has the same name: torch deletes it and gives its children and kernels to the parent,
            // whose own kernels are lost.
            const Frame child = takeHeld();
            frame.ownWorkNs = child.ownWorkNs;
            frame.childNs = child.childNs;
            frame.childWorkNs = child.childWorkNs;
            frame.childMemory = child.childMemory;
            m_folds.emplace_back(child.ref, frame.ref);
        }
        if (parent != nullptr) {
            addTo(parent->childNs, frame.durationNs());
            addTo(parent->childWorkNs, frame.workNs());
            addTo(parent->childMemory.cpu, frame.memory.cpu);
            addTo(parent->childMemory.cuda, frame.memory.cuda);
            if (++parent->children == 1 && parent->shownName == frame.shownName) {
                parent->holdsChild = true;
                m_held.push_back(frame);
                return;
            }
            if (parent->holdsChild) {
                parent->holdsChild = false;
                addRow(takeHeld());
            }
        }
        addRow(frame);
    }

    /// The one held last: slices held by an outer frame lie below those held by inner ones.
    Frame takeHeld()
    {
        const Frame held = m_held.back();
        m_held.pop_back();
        return held;
    }

    void addRow(const Frame& frame)
    {
        if (!m_rows.isIn(frame.ref))
            return;
        const uint32_t number = m_rows.rowOf(frame.ref, frame.shownName, frame.kind);
        OperatorRow& row = m_rows.row(number);
        ++row.calls;
        addTo(row.cpuTotalNs, frame.durationNs());
        addTo(row.selfCpuNs, subSaturated(frame.durationNs(), frame.childNs));
        addTo(row.cudaTotalNs, frame.workNs());
        addTo(row.selfCudaNs, frame.ownWorkNs);
        const MemoryBytes self{subSaturated(frame.memory.cpu, frame.childMemory.cpu),
            subSaturated(frame.memory.cuda, frame.childMemory.cuda)};
        m_rows.addMemory(number, m_trace.lane(frame.ref.lane).fileIndex(), frame.memory, self);
        m_rows.addFlops(number, frame.ref, frame.kind);
    }

    OperatorRows& m_rows;
    const TraceSnapshot& m_trace;
    const CallPlaces& m_calls;
    const std::stop_token& m_stop;
    OpenSlices<Frame> m_open;
    std::vector<Frame> m_held;
    std::vector<std::pair<SliceRef, SliceRef>> m_folds; ///< (folded, into), inner ones first
};

} // namespace

bool addTorchTotals(OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop)
{
    const CallPlaces calls(rows.trace(), stop);
    TorchLanes lanes(rows, calls, stop);
    for (uint32_t l = 0; l < rows.trace().lanes().size(); ++l) {
        if (stop.stop_requested())
            return false;
        if (rows.trace().lanes()[l].isDevice())
            lanes.addDeviceLane(LaneId(l));
        else if (!lanes.addHostLane(LaneId(l), partOf(parts, LaneId(l))))
            return false;
    }
    lanes.finish();
    return true;
}

} // namespace torchline
