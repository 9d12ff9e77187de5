#pragma once
// Comparing texts without upper and lower case of A to Z; other letters are compared as they are. Thread: any.

#include <algorithm>
#include <string>
#include <string_view>

namespace torchline {

[[nodiscard]] constexpr char foldedChar(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string foldedText(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), foldedChar);
    return out;
}

/// `folded` is folded already.
[[nodiscard]] inline bool equalsFolded(std::string_view text, std::string_view folded)
{
    return std::ranges::equal(text, folded, {}, foldedChar);
}

[[nodiscard]] inline bool containsFolded(std::string_view text, std::string_view folded)
{
    const auto isSame = [](char a, char b) { return foldedChar(a) == b; };
    return std::search(text.begin(), text.end(), folded.begin(), folded.end(), isSame) != text.end() || folded.empty();
}

} // namespace torchline
