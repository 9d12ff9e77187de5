#pragma once
// Arguments of one slice as the Details pane shows them: inputs, launch, collective, call stack, and all as written.
// Thread: any but the GUI thread: reads the disk.

#include "details/slice_facts.h"
#include "model/event_source.h"

namespace torchline {

struct SliceArgs {
    QString factsTitle; ///< "Inputs", "Launch", "Copy", "Collective"
    std::vector<DetailPair> facts;
    QStringList callStack; ///< innermost first, from the arg "Call stack"
    ArgList all; ///< as EventSource gives them
};

[[nodiscard]] Result<SliceArgs> sliceArgs(const TraceSnapshot& trace, SliceRef slice);
/// The same from arguments that are at hand.
[[nodiscard]] SliceArgs describeArgs(ArgList args, SliceKind kind);

} // namespace torchline
