#pragma once
// BackwardStacks: what runs inside a backward function shows the stack of the forward operator: the first one with the
// same sequence number on the forward thread; none: an empty stack.
// The file numbers forward threads in torch's own way; the arrows from forward to backward tell which lane one is. For
// a thread that no arrow tells of, the first operator of the file with the sequence number stands in. Private to
// core/analysis. Thread: one owner. Cost: O(operators); add all lanes before the first is applied.

#include "analysis/operator_names.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace torchline {

class BackwardStacks {
public:
    BackwardStacks(const TraceSnapshot& trace, OperatorNames& names, NameId emptyStack);

    /// The operators of a lane in their order.
    struct Operators {
        std::span<const uint32_t> index; ///< in the lane
        std::span<const int64_t> sequence; ///< -1: none
        std::span<const uint32_t> forwardThread; ///< 0: none
        std::span<const NameId> stack;
    };
    void addLane(LaneId lane, const Operators& operators);
    /// Gives the operators of a lane, as added, their final stacks.
    void apply(LaneId lane, std::span<NameId> stack) const;

private:
    struct Key {
        uint32_t place; ///< a lane or a file
        int64_t sequence;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const noexcept
        {
            return std::hash<uint64_t>()(static_cast<uint64_t>(key.sequence) * 0x9e3779b97f4a7c15u ^ key.place);
        }
    };
    struct Forward {
        NameId stack;
        int64_t startNs;
    };
    struct Backward {
        uint32_t begin; ///< place of the first operator among those of the lane
        uint32_t end;
        int64_t sequence;
        uint32_t forwardThread;
    };

    void learnThreads(LaneId lane, const Operators& operators);
    [[nodiscard]] NameId stackOf(uint32_t fileIndex, const Backward& backward) const;

    const TraceSnapshot& m_trace;
    OperatorNames& m_names;
    NameId m_emptyStack;
    std::unordered_map<Key, Forward, KeyHash> m_byLane;
    std::unordered_map<Key, Forward, KeyHash> m_byFile;
    std::unordered_map<Key, LaneId, KeyHash> m_threads; ///< (file, forward thread)
    std::vector<std::vector<Backward>> m_backward; ///< by LaneId; runs of operators below one backward function
};

} // namespace torchline
