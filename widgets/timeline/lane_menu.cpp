// Menu of a lane: folding, hiding, its slices as the scope.

#include "timeline/timeline_view.h"

#include "common/format.h"
#include "common/lane_title.h"
#include "common/scope_text.h"
#include "query/lane_condition.h"

#include <QMenu>

#include <algorithm>

namespace torchline {

void TimelineView::setLanesHidden(std::span<const LaneId> lanes, bool hidden)
{
    for (const LaneId lane : lanes)
        m_lanes.setHidden(lane, hidden);
    layOut();
    Q_EMIT laneStateChanged();
}

void TimelineView::hideLane(LaneId lane)
{
    setLanesHidden(std::span(&lane, 1), true);
}

void TimelineView::hideOthers(LaneId lane)
{
    std::vector<LaneId> others;
    std::ranges::copy_if(
        m_index->trace().laneOrder(), std::back_inserter(others), [lane](LaneId id) { return id != lane; });
    setLanesHidden(others, true);
}

void TimelineView::showAllLanes()
{
    m_lanes.laneHidden.clear();
    layOut();
    Q_EMIT laneStateChanged();
}

size_t TimelineView::hiddenLanes() const
{
    return static_cast<size_t>(std::ranges::count(m_lanes.laneHidden, true));
}

void TimelineView::scopeToLane(LaneId lane)
{
    const Scope now = m_state->scope();
    Scope scope = now;
    scope.filter = laneCondition(m_index->trace(), lane);
    // Another lane takes its place, other conditions stay.
    const std::string before = now.filter;
    const bool isOtherLane = std::ranges::any_of(
        m_index->trace().laneOrder(), [&](LaneId id) { return laneCondition(m_index->trace(), id) == before; });
    if (!before.empty() && !isOtherLane)
        scope = withFilter(now, scope.filter);
    m_state->setScope(scope);
}

void TimelineView::showMenu(QPoint pos)
{
    if (!m_index)
        return;
    hideTip();
    readFrame();
    const bool isOnRuler = pos.y() < m_frame.geometry.rulerHeight;
    const lod::LaneItem* item = isOnRuler ? nullptr : m_layout.itemAt(m_frame.geometry.contentY(pos.y()));
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (item && item->kind == lod::LaneItemKind::Lane) {
        const LaneId lane = item->lane;
        menu->addSection(laneTitle(m_index->trace(), lane).replace(u'&', QStringLiteral("&&")));
        menu->addAction(
            item->isCollapsed ? tr("&Open Lane") : tr("&Fold Lane"), this, [this, lane] { toggleLane(lane); });
        if (m_index->hasFrames(lane))
            menu->addAction(item->frames == lod::Frames::Shown ? tr("Fold &Python Frames") : tr("Show &Python Frames"),
                this, [this, lane] { toggleFrames(lane); });
        menu->addAction(tr("&Hide Lane"), this, [this, lane] { hideLane(lane); });
        menu->addAction(tr("Hide All &Others"), this, [this, lane] { hideOthers(lane); });
        menu->addSeparator();
        menu->addAction(tr("Lane as S&cope"), this, [this, lane] { scopeToLane(lane); });
        menu->addSeparator();
    }
    QAction* all = menu->addAction(tr("Show &All Lanes"), this, &TimelineView::showAllLanes);
    const size_t hidden = hiddenLanes();
    all->setEnabled(hidden > 0);
    if (hidden > 0)
        all->setText(tr("Show &All Lanes (%1 hidden)").arg(formatCount(static_cast<int64_t>(hidden))));
    menu->popup(viewport()->mapToGlobal(pos));
}

} // namespace torchline
