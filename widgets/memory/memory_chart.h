#pragma once
// MemoryChart: memory over time of every device, one plot under the other, on the time axis that all views share: it
// zooms, pans and shows the cursor with the timeline. Thread: GUI thread only.

#include "common/background_job.h"
#include "common/theme_host.h"
#include "common/view_state.h"
#include "memory/memory_curve.h"

#include <QWidget>

#include <optional>

namespace torchline {

class MemoryChart : public QWidget {
    Q_OBJECT

public:
    MemoryChart(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~MemoryChart() override;

    /// Null while they are being made, and without a trace.
    [[nodiscard]] const MemoryCurves& curves() const { return m_curves; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void curvesChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    [[nodiscard]] QRect plotArea() const;
    [[nodiscard]] int64_t timeAt(double x) const;
    void paintRuler(QPainter& painter, const QRect& area, const lod::PixelScale& scale, double devicePixels) const;
    void paintAxis(QPainter& painter, const QRect& plot, const MemoryCurve& curve) const;
    void paintCursor(QPainter& painter, const QRect& area, const lod::PixelScale& scale, double devicePixels) const;
    [[nodiscard]] QString valuesAt(int64_t timeNs) const;

    ViewState* m_state;
    ThemeHost* m_themes;
    BackgroundJob m_job;
    MemoryCurves m_curves;
    std::optional<double> m_dragX;
    TimeRange m_dragVisible;
};

} // namespace torchline
