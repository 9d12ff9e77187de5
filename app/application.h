#pragma once
// What the window and pictures share: style, palette and font of the application; one-line messages.
// Thread: GUI thread only.

#include "base/result.h"
#include "common/theme_host.h"
#include "model/trace_snapshot.h"

#include <string>
#include <vector>

namespace torchline {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Name, icon and our style; the palette follows the theme.
void dressApplication(ThemeHost* themes);

/// "torchline: what" to standard error; the exit status that the error means.
int report(const Error& error);
/// One line if the traces have notices.
void reportNotices(const TraceSnapshot& trace);

} // namespace torchline
