#include "analysis/host_nesting.h"
#include "analysis/operator_rows.h"

#include <algorithm>

namespace torchline {

namespace {

struct Frame {
    SliceRef ref;
    int64_t startNs = 0;
    int64_t endNs = 0;
    RowKind kind = RowKind::Op;
    uint32_t row = SliceRows::kNoRow; ///< none: a call, or not in
    bool isOutermost = false; ///< no slice of the row around it
    int64_t ownWorkNs = 0;
    int64_t workNs = 0; ///< its own and that of all inside
    int64_t childNs = 0;
    MemoryBytes memory;
    MemoryBytes childMemory;

    [[nodiscard]] int64_t durationNs() const { return subSaturated(endNs, startNs); }
};

class OnceLanes {
public:
    OnceLanes(OperatorRows& rows, const std::stop_token& stop)
        : m_rows(rows)
        , m_stop(stop)
    {
    }

    bool addHostLane(LaneId lane, SlicePart part)
    {
        m_rows.enterLane(lane);
        m_file = m_rows.trace().lane(lane).fileIndex();
        OwnedWork owned(m_rows.trace(), lane);
        const auto close = [this](const Frame& frame, Frame* parent) { this->close(frame, parent); };
        uint32_t visited = 0;
        bool isCancelled = false;
        forEachHostSlice(m_rows.trace(), lane, part, {}, [&](const HostSlice& slice) {
            isCancelled = (++visited & 0xFFFFu) == 0 && m_stop.stop_requested();
            m_open.makeRoomFor(slice.startNs, slice.endNs, close);
            Frame frame;
            frame.ref = slice.ref;
            frame.startNs = slice.startNs;
            frame.endNs = slice.endNs;
            frame.kind = hostRowKind(slice.kind);
            frame.memory = m_rows.memory(m_file).during(slice.startNs, slice.endNs);
            frame.ownWorkNs = owned.durationNs(slice.ref.index);
            frame.workNs = frame.ownWorkNs;
            if (isOperator(slice.kind) && m_rows.isIn(slice.ref)) {
                frame.row = m_rows.rowOf(slice.ref, slice.name, frame.kind);
                if (frame.row >= m_openInRow.size())
                    m_openInRow.resize(size_t{frame.row} + 1, 0);
                frame.isOutermost = m_openInRow[frame.row]++ == 0;
            }
            m_open.open(frame);
            return !isCancelled;
        });
        m_open.closeAll(close);
        return !isCancelled;
    }

private:
    void close(const Frame& frame, Frame* parent)
    {
        if (parent != nullptr) {
            addTo(parent->childNs, frame.durationNs());
            addTo(parent->workNs, frame.workNs);
            addTo(parent->childMemory.cpu, frame.memory.cpu);
            addTo(parent->childMemory.cuda, frame.memory.cuda);
        }
        if (frame.row == SliceRows::kNoRow)
            return;
        --m_openInRow[frame.row];
        OperatorRow& row = m_rows.row(frame.row);
        ++row.calls;
        addTo(row.selfCpuNs, std::max<int64_t>(0, subSaturated(frame.durationNs(), frame.childNs)));
        addTo(row.selfCudaNs, frame.ownWorkNs);
        const MemoryBytes self{subSaturated(frame.memory.cpu, frame.childMemory.cpu),
            subSaturated(frame.memory.cuda, frame.childMemory.cuda)};
        m_rows.addMemory(frame.row, m_file, frame.isOutermost ? frame.memory : MemoryBytes(), self);
        if (!frame.isOutermost)
            return;
        addTo(row.cpuTotalNs, frame.durationNs());
        addTo(row.cudaTotalNs, frame.workNs);
        m_rows.addFlops(frame.row, frame.ref, frame.kind);
    }

    OperatorRows& m_rows;
    const std::stop_token& m_stop;
    uint32_t m_file = 0;
    OpenSlices<Frame> m_open;
    std::vector<uint32_t> m_openInRow; ///< slices of each row that are open
};

} // namespace

bool addOnceTotals(OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop)
{
    OnceLanes lanes(rows, stop);
    for (uint32_t l = 0; l < rows.trace().lanes().size(); ++l) {
        if (stop.stop_requested())
            return false;
        const LaneId lane(l);
        if (!rows.trace().lane(lane).isDevice() && !lanes.addHostLane(lane, partOf(parts, lane)))
            return false;
    }
    return true;
}

} // namespace torchline
