#pragma once
// Sizes that a widget sets by itself, kept in step with the font of the application. Thread: GUI thread only.

#include "common/theme.h"

#include <functional>

class QWidget;

namespace torchline {

/// Calls `apply` now, and again whenever the application gets another font, as long as the widget lives.
void followFont(QWidget* widget, std::function<void(const Metrics&)> apply);

} // namespace torchline
