#pragma once
// Operator totals: torch.profiler's key_averages() figures (semantics.md 2), or each instant counted once
// (definitions in the README of the folder). Pure functions of a snapshot. Thread: any but the GUI thread.
// Cost: O(slices); group keys that live in args (shape, stack, overload) read those of all operators once more.

#include "base/result.h"
#include "model/slice_mask.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace torchline {

enum class OperatorTotals : uint8_t { Torch, Once };
enum class GroupKey : uint8_t { Shape, Stack, Thread, Process, File, Rank, Overload, Node, Device, Stream, Op };
enum class RowKind : uint8_t { Op, Annotation, Runtime, Device, DeviceAnnotation };

[[nodiscard]] std::string_view rowKindText(RowKind kind); ///< op, annotation, runtime, device, device_annotation
[[nodiscard]] std::string_view groupKeyText(GroupKey key); ///< shape, stack, ...

struct OperatorOptions {
    OperatorTotals totals = OperatorTotals::Torch;
    std::vector<GroupKey> groupBy; ///< besides the name, in the order of the columns
    uint32_t stackDepth = 5;
};

struct OperatorRow {
    std::string name;
    std::vector<std::string> keys; ///< one for each OperatorOptions::groupBy
    RowKind kind = RowKind::Op;
    SliceRef first; ///< the first slice met, for swatch and jump
    int64_t calls = 0;
    int64_t selfCpuNs = 0;
    int64_t cpuTotalNs = 0;
    int64_t selfCudaNs = 0;
    int64_t cudaTotalNs = 0;
    std::optional<int64_t> cpuMemBytes;
    std::optional<int64_t> selfCpuMemBytes;
    std::optional<int64_t> cudaMemBytes;
    std::optional<int64_t> selfCudaMemBytes;
    std::optional<int64_t> flops;
};

struct OperatorTable {
    OperatorOptions options;
    std::vector<OperatorRow> rows; ///< in the order met
    int64_t selfCpuTotalNs = 0; ///< denominator of the CPU percentages
    int64_t selfCudaTotalNs = 0; ///< denominator of the CUDA percentages: device rows that are no annotations
    uint64_t generation = 0;
};

/// scope: the slices that are in (null: all). What is in counts whole, with its children and the device work it owns.
[[nodiscard]] Result<OperatorTable> operatorTable(const TraceSnapshot& trace, const OperatorOptions& options,
    const SliceMask* scope = nullptr, std::stop_token stop = {});

/// The slices that were summed into a row.
[[nodiscard]] Result<SliceMask> slicesOfOperatorRow(const TraceSnapshot& trace, const OperatorTable& table, size_t row,
    const SliceMask* scope = nullptr, std::stop_token stop = {});
/// The row that a slice was summed into; none for slices outside the table. May read the slice's args from disk.
[[nodiscard]] std::optional<size_t> operatorRowOfSlice(
    const TraceSnapshot& trace, const OperatorTable& table, SliceRef slice);

} // namespace torchline
