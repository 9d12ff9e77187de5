#pragma once
// OperatorArgs: what the args of operators say, as ids, for the keys and figures that need them. Args are read once, in
// one pass over each file in file order, and only for operators that are asked about.
// Private to core/analysis. Thread: one owner. Memory: 8 to 28 bytes an operator that was read.

#include "analysis/host_nesting.h"
#include "analysis/operator_names.h"
#include "analysis/row_keys.h"
#include "model/slice_mask.h"

#include <stop_token>
#include <vector>

namespace torchline {

struct WantedArgs {
    bool shape = false;
    bool stack = false; ///< reads all operators, whatever the scope: a backward stack is that of the forward operator
    bool flops = false;
    uint32_t stackDepth = 0;

    [[nodiscard]] bool any() const { return shape || stack || flops; }
};

class OperatorArgs {
public:
    /// texts gives the ids; parts: by LaneId, those that are asked about; empty: whole lanes. Fails when cancelled, and
    /// when shapes or stacks are wanted and cannot be read.
    [[nodiscard]] static Result<OperatorArgs> read(const TraceSnapshot& trace, const WantedArgs& wanted,
        OperatorNames& names, RowKeys& texts, const SliceMask* scope, std::span<const SlicePart> parts,
        std::stop_token stop);

    /// Input Dims as written; `[]` without any; empty if the file has no shapes.
    [[nodiscard]] NameId shape(SliceRef op);
    /// The innermost stackDepth frames, joined by `;`; for what runs in backward those of the forward operator.
    [[nodiscard]] NameId stack(SliceRef op);
    /// kNoValue: not known.
    [[nodiscard]] int64_t flops(SliceRef op);
    /// Whether Input Dims were recorded, so that an operator without a formula has 0 FLOPs.
    [[nodiscard]] bool hasShapes(uint32_t fileIndex) const { return m_hasShapes[fileIndex]; }

private:
    friend class OperatorArgsReader;

    /// Columns by place; index ascends.
    struct LaneColumns {
        std::vector<uint32_t> index; ///< in the lane
        std::vector<NameId> shape; ///< invalid: no Input Dims
        std::vector<NameId> stack;
        std::vector<int64_t> sequence; ///< -1: none
        std::vector<uint32_t> forwardThread; ///< 0: none
        std::vector<int64_t> flops;
        size_t hint = 0;

        /// Place of a lane index, or kNoPlace; O(1) when asked in order.
        size_t placeOf(uint32_t laneIndex);
    };
    static constexpr size_t kNoPlace = static_cast<size_t>(-1);

    OperatorArgs(const TraceSnapshot& trace, RowKeys& texts);

    const TraceSnapshot* m_trace;
    std::vector<LaneColumns> m_lanes; ///< by LaneId
    std::vector<bool> m_hasShapes; ///< by file
    NameId m_emptyText;
    NameId m_noInputs; ///< []
};

} // namespace torchline
