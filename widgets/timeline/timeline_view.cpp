#include "timeline/timeline_view.h"

#include "timeline/accessible_timeline.h"
#include "timeline/empty_lanes.h"
#include "timeline/header_painter.h"

#include "common/pane_button.h"
#include "model/same_slice.h"

#include <QAccessible>
#include <QLoggingCategory>
#include <QPaintEngine>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

Q_LOGGING_CATEGORY(logFrames, "torchline.timeline.frames", QtWarningMsg)

constexpr int kTipDelayMs = 350;
constexpr int kLeastHeader = 120;
constexpr int kMostHeader = 480;

bool isVectorEngine(const QPainter& painter)
{
    const QPaintEngine* engine = painter.paintEngine();
    return engine
        && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf
            || engine->type() == QPaintEngine::Picture);
}

} // namespace

TimelineView::TimelineView(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
    , m_themes(themes)
    , m_filterField(new LaneFilterField(themes, viewport()))
    , m_filterButton(
          new PaneButton(themes, PaneButton::Look::Plain, u"filter"_s, tr("Filter lanes by name"), viewport()))
    , m_empty(new EmptyPane(themes, viewport()))
    , m_tip(new TipWidget(this))
    , m_mover(
          state, [this] { return zoomAnchor(); }, this)
{
    installTimelineAccessibility();
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr("Lanes of threads and GPU streams over time"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setMouseTracking(true);
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, &TimelineView::showTip);
    connect(state, &ViewState::traceChanged, this, &TimelineView::adoptTrace);
    connect(state, &ViewState::visibleChanged, this, [this] {
        readLinksInView();
        frameChanged();
        hideTip();
        // The pointer rests, and another slice lies under it.
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!m_pointer || m_drag != Drag::None)
                    return;
                hover(*m_pointer);
                m_tipTimer.stop();
            },
            Qt::QueuedConnection);
    });
    connect(state, &ViewState::selectionChanged, this, [this] {
        m_isRangeNewer = false;
        updateSelection();
        if (QAccessible::isActive()) {
            QAccessibleValueChangeEvent event(this, QVariant());
            QAccessible::updateAccessibility(&event);
        }
    });
    connect(state, &ViewState::hoverChanged, this, &TimelineView::updateHover);
    connect(state, &ViewState::marksChanged, this, &TimelineView::updateMarks);
    connect(state, &ViewState::hitsChanged, this, [this] {
        m_isRasterOld = true;
        frameChanged();
    });
    connect(state, &ViewState::rangeChanged, this, &TimelineView::frameChanged);
    connect(state, &ViewState::timeMarksChanged, this, &TimelineView::frameChanged);
    connect(state, &ViewState::cursorChanged, this, &TimelineView::updateCursor);
    connect(state, &ViewState::revealRequested, this, &TimelineView::reveal);
    connect(themes, &ThemeHost::themeChanged, this, &TimelineView::rebuildStyle);
    m_filterButton->setFocusPolicy(Qt::NoFocus);
    m_filterField->hide();
    m_filterButton->hide();
    m_empty->hide();
    connect(m_filterField, &QLineEdit::textChanged, this, [this] {
        applyNameFilter();
        Q_EMIT laneStateChanged();
    });
    connect(m_filterField, &LaneFilterField::left, this, [this] {
        setFocus(Qt::ShortcutFocusReason);
        placeCorner();
    });
    connect(m_filterButton, &QAbstractButton::clicked, this, &TimelineView::beginLaneFilter);
    connect(m_empty, &EmptyPane::linkActivated, m_filterField, &QLineEdit::clear);
    rebuildStyle();
    adoptTrace();
}

TimelineView::~TimelineView() = default;

// Trace and index

void TimelineView::setIndex(std::shared_ptr<const lod::TimelineIndex> index)
{
    m_offered = std::move(index);
    if (m_offered && m_state->trace() && m_offered->traceRef() == m_state->trace())
        adoptIndex(std::move(m_offered));
}

