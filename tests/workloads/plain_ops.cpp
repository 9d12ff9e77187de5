#include "workloads.h"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <chrono>
#include <thread>
#include <vector>

void someOperators(int count)
{
    torch::NoGradGuard noGradients;
    const torch::Tensor a = torch::ones({2, 3});
    for (int i = 0; i < count; ++i)
        torch::add(a, a).mul_(a);
}

void runThreads(int size)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < size; ++i)
        threads.emplace_back([] { someOperators(200); });
    for (std::thread& thread : threads)
        thread.join();
}

void runThreadsInTurn(int size)
{
    for (int i = 0; i < size; ++i)
        std::thread([] { someOperators(20); }).join();
}

void nestDeeply(int size)
{
    if (size == 0) {
        someOperators(1);
        return;
    }
    RECORD_USER_SCOPE("level");
    nestDeeply(size - 1);
}

void allocate(int size)
{
    const auto work = [size] {
        torch::NoGradGuard noGradients;
        std::vector<torch::Tensor> kept;
        for (int i = 0; i < size; ++i) {
            kept.push_back(torch::empty({1 + i % 100}, torch::kByte));
            if (kept.size() > 8)
                kept.erase(kept.begin());
        }
    };
    std::thread other(work);
    work();
    other.join();
}

void flood(int size)
{
    torch::NoGradGuard noGradients;
    torch::Tensor a = torch::ones({1});
    for (int i = 0; i < size; ++i)
        a.add_(a);
}

void paceSteps(int size)
{
    for (int step = 0; step < size; ++step) {
        RECORD_USER_SCOPE("ProfilerStep#" + std::to_string(step));
        someOperators(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}
