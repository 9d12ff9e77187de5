#pragma once
// Figures and texts as the aligned `table` format shows them: torch.profiler's units, rounded half to even from
// integers. Thread: any.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchline {

/// 1.234us, 1.234ms, 1.234s: the largest unit that leaves at least 1.
[[nodiscard]] std::string torchTimeText(int64_t ns);
/// 12 B, 1.50 KB, 1.50 MB, 1.50 GB; steps of 1024.
[[nodiscard]] std::string torchBytesText(int64_t bytes);

/// The power of 1000 in which torch shows all FLOPs of a table: that of the smallest value that is not zero.
struct FlopsUnit {
    std::string_view name; ///< "FLOPs", "KFLOPs", ...
    int64_t divisor = 1;
};
[[nodiscard]] FlopsUnit torchFlopsUnit(const std::vector<int64_t>& values);
[[nodiscard]] std::string torchFlopsText(int64_t flops, const FlopsUnit& unit);

/// value / divisor with this many decimals.
[[nodiscard]] std::string decimalText(int64_t value, int64_t divisor, int decimals);

/// Code points of a UTF-8 text.
[[nodiscard]] size_t textWidth(std::string_view text);
/// At most `width` code points: the first ones and "..." if something is missing.
[[nodiscard]] std::string elidedText(std::string_view text, size_t width);

} // namespace torchline
