#pragma once
// Numbers of a trace, from their text and never through a double.
// Thread: any.

#include <cstdint>
#include <optional>
#include <string_view>

namespace torchline {

/// Microseconds of the file as nanoseconds and, where the file has more than three decimals, picoseconds.
/// The value is ns + ps / 1000 with 0 <= ps < 1000, for negative values too.
struct FileTime {
    int64_t ns = 0;
    uint16_t ps = 0;
    bool isSaturated = false; ///< did not fit: held at the end of the range
};

/// Optional sign, digits, decimals, exponent; blanks around it. Nothing else: no value for NaN, words, hex, empty text.
[[nodiscard]] std::optional<FileTime> parseMicroseconds(std::string_view text);

/// A whole number in decimal form, also as 5.0 or 5e3; no value if it is not whole or does not fit.
[[nodiscard]] std::optional<uint64_t> parseUnsigned(std::string_view text);
[[nodiscard]] std::optional<int64_t> parseSigned(std::string_view text);
/// Any decimal number that is finite as a double.
[[nodiscard]] std::optional<double> parseDouble(std::string_view text);

/// Nearest nanosecond, halves up. Monotone, so slices that nest in the file nest afterwards.
[[nodiscard]] int64_t roundedNs(const FileTime& time);
/// Nearest nanosecond of begin + duration, minus that of begin.
[[nodiscard]] int64_t roundedDurationNs(const FileTime& begin, const FileTime& duration);

} // namespace torchline
