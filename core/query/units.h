#pragma once
// Numbers with units as people type them, read exactly into integers. Thread: any.

#include <cstdint>
#include <optional>
#include <string_view>

namespace torchline {

/// ns, us, µs, ms, s, m; none is us. Nothing finer than a nanosecond, nothing beyond int64_t.
[[nodiscard]] std::optional<int64_t> parseTime(std::string_view text);
/// B, KB, MB, GB, TB or KiB, MiB, GiB, TiB: steps of 1024 either way; none is bytes. Case does not matter.
[[nodiscard]] std::optional<int64_t> parseBytes(std::string_view text);
/// A whole decimal number with an optional sign.
[[nodiscard]] std::optional<int64_t> parseInteger(std::string_view text);

[[nodiscard]] bool isTimeUnit(std::string_view text);
[[nodiscard]] bool isByteUnit(std::string_view text);

} // namespace torchline
