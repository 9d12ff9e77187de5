// torchline-demo: trains a small network on generated pictures: something to record where nothing else is at hand.
//   torchline-demo [STEPS]      default 600; 0: until it is stopped

#include <torch/torch.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

constexpr int64_t kBatch = 16;
constexpr int64_t kSide = 16;
constexpr int64_t kClasses = 4;
constexpr long kDefaultSteps = 1000;
constexpr long kTellEvery = 10;

volatile std::sig_atomic_t s_isAskedToEnd = 0;

/// Two convolutions, then a perceptron.
struct NetImpl : torch::nn::Module {
    NetImpl()
        : first(register_module("first", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 3).padding(1))))
        , second(register_module("second", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 16, 3).padding(1))))
        , hidden(register_module("hidden", torch::nn::Linear(16 * (kSide / 4) * (kSide / 4), 64)))
        , out(register_module("out", torch::nn::Linear(64, kClasses)))
    {
    }

    torch::Tensor forward(torch::Tensor x)
    {
        x = torch::max_pool2d(torch::relu(first(x)), 2);
        x = torch::max_pool2d(torch::relu(second(x)), 2);
        return out(torch::relu(hidden(x.flatten(1))));
    }

    torch::nn::Conv2d first;
    torch::nn::Conv2d second;
    torch::nn::Linear hidden;
    torch::nn::Linear out;
};
TORCH_MODULE(Net);

struct Batch {
    torch::Tensor pictures;
    torch::Tensor classes;
};

/// Noise with a bright spot in one of four corners: which one is what the network learns.
Batch makeBatch()
{
    RECORD_USER_SCOPE("make batch");
    Batch batch{torch::rand({kBatch, 1, kSide, kSide}), torch::randint(kClasses, {kBatch}, torch::kLong)};
    for (int64_t i = 0; i < kBatch; ++i) {
        const auto corner = batch.classes[i].item<int64_t>();
        const int64_t row = (corner / 2) * (kSide / 2) + 2;
        const int64_t column = (corner % 2) * (kSide / 2) + 2;
        batch.pictures[i][0].slice(0, row, row + 4).slice(1, column, column + 4).add_(0.4);
    }
    return batch;
}

double train(Net& net, torch::optim::Adam& optimizer)
{
    const Batch batch = makeBatch();
    torch::Tensor loss;
    {
        RECORD_USER_SCOPE("forward");
        loss = torch::cross_entropy_loss(net(batch.pictures), batch.classes);
    }
    {
        RECORD_USER_SCOPE("backward");
        optimizer.zero_grad();
        loss.backward();
    }
    {
        RECORD_USER_SCOPE("Optimizer.step#Adam.step");
        optimizer.step();
    }
    return loss.item<double>();
}

} // namespace

int main(int argc, char** argv)
{
    long steps = kDefaultSteps;
    if (argc > 1) {
        const std::string_view text = argv[1];
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
        if (argc > 2 || error != std::errc() || end != text.data() + text.size() || steps < 0) {
            std::fprintf(stderr, "usage: torchline-demo [STEPS]\n");
            return 2;
        }
    }
    for (const int number : {SIGINT, SIGTERM})
        std::signal(number, [](int) { s_isAskedToEnd = 1; });
    torch::manual_seed(1);
    torch::set_num_threads(1); // threads that wait for each other tell little of a network so small
    Net net;
    torch::optim::Adam optimizer(net->parameters(), 1e-3);
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    for (long step = 1; (steps == 0 || step <= steps) && s_isAskedToEnd == 0; ++step) {
        const std::string name = "ProfilerStep#" + std::to_string(step);
        double loss = 0;
        {
            RECORD_USER_SCOPE(name);
            loss = train(net, optimizer);
        }
        if (step % kTellEvery != 0)
            continue;
        const auto now = Clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - last).count() / kTellEvery;
        last = now;
        std::printf("step %5ld | loss %.4f | %6.1f ms\n", step, loss, ms);
        std::fflush(stdout);
    }
    std::printf("done\n");
    return 0;
}
