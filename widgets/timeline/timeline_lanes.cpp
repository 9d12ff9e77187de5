// Arranging lanes: folding, hiding, pinning, moving, heights, the filter by name; and which lane keys speak of.

#include "timeline/accessible_timeline.h"
#include "timeline/timeline_view.h"

#include "common/empty_pane.h"
#include "common/format.h"
#include "common/pane_button.h"
#include "common/scope_text.h"
#include "query/condition_text.h"

#include <QScrollBar>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeightStep = 25; ///< per cent
constexpr int kUsualHeight = 100;

template <typename Id> struct Place {
    std::optional<Id> before; ///< none: the last
};

/// Where what goes by this id comes to stand when it passes its neighbour; none: it has none on that side.
template <typename Id>
std::optional<Place<Id>> placeBeside(
    const std::vector<const lod::LaneItem*>& items, Id id, Id lod::LaneItem::*idOf, bool up)
{
    const auto at = std::ranges::find(items, id, idOf);
    if (at == items.end() || (up ? at == items.begin() : at + 1 == items.end()))
        return std::nullopt;
    if (up)
        return Place<Id>{(*(at - 1))->*idOf};
    return at + 2 != items.end() ? Place<Id>{(*(at + 2))->*idOf} : Place<Id>{};
}

} // namespace

void TimelineView::lanesChanged()
{
    layOut();
    Q_EMIT laneStateChanged();
}

void TimelineView::setLaneState(const lod::LaneState& lanes)
{
    m_lanes = lanes;
    lanesChanged();
}

int TimelineView::scrollPosition() const
{
    return verticalScrollBar()->value();
}

void TimelineView::setScrollPosition(int position)
{
    verticalScrollBar()->setValue(position);
}

void TimelineView::toggleLane(LaneId lane)
{
    m_lanes.setCollapsed(lane, !m_lanes.isCollapsed(lane));
    lanesChanged();
}

void TimelineView::toggleFrames(LaneId lane)
{
    m_lanes.setFrames(lane, m_lanes.framesOf(lane) == lod::Frames::Shown ? lod::Frames::Folded : lod::Frames::Shown);
    lanesChanged();
}

void TimelineView::toggleGroup(uint32_t group)
{
    m_lanes.setGroupCollapsed(group, !m_lanes.isGroupCollapsed(group));
    lanesChanged();
}

void TimelineView::togglePin(LaneId lane)
{
    if (m_lanes.isPinned(lane))
        m_lanes.unpin(lane);
    else
        m_lanes.pin(lane);
    lanesChanged();
}

