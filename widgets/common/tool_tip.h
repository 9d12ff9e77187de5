#pragma once
// Tool tips from texts of unknown origin: never read as HTML, long words broken, absurd lengths cut.
// Thread: any.

#include <QString>

namespace torchline {

/// Rich text that shows exactly these characters, line breaks kept; at most 4000 of them, then an ellipsis.
[[nodiscard]] QString plainToolTip(const QString& text);
/// A first line in bold, then the plain text.
[[nodiscard]] QString titledToolTip(const QString& title, const QString& text);

} // namespace torchline