void TimelineView::adoptTrace()
{
    const TracePtr trace = m_state->trace();
    // Of a trace that grows they stay until those of the longer one are there.
    if (m_marks && (!m_state->isTakingLonger() || !haveSameLanes(m_marks->trace(), *trace)))
        m_marks = nullptr;
    m_marksJob.cancel();
    m_facts = nullptr;
    if (!trace) {
        m_indexJob.cancel();
        m_factsJob.cancel();
        adoptIndex(nullptr);
        m_lanesOf = nullptr;
        return;
    }
    m_factsJob.start(
        [facts = m_state->facts()](const std::stop_token&) {
            static_cast<void>(facts->steps());
            return facts;
        },
        [this](std::shared_ptr<const TraceFacts> facts) {
            m_facts = std::move(facts);
            frameChanged();
        });
    if (m_offered && m_offered->traceRef() == trace) {
        adoptIndex(std::move(m_offered));
        return;
    }
    if (m_index && m_index->traceRef() == trace)
        return;
    adoptIndex(nullptr);
    m_indexJob.start(
        [trace, facts = m_state->facts()](
            const std::stop_token& stop) { return lod::TimelineIndex::build(trace, facts->workClasses(), stop); },
        [this](std::shared_ptr<const lod::TimelineIndex> index) {
            if (index && index->traceRef() == m_state->trace())
                adoptIndex(std::move(index));
        });
}

void TimelineView::adoptIndex(std::shared_ptr<const lod::TimelineIndex> index)
{
    m_indexJob.cancel();
    m_offered = nullptr;
    if (index == m_index)
        return;
    const std::shared_ptr<const lod::TimelineIndex> before = std::exchange(m_index, std::move(index));
    m_painter->labels().forgetNames();
    m_groups = m_index ? groupTitles(m_index->trace()) : std::vector<GroupTitle>();
    m_names.clear();
    m_current.reset();
    if (m_index)
        keepLaneState();
    hideTip();
    m_drawnHover = {};
    m_drawnCursor.reset();
    m_linksInView.reset();
    readLinks();
    readLinksInView();
    applyNameFilter();
    if (!before || !m_index || m_layout.height() < verticalScrollBar()->value())
        verticalScrollBar()->setValue(0);
    updateMarks();
    Q_EMIT indexChanged();
}

/// A reload of the same file and a longer trace keep what was arranged.
void TimelineView::keepLaneState()
{
    const auto before = std::exchange(m_lanesOf, m_index);
    m_lanes = before ? m_lanes.carriedTo(*m_index, *before) : lod::LaneState::forIndex(*m_index);
}

bool TimelineView::isSettled() const
{
    return !m_indexJob.isRunning() && !m_marksJob.isRunning() && !m_factsJob.isRunning() && !m_viewLinksJob.isRunning();
}

void TimelineView::readLinks()
{
    m_links.clear();
    if (m_index && m_state->selection().isValid())
        m_links = lod::linksOf(m_index->trace(), m_state->selection(), TimelineFrame::kMostLinks);
}

/// The arrows of the last view stay until those of this one are known.
void TimelineView::readLinksInView()
{
    m_viewLinksJob.cancel();
    if (m_arrows != ArrowMode::All || !m_index) {
        m_linksInView.reset();
        return;
    }
    m_viewLinksJob.start(
        [index = m_index, visible = m_state->visible()](const std::stop_token& stop) {
            return lod::linksIn(index->trace(), visible, TimelineFrame::kMostLinks, stop);
        },
        [this](lod::LinkSample sample) {
            m_linksInView = std::move(sample);
            frameChanged();
        });
}

void TimelineView::updateMarks()
{
    m_marksJob.cancel();
    const MaskPtr mask = m_state->marks();
    if (!mask || !m_index || mask->generation() != m_index->trace().generation()) {
        if (std::exchange(m_marks, nullptr))
            m_isRasterOld = true;
        frameChanged();
        return;
    }
    m_marksJob.start(
        [index = m_index, mask](const std::stop_token& stop) { return lod::MarkIndex::build(index, *mask, stop); },
        [this](std::shared_ptr<const lod::MarkIndex> marks) {
            m_marks = std::move(marks);
            m_isRasterOld = true;
            frameChanged();
        });
}

// Layout and frame

RowDensity TimelineView::densityFor(int width) const
{
    return m_density.value_or(TimelineStyle::densityFor(width));
}

void TimelineView::rebuildStyle()
{
    m_style = std::make_unique<TimelineStyle>(font(), m_themes->theme(), densityFor(window()->width()));
    m_painter = std::make_unique<TimelinePainter>(*m_style);
    m_tip->setStyle(m_style.get());
    hideTip();
    layOut();
    Q_EMIT axisMoved();
}

