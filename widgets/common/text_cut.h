#pragma once
// Cutting a text without cutting a character: letters with their accents, emoji of several code points stay whole.
// Thread: any. Cost: by the characters around the cut, not by the text.

#include <QString>

namespace torchline {

/// The last place at or before `at` that lies between two characters.
[[nodiscard]] qsizetype cutBefore(const QString& text, qsizetype at);
/// The first place at or after `at` that does.
[[nodiscard]] qsizetype cutAfter(const QString& text, qsizetype at);
/// What can be told of the first and of the last `most` code units.
[[nodiscard]] QString headOf(const QString& text, qsizetype most);
[[nodiscard]] QString tailOf(const QString& text, qsizetype most);
/// A text that is longer than `most` without its middle: no place is wide enough for it, and shaping costs by length.
[[nodiscard]] QString bothEndsOf(const QString& text, qsizetype most);

} // namespace torchline
