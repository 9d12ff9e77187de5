#pragma once
// Pictures as PNG, SVG and PDF: whatever a painter can draw, as the bytes of a file. The same drawing gives the same
// bytes. Thread: GUI thread only. Errors: Limit for sizes out of bounds and for want of memory.

#include "base/result.h"

#include "command_line.h"

#include <QByteArray>
#include <QColor>
#include <QSize>

#include <functional>

class QPainter;
class QWidget;

namespace torchline {

struct PictureSpec {
    PictureFormat format = PictureFormat::Png;
    int width = 1920; ///< pixels of the picture
    int height = 1080;
    double scale = 1; ///< pixels per logical pixel

    /// Room to draw in, in logical pixels; at least 1 x 1.
    [[nodiscard]] QSize logicalSize() const;
};

/// Draws into (0, 0) to logicalSize().
using DrawPicture = std::function<void(QPainter& painter, QSize logicalSize)>;

[[nodiscard]] Result<QByteArray> encodePicture(
    const PictureSpec& spec, const QColor& background, const DrawPicture& draw);
/// Encodes and writes the whole file or nothing.
Status writePicture(
    const std::string& path, const PictureSpec& spec, const QColor& background, const DrawPicture& draw);

} // namespace torchline
