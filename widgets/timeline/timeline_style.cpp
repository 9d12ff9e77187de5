#include "timeline/timeline_style.h"

namespace torchline {

namespace {

constexpr double kFootDarker = 0.16;
constexpr double kBusyShare = 0.72; ///< of text3 on the lane

/// Share of the class colour over the lane; index is the coverage step. The faintest step is raised where it could not
/// be told from the lane.
double shareOf(int step, WorkClass cls)
{
    static constexpr std::array<double, lod::kCoverageSteps + 1> kShares{0, 0.22, 0.40, 0.60, 0.80, 1.0};
    const bool isPale = cls == WorkClass::Python || cls == WorkClass::Op;
    if (step == 1 && isPale)
        return 0.42;
    if (step == 2 && isPale)
        return 0.50;
    if (step == 1 && cls == WorkClass::DeviceToHost)
        return 0.30;
    if (step == 1 && cls == WorkClass::Call)
        return 0.23;
    return kShares[static_cast<size_t>(step)];
}

} // namespace

CellColors::CellColors(const Theme& theme)
{
    fill.fill(theme.lane.rgb());
    foot.fill(theme.lane.rgb());
    for (int step = 0; step <= lod::kCoverageSteps; ++step) {
        busy[static_cast<size_t>(step)]
            = blend(theme.lane, theme.text3, kBusyShare * shareOf(step, WorkClass::Step)).rgb();
        for (int c = 0; c < static_cast<int>(WorkClass::Count); ++c) {
            const auto cls = static_cast<WorkClass>(c);
            const lod::PixelCell cell = lod::makeCell(step, cls);
            const QColor color = theme.of(cls).fill;
            fill[cell] = blend(theme.lane, color, shareOf(step, cls)).rgb();
            foot[cell] = blend(theme.lane, blend(color, QColor(Qt::black), kFootDarker), shareOf(step, cls)).rgb();
        }
    }
}

TimelineStyle::TimelineStyle(const QFont& font, const Theme& theme, RowDensity density)
    : m_theme(&theme)
    , m_metrics(font)
    , m_cells(theme)
    , m_laneFont(m_metrics.lanes())
    , m_laneFontMedium(m_metrics.scaled(0.85, QFont::Medium))
    , m_nameFont(m_metrics.scaled(0.92, QFont::Medium))
    , m_groupFont(m_metrics.scaled(0.92, QFont::DemiBold))
    , m_noteFont(m_metrics.scaled(0.92))
{
    static constexpr std::array<int, 3> kRows{15, 19, 24};
    static constexpr std::array<int, 3> kKernelRows{17, 22, 28};
    const auto at = static_cast<size_t>(density);
    m_lanes.row = px(kRows[at]);
    m_lanes.kernelRow = px(kKernelRows[at]);
    m_lanes.collapsed = px(20);
    m_lanes.group = px(22);
    m_lanes.busy = px(22);
    m_lanes.memory = px(72);
    m_lanes.padding = px(5);
    m_lanes.separator = 1;
    m_lanes.divider = px(4);
    m_lanes.pinned = px(36);
}

} // namespace torchline
