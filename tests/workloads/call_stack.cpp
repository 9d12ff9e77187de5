#include "workloads.h"

#include <ATen/record_function.h>
#include <torch/torch.h>

// Compilers may neither inline these nor leave their frames: each does something after its call.

[[gnu::noinline]] int innermostCaller(torch::Tensor& tensor)
{
    tensor.mul_(tensor); // the line of the innermost call
    return static_cast<int>(tensor.numel());
}

[[gnu::noinline]] int middleCaller(torch::Tensor& tensor)
{
    return innermostCaller(tensor) + 1; // the line of the middle call
}

[[gnu::noinline]] int outermostCaller(torch::Tensor& tensor, int times)
{
    RECORD_USER_SCOPE("outermost scope");
    int sum = 0;
    for (int i = 0; i < times; ++i)
        sum += middleCaller(tensor);
    return sum;
}

int callFromKnownFunctions(int size)
{
    torch::NoGradGuard noGradients;
    torch::Tensor tensor = torch::ones({2});
    return outermostCaller(tensor, size) + middleCaller(tensor) + innermostCaller(tensor);
}
