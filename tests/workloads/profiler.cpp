#include "workloads.h"

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include <iostream>

void profileAtOnce(int size)
{
    namespace impl = torch::profiler::impl;
    const impl::ProfilerConfig config(impl::ProfilerState::KINETO, true, true);
    const std::set<impl::ActivityType> activities = {impl::ActivityType::CPU};
    torch::autograd::profiler::prepareProfiler(config, activities);
    torch::autograd::profiler::enableProfiler(config, activities);
    trainSmallNetwork(size);
    const auto result = torch::autograd::profiler::disableProfiler();
    std::cout << "events " << result->events().size() << '\n';
}
