#pragma once
// What a lane is called. Thread: any.

#include "model/trace_snapshot.h"

#include <QString>

namespace torchline {

enum class LaneTitle : uint8_t { Whole, Short };

[[nodiscard]] bool isDecimal(const QString& id); ///< an integer, as process and thread ids mostly are
/// "thread 4711 main", "stream 7"; short: "main, 4711". Never the same for two lanes of a process.
[[nodiscard]] QString laneTitle(const TraceSnapshot& trace, LaneId lane, LaneTitle form = LaneTitle::Whole);

} // namespace torchline
