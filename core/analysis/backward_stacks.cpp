#include "analysis/backward_stacks.h"

#include "analysis/host_nesting.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr uint32_t kNoBackward = std::numeric_limits<uint32_t>::max();

struct OpenOperator {
    int64_t endNs;
    NameId name;
    uint32_t backward; ///< place of the backward function around (or itself), or kNoBackward
};

} // namespace

BackwardStacks::BackwardStacks(const TraceSnapshot& trace, OperatorNames& names, NameId emptyStack)
    : m_trace(trace)
    , m_names(names)
    , m_emptyStack(emptyStack)
    , m_backward(trace.lanes().size())
{
}

void BackwardStacks::addLane(LaneId laneId, const Operators& operators)
{
    const Lane& lane = m_trace.lane(laneId);
    std::vector<Backward>& backward = m_backward[laneId.value()];
    uint32_t run = kNoBackward; ///< backward function that the last run is about
    OpenSlices<OpenOperator> open;
    for (uint32_t place = 0; place < operators.index.size(); ++place) {
        const uint32_t i = operators.index[place];
        const NameId name = lane.name(i);
        if (m_names.isHidden(name))
            continue;
        open.makeRoomFor(lane.startNs(i), lane.endNs(i), [](const OpenOperator&, OpenOperator*) {});
        const OpenOperator* around = open.innermost();
        const bool isFunction = !m_names.isEvaluation(name)
            && (operators.forwardThread[place] != 0 || (around != nullptr && m_names.evaluates(around->name, name)));
        const uint32_t outer = around == nullptr ? kNoBackward : around->backward;
        const uint32_t function = isFunction ? place : outer;
        open.open({lane.endNs(i), name, function});

        if (function == kNoBackward) {
            if (operators.sequence[place] >= 0) {
                const Forward forward{operators.stack[place], lane.startNs(i)};
                m_byLane.try_emplace({laneId.value(), operators.sequence[place]}, forward);
                const auto [first, isNew]
                    = m_byFile.try_emplace({lane.fileIndex(), operators.sequence[place]}, forward);
                if (!isNew && forward.startNs < first->second.startNs)
                    first->second = forward;
            }
        } else if (function == run && backward.back().end == place) {
            ++backward.back().end;
        } else {
            backward.push_back({place, place + 1, operators.sequence[function], operators.forwardThread[function]});
        }
        run = function;
    }
    learnThreads(laneId, operators);
}

/// Arrows that end on operators of this lane tell the lanes of forward threads.
void BackwardStacks::learnThreads(LaneId laneId, const Operators& operators)
{
    if (operators.index.empty())
        return;
    const uint32_t fileIndex = m_trace.lane(laneId).fileIndex();
    const FileStore& file = m_trace.file(fileIndex);
    const StoreRef begin = m_trace.toStore({laneId, 0});
    const auto endsBefore
        = [&](uint32_t arrow, uint32_t storeLane) { return file.links.arrows[arrow].to.lane < storeLane; };
    const auto& byEnd = file.links.arrowsByEnd;
    for (auto at = std::lower_bound(byEnd.begin(), byEnd.end(), begin.lane, endsBefore);
         at != byEnd.end() && file.links.arrows[*at].to.lane == begin.lane; ++at) {
        const StoreArrow& arrow = file.links.arrows[*at];
        const auto op = std::lower_bound(operators.index.begin(), operators.index.end(), arrow.to.index);
        if (op == operators.index.end() || *op != arrow.to.index
            || m_trace.categoryText(fileIndex, arrow.category) != "fwdbwd")
            continue;
        const uint32_t thread = operators.forwardThread[static_cast<size_t>(op - operators.index.begin())];
        if (thread != 0)
            m_threads.try_emplace({fileIndex, thread}, m_trace.laneId(fileIndex, arrow.from.lane));
    }
}

NameId BackwardStacks::stackOf(uint32_t fileIndex, const Backward& backward) const
{
    if (backward.forwardThread == 0 || backward.sequence < 0)
        return m_emptyStack;
    if (const auto thread = m_threads.find({fileIndex, backward.forwardThread}); thread != m_threads.end()) {
        const auto forward = m_byLane.find({thread->second.value(), backward.sequence});
        return forward == m_byLane.end() ? m_emptyStack : forward->second.stack;
    }
    const auto forward = m_byFile.find({fileIndex, backward.sequence});
    return forward == m_byFile.end() ? m_emptyStack : forward->second.stack;
}

void BackwardStacks::apply(LaneId lane, std::span<NameId> stack) const
{
    for (const Backward& backward : m_backward[lane.value()]) {
        const NameId text = stackOf(m_trace.lane(lane).fileIndex(), backward);
        std::fill(stack.begin() + backward.begin, stack.begin() + backward.end, text);
    }
}

} // namespace torchline
