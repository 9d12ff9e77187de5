#pragma once
// How controls of the panes are painted: frames, focus rings, chevrons; the same in every style.
// Thread: GUI thread only.

#include "common/theme.h"

#include <QRect>

class QPainter;

namespace torchline {

/// Room that a control keeps around its body for the focus ring: 1 px gap and 2 px ring.
constexpr int kRingRoom = 3;

/// Accent ring 1 px outside of the body.
void drawFocusRing(QPainter* painter, const QRect& body, const Theme& theme);
/// Rounded frame of a button or field.
void drawControlFrame(QPainter* painter, const QRect& body, const QColor& fill, const QColor& border);
/// A small angle pointing down (or up), centred in the rect.
void drawChevron(QPainter* painter, const QRect& rect, const QColor& color, bool up = false);

} // namespace torchline
