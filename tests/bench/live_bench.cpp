// bench-live [--quick | --long]: what recording a program costs it, against LibTorch's own profiler, and what following
// it costs the window. The subjects are live-subject and strange-workload of tests/workloads, bench-growing and
// bench-live-window, beside this program. --long: ten minutes of following, nothing else.

#include "measure.h"
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace torchline::bench;

struct Costs {
    std::vector<double> ratios; ///< over the bare program: ring / profiler
    std::vector<double> ratiosOfAll; ///< the same with shapes and memory
    std::vector<double> ratiosOfEmpty; ///< callbacks that do nothing / profiler: what no recorder gets below
    double bare = 0;
    double empty = 0; ///< over bare, as all below
    double ring = 0;
    double withStacks = 0; ///< without shapes and memory
    double profiler = 0;
    double dropped = 0;
};

Costs measureCosts(const std::string& folder, const std::string& mode, int runs, int rounds)
{
    Costs out;
    for (int i = 0; i < runs; ++i) {
        const Run result
            = run({folder + "/live-subject", mode, folder + "/libtorchline-agent.so", std::to_string(rounds)});
        const double bare = reported(result, "bare");
        const auto over = [&](const char* name) { return reported(result, name) - bare; };
        out.ratios.push_back(over("ring") / over("profiler"));
        out.ratiosOfAll.push_back(over("ring_all") / over("profiler_all"));
        out.ratiosOfEmpty.push_back(over("empty") / over("profiler"));
        out.bare = bare;
        out.empty = over("empty");
        out.ring = over("ring");
        out.withStacks = over("ring_stacks");
        out.profiler = over("profiler");
        out.dropped += reported(result, "dropped");
    }
    return out;
}

std::string describe(const Costs& costs, double scale, const char* unit)
{
    char text[280];
    std::snprintf(text, sizeof(text),
        "callbacks that do nothing %.2fx; last run: bare %.0f %s, callbacks that do nothing +%.0f, ring +%.0f, with "
        "stacks +%.0f, profiler +%.0f; %.0f dropped",
        spreadOf(costs.ratiosOfEmpty).median, costs.bare / scale, unit, costs.empty / scale, costs.ring / scale,
        costs.withStacks / scale, costs.profiler / scale, costs.dropped);
    return text;
}

Spread idlePercent(const std::string& folder, int rounds)
{
    const Command bare = {folder + "/live-subject", "alone", "600"};
    // a socket at which nobody listens: the agent binds, patches and then rests
    const Command idle = {"env", "LD_PRELOAD=" + folder + "/libtorchline-agent.so", "TORCHLINE_SOCK=/dev/null/no",
        folder + "/live-subject", "alone", "600"};
    const Pairs pairs = takeTurns(idle, bare, rounds);
    std::vector<double> percent;
    for (size_t i = 0; i < pairs.subject.size(); ++i)
        percent.push_back(100 * (reported(pairs.subject[i], "step") / reported(pairs.reference[i], "step") - 1));
    return spreadOf(percent);
}

/// Made in a second and followed for so long by the whole window.
Run followed(const std::string& folder, int perSecond, int seconds)
{
    // Qt's own platform for pictures complains about each size hint
    return run({"env", "QT_LOGGING_RULES=default.warning=false", folder + "/bench-live-window",
        folder + "/strange-workload", std::to_string(perSecond), std::to_string(seconds)});
}

std::string describeFollowed(const Run& run)
{
    char text[200];
    std::snprintf(text, sizeof(text), "%.1f pictures/s, newest operator in them %.0f ms old (median), %.0f (95 %%)",
        reported(run, "updates-per-second"), reported(run, "age-median-ms"), reported(run, "age-p95-ms"));
    return text;
}

