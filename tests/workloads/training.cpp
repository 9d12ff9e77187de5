#include "workloads.h"

#include <torch/torch.h>

#include <iostream>

namespace {

struct Network : torch::nn::Module {
    torch::nn::Conv2d conv{nullptr};
    torch::nn::Linear hidden{nullptr};
    torch::nn::Linear out{nullptr};

    Network()
    {
        conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).padding(1)));
        hidden = register_module("hidden", torch::nn::Linear(4 * 8 * 8, 32));
        out = register_module("out", torch::nn::Linear(32, 10));
    }

    torch::Tensor forward(torch::Tensor x)
    {
        {
            RECORD_USER_SCOPE("features");
            x = torch::relu(conv(x)).flatten(1);
        }
        RECORD_USER_SCOPE("head");
        return out(torch::relu(hidden(x)));
    }
};

} // namespace

void trainSmallNetwork(int size)
{
    const auto network = std::make_shared<Network>();
    torch::optim::SGD optimizer(network->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
    const torch::Tensor images = torch::randn({16, 1, 8, 8});
    const torch::Tensor labels = torch::randint(0, 10, {16}, torch::kLong);
    float loss = 0;
    for (int step = 0; step < size; ++step) {
        RECORD_USER_SCOPE("ProfilerStep#" + std::to_string(step));
        optimizer.zero_grad();
        const torch::Tensor error = torch::nn::functional::cross_entropy(network->forward(images), labels);
        {
            RECORD_USER_SCOPE("backward");
            error.backward();
        }
        {
            RECORD_USER_SCOPE("optimizer");
            optimizer.step();
        }
        loss = error.item<float>();
    }
    std::cout << "loss " << loss << '\n';
}
