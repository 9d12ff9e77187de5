// Menu of a slice: the annotation around it as the scope; of a lane, a process or a memory track: folding, pinning,
// moving, heights, hiding, its slices as the scope.

#include "timeline/header_places.h"
#include "timeline/timeline_view.h"

#include "common/format.h"
#include "common/lane_title.h"
#include "common/text_cut.h"
#include "model/annotations.h"

#include <QMenu>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeightStep = 50; ///< per cent
constexpr int kUsualHeight = 100;
constexpr int kMostHiddenEntries = 30;
constexpr int kMostName = 300;

/// No menu is as wide as the longest names.
QString entryName(const QMenu& menu, const TimelineStyle& style, const QString& name)
{
    constexpr qsizetype kMostMeasured = 400;
    return menu.fontMetrics()
        .elidedText(bothEndsOf(name, kMostMeasured), Qt::ElideMiddle, style.px(kMostName))
        .replace(u'&', u"&&"_s);
}

} // namespace

/// The text of an entry with the key that does the same on the timeline.
QString TimelineView::withKey(const QString& text, ViewCommand command) const
{
    const QString key = m_mover.keys().text(command);
    return key.isEmpty() ? text : text + u'\t' + key;
}

void TimelineView::addMoveEntries(QMenu* menu, bool canUp, bool canDown, const std::function<void(bool up)>& move)
{
    const auto add = [&](const QString& text, ViewCommand command, bool up, bool can) {
        menu->addAction(withKey(text, command), this, [move, up] { move(up); })->setEnabled(can);
    };
    add(tr("Move &Up"), ViewCommand::MoveLaneUp, true, canUp);
    add(tr("Move &Down"), ViewCommand::MoveLaneDown, false, canDown);
}

void TimelineView::addLaneEntries(QMenu* menu, const lod::LaneItem& item)
{
    const LaneId lane = item.lane;
    menu->addSection(entryName(*menu, *m_style, laneTitle(m_index->trace(), lane)));
    menu->addAction(withKey(item.isPinned ? tr("Un&pin") : tr("&Pin to the Top"), ViewCommand::PinLane), this,
        [this, lane] { togglePin(lane); });
    menu->addAction(withKey(item.isCollapsed ? tr("&Open Lane") : tr("&Fold Lane"), ViewCommand::FoldLane), this,
        [this, lane] { toggleLane(lane); });
    if (m_index->hasFrames(lane))
        menu->addAction(
            withKey(item.frames == lod::Frames::Shown ? tr("Fold P&ython Frames") : tr("Show P&ython Frames"),
                ViewCommand::FoldFrames),
            this, [this, lane] { toggleFrames(lane); });
    const auto items = siblings(lane, item.isPinned);
    addMoveEntries(menu, !items.empty() && items.front()->lane != lane, !items.empty() && items.back()->lane != lane,
        [this, lane](bool up) { moveLane(lane, up); });
    addHeightEntries(menu, item);
    menu->addSeparator();
    menu->addAction(withKey(tr("&Hide Lane"), ViewCommand::HideLane), this, [this, lane] { hideLane(lane); });
    menu->addAction(tr("Hide All O&thers"), this, [this, lane] { hideOthers(lane); });
    menu->addSeparator();
    menu->addAction(withKey(tr("Lane as S&cope"), ViewCommand::LaneAsScope), this, [this, lane] { scopeToLane(lane); });
    menu->addSeparator();
}

void TimelineView::addGroupEntries(QMenu* menu, const lod::LaneItem& item)
{
    const uint32_t group = item.group;
    menu->addSection(entryName(*menu, *m_style, m_groups[group].title));
    menu->addAction(withKey(item.isCollapsed ? tr("&Open") : tr("&Fold"), ViewCommand::FoldLane), this,
        [this, group] { toggleGroup(group); });
    const auto items = bands();
    addMoveEntries(menu, items.front()->group != group, items.back()->group != group,
        [this, group](bool up) { moveGroup(group, up); });
    if (group < m_index->trace().groups().size()) {
        const bool isAllHidden = item.hidden == m_index->trace().groups()[group].lanes.size();
        menu->addAction(withKey(tr("&Hide Its Lanes"), ViewCommand::HideLane), this,
                [this, group] { setGroupHidden(group, true); })
            ->setEnabled(!isAllHidden);
        if (item.hidden > 0)
            menu->addAction(tr("&Show Its Hidden Lanes"), this, [this, group] { setGroupHidden(group, false); });
    }
    menu->addSeparator();
}

