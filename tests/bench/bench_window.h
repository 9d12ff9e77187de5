#pragma once
// BenchWindow: the whole window of the program as a person's at its usual size, with settings that are not kept.
// Thread: GUI thread only.

#include "application.h"
#include "main_window.h"
#include "settings.h"

#include <memory>

namespace torchline::bench {

/// Fonts and style of the application come with it.
struct DressedThemes : ThemeHost {
    DressedThemes() { dressApplication(this); }
};

struct BenchWindow {
    DressedThemes themes;
    std::unique_ptr<Settings> settings = Settings::forgetful();
    MainWindow window;

    BenchWindow()
        : window(&themes, *settings, nullptr)
    {
        window.resize(1920, 1080);
        window.show();
    }
};

} // namespace torchline::bench
