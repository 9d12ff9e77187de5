#pragma once
// ThemeHost: the theme a window shows now; every widget paints with theme() and repaints on themeChanged().
// Thread: GUI thread only. The window owns one and outlives the widgets that hold a pointer to it.

#include "common/theme.h"

#include <QObject>

namespace torchline {

class ThemeHost : public QObject {
    Q_OBJECT

public:
    explicit ThemeHost(ThemeMode mode = ThemeMode::Light, QObject* parent = nullptr);

    [[nodiscard]] const Theme& theme() const { return Theme::of(m_mode); }
    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    /// The present mode again emits nothing.
    void setMode(ThemeMode mode);

Q_SIGNALS:
    void themeChanged();

private:
    ThemeMode m_mode;
};

} // namespace torchline
