#pragma once
// The command line of `torchline-cli record`, read and checked before anything is started. Thread: main only.

#include "capture/session_options.h"
#include "cli/options.h"

namespace torchline::cli {

struct RecordCommand {
    std::string out;
    capture::SessionOptions session;
};

/// Either a command, or a text to print and the status to end with.
struct RecordCommandLine {
    std::optional<RecordCommand> command;
    std::string text;
    int status = 0;
};

/// arguments: those after the word record.
[[nodiscard]] RecordCommandLine readRecordCommandLine(std::vector<std::string> arguments);

} // namespace torchline::cli
