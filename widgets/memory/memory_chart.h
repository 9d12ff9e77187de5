#pragma once
// MemoryChart: allocated and reserved memory of each device on the timeline's own time axis: one zoom, one range, one
// cursor for both. Thread: GUI thread only. Cost of a paint: O(pixels log samples) a device.

#include "timeline/axis_mover.h"
#include "timeline/memory_painter.h"
#include "timeline/tip_widget.h"

#include "common/background_job.h"
#include "common/growth_pace.h"
#include "common/theme_host.h"
#include "common/view_state.h"
#include "lod/ruler.h"

#include <QWidget>

namespace torchline {

using MemoryCurves = std::shared_ptr<const std::vector<lod::MemoryTrack>>;

class MemoryChart : public QWidget {
    Q_OBJECT

public:
    MemoryChart(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~MemoryChart() override;

    /// Null: nothing is known yet.
    [[nodiscard]] const MemoryCurves& curves() const { return m_curves; }
    [[nodiscard]] bool isSettled() const { return !m_job.isRunning(); }
    /// Where the curve of a device lies; for tests.
    [[nodiscard]] QRectF plotRect(size_t track) const;
    /// What keys mean; the map outlives the view.
    void setKeys(const KeyMap* keys) { m_mover.setKeys(keys); }
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 40}; }
    [[nodiscard]] QSize sizeHint() const override { return {640, 220}; }

Q_SIGNALS:
    void curvesChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void takeTrace();
    void readTrace();
    void rebuildStyle();
    void readScale();
    void updateCursor();
    [[nodiscard]] int axisWidth() const;
    [[nodiscard]] QRectF plotArea() const; ///< of all devices together
    [[nodiscard]] int64_t timeAt(double x) const;
    [[nodiscard]] double xOf(int64_t timeNs) const;
    void paintRulerRow(QPainter& painter);
    void paintTrack(QPainter& painter, size_t track, const QRectF& dirty);

    ViewState* m_state;
    ThemeHost* m_themes;
    std::unique_ptr<TimelineStyle> m_style;
    MemoryCurves m_curves;
    BackgroundJob m_job{this};
    GrowthPace m_pace{[this] { readTrace(); }};
    lod::PixelGrid m_grid;
    lod::Ruler m_ruler;
    TipWidget* m_tip;
    QTimer m_tipTimer;
    std::optional<QPoint> m_pointer;
    std::optional<QPoint> m_pressedAt;
    bool m_isPan = false;
    bool m_isDragging = false;
    int64_t m_anchorNs = 0;
    std::optional<int64_t> m_drawnCursor;
    AxisMover m_mover;
};

} // namespace torchline
