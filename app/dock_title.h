#pragma once
// DockTitle: the head of a dock that stands alone; looks like the one tab that it is. Drag it to move the dock.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

class QDockWidget;

namespace torchline {

class DockTitle : public QWidget {
    Q_OBJECT

public:
    DockTitle(ThemeHost* themes, QDockWidget* dock);

    /// Nothing while tabs stand over the dock.
    void setShown(bool shown);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    QDockWidget* m_dock;
    bool m_isShown = true;
};

} // namespace torchline
