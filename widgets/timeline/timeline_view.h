#pragma once
// TimelineView: lanes of a trace over time, with ruler and headers; mouse and keys as the keys card has them. All that
// other views share (selection, range, visible time, cursor) lives in ViewState; how lanes are folded lives here.
// Thread: GUI thread only. Cost of a paint does not grow with the trace (see lane_raster.h, label_painter.h).

#include "timeline/axis_mover.h"
#include "timeline/lane_filter.h"
#include "timeline/timeline_painter.h"
#include "timeline/tip_widget.h"

#include "common/background_job.h"
#include "common/theme_host.h"
#include "common/view_state.h"
#include "lod/hit_test.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QRegion>
#include <QTimer>

#include <functional>
#include <memory>

class QMenu;

namespace torchline {

class EmptyPane;
class PaneButton;

class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

public:
    TimelineView(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~TimelineView() override;

    /// The index of the state's trace, if somebody has built it already: before or after ViewState::setTrace(). Without
    /// it the view builds its own on a worker.
    void setIndex(std::shared_ptr<const lod::TimelineIndex> index);
    /// The index of what is shown; null without a trace and while it is being built.
    [[nodiscard]] const std::shared_ptr<const lod::TimelineIndex>& index() const { return m_index; }
    /// Nothing is being built: a picture taken now is whole.
    [[nodiscard]] bool isSettled() const;

    /// What keys mean; the map outlives the view.
    void setKeys(const KeyMap* keys);
    void run(ViewCommand command);

    /// None: by the width of the view.
    void setDensity(std::optional<RowDensity> density);
    /// 0: by the width of the view.
    void setHeaderWidth(int width);
    [[nodiscard]] int headerWidth() const;
    void setArrowMode(ArrowMode mode);
    [[nodiscard]] ArrowMode arrowMode() const { return m_arrows; }
    /// Lanes that are left out when it says no; empty: all.
    void setLaneFilter(std::function<bool(LaneId)> shows);
    [[nodiscard]] const lod::LaneState& laneState() const { return m_lanes; }
    void setLaneState(const lod::LaneState& lanes);
    [[nodiscard]] int scrollPosition() const; ///< of the lanes that are not pinned
    void setScrollPosition(int position);
    /// Folds or opens a lane, its Python frames, a process.
    void toggleLane(LaneId lane);
    void toggleFrames(LaneId lane);
    void toggleGroup(uint32_t group);
    void togglePin(LaneId lane);
    /// By one place, among the lanes of its process or the pinned ones; a process among those in view.
    void moveLane(LaneId lane, bool up);
    void moveGroup(uint32_t group, bool up);
    void hideLane(LaneId lane);
    void setGroupHidden(uint32_t group, bool hidden);
    void showAllLanes();
    [[nodiscard]] size_t hiddenLanes() const;
    /// Shows only lanes that are called so (see LaneFilter); empty: all.
    void setNameFilter(const QString& text);
    [[nodiscard]] const QString& nameFilter() const { return m_filter.text(); }
    /// Asks for a name.
    void beginLaneFilter();
    /// The slices of the lane become the scope of all tables.
    void scopeToLane(LaneId lane);

    /// Selects the next or previous slice of the row, the parent, the first child.
    void step(bool forward);
    void goToParent();
    void goToChild();
    void zoomToSelection();
    /// The menu of what keys speak of, at its header.
    void showMenuAtTarget();

    /// Present view as a picture of this size, without focus, hover and cursor. SVG and PDF get shapes and texts.
    void drawPicture(QPainter& painter, QSize size);

    // For tests and accessibility; viewport coordinates.
    [[nodiscard]] QRectF sliceRect(SliceRef slice);
    [[nodiscard]] QRectF laneHeaderRect(LaneId lane);
    [[nodiscard]] const lod::LaneLayout& layoutOfLanes();
    [[nodiscard]] const TimelineFrame& frame();
    [[nodiscard]] const TimelineGeometry& geometryOfView() { return frame().geometry; }
    [[nodiscard]] const ArrowPlan& arrowPlan();
    [[nodiscard]] const std::vector<JumpSpot>& hints();
    [[nodiscard]] const TipWidget* tip() const { return m_tip; }
    /// The band, lane or track that keys speak of: under the pointer, walked to, or that of the selection; null: none.
    [[nodiscard]] const lod::LaneItem* targetItem();
    void setCurrentItem(const lod::LaneItem* item);
    /// Scrolls to it.
    void showItem(const lod::LaneItem* item);

Q_SIGNALS:
    void indexChanged();
    void headerWidthChanged(int width);
    /// Header column or view became wider or narrower: time lies elsewhere.
    void axisMoved();
    void laneStateChanged(); ///< arranged or filtered otherwise

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    enum class Drag : uint8_t { None, Pending, Range, Pan, HeaderEdge, Header, LaneHeight };

    // Frame (timeline_view.cpp)
    void adoptTrace();
    void adoptIndex(std::shared_ptr<const lod::TimelineIndex> index);
    void keepLaneState();
    void rebuildStyle();
    void layOut();
    [[nodiscard]] lod::LaneLayout layoutFor(const TimelineStyle& style) const;
    [[nodiscard]] lod::LaneScroll laneScroll() const;
    void updateScrollBar();
    void updateEmptyText();
    void readFrame();
    void frameChanged();
    void readLinks();
    void readLinksInView();
    void updateSelection();
    [[nodiscard]] QRegion overlayRegion() const;
    void updateMarks();
    void updateHover();
    void updateCursor();
    void updateAll() { viewport()->update(); }
    void updateBase(const QRect& area);
    [[nodiscard]] bool paintBase();
    [[nodiscard]] TimelineFrame frameFor(const TimelineStyle& style, QSize size, qreal ratio, int headerWidth) const;
    [[nodiscard]] RowDensity densityFor(int width) const;
    void reveal(SliceRef slice);
    void openFor(SliceRef slice);

    // Mouse (timeline_mouse.cpp)
    void click(QPoint pos);
    void clickHeader(QPoint pos);
    void doubleClickHeader(QPoint pos);
    void hover(QPoint pos);
    void leave();
    void dragTo(QPoint pos);
    void endDrag();
    [[nodiscard]] const JumpSpot* spotAt(QPoint pos);
    [[nodiscard]] lod::TimelineHit hitAt(QPoint pos) const;
    [[nodiscard]] bool isOnHeaderEdge(QPoint pos) const;
    [[nodiscard]] std::optional<int64_t> grabbedRangeEdge(QPoint pos) const;
    [[nodiscard]] int64_t snapped(int64_t timeNs, QPoint pos) const;
    void showTip();
    void hideTip();
    void updatePointer(QPoint pos);

    // Dragging headers (lane_drag.cpp)
    struct Drop {
        bool isPinned = false;
        std::optional<LaneId> before; ///< of a lane; none: after the last
        std::optional<uint32_t> beforeGroup; ///< of a process; none: after the last
        double y = 0;
    };
    [[nodiscard]] Drop dropAt(QPoint pos);
    [[nodiscard]] Drop laneDropAt(LaneId lane, QPoint pos);
    [[nodiscard]] Drop groupDropAt(QPoint pos);
    void dragHeader(QPoint pos);
    void dropHeader(QPoint pos);
    void dragHeight(QPoint pos);
    void resetHeight(const lod::LaneItem& item);

    // Menu of a lane (lane_menu.cpp)
    void showMenu(QPoint pos);
    void showMenuOf(const lod::LaneItem* item, SliceRef slice, QPoint pos);
    [[nodiscard]] QString withKey(const QString& text, ViewCommand command) const;
    void addSliceEntries(QMenu* menu, SliceRef slice);
    void addLaneEntries(QMenu* menu, const lod::LaneItem& item);
    void addGroupEntries(QMenu* menu, const lod::LaneItem& item);
    void addMoveEntries(QMenu* menu, bool canUp, bool canDown, const std::function<void(bool up)>& move);
    void addHeightEntries(QMenu* menu, const lod::LaneItem& item);
    void addHiddenEntries(QMenu* menu);

    // Arranging lanes (timeline_lanes.cpp)
    void lanesChanged();
    void hideOthers(LaneId lane);
    void setLanesHidden(std::span<const LaneId> lanes, bool hidden);
    [[nodiscard]] std::vector<const lod::LaneItem*> siblings(LaneId lane, bool pinned) const;
    [[nodiscard]] std::vector<const lod::LaneItem*> bands() const;
    void putLane(LaneId lane, bool pinned, std::optional<LaneId> before);
    [[nodiscard]] int heightOf(const lod::LaneItem& item) const; ///< per cent
    void setHeight(const lod::LaneItem& item, int percent);
    void applyNameFilter();
    void placeCorner();
    void showFilterKey();
    void goToItem(bool up);
    void runOnLane(ViewCommand command); ///< the lane that keys speak of

    // Keys (timeline_keys.cpp)
    void fit();
    void stepByName(bool forward);
    void follow(bool forward);
    void rangeFromSelection();
    void clearNext();
    void mark(bool keep);
    [[nodiscard]] TimeRange fitOf(SliceRef slice) const;
    [[nodiscard]] int64_t zoomAnchor() const;

    ViewState* m_state;
    ThemeHost* m_themes;
    std::shared_ptr<const lod::TimelineIndex> m_index;
    std::shared_ptr<const lod::TimelineIndex> m_offered; ///< given before its trace
    std::vector<GroupTitle> m_groups;
    std::shared_ptr<const TraceFacts> m_facts; ///< null until its steps are known
    std::shared_ptr<const lod::MarkIndex> m_marks;
    BackgroundJob m_indexJob{this};
    BackgroundJob m_factsJob{this};
    BackgroundJob m_marksJob{this};
    BackgroundJob m_argsJob{this};
    BackgroundJob m_nameJob{this};
    BackgroundJob m_viewLinksJob{this};

    std::optional<RowDensity> m_density;
    int m_headerWidth = 0;
    ArrowMode m_arrows = ArrowMode::Selection;
    std::function<bool(LaneId)> m_shows;
    lod::LaneState m_lanes;
    std::shared_ptr<const lod::TimelineIndex> m_lanesOf; ///< what m_lanes is about
    LaneFilter m_filter;
    LaneFilterField* m_filterField;
    PaneButton* m_filterButton;
    EmptyPane* m_empty;
    std::vector<QStringList> m_names; ///< by LaneId, once a filter has asked for them
    std::vector<bool> m_fits; ///< by LaneId: what the filter shows; empty: all
    std::optional<lod::LaneItem> m_current; ///< that keys walked to, as it was laid out then
    int m_pinnedScroll = 0;

    std::unique_ptr<TimelineStyle> m_style;
    std::unique_ptr<TimelinePainter> m_painter;
    lod::LaneLayout m_layout;
    TimelineFrame m_frame;
    std::vector<lod::SliceLink> m_links; ///< of the selection
    std::optional<lod::LinkSample> m_linksInView; ///< of the view that was last looked through
    ArrowPlan m_plan;
    std::vector<JumpSpot> m_hints;
    bool m_isFrameOld = true;
    bool m_isRasterOld = true;
    QImage m_base; ///< the frame without its overlay, device pixels: selection, hover and cursor draw nothing else anew
    QRegion m_baseOld; ///< parts of it to be drawn anew

    Drag m_drag = Drag::None;
    QPoint m_pressedAt;
    QPoint m_draggedFrom;
    int64_t m_rangeAnchorNs = 0;
    int m_panScroll = 0;
    std::optional<lod::LaneItem> m_dragged; ///< header that was pressed
    int m_draggedPercent = 0;
    std::optional<double> m_dropLine;
    bool m_isPressForPan = false;
    bool m_isRangeNewer = false; ///< than the selection: R makes it the scope
    std::optional<QPoint> m_pointer; ///< where it is over the view
    QPoint m_lastClick{-1, -1};
    const JumpSpot* m_hoveredHint = nullptr;
    SliceRef m_drawnHover;
    std::optional<int64_t> m_drawnCursor;

    TipWidget* m_tip;
    QTimer m_tipTimer;
    AxisMover m_mover;
    int m_wheelRest = 0;
    bool m_hasKeyboardFocus = false;
};

} // namespace torchline
