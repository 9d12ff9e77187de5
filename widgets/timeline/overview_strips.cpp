#include "timeline/overview_strips.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

namespace {

constexpr int kSteps = 36;
constexpr int kCompactSteps = 26;
constexpr int kMinimap = 44;
constexpr int kCompactMinimap = 36;

} // namespace

OverviewStrips::OverviewStrips(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_steps(new StepStrip(state, themes, this))
    , m_minimap(new Minimap(state, themes, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_steps);
    layout->addWidget(m_minimap);
    connect(state, &ViewState::overviewChanged, this, &OverviewStrips::showParts);
    connect(themes, &ThemeHost::themeChanged, this, &OverviewStrips::rebuildStyle);
    rebuildStyle();
    showParts();
}

OverviewStrips::~OverviewStrips() = default;

void OverviewStrips::rebuildStyle()
{
    auto fresh = std::make_unique<TimelineStyle>(font(), m_themes->theme(), RowDensity::Normal);
    m_steps->setStyle(fresh.get());
    m_minimap->setStyle(fresh.get());
    m_style = std::move(fresh);
    m_steps->setFixedHeight(m_style->px(m_isCompact ? kCompactSteps : kSteps));
    m_minimap->setFixedHeight(m_style->px(m_isCompact ? kCompactMinimap : kMinimap));
    placeAxis();
}

void OverviewStrips::showParts()
{
    const OverviewPtr& overview = m_state->overview();
    const bool hasTime = overview && m_hasRoom;
    m_steps->setVisible(hasTime && !overview->steps().empty());
    m_minimap->setVisible(hasTime && !overview->bands().empty());
    placeAxis();
}

void OverviewStrips::placeAxis()
{
    OverviewAxis axis;
    axis.left = m_left;
    axis.width = std::max(m_lanesWidth, 1);
    if (m_state->overview())
        axis.range = m_state->fitRange(); // as the lanes when the whole trace is in view
    m_steps->setAxis(axis);
    m_minimap->setAxis(axis);
}

void OverviewStrips::setLanes(int left, int width)
{
    if (left == m_left && width == m_lanesWidth)
        return;
    m_left = left;
    m_lanesWidth = width;
    placeAxis();
}

void OverviewStrips::setCompact(bool compact)
{
    if (compact == m_isCompact)
        return;
    m_isCompact = compact;
    rebuildStyle();
}

void OverviewStrips::setRoom(bool hasRoom)
{
    if (hasRoom == m_hasRoom)
        return;
    m_hasRoom = hasRoom;
    showParts();
}

void OverviewStrips::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_style)
        rebuildStyle();
}

} // namespace torchline
