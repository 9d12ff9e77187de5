#pragma once
// Figures as people read them: thin-space thousands, units after a no-break space. Exact text is core's matter.
// Thread: any. No locale changes a figure.

#include "base/time.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace torchline {

/// Unit and decimals that a column of times takes from its largest value: us 1, ms 3, s 3 decimals; ns whole.
struct TimeUnit {
    int64_t nsPerUnit = 1000;
    int decimals = 1;
    QString suffix; ///< "µs"
};
[[nodiscard]] TimeUnit timeUnitFor(int64_t largestNs);
[[nodiscard]] QString formatTime(
    int64_t ns, const TimeUnit& unit); ///< "1 234.5 µs"; zero is "0", less than the last digit "<0.1 µs"
/// A single duration, three to four digits in its own unit: "64.2 µs", "1.27 s".
[[nodiscard]] QString formatDuration(int64_t ns);
/// A single duration to the nanosecond in its own unit: "64.214 µs", "1.034 118 ms".
[[nodiscard]] QString formatExact(int64_t ns);
[[nodiscard]] QString formatCount(int64_t n); ///< "2 352"
[[nodiscard]] QString formatBytes(int64_t bytes); ///< "5.2 MiB"
/// Unit and decimals that a column of sizes (by 1024) or of operations (by 1000) takes from its largest value.
struct ScaledUnit {
    uint64_t divisor = 1;
    int decimals = 0;
    QString suffix; ///< "MiB", "GFLOP"
};
[[nodiscard]] ScaledUnit byteUnitFor(int64_t largest);
[[nodiscard]] ScaledUnit flopUnitFor(int64_t largest);
[[nodiscard]] QString formatScaled(int64_t n, const ScaledUnit& unit); ///< "1 234.5 MiB"; zero is "0"
[[nodiscard]] QString formatHundredths(int64_t hundredths); ///< "3.96"
/// "1 row", "2 352 rows".
[[nodiscard]] QString formatCounted(int64_t n, const QString& one, const QString& many);
/// UTF-8 of core to a QString in which control characters show as their pictures (U+2400...).
[[nodiscard]] QString displayText(std::string_view utf8);
/// Last part of a path, bytes as the system has them; "standard input" for "-".
[[nodiscard]] QString fileNameText(std::string_view path);

} // namespace torchline
