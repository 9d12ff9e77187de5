#include "theme_controller.h"

namespace torchline {

ThemeMode themeModeFor(ThemeChoice choice, std::optional<ColorScheme> desktop, const QPalette& desktopPalette)
{
    if (choice != ThemeChoice::System)
        return choice == ThemeChoice::Dark ? ThemeMode::Dark : ThemeMode::Light;
    if (desktop == ColorScheme::PreferDark)
        return ThemeMode::Dark;
    if (desktop == ColorScheme::PreferLight)
        return ThemeMode::Light;
    const bool paletteIsDark
        = desktopPalette.color(QPalette::Window).lightness() < desktopPalette.color(QPalette::WindowText).lightness();
    return paletteIsDark ? ThemeMode::Dark : ThemeMode::Light;
}

ThemeController::ThemeController(
    Settings& settings, ThemeHost& host, DesktopScheme& desktop, const QPalette& desktopPalette, QObject* parent)
    : QObject(parent)
    , m_settings(settings)
    , m_host(host)
    , m_desktop(desktop)
    , m_desktopPalette(desktopPalette)
    , m_choice(settings.themeChoice())
{
    connect(&m_desktop, &DesktopScheme::schemeChanged, this, &ThemeController::apply);
    apply();
}

void ThemeController::setChoice(ThemeChoice choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    m_settings.setThemeChoice(choice);
    apply();
    Q_EMIT choiceChanged();
}

void ThemeController::apply()
{
    m_host.setMode(themeModeFor(m_choice, m_desktop.scheme(), m_desktopPalette));
}

} // namespace torchline
