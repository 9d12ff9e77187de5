#pragma once
// StepStrip: one bar a profiler step: height = time, tint = share of it that the GPU was busy, slow ones with a
// triangle. Click goes to a step, Shift+click makes it the scope; with the focus Left, Right, Enter and Shift+Enter do
// the same. Thread: GUI thread only. A paint costs O(bars in view), at most one a 2 pixels.

#include "timeline/overview_axis.h"
#include "timeline/tip_widget.h"

#include "common/keyboard_focus.h"
#include "common/theme_host.h"
#include "common/view_state.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

namespace torchline {

class StepStrip : public QWidget {
    Q_OBJECT

public:
    StepStrip(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);

    /// style: kept by the owner until the next call.
    void setStyle(const TimelineStyle* style);
    void setAxis(const OverviewAxis& axis);

    /// A bar as it is drawn; where many steps share two pixels it is the slowest of them.
    struct Bar {
        QRect rect;
        size_t step = 0; ///< index in Overview::steps()
        uint32_t steps = 1; ///< how many it stands for
        bool isCut = false; ///< higher than there is room
    };
    [[nodiscard]] const std::vector<Bar>& bars();
    [[nodiscard]] const Bar* barAt(QPoint pos);
    /// Tint by the share of the GPU; invalid share: idle.
    [[nodiscard]] static QColor tintOf(const Theme& theme, std::optional<double> share);
    /// "24 · median 51.5 ms".
    [[nodiscard]] QString summary(bool isShort) const;
    [[nodiscard]] TipContent tipOf(const Bar& bar) const;
    [[nodiscard]] const TipWidget* tip() const { return m_tip; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void placeBars();
    void forgetBars();
    void setHovered(std::optional<size_t> step);
    void showTip();
    void hideTip();
    void paintHead(QPainter& painter) const;
    void paintBar(QPainter& painter, const Bar& bar) const;
    void outline(QPainter& painter, size_t step, int width);
    [[nodiscard]] const Bar* barOf(size_t step);

    ViewState* m_state;
    ThemeHost* m_themes;
    const TimelineStyle* m_style = nullptr;
    OverviewAxis m_axis;
    std::vector<Bar> m_bars;
    bool m_areBarsOld = true;
    std::optional<size_t> m_hovered;
    QPoint m_pointer;
    TipWidget* m_tip;
    QTimer m_tipTimer;
    KeyboardFocus m_focus{this};
};

} // namespace torchline
