#pragma once
// The command line of torchline-cli, read and checked before any file is touched. Thread: main only.

#include "analysis/operators.h"
#include "export/table.h"
#include "query/scope.h"

#include <optional>
#include <string>
#include <vector>

namespace torchline::cli {

enum class Command : uint8_t { Info, Ops, Kernels, Memory, Steps, Dump };

struct Options {
    Command command = Command::Info;
    std::vector<std::string> files; ///< as given; "-" is standard input
    std::optional<std::string> out; ///< none: standard output
    Scope scope;
    TableFormat format = TableFormat::Text;
    bool isLines = false; ///< dump as jsonl
    bool withPoints = false;
    std::optional<std::string> sort;
    uint64_t limit = 0; ///< 0: all rows
    OperatorOptions operators;
    std::vector<GroupKey> kernelGroups;
};

/// Either options, or a text to print and the status to end with: 0 for help, 2 for wrong usage.
struct CommandLine {
    std::optional<Options> options;
    std::string text;
    int status = 0;
};
[[nodiscard]] CommandLine readCommandLine(int argc, const char* const* argv);

} // namespace torchline::cli