void TimelineView::addSliceEntries(QMenu* menu, SliceRef slice)
{
    const TraceSnapshot& trace = m_index->trace();
    const SliceRef annotation = slice.isValid() ? annotationAround(trace, slice) : SliceRef{};
    if (!annotation.isValid())
        return;
    const QString name = displayText(trace.text(trace.name(annotation)));
    menu->addSection(entryName(*menu, *m_style, name));
    menu->addAction(withKey(tr("Annotat&ion as Scope"), ViewCommand::AnnotationAsScope), this,
        [this, slice] { m_state->scopeToAnnotationAround(slice); });
}

void TimelineView::addHeightEntries(QMenu* menu, const lod::LaneItem& item)
{
    if (item.isCollapsed)
        return;
    const int percent = heightOf(item);
    const auto add = [&](const QString& text, ViewCommand command, int wanted) {
        menu->addAction(withKey(text, command), this, [this, item, wanted] { setHeight(item, wanted); })
            ->setEnabled(wanted != percent);
    };
    add(tr("&Taller"), ViewCommand::TallerLane, percent + kHeightStep);
    add(tr("&Lower"), ViewCommand::LowerLane, percent - kHeightStep);
    add(tr("Usual Hei&ght"), ViewCommand::UsualLaneHeight, kUsualHeight);
}

void TimelineView::addHiddenEntries(QMenu* menu)
{
    const size_t hidden = hiddenLanes();
    QAction* all = menu->addAction(
        withKey(hidden == 0 ? tr("Show &All Lanes")
                            : tr("Show &All Lanes (%1 hidden)").arg(formatCount(static_cast<int64_t>(hidden))),
            ViewCommand::ShowAllLanes),
        this, &TimelineView::showAllLanes);
    all->setEnabled(hidden > 0);
    if (hidden > 0) {
        QMenu* one = menu->addMenu(tr("Sho&w Hidden"));
        int entries = 0;
        for (const LaneId lane : m_index->trace().laneOrder()) {
            if (!m_lanes.isHidden(lane))
                continue;
            if (entries++ == kMostHiddenEntries) {
                one->addAction(tr("and %1 more").arg(formatCount(static_cast<int64_t>(hidden) - kMostHiddenEntries)))
                    ->setEnabled(false);
                break;
            }
            const QString group = m_groups[lod::groupIndex(m_index->trace(), lane)].title;
            one->addAction(entryName(*one, *m_style, laneTitle(m_index->trace(), lane) + u"  —  "_s + group), this,
                [this, lane] { setLanesHidden(std::span(&lane, 1), false); });
        }
    }
    menu->addAction(
        withKey(tr("Filter Lanes &by Name…"), ViewCommand::FilterLanes), this, &TimelineView::beginLaneFilter);
}

void TimelineView::showMenu(QPoint pos)
{
    if (!m_index)
        return;
    readFrame();
    const bool isOnRuler = pos.y() < m_frame.geometry.rulerHeight;
    const bool isOnLanes = !isOnRuler && pos.x() >= m_frame.geometry.headerWidth && headerAt(m_frame, pos).item < 0;
    showMenuOf(isOnRuler ? nullptr : m_layout.itemAt(m_frame.geometry.contentY(pos.y())),
        isOnLanes ? hitAt(pos).slice : SliceRef{}, pos);
}

void TimelineView::showMenuAtTarget()
{
    if (!m_index)
        return;
    const lod::LaneItem* item = targetItem();
    showItem(item);
    readFrame();
    const int y = item ? static_cast<int>(m_frame.geometry.y(item->y)) : m_frame.geometry.rulerHeight;
    showMenuOf(item, m_state->selection(),
        QPoint(m_style->px(22), std::clamp(y, m_frame.geometry.rulerHeight, viewport()->height())));
}

void TimelineView::showMenuOf(const lod::LaneItem* item, SliceRef slice, QPoint pos)
{
    hideTip();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addSliceEntries(menu, slice);
    if (item && item->kind == lod::LaneItemKind::Lane)
        addLaneEntries(menu, *item);
    if (item && item->kind == lod::LaneItemKind::Group)
        addGroupEntries(menu, *item);
    if (item && item->kind == lod::LaneItemKind::Memory) {
        addHeightEntries(menu, *item);
        menu->addSeparator();
    }
    addHiddenEntries(menu);
    menu->popup(viewport()->mapToGlobal(pos));
}

} // namespace torchline
