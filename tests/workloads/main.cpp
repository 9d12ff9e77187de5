// torch-workload NAME [SIZE] [--counts FILE]: one of the workloads of workloads.h. With --counts it writes what
// operators it ran, as counted by itself.

#include "counting.h"
#include "workloads.h"

#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <map>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::cerr << "torch-workload NAME [SIZE] [--counts FILE]\n";
        return 2;
    }
    const std::string name = argv[1];
    int size = 1;
    std::string counts;
    for (int i = 2; i < argc; ++i) {
        if (std::string(argv[i]) == "--counts" && i + 1 < argc)
            counts = argv[++i];
        else
            size = std::stoi(argv[i]);
    }
    const std::map<std::string, std::function<void()>> workloads = {
        {"train", [&] { trainSmallNetwork(size); }},
        {"elsewhere", [&] { endElsewhere(size); }},
        {"async", [&] { forkAndWait(size); }},
        {"profiler", [&] { profileAtOnce(size); }},
        {"threads", [&] { runThreads(size); }},
        {"threads-in-turn", [&] { runThreadsInTurn(size); }},
        {"deep", [&] { nestDeeply(size); }},
        {"memory", [&] { allocate(size); }},
        {"flood", [&] { flood(size); }},
        {"steps", [&] { paceSteps(size); }},
        {"stacks", [&] { callFromKnownFunctions(size); }},
        {"some", [&] { someOperators(size); }},
        {"fork", [&] { forkChildren(size); }},
        {"exec", [&] { executeItself(size, argv[0]); }},
        {"fork-exec", [&] { forkAndExecute(size, argv[0]); }},
        {"segv", [&] { crash(name); }},
        {"abort", [&] { crash(name); }},
        {"terminate", [&] { crash(name); }},
        {"kill", [&] { crash(name); }},
        {"exit", [&] { crash(name); }},
        {"close-all", [&] { closeAllDescriptors(size); }},
        {"identity", [&] { changeIdentity(size); }},
    };
    const auto found = workloads.find(name);
    if (found == workloads.end()) {
        std::cerr << "torch-workload: no workload is called " << name << '\n';
        return 2;
    }
    at::set_num_threads(1);
    torch::manual_seed(1);
    if (!counts.empty())
        beginCounting();
    found->second();
    if (!counts.empty())
        writeCounts(counts);
    return 0;
}