/// What lies at the top of the view stays there, whatever is folded, hidden or pinned.
void TimelineView::layOut()
{
    const lod::LaneScroll was = laneScroll();
    const lod::LaneItem* at = was.scrollY > 0 ? m_layout.itemAt(was.contentY(was.shownTop)) : nullptr;
    const std::optional<lod::LaneItem> anchor = at ? std::optional(*at) : std::nullopt;
    m_layout = layoutFor(*m_style);
    m_frame.headerHover = {};
    m_isRasterOld = true;
    updateScrollBar();
    if (anchor) {
        const int below = was.contentY(was.shownTop) - anchor->y;
        const auto items = m_layout.items();
        const auto now = std::ranges::find_if(items, [&](const lod::LaneItem& item) { return item.isSame(*anchor); });
        if (now != items.end() && !now->isPinned)
            verticalScrollBar()->setValue(now->y - m_layout.scrolledTop() + std::min(below, now->height - 1));
    }
    updateEmptyText();
    placeCorner();
    frameChanged();
}

lod::LaneScroll TimelineView::laneScroll() const
{
    return lod::LaneScroll::of(
        m_layout, viewport()->height() - m_style->rulerHeight(), verticalScrollBar()->value(), m_pinnedScroll);
}

void TimelineView::updateScrollBar()
{
    const int room = std::max(viewport()->height() - m_style->rulerHeight() - laneScroll().shownTop, 0);
    verticalScrollBar()->setRange(0, std::max(m_layout.height() - m_layout.scrolledTop() - room, 0));
    verticalScrollBar()->setPageStep(std::max(room, 1));
    verticalScrollBar()->setSingleStep(m_style->lanes().row);
}

void TimelineView::updateEmptyText()
{
    const bool isEmpty = m_index && m_layout.laneCount() == 0 && (!m_filter.isEmpty() || m_layout.items().empty());
    m_empty->setVisible(isEmpty);
    if (!isEmpty)
        return;
    m_empty->setText(emptyLanesText(m_index->trace(), m_filter.text()));
    m_empty->setGeometry(viewport()->rect().adjusted(0, m_style->rulerHeight(), 0, 0));
}

void TimelineView::frameChanged()
{
    m_isFrameOld = true;
    m_hoveredHint = nullptr;
    updateBase(viewport()->rect());
}

TimelineFrame TimelineView::frameFor(const TimelineStyle& style, QSize size, qreal ratio, int headerWidth) const
{
    TimelineFrame frame;
    frame.style = &style;
    frame.index = m_index.get();
    frame.groups = m_groups;
    frame.marks = m_index && m_state->hits() ? m_state->hits().get() : m_marks.get();
    if (m_facts)
        frame.steps = m_facts->steps();
    frame.geometry.size = size;
    frame.geometry.ratio = ratio;
    frame.geometry.headerWidth = std::min(headerWidth, size.width());
    frame.geometry.rulerHeight = style.rulerHeight();
    frame.geometry.scale = lod::PixelScale(m_state->visible(), std::max(frame.geometry.deviceWidth(), 1));
    frame.selection = m_index ? m_state->selection() : SliceRef{};
    frame.links = m_links;
    frame.linksInView = m_linksInView ? &*m_linksInView : nullptr;
    frame.range = m_state->range();
    frame.timeMarks = m_state->timeMarks();
    frame.arrows = m_arrows;
    frame.readScale();
    return frame;
}

void TimelineView::readFrame()
{
    if (!m_isFrameOld && m_frame.geometry.size == viewport()->size()
        && m_frame.geometry.ratio == viewport()->devicePixelRatioF())
        return;
    const HeaderHover headerHover = m_frame.headerHover;
    m_frame = frameFor(*m_style, viewport()->size(), viewport()->devicePixelRatioF(), headerWidth());
    m_frame.layout = &m_layout;
    m_frame.geometry.lanes = laneScroll();
    m_frame.hovered = m_index ? m_state->hovered() : SliceRef{};
    m_frame.cursorNs = m_state->cursorNs();
    m_frame.headerHover = headerHover;
    m_frame.hasFocusLine = m_hasKeyboardFocus;
    m_frame.dropLine = m_dropLine;
    m_frame.cornerTaken = m_filterButton->isHidden() ? 0 : m_filterButton->width();
    if (m_current) {
        const auto items = m_layout.items();
        const auto at
            = std::ranges::find_if(items, [this](const lod::LaneItem& item) { return item.isSame(*m_current); });
        m_frame.currentItem = at == items.end() ? -1 : static_cast<int>(at - items.begin());
    }
    m_plan = ArrowPlan::forFrame(m_frame);
    m_hints = neighbourHints(m_frame);
    m_hoveredHint = nullptr;
    m_isFrameOld = false;
}

void TimelineView::updateBase(const QRect& area)
{
    m_baseOld += area;
    viewport()->update(area);
}

