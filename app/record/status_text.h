#pragma once
// What a recording has come to, in a few words: the same on its page and over the live view. Thread: any.

#include "capture/session_status.h"

#include <QString>

namespace torchline {

/// "Recording", "Paused", "Reading the rest".
[[nodiscard]] QString phaseText(const capture::SessionStatus& status);
/// How long it has run, or what was recorded of it in the end: "00:39.214".
[[nodiscard]] QString clockText(const capture::SessionStatus& status);
/// What the button that pauses does now.
[[nodiscard]] QString pauseText(const capture::SessionStatus& status);
[[nodiscard]] bool canPause(const capture::SessionStatus& status); ///< or go on

} // namespace torchline
