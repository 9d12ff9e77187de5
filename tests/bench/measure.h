#pragma once
// Measuring programs against each other: each run is a process of its own, the two sides take turns, and what counts is
// the middle of the ratios. Thread: one.

#include <cstdint>
#include <string>
#include <vector>

namespace torchline::bench {

/// A program and its arguments; the first is its path or a name on PATH.
using Command = std::vector<std::string>;

/// One process from start to end.
struct Run {
    double wallSeconds = 0;
    double userSeconds = 0;
    double systemSeconds = 0;
    uint64_t peakBytes = 0; ///< most that was resident
    std::string output;
};

/// Ends this program with a message if the command cannot be started or fails.
[[nodiscard]] Run run(const Command& command);

/// Runs of two commands, one of each in turn.
struct Pairs {
    std::vector<Run> subject;
    std::vector<Run> reference;
};

/// A warm-up of both comes first and is not counted.
[[nodiscard]] Pairs takeTurns(const Command& subject, const Command& reference, int rounds);

/// Processor time of this process so far, user and system.
[[nodiscard]] double ownCpuSeconds();

struct Spread {
    double lowest = 0;
    double median = 0;
    double highest = 0;
};

[[nodiscard]] Spread spreadOf(std::vector<double> values);
/// Of subject / reference, pair by pair.
[[nodiscard]] Spread wallRatios(const Pairs& pairs);
[[nodiscard]] Spread userRatios(const Pairs& pairs);
[[nodiscard]] Spread cpuRatios(const Pairs& pairs); ///< user and system
/// "0.91 s, user 0.80 s, system 0.08 s, peak 182 MiB": medians.
[[nodiscard]] std::string describe(const std::vector<Run>& runs);
[[nodiscard]] double medianPeakBytes(const std::vector<Run>& runs);
/// Value of "KEY VALUE" lines of a run's output; ends this program if there is none.
[[nodiscard]] double reported(const Run& run, const std::string& key);

} // namespace torchline::bench
