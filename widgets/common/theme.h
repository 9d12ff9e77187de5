#pragma once
// Theme: the colour tokens of the window, light and dark; class colours of slices; the palette made from them.
// Thread: values; GUI thread for apply(). Every colour that anything draws comes from here.

#include "lod/work_class.h"

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

namespace torchline {

enum class ThemeMode : uint8_t { Light, Dark };

struct ClassColor {
    QColor fill;
    QColor label; ///< ink or paper
};

struct Theme {
    ThemeMode mode = ThemeMode::Light;
    // Surfaces
    QColor window, panel, bar, lane, laneHead, group, separator, border, field;
    QColor gridMajor, gridMinor, ruler;
    // Text and actions
    QColor text, text2, text3, accent, accentFill, onAccent;
    // States
    QColor selectedRow, selectedRowInactive, hoverRow, selectionOuter, selectionInner, rangeFill, veil, hit, cursor;
    QColor warn, warnBackground, error, errorBackground, record, ok, idle, tip;
    // Data lines
    QColor memoryAllocated, memoryReserved, peak, arrow, arrowForwardBackward, ink, paper, cellBar;
    std::array<ClassColor, static_cast<size_t>(WorkClass::Count)> classes;
    /// Bars of the step strip by GPU busy share: below 60, 70, 80, 90 %, above.
    std::array<QColor, 5> stepTints;

    [[nodiscard]] const ClassColor& of(WorkClass cls) const { return classes[static_cast<size_t>(cls)]; }
    [[nodiscard]] QPalette palette() const;

    [[nodiscard]] static const Theme& light();
    [[nodiscard]] static const Theme& dark();
    [[nodiscard]] static const Theme& of(ThemeMode mode) { return mode == ThemeMode::Dark ? dark() : light(); }
};

/// Contrast of two opaque colours (WCAG 2), 1 to 21.
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);
/// `share` (0..1) of `over` laid on `under`, in sRGB.
[[nodiscard]] QColor blend(const QColor& under, const QColor& over, double share);

/// Sizes of look.md: logical pixels at a 13 px font, scaled with the font in use.
class Metrics {
public:
    explicit Metrics(const QFont& base);

    [[nodiscard]] int px(double n) const { return static_cast<int>(n * m_unit + 0.5); }
    [[nodiscard]] QFont controls() const { return scaled(1.0); }
    [[nodiscard]] QFont tables() const { return scaled(0.92); }
    [[nodiscard]] QFont lanes() const { return scaled(0.85); }
    [[nodiscard]] QFont paneTitle() const { return scaled(1.15, QFont::DemiBold); }
    [[nodiscard]] QFont figure() const { return scaled(1.4, QFont::DemiBold); }
    [[nodiscard]] QFont productName() const { return scaled(2.0, QFont::DemiBold); }
    /// Never under 10 px.
    [[nodiscard]] QFont scaled(double factor, QFont::Weight weight = QFont::Normal) const;

private:
    QFont m_base;
    double m_basePx;
    double m_unit;
};

} // namespace torchline
