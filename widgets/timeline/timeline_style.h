#pragma once
// TimelineStyle: sizes and cell colours of the timeline for a font, a density and a theme; made once per change.
// Thread: GUI thread only.

#include "common/theme.h"
#include "lod/lane_layout.h"

#include <QRgb>

namespace torchline {

enum class RowDensity : uint8_t { Compact, Normal, Large };

/// Colours of pixel cells on the lane, by PixelCell: coverage is blended in, so drawing looks up and no more.
struct CellColors {
    std::array<QRgb, 256> fill{};
    std::array<QRgb, 256> foot{}; ///< last line of a row: darker
    std::array<QRgb, lod::kCoverageSteps + 1> busy{}; ///< strip of a device, by coverage step

    explicit CellColors(const Theme& theme);
};

class TimelineStyle {
public:
    TimelineStyle(const QFont& font, const Theme& theme, RowDensity density);

    [[nodiscard]] const Theme& theme() const { return *m_theme; }
    [[nodiscard]] const CellColors& cells() const { return m_cells; }
    [[nodiscard]] const lod::LaneMetrics& lanes() const { return m_lanes; }
    [[nodiscard]] int px(double n) const { return m_metrics.px(n); }
    [[nodiscard]] int rulerHeight() const { return px(26); }

    [[nodiscard]] const QFont& laneFont() const { return m_laneFont; } ///< labels, ruler, hints
    [[nodiscard]] const QFont& laneFontMedium() const { return m_laneFontMedium; } ///< paper on dark fills
    [[nodiscard]] const QFont& nameFont() const { return m_nameFont; } ///< lane names
    [[nodiscard]] const QFont& groupFont() const { return m_groupFont; }
    [[nodiscard]] const QFont& noteFont() const { return m_noteFont; }

    /// Default width of the header column in a window of this width.
    [[nodiscard]] int headerWidthFor(int width) const { return px(width <= px(1366) ? 184 : 248); }
    [[nodiscard]] static RowDensity densityFor(int width)
    {
        return width <= 1366 ? RowDensity::Compact : RowDensity::Normal;
    }

private:
    const Theme* m_theme;
    Metrics m_metrics;
    CellColors m_cells;
    lod::LaneMetrics m_lanes;
    QFont m_laneFont;
    QFont m_laneFontMedium;
    QFont m_nameFont;
    QFont m_groupFont;
    QFont m_noteFont;
};

} // namespace torchline
