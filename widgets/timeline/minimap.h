#pragma once
// Minimap: the whole trace in one strip: how busy host and devices are over time and with what, search hits, range, and
// the visible time as a handle. Drag moves it, its edges resize it, a click centres, the wheel zooms, a double click
// fits all.
// Thread: GUI thread only. A paint copies a picture that is made anew only when the strip or the trace changes.

#include "timeline/axis_mover.h"
#include "timeline/overview_axis.h"
#include "timeline/timeline_style.h"

#include "common/keyboard_focus.h"
#include "common/theme_host.h"
#include "common/view_state.h"

#include <QImage>
#include <QWidget>

#include <utility>
#include <vector>

namespace torchline {

class Minimap : public QWidget {
    Q_OBJECT

public:
    Minimap(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    /// style: kept by the owner until the next call.
    void setStyle(const TimelineStyle* style);
    void setAxis(const OverviewAxis& axis);
    [[nodiscard]] const OverviewAxis& axis() const { return m_axis; }
    /// The handle as it is drawn: never too narrow to be grabbed.
    [[nodiscard]] QRectF handleRect() const;
    /// Columns that show hits, [first, last] in pixels of the strip.
    [[nodiscard]] const std::vector<std::pair<int, int>>& hitColumns();
    /// "67.7 % busy" of a band, as its head says it.
    [[nodiscard]] static QString busyText(const lod::Overview& overview, const lod::DensityBand& band);
    /// "CPU", "GPU 0", "8 GPUs".
    [[nodiscard]] static QString bandTitle(const lod::DensityBand& band);
    /// What keys mean; the map outlives the view.
    void setKeys(const KeyMap* keys) { m_mover.setKeys(keys); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    enum class Grip : uint8_t { None, Left, Right, Window };

    void forgetPicture();
    [[nodiscard]] QRect bandRect(size_t band) const;
    void drawDensity(qreal ratio);
    void paintHeads(QPainter& painter) const;
    void paintRange(QPainter& painter) const;
    void paintHandle(QPainter& painter) const;
    [[nodiscard]] Grip gripAt(double x) const;
    bool centreAt(int64_t timeNs); ///< false: it was there already
    void dragTo(double x);
    void updatePointer(double x);

    ViewState* m_state;
    ThemeHost* m_themes;
    const TimelineStyle* m_style = nullptr;
    OverviewAxis m_axis;
    QImage m_density; ///< device pixels of the strip's time; null: to be drawn
    std::vector<std::pair<int, int>> m_hits;
    bool m_areHitsOld = true;
    AxisMover m_mover;
    Grip m_grip = Grip::None;
    double m_pressedX = 0;
    TimeRange m_pressedView;
    bool m_hasMoved = false;
    bool m_hasStepped = false; ///< the history has a step of this drag
    KeyboardFocus m_focus{this};
};

} // namespace torchline
