#pragma once
// Texts of unknown origin: UTF-8 made valid, control characters made visible.
// Thread: any.

#include <string>
#include <string_view>

namespace torchline {

/// True if the bytes are well-formed UTF-8 (no surrogates, no overlong forms, nothing above U+10FFFF).
[[nodiscard]] bool isValidUtf8(std::string_view bytes);
/// The same text with each maximal ill-formed part replaced by U+FFFD.
[[nodiscard]] std::string toValidUtf8(std::string_view bytes);
/// For terminals and one-line messages: C0, DEL, C1 controls and line separators become \n, \t, \xNN or \u00NN;
/// ill-formed bytes become U+FFFD; bidi overrides are escaped as well.
[[nodiscard]] std::string escapeControls(std::string_view text);
/// Appends the UTF-8 form of a code point (U+FFFD for surrogates and values above U+10FFFF).
void appendUtf8(std::string& out, char32_t codePoint);

} // namespace torchline
