#pragma once
// LaunchSetup: what a person asks for on the record page, kept among the recent launches. Thread: GUI thread only.

#include "capture/session_options.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace torchline {

class Settings;

struct LaunchSetup {
    enum class When : uint8_t { AtOnce, After, ByHand, Schedule };

    QString program;
    QString arguments; ///< as on a command line: quotes hold blanks together
    QString folder;
    QString environment; ///< NAME=VALUE NAME=VALUE
    bool shapes = true;
    bool memory = true;
    bool stacks = false;
    bool userScopes = true;
    bool backward = true;
    bool children = true;
    When when = When::AtOnce;
    int afterSeconds = 10;
    int forSeconds = 0; ///< 0: until it ends
    int skipFirst = 0;
    int wait = 1;
    int warmup = 1;
    int active = 3;
    int repeat = 0;
    QString step; ///< what ends a step; empty: ProfilerStep*
    double spoolGib = 8; ///< limit
    qint64 operatorsPerSecond = 0; ///< seen when it ran last; 0: not known

    friend bool operator==(const LaunchSetup&, const LaunchSetup&) = default;

    [[nodiscard]] QString commandText() const;
    [[nodiscard]] capture::SessionOptions options() const;
    /// Of a program as a shell gave it.
    [[nodiscard]] static LaunchSetup ofCommand(const std::vector<std::string>& words);
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static LaunchSetup fromJson(const QJsonObject& object);
};

/// Words of a command line: blanks part them, double quotes hold them together; in quotes \" and \\ stand for
/// themselves.
[[nodiscard]] QStringList splitWords(const QString& text);

/// Newest first.
[[nodiscard]] std::vector<LaunchSetup> recentLaunches(const Settings& settings);
/// Puts it first; one of the same program, arguments and folder is replaced.
void rememberLaunch(Settings& settings, const LaunchSetup& setup);

/// The demo that comes with the program; none: this build has no LibTorch.
[[nodiscard]] std::optional<LaunchSetup> demoLaunch();
/// A program of ours that nobody calls by name: beside the executable of a build, in lib/torchline of an installation.
[[nodiscard]] std::string helperPath(const QString& name);

/// "about 0.9 % of the program's time" or, with nothing known of it, per operator.
[[nodiscard]] QString costText(const LaunchSetup& setup);

} // namespace torchline
