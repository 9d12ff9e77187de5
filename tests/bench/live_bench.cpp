// bench-live [--quick]: what recording a program costs it, against LibTorch's own profiler. The subject is live-subject
// of tests/workloads, beside this program.

#include "measure.h"
#include "report.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace torchline::bench;

struct Costs {
    std::vector<double> ratios; ///< over the bare program: ring / profiler
    std::vector<double> ratiosOfAll; ///< the same with shapes and memory
    double bare = 0;
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
        out.bare = bare;
        out.ring = over("ring");
        out.withStacks = over("ring_stacks");
        out.profiler = over("profiler");
        out.dropped += reported(result, "dropped");
    }
    return out;
}

std::string describe(const Costs& costs, double scale, const char* unit)
{
    char text[160];
    std::snprintf(text, sizeof(text),
        "last run: bare %.0f %s, ring +%.0f, with stacks +%.0f, profiler +%.0f; %.0f dropped", costs.bare / scale, unit,
        costs.ring / scale, costs.withStacks / scale, costs.profiler / scale, costs.dropped);
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

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::string(argv[1]) == "--quick";
    const std::string folder = std::filesystem::path(argv[0]).parent_path().string();
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
    return report.finish();
}
