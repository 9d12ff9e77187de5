#pragma once
// ThemeController: turns the person's choice (or, for System, the desktop's wish) into the theme of the windows.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include "desktop_scheme.h"
#include "settings.h"

#include <QObject>
#include <QPalette>

namespace torchline {

/// What the choice comes to. The lightness of the desktop's own palette decides where the portal has no wish.
[[nodiscard]] ThemeMode themeModeFor(
    ThemeChoice choice, std::optional<ColorScheme> desktop, const QPalette& desktopPalette);

class ThemeController : public QObject {
    Q_OBJECT

public:
    /// Keeps references to the first three. desktopPalette: the application's before it got one of ours.
    ThemeController(Settings& settings, ThemeHost& host, DesktopScheme& desktop, const QPalette& desktopPalette,
        QObject* parent = nullptr);

    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    void setChoice(ThemeChoice choice);

Q_SIGNALS:
    void choiceChanged();

private:
    void apply();

    Settings& m_settings;
    ThemeHost& m_host;
    DesktopScheme& m_desktop;
    QPalette m_desktopPalette;
    ThemeChoice m_choice;
};

} // namespace torchline