void TimelineView::setLanesHidden(std::span<const LaneId> lanes, bool hidden)
{
    for (const LaneId lane : lanes)
        m_lanes.setHidden(lane, hidden);
    lanesChanged();
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

void TimelineView::setGroupHidden(uint32_t group, bool hidden)
{
    if (group < m_index->trace().groups().size())
        setLanesHidden(m_index->trace().groups()[group].lanes, hidden);
}

void TimelineView::showAllLanes()
{
    m_lanes.laneHidden.clear();
    lanesChanged();
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

/// The lanes among which one can be moved, top to bottom: all pinned ones, or those of its process.
std::vector<const lod::LaneItem*> TimelineView::siblings(LaneId lane, bool pinned) const
{
    std::vector<const lod::LaneItem*> items;
    const uint32_t group = lod::groupIndex(m_index->trace(), lane);
    for (const lod::LaneItem& item : m_layout.items()) {
        if (item.kind == lod::LaneItemKind::Lane && item.isPinned == pinned && (pinned || item.group == group))
            items.push_back(&item);
    }
    return items;
}

/// The bands of processes in view, top to bottom.
std::vector<const lod::LaneItem*> TimelineView::bands() const
{
    std::vector<const lod::LaneItem*> items;
    for (const lod::LaneItem& item : m_layout.items()) {
        if (item.kind == lod::LaneItemKind::Group)
            items.push_back(&item);
    }
    return items;
}

void TimelineView::putLane(LaneId lane, bool pinned, std::optional<LaneId> before)
{
    if (pinned) {
        m_lanes.pin(lane, before);
    } else {
        m_lanes.unpin(lane);
        m_lanes.move(m_index->trace(), lane, before);
    }
    lanesChanged();
}

void TimelineView::moveLane(LaneId lane, bool up)
{
    const bool pinned = m_lanes.isPinned(lane);
    if (const auto place = placeBeside(siblings(lane, pinned), lane, &lod::LaneItem::lane, up)) {
        putLane(lane, pinned, place->before);
        showItem(m_layout.itemOf(lane));
    }
}

void TimelineView::moveGroup(uint32_t group, bool up)
{
    if (const auto place = placeBeside(bands(), group, &lod::LaneItem::group, up)) {
        m_lanes.moveGroup(m_index->trace(), group, place->before);
        lanesChanged();
        showItem(m_layout.groupItem(group));
    }
}

int TimelineView::heightOf(const lod::LaneItem& item) const
{
    return item.kind == lod::LaneItemKind::Memory ? m_lanes.memoryHeightOf(item.index) : m_lanes.heightOf(item.lane);
}

void TimelineView::setHeight(const lod::LaneItem& item, int percent)
{
    if (item.kind == lod::LaneItemKind::Memory)
        m_lanes.setMemoryHeight(item.index, percent);
    else if (item.kind == lod::LaneItemKind::Lane)
        m_lanes.setHeight(item.lane, percent);
    else
        return;
    lanesChanged();
}

// Filter

void TimelineView::beginLaneFilter()
{
    if (!m_index)
        return;
    m_filterField->show();
    m_filterField->setFocus(Qt::ShortcutFocusReason);
    m_filterField->selectAll();
    placeCorner();
}

void TimelineView::setNameFilter(const QString& text)
{
    m_filterField->setText(text);
    placeCorner();
}

void TimelineView::applyNameFilter()
{
    m_filter = LaneFilter(m_filterField->text());
    m_fits.clear();
    if (m_index && !m_filter.isEmpty()) {
        const TraceSnapshot& trace = m_index->trace();
        const auto lanes = static_cast<uint32_t>(trace.lanes().size());
        if (m_names.size() != lanes) {
            m_names.clear();
            for (uint32_t i = 0; i < lanes; ++i)
                m_names.push_back(laneNames(trace, m_groups, LaneId(i)));
        }
        for (const QStringList& names : m_names)
            m_fits.push_back(m_filter.fits(names));
    }
    layOut();
    const auto fit = static_cast<int64_t>(std::ranges::count(m_fits, true));
    m_filterField->setNote(m_fits.empty()
            ? QString()
            : tr("%1 of %2").arg(formatCount(fit), formatCount(static_cast<int64_t>(m_fits.size()))));
}

lod::LaneLayout TimelineView::layoutFor(const TimelineStyle& style) const
{
    if (!m_index)
        return {};
    if (m_fits.empty())
        return lod::LaneLayout(*m_index, style.lanes(), m_lanes, m_shows);
    return lod::LaneLayout(*m_index, style.lanes(), m_lanes,
        [this](LaneId lane) { return m_fits[lane.value()] && (!m_shows || m_shows(lane)); });
}

/// The button that opens the filter, or its field, in the corner above the headers.
void TimelineView::placeCorner()
{
    const int header = std::min(headerWidth(), viewport()->width());
    const int height = m_style->rulerHeight() - 1;
    const bool hasField = m_index && (m_filterField->hasFocus() || !m_filterField->text().isEmpty());
    m_filterField->setVisible(hasField);
    m_filterField->setGeometry(0, 0, header - 1, height);
    const bool hasLanes = m_index && !m_index->trace().lanes().empty();
    const bool hasButton = hasLanes && !hasField && header >= m_style->px(60);
    m_filterButton->setVisible(hasButton);
    m_filterButton->setGeometry(header - 1 - height, 0, height, height);
}

void TimelineView::showFilterKey()
{
    const QString key = m_mover.keys().text(ViewCommand::FilterLanes);
    const QString name = m_filterButton->accessibleName();
    m_filterButton->setToolTip(key.isEmpty() ? name : tr("%1 (%2)").arg(name, key));
}

// The lane that keys speak of

const lod::LaneItem* TimelineView::targetItem()
{
    readFrame();
    const auto items = m_layout.items();
    if (const int hovered = m_frame.headerHover.item; hovered >= 0 && static_cast<size_t>(hovered) < items.size())
        return &items[static_cast<size_t>(hovered)];
    if (m_frame.currentItem >= 0)
        return &items[static_cast<size_t>(m_frame.currentItem)];
    return m_index && m_state->selection().isValid() ? m_layout.itemOf(m_state->selection().lane) : nullptr;
}

void TimelineView::setCurrentItem(const lod::LaneItem* item)
{
    m_current = item ? std::optional(*item) : std::nullopt;
    m_frame.headerHover = {};
    frameChanged();
    if (item)
        announceItem(this, static_cast<int>(item - m_layout.items().data()));
}

void TimelineView::showItem(const lod::LaneItem* item)
{
    if (!item)
        return;
    QScrollBar* bar = verticalScrollBar();
    const lod::LaneScroll scroll = laneScroll();
    if (item->isPinned) {
        const int shown = scroll.pinnedShown();
        m_pinnedScroll = std::clamp(scroll.pinnedScroll, item->bottom() - shown, std::max(item->y, 0));
        frameChanged();
        return;
    }
    const int room = std::max(viewport()->height() - m_style->rulerHeight() - scroll.shownTop, 1);
    const int top = item->y - scroll.scrolledTop;
    const int bottom = top + item->height;
    if (bottom > bar->value() + room)
        bar->setValue(bottom - room);
    if (top < bar->value())
        bar->setValue(top);
}

void TimelineView::goToItem(bool up)
{
    const auto items = m_layout.items();
    if (items.empty())
        return;
    const lod::LaneItem* at = targetItem();
    const lod::LaneItem* first = &items.front();
    const lod::LaneItem* last = &items.back();
    const lod::LaneItem* next = !at ? (up ? last : first) : up ? std::max(at - 1, first) : std::min(at + 1, last);
    showItem(next);
    setCurrentItem(next);
}

void TimelineView::runOnLane(ViewCommand command)
{
    const lod::LaneItem* found = m_index ? targetItem() : nullptr;
    if (!found)
        return;
    const lod::LaneItem item = *found;
    const bool isLane = item.kind == lod::LaneItemKind::Lane;
    const bool isGroup = item.kind == lod::LaneItemKind::Group;
    switch (command) {
    case ViewCommand::PinLane:
        if (isLane)
            togglePin(item.lane);
        return;
    case ViewCommand::FoldLane:
        if (isLane)
            toggleLane(item.lane);
        else if (isGroup)
            toggleGroup(item.group);
        return;
    case ViewCommand::FoldFrames:
        if (isLane && m_index->hasFrames(item.lane))
            toggleFrames(item.lane);
        return;
    case ViewCommand::LaneAsScope:
        if (isLane)
            scopeToLane(item.lane);
        return;
    case ViewCommand::HideLane:
        if (isLane)
            hideLane(item.lane);
        else if (isGroup)
            setGroupHidden(item.group, true);
        return;
    case ViewCommand::MoveLaneUp:
    case ViewCommand::MoveLaneDown:
        if (isLane)
            moveLane(item.lane, command == ViewCommand::MoveLaneUp);
        else if (isGroup)
            moveGroup(item.group, command == ViewCommand::MoveLaneUp);
        return;
    case ViewCommand::TallerLane:
    case ViewCommand::LowerLane:
        setHeight(item, heightOf(item) + (command == ViewCommand::TallerLane ? kHeightStep : -kHeightStep));
        return;
    case ViewCommand::UsualLaneHeight:
        setHeight(item, kUsualHeight);
        return;
    default:
        return;
    }
}

} // namespace torchline
