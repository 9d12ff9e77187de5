#pragma once
// Words for what a slice is, where it lies and what is odd about it. Thread: any.

#include "model/trace_snapshot.h"

#include <QString>
#include <QStringList>

namespace torchline {

[[nodiscard]] QString sliceKindWord(SliceKind kind); ///< "operator", "kernel", ...
/// "thread 4711 main", "GPU 0, stream 7"; with the process where there are several.
[[nodiscard]] QString lanePlace(const TraceSnapshot& trace, LaneId lane);
/// One sentence for each SliceFlag that is set.
[[nodiscard]] QStringList sliceFlaws(uint8_t flags);

} // namespace torchline
