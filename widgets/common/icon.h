#pragma once
// Icons of the resources (":/icons/NAME.svg"), drawn in one colour of the theme at any size and scale.
// Thread: GUI thread only.

#include <QColor>
#include <QIcon>
#include <QString>

namespace torchline {

/// An icon that has this colour in every state but Disabled.
[[nodiscard]] QIcon tintedIcon(const QString& name, const QColor& color, const QColor& disabled = {});
/// size in logical pixels, square; ratio: device pixels each.
[[nodiscard]] QPixmap tintedPixmap(const QString& name, const QColor& color, int size, qreal ratio);

} // namespace torchline
