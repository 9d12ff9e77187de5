#pragma once
// Everything that the command line says about a trace, as text: two traces are the same to a user when these are.
// Thread: any.

#include "model/trace_snapshot.h"

#include <string>

namespace torchline::test {

/// Operators (both totals, by name, shape and thread), kernels, memory, steps, as JSON.
[[nodiscard]] std::string tablesOf(const TraceSnapshot& trace);
/// All but what a file on the disk is called, how large it is, and what was wrong with it.
[[nodiscard]] std::string infoOf(const TraceSnapshot& trace);
/// Every slice, arrow, marker and counter, one a line.
[[nodiscard]] std::string dumpOf(const TraceSnapshot& trace);
/// The first line in which two texts differ; empty if there is none.
[[nodiscard]] std::string difference(const std::string& a, const std::string& b);

} // namespace torchline::test
