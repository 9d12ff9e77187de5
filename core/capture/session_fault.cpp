#include "capture/session_fault.h"

#include "base/text.h"
#include "capture/launch_check.h"

#include <algorithm>

namespace torchline::capture {

std::string emptyRecordingFault(const SessionStatus& status, const std::string& program, const std::string& path)
{
    const std::string ended = status.exitText.empty() ? std::string() : " (it ended: " + status.exitText + ')';
    const auto fault = [&](const std::string& what) { return escapeControls(program) + ": " + what + ended; };
    for (const std::string_view code : {"version", "no-memfd", "segment-refused", "bad-message"}) {
        const auto note = std::ranges::find(status.notes, code, &Note::code);
        if (note != status.notes.end())
            return fault("nothing was recorded: " + escapeControls(note->text));
    }
    const auto isBound = [](const ProcessStatus& process) { return !process.torchPath.empty(); };
    if (std::ranges::any_of(status.processes, isBound)) {
        const auto probe = std::ranges::find(status.notes, std::string_view("symbols-missing"), &Note::code);
        if (probe != status.notes.end())
            return fault("nothing was recorded: " + escapeControls(probe->text));
        return fault("nothing was recorded: LibTorch is in it, but ran no operator while it was recorded");
    }
    const bool isStatic = holdsLibTorch(path)
        || std::ranges::any_of(
            status.processes, [](const ProcessStatus& process) { return holdsLibTorch(process.executable); });
    if (isStatic)
        return fault(
            "LibTorch is linked into it statically, where no agent reaches it; link it with the shared libtorch");
    if (status.processes.empty())
        return fault(
            "the agent did not report: the program ended at once, or clears its environment (LD_PRELOAD), or a "
            "sandbox forbids it");
    return fault("no LibTorch was seen in it: is this the program that uses PyTorch, and did it get that far?");
}

} // namespace torchline::capture
