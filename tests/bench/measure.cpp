#include "measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace torchline::bench {

namespace {

[[noreturn]] void fail(const Command& command, const char* what)
{
    std::string line;
    for (const std::string& word : command)
        line.append(word) += ' ';
    std::fprintf(stderr, "%s: %s\n", line.c_str(), what);
    std::exit(2);
}

double seconds(const timeval& time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

template <typename Value> Spread pairSpread(const Pairs& pairs, Value&& value)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < pairs.subject.size(); ++i)
        ratios.push_back(value(pairs.subject[i]) / std::max(value(pairs.reference[i]), 1e-6));
    return spreadOf(std::move(ratios));
}

template <typename Value> double medianOf(const std::vector<Run>& runs, Value&& value)
{
    std::vector<double> values;
    for (const Run& each : runs)
        values.push_back(value(each));
    return spreadOf(std::move(values)).median;
}

} // namespace

Run run(const Command& command)
{
    std::vector<char*> arguments;
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str())); // NOLINT: posix_spawn does not write to them
    arguments.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
        fail(command, std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);

    Run result;
    const auto begin = std::chrono::steady_clock::now();
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0)
        fail(command, std::strerror(error));
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
        result.output.append(buffer.data(), static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    rusage usage{};
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail(command, "failed");
    result.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.userSeconds = seconds(usage.ru_utime);
    result.systemSeconds = seconds(usage.ru_stime);
    result.peakBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    return result;
}

double ownCpuSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Pairs takeTurns(const Command& subject, const Command& reference, int rounds)
{
    Pairs pairs;
    if (rounds > 1) {
        (void)run(reference);
        (void)run(subject);
    }
    for (int i = 0; i < rounds; ++i) {
        pairs.subject.push_back(run(subject));
        pairs.reference.push_back(run(reference));
    }
    return pairs;
}

Spread spreadOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {values.front(), median, values.back()};
}

Spread wallRatios(const Pairs& pairs)
{
    return pairSpread(pairs, [](const Run& each) { return each.wallSeconds; });
}

Spread userRatios(const Pairs& pairs)
{
    return pairSpread(pairs, [](const Run& each) { return each.userSeconds; });
}

Spread cpuRatios(const Pairs& pairs)
{
    return pairSpread(pairs, [](const Run& each) { return each.userSeconds + each.systemSeconds; });
}

std::string describe(const std::vector<Run>& runs)
{
    std::array<char, 96> text;
    std::snprintf(text.data(), text.size(), "%.3f s, user %.3f s, system %.3f s, peak %.0f MiB",
        medianOf(runs, [](const Run& each) { return each.wallSeconds; }),
        medianOf(runs, [](const Run& each) { return each.userSeconds; }),
        medianOf(runs, [](const Run& each) { return each.systemSeconds; }), medianPeakBytes(runs) / 1048576);
    return text.data();
}

double medianPeakBytes(const std::vector<Run>& runs)
{
    return medianOf(runs, [](const Run& each) { return static_cast<double>(each.peakBytes); });
}

double reported(const Run& run, const std::string& key)
{
    std::istringstream lines(run.output);
    std::string word;
    double value = 0;
    while (lines >> word >> value) {
        if (word == key)
            return value;
    }
    std::fprintf(stderr, "a run reported no %s\n", key.c_str());
    std::exit(2);
}

} // namespace torchline::bench
