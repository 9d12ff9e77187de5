// Menu of a lane, a process or a memory track: folding, pinning, moving, heights, hiding, its slices as the scope.

#include "timeline/header_places.h"
#include "timeline/timeline_view.h"

#include "common/format.h"
#include "common/lane_title.h"
#include "common/scope_text.h"

#include <QKeySequence>
#include <QMenu>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeightStep = 50; ///< per cent
constexpr int kUsualHeight = 100;
constexpr int kMostHiddenEntries = 30;

QString plain(QString name)
{
    return name.replace(u'&', u"&&"_s);
}

/// The text of an entry with the key that does the same on the timeline.
QString withKey(const QString& text, QKeyCombination key)
{
    return text + u'\t' + QKeySequence(key).toString(QKeySequence::NativeText);
}

} // namespace

void TimelineView::addMoveEntries(QMenu* menu, bool canUp, bool canDown, const std::function<void(bool up)>& move)
{
    const auto add = [&](const QString& text, Qt::Key key, bool up, bool can) {
        menu->addAction(withKey(text, Qt::ALT | Qt::SHIFT | key), this, [move, up] { move(up); })->setEnabled(can);
    };
    add(tr("Move &Up"), Qt::Key_Up, true, canUp);
    add(tr("Move &Down"), Qt::Key_Down, false, canDown);
}

void TimelineView::addLaneEntries(QMenu* menu, const lod::LaneItem& item)
{
    const LaneId lane = item.lane;
    menu->addSection(plain(laneTitle(m_index->trace(), lane)));
    menu->addAction(withKey(item.isPinned ? tr("Un&pin") : tr("&Pin to the Top"), Qt::Key_P), this,
        [this, lane] { togglePin(lane); });
    menu->addAction(withKey(item.isCollapsed ? tr("&Open Lane") : tr("&Fold Lane"), Qt::Key_E), this,
        [this, lane] { toggleLane(lane); });
    if (m_index->hasFrames(lane))
        menu->addAction(
            withKey(item.frames == lod::Frames::Shown ? tr("Fold P&ython Frames") : tr("Show P&ython Frames"),
                Qt::SHIFT | Qt::Key_E),
            this, [this, lane] { toggleFrames(lane); });
    const auto items = siblings(lane, item.isPinned);
    addMoveEntries(menu, !items.empty() && items.front()->lane != lane, !items.empty() && items.back()->lane != lane,
        [this, lane](bool up) { moveLane(lane, up); });
    addHeightEntries(menu, item);
    menu->addSeparator();
    menu->addAction(withKey(tr("&Hide Lane"), Qt::Key_H), this, [this, lane] { hideLane(lane); });
    menu->addAction(tr("Hide All O&thers"), this, [this, lane] { hideOthers(lane); });
    menu->addSeparator();
    menu->addAction(withKey(tr("Lane as S&cope"), Qt::SHIFT | Qt::Key_R), this, [this, lane] { scopeToLane(lane); });
    menu->addSeparator();
}

void TimelineView::addGroupEntries(QMenu* menu, const lod::LaneItem& item)
{
    const uint32_t group = item.group;
    menu->addSection(plain(m_groups[group].title));
    menu->addAction(
        withKey(item.isCollapsed ? tr("&Open") : tr("&Fold"), Qt::Key_E), this, [this, group] { toggleGroup(group); });
    const auto items = bands();
    addMoveEntries(menu, items.front()->group != group, items.back()->group != group,
        [this, group](bool up) { moveGroup(group, up); });
    if (group < m_index->trace().groups().size()) {
        const bool isAllHidden = item.hidden == m_index->trace().groups()[group].lanes.size();
        menu->addAction(withKey(tr("&Hide Its Lanes"), Qt::Key_H), this, [this, group] { setGroupHidden(group, true); })
            ->setEnabled(!isAllHidden);
        if (item.hidden > 0)
            menu->addAction(tr("&Show Its Hidden Lanes"), this, [this, group] { setGroupHidden(group, false); });
    }
    menu->addSeparator();
}

void TimelineView::addHeightEntries(QMenu* menu, const lod::LaneItem& item)
{
    if (item.isCollapsed)
        return;
    const int percent = heightOf(item);
    const auto add = [&](const QString& text, Qt::Key key, int wanted) {
        menu->addAction(withKey(text, Qt::ALT | key), this, [this, item, wanted] { setHeight(item, wanted); })
            ->setEnabled(wanted != percent);
    };
    add(tr("&Taller"), Qt::Key_Plus, percent + kHeightStep);
    add(tr("&Lower"), Qt::Key_Minus, percent - kHeightStep);
    add(tr("Usual Hei&ght"), Qt::Key_0, kUsualHeight);
}

void TimelineView::addHiddenEntries(QMenu* menu)
{
    const size_t hidden = hiddenLanes();
    QAction* all = menu->addAction(
        withKey(hidden == 0 ? tr("Show &All Lanes")
                            : tr("Show &All Lanes (%1 hidden)").arg(formatCount(static_cast<int64_t>(hidden))),
            Qt::SHIFT | Qt::Key_H),
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
            one->addAction(plain(laneTitle(m_index->trace(), lane) + u"  —  "_s + group), this,
                [this, lane] { setLanesHidden(std::span(&lane, 1), false); });
        }
    }
    menu->addAction(withKey(tr("Filter Lanes &by Name…"), Qt::CTRL | Qt::Key_L), this, &TimelineView::beginLaneFilter);
}

void TimelineView::showMenu(QPoint pos)
{
    if (!m_index)
        return;
    readFrame();
    const bool isOnRuler = pos.y() < m_frame.geometry.rulerHeight;
    showMenuOf(isOnRuler ? nullptr : m_layout.itemAt(m_frame.geometry.contentY(pos.y())), pos);
}

void TimelineView::showMenuAtTarget()
{
    if (!m_index)
        return;
    const lod::LaneItem* item = targetItem();
    showItem(item);
    readFrame();
    const int y = item ? static_cast<int>(m_frame.geometry.y(item->y)) : m_frame.geometry.rulerHeight;
    showMenuOf(item, QPoint(m_style->px(22), std::clamp(y, m_frame.geometry.rulerHeight, viewport()->height())));
}

void TimelineView::showMenuOf(const lod::LaneItem* item, QPoint pos)
{
    hideTip();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
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
