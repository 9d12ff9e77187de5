#include "timeline/accessible_timeline.h"

#include "timeline/header_painter.h"
#include "timeline/memory_painter.h"
#include "timeline/timeline_view.h"

#include "common/format.h"
#include "common/lane_title.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <vector>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

/// "aten::mm, 93.4 µs, thread 4711 main".
QString sliceText(const TimelineFrame& frame, SliceRef slice)
{
    if (!frame.index || !slice.isValid())
        return {};
    const TraceSnapshot& trace = frame.index->trace();
    return displayText(trace.text(trace.name(slice))) + u", "_s + formatDuration(trace.durationNs(slice)) + u", "_s
        + laneTitle(trace, slice.lane);
}

/// A place in the timeline that is no widget.
class AccessiblePart : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    explicit AccessiblePart(TimelineView* view)
        : m_view(view)
    {
    }

    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_view.data());
    }
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    void setText(QAccessible::Text, const QString&) override { }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

protected:
    /// Of a part of the view, on the screen; empty out of view.
    [[nodiscard]] QRect shown(const QRectF& rect, const QRectF& clip) const
    {
        const QRect part = rect.intersected(clip).toAlignedRect().intersected(m_view->viewport()->rect());
        return part.isEmpty() ? QRect() : QRect(m_view->viewport()->mapToGlobal(part.topLeft()), part.size());
    }

    QPointer<TimelineView> m_view;
};

/// A band, strip, lane or track: its header.
class AccessibleLane : public AccessiblePart {
public:
    AccessibleLane(TimelineView* view, int item)
        : AccessiblePart(view)
        , m_item(item)
    {
    }

    [[nodiscard]] bool isValid() const override { return item() != nullptr; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }

    [[nodiscard]] QRect rect() const override
    {
        const lod::LaneItem* lane = item();
        if (!lane)
            return {};
        const TimelineGeometry& geometry = m_view->frame().geometry;
        const QRectF rect(
            0, geometry.y(lane->y), geometry.size.width(), geometry.y(lane->bottom()) - geometry.y(lane->y));
        return shown(rect, geometry.partRect(lane->isPinned));
    }

    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        const lod::LaneItem* lane = item();
        if (!lane)
            return {};
        const TimelineFrame& frame = m_view->frame();
        if (kind == QAccessible::Description)
            return headerTip(frame, *lane);
        if (kind == QAccessible::Value)
            return headerShare(frame, *lane);
        if (kind != QAccessible::Name)
            return {};
        switch (lane->kind) {
        case lod::LaneItemKind::Group:
            return frame.groups[lane->group].title;
        case lod::LaneItemKind::Busy:
            return TimelineView::tr("busy");
        case lod::LaneItemKind::Memory:
            return TimelineView::tr("memory of %1").arg(memoryDeviceName(frame.index->memory()[lane->index]));
        case lod::LaneItemKind::Lane:
            break;
        }
        return laneTitle(frame.index->trace(), lane->lane);
    }

    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        const lod::LaneItem* lane = item();
        if (!lane) {
            state.invalid = true;
            return state;
        }
        const bool folds = lane->kind == lod::LaneItemKind::Lane || lane->kind == lod::LaneItemKind::Group;
        state.expandable = folds;
        state.expanded = folds && !lane->isCollapsed;
        state.collapsed = folds && lane->isCollapsed;
        state.offscreen = rect().isEmpty();
        const SliceRef selected = m_view->frame().selection;
        state.selected = lane->kind == lod::LaneItemKind::Lane && selected.isValid() && selected.lane == lane->lane;
        state.focusable = true;
        state.focused = m_view->hasFocus() && m_view->frame().currentItem == m_item;
        return state;
    }

    [[nodiscard]] QStringList actionNames() const override
    {
        const lod::LaneItem* lane = item();
        if (!lane)
            return {};
        QStringList names{setFocusAction(), showMenuAction()};
        if (lane->kind == lod::LaneItemKind::Lane || lane->kind == lod::LaneItemKind::Group)
            names += {toggleAction(), kHide};
        if (lane->kind == lod::LaneItemKind::Lane)
            names += {kPin, kUp, kDown};
        return names;
    }
    [[nodiscard]] QString localizedActionName(const QString& name) const override
    {
        const lod::LaneItem* lane = item();
        if (name == toggleAction() && lane)
            return lane->isCollapsed ? TimelineView::tr("Open") : TimelineView::tr("Fold");
        if (name == kPin && lane)
            return lane->isPinned ? TimelineView::tr("Unpin") : TimelineView::tr("Pin to the top");
        return name == kHide ? TimelineView::tr("Hide")
            : name == kUp    ? TimelineView::tr("Move up")
            : name == kDown  ? TimelineView::tr("Move down")
                             : QAccessibleActionInterface::localizedActionName(name);
    }
    void doAction(const QString& name) override
    {
        const lod::LaneItem* found = item();
        if (!found)
            return;
        const lod::LaneItem lane = *found;
        const bool isGroup = lane.kind == lod::LaneItemKind::Group;
        if (name == setFocusAction()) {
            m_view->setFocus(Qt::OtherFocusReason);
            m_view->showItem(found);
            m_view->setCurrentItem(found);
        } else if (name == showMenuAction()) {
            m_view->setCurrentItem(found);
            m_view->showMenuAtTarget();
        } else if (name == toggleAction()) {
            isGroup ? m_view->toggleGroup(lane.group) : m_view->toggleLane(lane.lane);
        } else if (name == kHide) {
            isGroup ? m_view->setGroupHidden(lane.group, true) : m_view->hideLane(lane.lane);
        } else if (name == kPin) {
            m_view->togglePin(lane.lane);
        } else if (name == kUp || name == kDown) {
            m_view->moveLane(lane.lane, name == kUp);
        }
    }

