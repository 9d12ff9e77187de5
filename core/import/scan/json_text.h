#pragma once
// Texts of a trace as a person reads them: escapes decoded, bytes made valid UTF-8, blanks outside of strings removed.
// Thread: any.

#include <cstdint>
#include <string>
#include <string_view>

namespace torchline {

enum TextFlaw : uint8_t {
    TextBadEscape = 1, ///< a backslash before nothing that can be escaped: kept as a backslash
    TextControl = 2, ///< a raw control byte, which JSON forbids: kept
    TextBadUtf8 = 4, ///< bytes that are no UTF-8: U+FFFD
    TextLoneSurrogate = 8, ///< \ud800 without its other half: U+FFFD
};

struct DecodedText {
    std::string text; ///< valid UTF-8
    uint8_t flaws = 0; ///< TextFlaw bits
};

/// Whether a string is what stands between its quotes: ASCII without escapes and control bytes.
[[nodiscard]] bool isPlainString(std::string_view raw);

/// What stands between the quotes of a string.
[[nodiscard]] DecodedText decodeString(std::string_view raw);

constexpr size_t kMostValueBytes = 64 * 1024;

/// The text shown for a value: of a string its decoded text, of anything else the file's digits and brackets without
/// blanks; valid UTF-8, cut at kMostValueBytes and then ended with U+2026. `isCut`: raw is only the beginning.
[[nodiscard]] std::string shownString(std::string_view raw, bool isCut = false);
[[nodiscard]] std::string shownValue(std::string_view raw, bool isCut = false);

} // namespace torchline
