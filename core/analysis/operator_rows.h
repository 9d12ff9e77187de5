#pragma once
// OperatorRows: the rows of an operator table while they are summed up, and what both kinds of totals need for it:
// scope, keys, FLOPs, memory records, owned device work.
// Private to core/analysis. Thread: one owner.

#include "analysis/memory_attribution.h"
#include "analysis/operator_args.h"

#include <optional>
#include <utility>
#include <vector>

namespace torchline {

/// a += b, held at the ends of int64_t.
inline void addTo(int64_t& a, int64_t b)
{
    a = addSaturated(a, b);
}

/// Device work that the slices of one lane own, asked about in lane order.
class OwnedWork {
public:
    OwnedWork(const TraceSnapshot& trace, LaneId lane);
    /// Summed duration; 0 if the slice owns nothing.
    [[nodiscard]] int64_t durationNs(uint32_t laneIndex);

private:
    std::vector<std::pair<uint32_t, int64_t>> m_sums; ///< by index in the lane
    size_t m_next = 0;
};

class OperatorRows {
public:
    OperatorRows(const TraceSnapshot& trace, const OperatorOptions& options, const SliceMask* scope);
    /// Goes on with the sums of others, of a part of this trace; see growing_operators.h.
    OperatorRows(const OperatorRows& before, const TraceSnapshot& trace);

    /// Reads the memory records up to this time.
    void readMemory(int64_t untilNs);
    /// Reads the args that the options need of these parts of the lanes; empty: of all.
    [[nodiscard]] Status readArgs(std::span<const SlicePart> parts, std::stop_token stop);
    /// Of the same files: whether shapes and memory were recorded, which decides what a row says where there are none.
    [[nodiscard]] bool knowsTheSameAs(const OperatorRows& other) const;

    [[nodiscard]] const TraceSnapshot& trace() const { return m_trace; }
    [[nodiscard]] const OperatorOptions& options() const { return m_options; }
    [[nodiscard]] OperatorNames& names() { return m_names; }
    [[nodiscard]] bool isIn(SliceRef slice) const { return m_scope == nullptr || m_scope->contains(slice); }
    /// All slices of a file are in.
    [[nodiscard]] bool isFileIn(uint32_t fileIndex) const;
    [[nodiscard]] MemoryAttribution& memory(uint32_t fileIndex) { return m_memory[fileIndex]; }
    [[nodiscard]] const MemoryAttribution& memory(uint32_t fileIndex) const { return m_memory[fileIndex]; }

    /// Sets the keys of the slices that follow.
    void enterLane(LaneId lane) { m_keys.enterLane(lane); }
    /// Number of the row of a slice, made if it is new, and remembered for the slice.
    uint32_t rowOf(SliceRef slice, NameId shownName, RowKind kind);
    /// Row of the memory records of a file that lie in no operator.
    uint32_t memoryRowOf(uint32_t fileIndex, NameId name);
    [[nodiscard]] OperatorRow& row(uint32_t number) { return m_rows[number]; }

    void addMemory(uint32_t number, uint32_t fileIndex, MemoryBytes total, MemoryBytes self);
    /// FLOPs of a slice, or what its file lets others have: 0 with shapes, else not known.
    void addFlops(uint32_t number, SliceRef slice, RowKind kind);
    void addNoFlops(uint32_t number, uint32_t fileIndex) { addKnownFlops(number, defaultFlops(fileIndex)); }
    /// A slice that was folded into another one has its row.
    void setFolded(SliceRef slice, SliceRef into);

    /// Rows in the order met; empty afterwards.
    [[nodiscard]] OperatorTable finish();

private:
    uint32_t rowNumber(NameId shownName, RowKind kind);
    void setSliceKeys(SliceRef slice, RowKind kind);
    std::optional<int64_t> defaultFlops(uint32_t fileIndex) const;
    void addKnownFlops(uint32_t number, std::optional<int64_t> flops);

    const TraceSnapshot& m_trace;
    OperatorOptions m_options;
    const SliceMask* m_scope;
    OperatorNames m_names;
    RowKeys m_keys;
    std::optional<OperatorArgs> m_args;
    std::vector<MemoryAttribution> m_memory; ///< by file
    std::vector<OperatorRow> m_rows;
    std::vector<int64_t> m_firstNs; ///< start of OperatorRow::first
    std::shared_ptr<SliceRows> m_sliceRows;
};

[[nodiscard]] RowKind hostRowKind(SliceKind kind);

/// One pass over all lanes each, or over those parts of host lanes, by LaneId: a slice of a part lies inside no slice of
/// another. False when cancelled.
[[nodiscard]] bool addTorchTotals(
    OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop);
[[nodiscard]] bool addOnceTotals(OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop);
/// As the options say.
[[nodiscard]] bool addTotals(OperatorRows& rows, std::span<const SlicePart> parts, const std::stop_token& stop);
/// Of torch's totals, when all else is added: memory records in no operator.
void addMemoryRows(OperatorRows& rows);

} // namespace torchline