private:
    static inline const QString kPin = u"pin"_s;
    static inline const QString kHide = u"hide"_s;
    static inline const QString kUp = u"moveUp"_s;
    static inline const QString kDown = u"moveDown"_s;

    [[nodiscard]] const lod::LaneItem* item() const
    {
        if (!m_view)
            return nullptr;
        const auto items = m_view->layoutOfLanes().items();
        return static_cast<size_t>(m_item) < items.size() ? &items[static_cast<size_t>(m_item)] : nullptr;
    }

    int m_item;
};

/// The selected slice.
class AccessibleSelection : public AccessiblePart {
public:
    using AccessiblePart::AccessiblePart;

    [[nodiscard]] bool isValid() const override { return m_view && m_view->frame().selection.isValid(); }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Graphic; }
    [[nodiscard]] QRect rect() const override
    {
        if (!isValid())
            return {};
        const TimelineFrame& frame = m_view->frame();
        return shown(frame.sliceRect(frame.selection), frame.clipOf(frame.selection));
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        if (!isValid())
            return {};
        const TimelineFrame& frame = m_view->frame();
        const TraceSnapshot& trace = frame.index->trace();
        const SliceRef slice = frame.selection;
        if (kind == QAccessible::Name)
            return displayText(trace.text(trace.name(slice)));
        if (kind == QAccessible::Value)
            return formatDuration(trace.durationNs(slice));
        if (kind == QAccessible::Description)
            return TimelineView::tr("%1, from %2, in %3")
                .arg(displayText(workClassTitle(frame.index->classOf(slice))), formatExact(trace.startNs(slice)),
                    laneTitle(trace, slice.lane));
        return {};
    }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        state.invalid = !isValid();
        state.selectable = true;
        state.selected = isValid();
        state.offscreen = rect().isEmpty();
        return state;
    }
    [[nodiscard]] QStringList actionNames() const override
    {
        return {pressAction(), nextPageAction(), previousPageAction(), increaseAction(), decreaseAction()};
    }
    [[nodiscard]] QString localizedActionName(const QString& name) const override
    {
        return name == pressAction()       ? TimelineView::tr("Zoom to it")
            : name == nextPageAction()     ? TimelineView::tr("Next slice of the lane")
            : name == previousPageAction() ? TimelineView::tr("Previous slice of the lane")
            : name == increaseAction()     ? TimelineView::tr("Go to the parent")
                                           : TimelineView::tr("Go to the first child");
    }
    void doAction(const QString& name) override
    {
        if (!isValid())
            return;
        if (name == pressAction())
            m_view->zoomToSelection();
        else if (name == nextPageAction() || name == previousPageAction())
            m_view->step(name == nextPageAction());
        else if (name == increaseAction())
            m_view->goToParent();
        else if (name == decreaseAction())
            m_view->goToChild();
    }
};

