#pragma once
// FocusLine: two pixels at the top of a pane that have the accent colour while the keyboard works on what it watches.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class FocusLine : public QWidget {
    Q_OBJECT

public:
    static constexpr int kHeight = 2;

    /// watched: a widget, with all inside it.
    FocusLine(ThemeHost* themes, QWidget* watched, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    QWidget* m_watched;
    bool m_isLit = false;
};

} // namespace torchline
