#pragma once
// `torchline render`: draws a view of a trace into a file. Needs no display; the same input and options give the same
// picture. Thread: main only.

#include "command_line.h"

namespace torchline {

/// Makes its own QApplication on the offscreen platform. Exit status: 0 drawn, 1 the input or the run failed, 2 wrong
/// usage that only the trace shows (no such step, slice or lane).
[[nodiscard]] int runRender(const RenderOptions& options);

} // namespace torchline