/// Brings all but the overlay up to date. False: names that are new wait for the next frame.
bool TimelineView::paintBase()
{
    const qreal ratio = m_frame.geometry.ratio;
    const QSize size(static_cast<int>(std::ceil(viewport()->width() * ratio)),
        static_cast<int>(std::ceil(viewport()->height() * ratio)));
    if (m_base.size() != size) {
        m_base = QImage(size, QImage::Format_RGB32);
        m_baseOld = viewport()->rect();
    }
    if (m_baseOld.isEmpty() || m_base.isNull())
        return true;
    m_base.setDevicePixelRatio(ratio);
    QPainter painter(&m_base);
    constexpr int kMostParts = 40;
    bool isComplete = true;
    const auto paintPart = [&](const QRect& part) {
        painter.save();
        painter.setClipRect(part);
        m_painter->paintBase(painter, m_frame, m_hints, m_hoveredHint, part, true);
        isComplete = isComplete && m_painter->isComplete();
        painter.restore();
    };
    if (m_baseOld.rectCount() > kMostParts)
        paintPart(m_baseOld.boundingRect());
    else
        std::ranges::for_each(m_baseOld, paintPart);
    painter.end();
    m_base.setDevicePixelRatio(1); // copied pixel by pixel, whatever the scale
    m_baseOld = isComplete ? QRegion() : QRegion(viewport()->rect());
    return isComplete;
}

void TimelineView::paintEvent(QPaintEvent* event)
{
    QElapsedTimer clock;
    clock.start();
    readFrame();
    if (std::exchange(m_isRasterOld, false))
        m_painter->invalidate();
    m_drawnHover = m_frame.hovered;
    m_drawnCursor = m_frame.cursorNs;
    if (!paintBase())
        QMetaObject::invokeMethod(
            this, [this] { updateAll(); }, Qt::QueuedConnection);
    QPainter painter(viewport());
    painter.save();
    painter.scale(1 / m_frame.geometry.ratio, 1 / m_frame.geometry.ratio);
    for (const QRect& part : event->region()) {
        const qreal ratio = m_frame.geometry.ratio;
        const QRect device = QRectF(part.x() * ratio, part.y() * ratio, part.width() * ratio, part.height() * ratio)
                                 .toAlignedRect()
                                 .intersected(m_base.rect());
        painter.drawImage(device.topLeft(), m_base, device);
    }
    painter.restore();
    TimelinePainter::paintOverlay(painter, m_frame, m_plan);
    qCDebug(logFrames) << "frame" << static_cast<double>(clock.nsecsElapsed()) / 1e6 << "ms"
                       << event->region().boundingRect();
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    const RowDensity density = densityFor(window()->width());
    const TimelineStyle fresh(font(), m_themes->theme(), density);
    if (fresh.lanes() != m_style->lanes())
        rebuildStyle();
    updateScrollBar();
    updateEmptyText();
    placeCorner();
    frameChanged();
    Q_EMIT axisMoved();
}

void TimelineView::scrollContentsBy(int dx, int dy)
{
    Q_UNUSED(dx)
    Q_UNUSED(dy)
    hideTip();
    frameChanged();
    if (m_pointer)
        hover(*m_pointer);
}

void TimelineView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_style)
        rebuildStyle();
}

// Parts that change alone

void TimelineView::updateHover()
{
    if (m_isFrameOld || !m_index)
        return updateAll();
    viewport()->update(outlineArea(m_frame.sliceRect(m_drawnHover)));
    m_frame.hovered = m_state->hovered();
    viewport()->update(outlineArea(m_frame.sliceRect(m_frame.hovered)));
}

/// Where the selection draws over the lanes: outlines, arrows, chips. One rectangle: copying the base is cheaper than
/// going about with many.
QRegion TimelineView::overlayRegion() const
{
    constexpr int kAround = 12; ///< halo, dot and head of an arrow
    QRect area = outlineArea(m_frame.sliceRect(m_frame.selection));
    for (const SliceRef related : m_plan.related)
        area |= outlineArea(m_frame.sliceRect(related));
    for (const ArrowPlan::Line& line : m_plan.lines)
        area |= QRectF(line.from, line.to).normalized().toAlignedRect().adjusted(-kAround, -kAround, kAround, kAround);
    for (const JumpSpot& chip : m_plan.chips)
        area |= chip.rect.toAlignedRect().adjusted(-kAround, -kAround, kAround, kAround);
    return area.intersected(viewport()->rect());
}

/// Lanes, labels and headers stay as they are.
void TimelineView::updateSelection()
{
    readLinks();
    if (m_isFrameOld || !m_index)
        return frameChanged();
    QRegion changed = overlayRegion();
    m_frame.selection = m_state->selection();
    m_frame.links = m_links;
    m_plan = ArrowPlan::forFrame(m_frame);
    m_hoveredHint = nullptr;
    changed += overlayRegion();
    viewport()->update(changed);
}

