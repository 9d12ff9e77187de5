#include "timeline/accessible_timeline.h"

#include "timeline/header_painter.h"
#include "timeline/memory_painter.h"
#include "timeline/timeline_view.h"

#include "common/format.h"
#include "common/lane_title.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <map>

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

class AccessibleLane : public QAccessibleInterface {
public:
    AccessibleLane(TimelineView* view, int item)
        : m_view(view)
        , m_item(item)
    {
    }

    [[nodiscard]] bool isValid() const override { return item() != nullptr; }
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
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }

    [[nodiscard]] QRect rect() const override
    {
        const lod::LaneItem* lane = item();
        if (!lane)
            return {};
        const TimelineGeometry& geometry = m_view->frame().geometry;
        const QRectF rect(
            0, geometry.y(lane->y), geometry.size.width(), geometry.y(lane->bottom()) - geometry.y(lane->y));
        const QRect shown = rect.toAlignedRect().intersected(m_view->viewport()->rect());
        return {m_view->viewport()->mapToGlobal(shown.topLeft()), shown.size()};
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
        return state;
    }

private:
    [[nodiscard]] const lod::LaneItem* item() const
    {
        if (!m_view)
            return nullptr;
        const auto items = m_view->layoutOfLanes().items();
        return static_cast<size_t>(m_item) < items.size() ? &items[static_cast<size_t>(m_item)] : nullptr;
    }

    QPointer<TimelineView> m_view;
    int m_item;
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
        for (const auto& [item, id] : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    [[nodiscard]] int childCount() const override { return static_cast<int>(m_view->layoutOfLanes().items().size()); }
    [[nodiscard]] QAccessibleInterface* child(int index) const override
    {
        if (index < 0 || index >= childCount())
            return nullptr;
        const auto known = m_children.find(index);
        if (known != m_children.end())
            return QAccessible::accessibleInterface(known->second);
        auto* lane = new AccessibleLane(m_view, index);
        m_children.emplace(index, QAccessible::registerAccessibleInterface(lane));
        return lane;
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override
    {
        for (const auto& [index, id] : m_children) {
            if (QAccessible::accessibleInterface(id) == child)
                return index;
        }
        return -1;
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
    TimelineView* m_view;
    mutable std::map<int, QAccessible::Id> m_children;
};

QAccessibleInterface* makeInterface(const QString& className, QObject* object)
{
    Q_UNUSED(className)
    auto* view = qobject_cast<TimelineView*>(object);
    return view ? new AccessibleTimeline(view) : nullptr;
}

} // namespace

void installTimelineAccessibility()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isInstalled)
}

} // namespace torchline
