#pragma once
// Results of the analysis as Tables, with the columns of command-line.md in their order.
// Thread: any. Cost: O(rows).

#include "analysis/kernels.h"
#include "analysis/memory.h"
#include "analysis/name_totals.h"
#include "analysis/operators.h"
#include "analysis/step_breakdown.h"
#include "export/table.h"
#include "query/scope.h"

namespace torchline {

/// The samples of the markers that are in; scope null: all. Reads arguments from the disk if the filter asks for some.
[[nodiscard]] Result<std::vector<MemorySeries>> memoryInScope(const TraceSnapshot& trace, const ResolvedScope* scope);

/// Which files a table is of, and what of them where they are still being read.
void nameFiles(Table& table, const TraceSnapshot& trace);

[[nodiscard]] Table makeTable(const TraceSnapshot& trace, const OperatorTable& operators);
[[nodiscard]] Table makeTable(const TraceSnapshot& trace, const KernelTable& kernels);
[[nodiscard]] Table makeTable(const TraceSnapshot& trace, const std::vector<MemorySeries>& memory);
[[nodiscard]] Table makeTable(const TraceSnapshot& trace, const std::vector<StepRow>& steps);
[[nodiscard]] Table makeTable(const TraceSnapshot& trace, const NameTotals& names);

/// Tables without rows, for checking options before anything is read: the columns are those of makeTable.
[[nodiscard]] Table operatorTableFrame(const OperatorOptions& options);
[[nodiscard]] Table kernelTableFrame(const std::vector<GroupKey>& groupBy);
/// With several files a last column `file` says which one a row is of.
[[nodiscard]] Table memoryTableFrame(bool severalFiles);
[[nodiscard]] Table stepTableFrame(bool severalFiles);

/// The sort each command has when none is asked for: ops self_cpu_us, kernels total_us, others as listed (none).
[[nodiscard]] std::optional<SortOrder> defaultSort(const Table& table);

} // namespace torchline