void addFollowing(Report& report, const std::string& folder, int runs, int seconds)
{
    std::vector<double> cpu;
    std::vector<double> bytes;
    std::vector<double> fastest;
    Run last;
    for (int i = 0; i < runs; ++i) {
        last = followed(folder, 200'000, seconds);
        cpu.push_back(reported(last, "cpu-percent"));
        bytes.push_back(reported(last, "bytes-a-slice"));
        double reached = 0;
        for (const int perSecond : {500'000, 1'000'000, 1'500'000, 2'000'000}) {
            const Run fast = followed(folder, perSecond, 5);
            if (reported(fast, "dropped") > 0)
                break;
            reached = reported(fast, "records-per-second") / 1e6;
        }
        fastest.push_back(reached);
    }
    report.add(
        "window's processor time at 200 k/s", spreadOf(cpu), " % of a core", Bar::AtMost, 40, describeFollowed(last));
    report.add(
        "records a second followed, none lost", spreadOf(fastest), " M", Bar::AtLeast, 1.5, "of 0.5, 1, 1.5, 2 M");
    report.add("bytes a record in the model", spreadOf(bytes), " B", Bar::AtMost, 64, "");
}

/// What a picture of a recording costs must not depend on how much is there already.
void addPictures(Report& report, const std::string& folder, int runs)
{
    for (const bool isMany : {false, true}) {
        std::vector<double> ratios;
        Run large;
        for (int i = 0; i < runs; ++i) {
            const auto pictures = [&](const char* records) {
                Command command = {folder + "/bench-growing", records, isMany ? "8" : "1"};
                if (isMany)
                    command.emplace_back("memory");
                return run(command);
            };
            const Run small = pictures("500000");
            large = pictures("8000000");
            ratios.push_back(reported(large, "picture") / reported(small, "picture"));
        }
        char text[200];
        std::snprintf(text, sizeof(text), "the larger one %.1f ms: snapshot %.1f, what is drawn of it %.1f",
            reported(large, "picture"), reported(large, "snapshot"), reported(large, "view-data"));
        report.add(isMany ? "the same, 8 threads and memory  " : "picture of 8 M slices / of 0.5 M", spreadOf(ratios),
            "x", Bar::AtMost, 3, text);
    }
}

/// Ten minutes: within the cap, and whatever is not there was said.
int followLong(const std::string& folder)
{
    Report report(1);
    constexpr int kPerSecond = 200'000;
    constexpr int kSeconds = 600;
    const Run run = followed(folder, kPerSecond, kSeconds);
    constexpr double kMade = double{kPerSecond} * kSeconds; // a few more: the last burst is made whole
    const double unsaid = std::max(kMade - reported(run, "slices") - reported(run, "told-lost"), 0.0);
    char text[200];
    std::snprintf(text, sizeof(text), "%.0f operators made, %.0f slices kept, %.0f said to be lost or forgotten", kMade,
        reported(run, "slices"), reported(run, "told-lost"));
    report.add("operators gone unsaid in 10 minutes", spreadOf({unsaid}), "", Bar::AtMost, 0, text);
    report.add("model of 10 minutes",
        spreadOf({reported(run, "bytes-a-slice") * reported(run, "slices") / 1073741824.0}), " GiB", Bar::AtMost, 2,
        "cap 2 GiB");
    report.add("window's processor time", spreadOf({reported(run, "cpu-percent")}), " % of a core", Bar::AtMost, 40,
        describeFollowed(run));
    return report.finish();
}

} // namespace

int main(int argc, char** argv)
{
    const std::string option = argc > 1 ? argv[1] : "";
    const bool quick = option == "--quick";
    const std::string folder = std::filesystem::path(argv[0]).parent_path().string();
    if (option == "--long")
        return followLong(folder);
    const int runs = quick ? 3 : 7;
    const int rounds = quick ? 15 : 40;
    Report report(quick ? 1.2 : 1);
    const Costs op = measureCosts(folder, "op", runs, rounds);
    report.add("op recorded / LibTorch's profiler", spreadOf(op.ratios), "x", Bar::AtMost, 0.65, describe(op, 1, "ns"));
    report.add("the same, shapes and memory", spreadOf(op.ratiosOfAll), "x", Bar::AtMost, 0.75, "");
    const Costs step = measureCosts(folder, "step", runs, rounds);
    report.add("step recorded / LibTorch's profiler", spreadOf(step.ratios), "x", Bar::AtMost, 0.75,
        describe(step, 1000, "us"));
    report.add("the same, shapes and memory ", spreadOf(step.ratiosOfAll), "x", Bar::AtMost, 0.75, "");
    report.add("agent loaded, not recording", idlePercent(folder, quick ? 5 : 15), " %", Bar::AtMost, 1,
        "processor time of a training step, programs in turn");
    if (std::filesystem::exists(folder + "/bench-growing"))
        addPictures(report, folder, quick ? 1 : 3);
    if (std::filesystem::exists(folder + "/bench-live-window"))
        addFollowing(report, folder, quick ? 1 : 3, quick ? 10 : 20);
    return report.finish();
}