void TimelineView::updateCursor()
{
    if (m_isFrameOld)
        return updateAll();
    const auto updateAt = [this](const std::optional<int64_t>& timeNs) {
        if (timeNs)
            viewport()->update(QRectF(
                m_frame.geometry.pixelX(*timeNs) - 1, m_frame.geometry.rulerHeight, 4, m_frame.geometry.size.height())
                                   .toAlignedRect());
    };
    updateAt(m_drawnCursor);
    m_frame.cursorNs = m_state->cursorNs();
    updateAt(m_frame.cursorNs);
}

// Settings

void TimelineView::setDensity(std::optional<RowDensity> density)
{
    m_density = density;
    rebuildStyle();
}

void TimelineView::setHeaderWidth(int width)
{
    const int held = width <= 0 ? 0 : std::clamp(width, m_style->px(kLeastHeader), m_style->px(kMostHeader));
    if (held == m_headerWidth)
        return;
    m_headerWidth = held;
    m_isRasterOld = true;
    placeCorner();
    frameChanged();
    Q_EMIT headerWidthChanged(held);
    Q_EMIT axisMoved();
}

int TimelineView::headerWidth() const
{
    const int width = m_headerWidth > 0 ? m_headerWidth : m_style->headerWidthFor(window()->width());
    // A narrow view keeps room for time: chevron and share stay.
    constexpr int kNarrow = 400;
    if (viewport()->width() < m_style->px(kNarrow))
        return std::min(width, std::max(viewport()->width() / 3, m_style->px(24)));
    return width;
}

void TimelineView::setArrowMode(ArrowMode mode)
{
    m_arrows = mode;
    readLinksInView();
    frameChanged();
}

void TimelineView::setLaneFilter(std::function<bool(LaneId)> shows)
{
    m_shows = std::move(shows);
    layOut();
}

// Pictures

void TimelineView::drawPicture(QPainter& painter, QSize size)
{
    const TimelineStyle style(font(), m_themes->theme(), densityFor(size.width()));
    const bool asVectors = isVectorEngine(painter);
    const qreal ratio = asVectors || !painter.device() ? 1 : painter.device()->devicePixelRatioF();
    const bool isSameWidth = size.width() == viewport()->width();
    const int header = isSameWidth ? headerWidth() : style.headerWidthFor(size.width());
    TimelineFrame frame = frameFor(style, size, ratio, header);
    const lod::LaneLayout layout = layoutFor(style);
    frame.layout = &layout;
    const int room = frame.geometry.lanesRect().height();
    lod::LaneScroll& scroll = frame.geometry.lanes;
    scroll = lod::LaneScroll::of(layout, room, 0, m_pinnedScroll);
    const int most = layout.height() - layout.scrolledTop() - (room - scroll.shownTop);
    scroll.scrollY = std::clamp(verticalScrollBar()->value(), 0, std::max(most, 0));
    frame.asVectors = asVectors;
    painter.save();
    painter.setClipRect(QRect(QPoint(0, 0), size), Qt::IntersectClip);
    paintTimelinePicture(painter, frame);
    if (!m_empty->isHidden()) {
        m_empty->setGeometry(0, style.rulerHeight(), size.width(), std::max(size.height() - style.rulerHeight(), 0));
        m_empty->render(&painter, QPoint(0, style.rulerHeight()), {}, QWidget::DrawChildren);
        updateEmptyText();
    }
    painter.restore();
}

// Places

QRectF TimelineView::sliceRect(SliceRef slice)
{
    readFrame();
    return m_frame.sliceRect(slice);
}

QRectF TimelineView::laneHeaderRect(LaneId lane)
{
    readFrame();
    const lod::LaneItem* item = m_layout.itemOf(lane);
    if (!item)
        return {};
    const TimelineGeometry& geometry = m_frame.geometry;
    return {0, geometry.y(item->y), double(geometry.headerWidth), geometry.y(item->bottom()) - geometry.y(item->y)};
}

const lod::LaneLayout& TimelineView::layoutOfLanes()
{
    return m_layout;
}

const TimelineFrame& TimelineView::frame()
{
    readFrame();
    return m_frame;
}

const ArrowPlan& TimelineView::arrowPlan()
{
    readFrame();
    return m_plan;
}

const std::vector<JumpSpot>& TimelineView::hints()
{
    readFrame();
    return m_hints;
}

} // namespace torchline
