#pragma once
// OverviewStrips: what stands above the timeline: step strip and minimap, on one axis that lies over the lanes. Steps
// take no room in a trace without them, neither does in a window that is very low.
// Thread: GUI thread only.

#include "timeline/minimap.h"
#include "timeline/step_strip.h"

#include <memory>

namespace torchline {

class OverviewStrips : public QWidget {
    Q_OBJECT

public:
    OverviewStrips(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~OverviewStrips() override;

    /// Where the lanes of the timeline lie: from left on, so wide.
    void setLanes(int left, int width);
    /// Lower strips, for small windows.
    void setCompact(bool compact);
    /// False: no room for them.
    void setRoom(bool hasRoom);
    [[nodiscard]] Minimap* minimap() { return m_minimap; }
    [[nodiscard]] StepStrip* steps() { return m_steps; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuildStyle();
    void showParts();
    void placeAxis();

    ViewState* m_state;
    ThemeHost* m_themes;
    StepStrip* m_steps;
    Minimap* m_minimap;
    std::unique_ptr<TimelineStyle> m_style;
    int m_left = 0;
    int m_lanesWidth = 1;
    bool m_isCompact = false;
    bool m_hasRoom = true;
};

} // namespace torchline