class AccessibleTimeline : public QAccessibleWidget {
public:
    explicit AccessibleTimeline(TimelineView* view)
        : QAccessibleWidget(view, QAccessible::List)
        , m_view(view)
    {
    }
    ~AccessibleTimeline() override
    {
        for (const QAccessible::Id id : m_children)
            QAccessible::deleteAccessibleInterface(id);
        if (m_selection != 0)
            QAccessible::deleteAccessibleInterface(m_selection);
    }

    /// The items of the layout, then the selection.
    [[nodiscard]] int childCount() const override
    {
        return itemCount() + (m_view->frame().selection.isValid() ? 1 : 0);
    }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount())
            return nullptr;
        if (index == itemCount())
            return known(m_selection, [this] { return new AccessibleSelection(m_view); });
        if (static_cast<size_t>(index) >= m_children.size())
            m_children.resize(static_cast<size_t>(itemCount()));
        return known(
            m_children[static_cast<size_t>(index)], [this, index] { return new AccessibleLane(m_view, index); });
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override
    {
        if (m_selection != 0 && QAccessible::accessibleInterface(m_selection) == child)
            return itemCount();
        for (size_t i = 0; i < m_children.size(); ++i) {
            if (m_children[i] != 0 && QAccessible::accessibleInterface(m_children[i]) == child)
                return static_cast<int>(i);
        }
        return -1;
    }
    [[nodiscard]] QAccessibleInterface* focusChild() const override
    {
        return m_view->frame().currentItem >= 0 ? child(m_view->frame().currentItem) : nullptr;
    }
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override
    {
        const QPoint pos = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        if (!m_view->viewport()->rect().contains(pos))
            return nullptr;
        const lod::LaneLayout& layout = m_view->layoutOfLanes();
        const lod::LaneItem* item = layout.itemAt(m_view->frame().geometry.contentY(pos.y()));
        return item ? child(static_cast<int>(item - layout.items().data())) : nullptr;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? sliceText(m_view->frame(), m_view->frame().selection)
                                          : QAccessibleWidget::text(kind);
    }

private:
    [[nodiscard]] int itemCount() const { return static_cast<int>(m_view->layoutOfLanes().items().size()); }
    template <typename Make> static QAccessibleInterface* known(QAccessible::Id& id, const Make& make)
    {
        if (id == 0)
            id = QAccessible::registerAccessibleInterface(make());
        return QAccessible::accessibleInterface(id);
    }

    TimelineView* m_view;
    mutable std::vector<QAccessible::Id> m_children; ///< by item; 0: not asked for yet
    mutable QAccessible::Id m_selection = 0;
};

QAccessibleInterface* makeInterface(const QString& className, QObject* object)
{
    Q_UNUSED(className)
    auto* view = qobject_cast<TimelineView*>(object);
    return view ? new AccessibleTimeline(view) : nullptr;
}

} // namespace

void announceItem(TimelineView* view, int item)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleEvent event(view, QAccessible::Focus);
    event.setChild(item);
    QAccessible::updateAccessibility(&event);
}

void installTimelineAccessibility()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isInstalled)
}

} // namespace torchline
